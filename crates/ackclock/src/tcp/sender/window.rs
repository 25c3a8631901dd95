//! The peer's receive window as the sender sees it (RFC 9293 sections 3.3.1 and 3.10.7.4).

use crate::seq::SeqNumber;

/// The peer's receive window: SND.WND and the state to update it.
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

    /// Least window that is worth sending a small segment into: half (Fs) of the largest window that the peer
    /// ever offered, in bytes (RFC 9293 section 3.8.6.2.1).
    pub(crate) fn good_part(&self) -> u32 {
        self.largest.div_ceil(2)
    }

    /// Updates the window by an acceptable ack, unless a newer segment has set it; returns whether it
    /// changed.
    ///
    /// RFC 9293 section 3.10.7.4 orders segments by SEG.SEQ and then by SEG.ACK. That would ignore the window
    /// in a retransmission that carries a newer acknowledgment, and count the old window from the new
    /// SND.UNA, beyond what the peer ever offered. No peer takes an acknowledgment back, so SEG.ACK is the
    /// better order, and SEG.SEQ decides if it is equal.
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
