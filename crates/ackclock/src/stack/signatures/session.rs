//! TCP-AO state of a connection (RFC 5925 section 4).

use super::keys::{AoParameters, Keys, MasterKey};
use crate::seq::SeqNumber;
use crate::stack::tuple::FourTuple;
use crate::tcp::AoInfo;
use crate::wire::{AoContext, AoCoverage, AoFunctions, KeyIds, SignedSegment, TrafficKey};

/// A sequence number extended to 64 bits (RFC 5925 section 6.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extended(u64);

impl Extended {
    /// The initial value for one direction of a connection.
    pub(super) const fn beginning(isn: SeqNumber) -> Self {
        Extended(isn.0 as u64)
    }

    /// The extended number nearest to this one whose lower half is `seq`: the sequence numbers in flight are
    /// never half the sequence space apart. A number just before the ISN has an SNE of -1.
    pub(super) fn nearest(self, seq: SeqNumber) -> Self {
        let distance = seq.distance(SeqNumber(self.0 as u32));
        Extended(self.0.wrapping_add_signed(distance.into()))
    }

    /// Advances to the extended number nearest to this one, if that is later.
    pub(super) fn advance(&mut self, seq: SeqNumber) {
        if seq.after(SeqNumber(self.0 as u32)) {
            *self = self.nearest(seq);
        }
    }

    /// The sequence number extension (SNE): the upper half.
    pub(super) const fn sne(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// The ISNs from which traffic keys are derived, and the SNE of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) local_isn: SeqNumber,
    pub(super) remote_isn: SeqNumber,
    pub(super) sne: u32,
}

/// Direction of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Sent,
    Received,
}

/// The traffic key for one direction of a connection, with the parameters of its master key tuple.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) struct SegmentKey {
    pub(super) send_id: u8,
    pub(super) recv_id: u8,
    covers_options: bool,
    functions: &'static AoFunctions,
    key: TrafficKey,
}

impl SegmentKey {
    /// Derives the traffic key from a master key tuple (RFC 5925 section 5.2).
    pub(super) fn of(
        master: &MasterKey<'_>,
        tuple: &FourTuple,
        numbers: &Numbers,
        direction: Direction,
    ) -> Self {
        let Numbers { local_isn, remote_isn, .. } = *numbers;
        let mut context = AoContext {
            source: tuple.local.into(),
            destination: tuple.remote.into(),
            source_isn: local_isn,
            destination_isn: remote_isn,
        };
        if direction == Direction::Received {
            core::mem::swap(&mut context.source, &mut context.destination);
            core::mem::swap(&mut context.source_isn, &mut context.destination_isn);
        }
        let AoParameters { send_id, recv_id, covers_options, functions } = master.parameters;
        SegmentKey {
            send_id,
            recv_id,
            covers_options,
            functions,
            key: master.traffic_key(&context),
        }
    }

    /// The MAC of a segment; the option contains as many of its bytes as it has room for.
    pub(super) fn code(&self, segment: &SignedSegment<'_>, sne: u32) -> [u8; 16] {
        let coverage = AoCoverage { sne, options: self.covers_options };
        (self.functions.code)(&self.key, segment, coverage)
    }
}

/// TCP-AO state of a connection, from its first segment to the end of its TIME-WAIT.
#[derive(Clone, Copy, Debug)]
pub(super) struct Session {
    pub(super) tuple: FourTuple,
    pub(super) local_isn: SeqNumber,
    /// The peer's ISN; 0 while unknown.
    pub(super) remote_isn: SeqNumber,
    /// The latest sequence number sent.
    pub(super) sent: Extended,
    /// The latest sequence number received with a valid MAC.
    pub(super) received: Extended,
    /// Current_key: the key that signs sent segments.
    pub(super) current: SegmentKey,
    /// The key of the last received segment.
    pub(super) incoming: SegmentKey,
    /// RecvID of rnext_key.
    pub(super) rnext: u8,
    /// KeyIDs in the last received segment.
    pub(super) heard: Option<KeyIds>,
    /// ICMP errors are processed as on other connections (RFC 5925 section 7.8).
    pub(super) heeds_icmp: bool,
    pub(super) accepted: u64,
    pub(super) dropped: u64,
}

