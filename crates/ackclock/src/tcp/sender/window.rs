//! The peer's receive window as the sender sees it (RFC 9293 sections 3.3.1 and 3.10.7.4).

use crate::seq::SeqNumber;

/// SND.WND and what goes with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendWindow {
    /// SND.WND in bytes, counted from SND.UNA.
    pub(crate) size: u32,
    /// MAX.SND.WND (RFC 5961 section 5; RFC 9293 section 3.8.6.2.1: Max(SND.WND)).
    pub(crate) largest: u32,
    /// SND.WL1: sequence number of the segment that set the window last.
    wl1: SeqNumber,
    /// SND.WL2: acknowledgement number of the segment that set the window last.
    wl2: SeqNumber,
}

impl SendWindow {
    pub(crate) fn new(size: u32, seq: SeqNumber, ack: SeqNumber) -> Self {
        SendWindow { size, largest: size, wl1: seq, wl2: ack }
    }

    /// As much of the largest window the peer ever offered as is worth a segment by itself (RFC 9293
    /// section 3.8.6.2.1: Fs is one half).
    pub(crate) fn good_part(&self) -> u32 {
        self.largest.div_ceil(2)
    }

    /// Takes the window of an acceptable ack unless an older segment carries it; returns whether
    /// the window was taken and differs.
    ///
    /// RFC 9293 section 3.10.7.4 orders segments by SEG.SEQ and then by SEG.ACK. That passes over
    /// the window in a segment that the peer has sent again with a new acknowledgement, and counts
    /// the old one from the new SND.UNA: beyond what the peer ever offered. No peer takes an
    /// acknowledgement back, so SEG.ACK orders better, and SEG.SEQ tells where it is the same.
    pub(crate) fn update(&mut self, seq: SeqNumber, ack: SeqNumber, size: u32) -> bool {
        let newer = self.wl2.before(ack) || (self.wl2 == ack && self.wl1.at_or_before(seq));
        if !newer {
            return false;
        }
        let changed = self.size != size;
        self.wl1 = seq;
        self.wl2 = ack;
        self.size = size;
        self.largest = self.largest.max(size);
        changed
    }
}