impl Session {
    /// State of a connection whose SYN is about to be sent, or was received with the KeyIDs `heard`. `None` if
    /// no key applies to it.
    pub(super) fn new(
        keys: &Keys,
        tuple: &FourTuple,
        numbers: &Numbers,
        heard: Option<KeyIds>,
    ) -> Option<Self> {
        let incoming = heard
            .and_then(|ids| keys.ao(tuple, |key| key.recv_id == ids.key_id))
            .or_else(|| keys.ao(tuple, |_| true))?;
        let current = heard
            .and_then(|ids| keys.ao(tuple, |key| key.send_id == ids.rnext_key_id))
            .unwrap_or(incoming);
        Some(Session {
            tuple: *tuple,
            local_isn: numbers.local_isn,
            remote_isn: numbers.remote_isn,
            sent: Extended::beginning(numbers.local_isn),
            received: Extended::beginning(numbers.remote_isn),
            current: SegmentKey::of(&current, tuple, numbers, Direction::Sent),
            incoming: SegmentKey::of(&incoming, tuple, numbers, Direction::Received),
            rnext: incoming.parameters.recv_id,
            heard,
            heeds_icmp: false,
            accepted: 0,
            dropped: 0,
        })
    }

    pub(super) fn numbers(&self) -> Numbers {
        let Session { local_isn, remote_isn, .. } = *self;
        Numbers { local_isn, remote_isn, sne: 0 }
    }

    /// Changes current_key.
    pub(super) fn send_by(&mut self, master: &MasterKey<'_>) {
        self.current = SegmentKey::of(master, &self.tuple, &self.numbers(), Direction::Sent);
    }

    /// Sets the peer's ISN, once it is known.
    pub(super) fn meet(&mut self, keys: &Keys, remote_isn: SeqNumber) {
        self.remote_isn = remote_isn;
        self.received = Extended::beginning(remote_isn);
        self.follow(keys);
    }

    /// Updates the traffic keys after a change of the keys or ISNs. Keys that were removed are replaced by the
    /// most specific remaining one.
    pub(super) fn follow(&mut self, keys: &Keys) {
        let tuple = self.tuple;
        let Some(best) = keys.ao(&tuple, |_| true) else {
            return;
        };
        let known = |old: SegmentKey| {
            let is_it =
                |key: &AoParameters| (key.send_id, key.recv_id) == (old.send_id, old.recv_id);
            keys.ao(&tuple, is_it).unwrap_or(best)
        };
        let (current, incoming) = (known(self.current), known(self.incoming));
        self.send_by(&current);
        self.incoming = SegmentKey::of(&incoming, &tuple, &self.numbers(), Direction::Received);
        if keys.ao(&tuple, |key| key.recv_id == self.rnext).is_none() {
            self.rnext = best.parameters.recv_id;
        }
    }

    /// Processes a segment with a valid MAC (RFC 5925 section 7.5, 2e); it may request another key.
    pub(super) fn on_authentic(&mut self, keys: &Keys, ids: KeyIds, seq: SeqNumber) {
        self.received.advance(seq);
        self.heard = Some(ids);
        self.accepted = self.accepted.saturating_add(1);
        if ids.rnext_key_id != self.current.send_id
            && let Some(wanted) = keys.ao(&self.tuple, |key| key.send_id == ids.rnext_key_id)
        {
            self.send_by(&wanted);
        }
    }

    pub(super) fn info(&self) -> AoInfo {
        AoInfo {
            current_key: self.current.send_id,
            rnext_key: self.rnext,
            received: self.heard,
            sne: [self.sent.sne(), self.received.sne()],
            heeds_icmp: self.heeds_icmp,
            accepted: self.accepted,
            dropped: self.dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5925 section 6.2: sequence numbers in flight lie around the latest one, on both sides of a wrap.
    #[test]
    fn a_number_is_extended_by_the_nearest_that_has_it() {
        let mut latest = Extended::beginning(SeqNumber(u32::MAX - 9));
        assert_eq!(latest.nearest(SeqNumber(u32::MAX)).sne(), 0);
        assert_eq!(latest.nearest(SeqNumber(0)).sne(), 1);
        assert_eq!(latest.nearest(SeqNumber(1 << 30)).sne(), 1);
        latest.advance(SeqNumber(5));
        assert_eq!((latest.sne(), latest.nearest(SeqNumber(u32::MAX)).sne()), (1, 0));
        latest.advance(SeqNumber(u32::MAX));
        assert_eq!(latest, Extended(1 << 32 | 5), "an older one moves nothing");
        for round in 1..=3 {
            for quarter in 0..4 {
                latest.advance(SeqNumber(quarter << 30 | 5));
                assert_eq!(latest.sne(), round, "{quarter}");
            }
            latest.advance(SeqNumber(0));
        }
        // The sequence number of a keepalive probe may be one before the ISN.
        assert_eq!(Extended::beginning(SeqNumber(0)).nearest(SeqNumber(u32::MAX)).sne(), u32::MAX);
    }
}
