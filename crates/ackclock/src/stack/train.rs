//! Full segments of one connection that follow one another.
//!
//! What is asked before a segment is sent has the same answer for the next one, as long as nothing
//! happens in between: the windows let go so many segments, and their headers differ in nothing but
//! the sequence number. So the first of them is thought about, and the others follow it.

use super::output::Sink;
use super::pool::NO_ID;
use super::{Rejected, Stack, Transmit};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::Outgoing;
use crate::time::Instant;
use crate::wire::{Ecn, IpInfo, RepeatedHeader};

/// The segments that may follow the last one sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Train {
    /// Whose they are; [`NO_ID`]: nobody's.
    id: u32,
    /// How many are left.
    segments: u32,
    /// When the first was sent. Later the answers may be others.
    at: Instant,
    /// ECN codepoint of all of them.
    ecn: Ecn,
    /// What stands before each payload.
    header: RepeatedHeader,
}

impl Train {
    /// No segment.
    pub(super) const fn none() -> Self {
        Train {
            id: NO_ID,
            segments: 0,
            at: Instant::ZERO,
            ecn: Ecn::NotEct,
            header: RepeatedHeader::empty(),
        }
    }

    /// Something happens: what follows must be thought about again.
    pub(super) fn end(&mut self) {
        self.segments = 0;
    }

    /// Whose segments may follow, if any may.
    pub(super) fn under_way(&self) -> Option<u32> {
        (self.segments > 0).then_some(self.id)
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// The next segment of a train.
    #[inline]
    pub(super) fn transmit_train(
        &mut self,
        now: Instant,
        sink: &mut Sink<'_>,
    ) -> Option<Result<(), Rejected>> {
        if self.train.segments == 0 { None } else { self.transmit_next(now, sink) }
    }

    #[inline(never)]
    fn transmit_next(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Result<(), Rejected>> {
        let train = &mut self.train;
        let slot = self.connections.get_mut(train.id);
        let goes_on = train.at == now && self.ready.is_alone(train.id);
        let Some(slot) = slot.filter(|_| goes_on) else {
            train.end();
            return None;
        };
        let (seq, payload) = slot.connection.repeated();
        let transport_offset = train.header.transport_offset();
        let transmit = Transmit {
            header: train.header.write(seq, payload),
            payload,
            transport_offset,
            segment_size: 0,
            checksum: self.config.link.checksum,
            ecn: train.ecn,
        };
        let offered = sink(&transmit, slot.tuple.remote.ip(), &self.addresses);
        if offered.is_ok() {
            self.statistics.count(|all| &mut all.packets_sent);
            self.ready.charge(transmit.len());
            train.segments -= 1;
            if !slot.connection.on_repeated(now) {
                train.end();
            }
        }
        Some(offered)
    }

    /// A segment was sent: those that may follow it as they are.
    pub(super) fn begin_train(&mut self, now: Instant, id: u32, outgoing: &Outgoing) {
        if self.config.link.segmentation.largest() > 0 || !self.ready.is_alone(id) {
            return;
        }
        let Some(slot) = self.connections.get(id) else {
            return;
        };
        let segments = slot.connection.repeats(now, outgoing);
        if segments == 0 {
            return;
        }
        let (local, remote, ecn) = (slot.tuple.local, slot.tuple.remote, outgoing.ecn);
        let ip = IpInfo {
            source: local.ip().into(),
            destination: remote.ip().into(),
            hop_limit: slot.marking.hop_limit(),
            dscp: slot.marking.dscp(),
            ecn,
        };
        let checksum = self.config.link.checksum;
        let header = RepeatedHeader::new(&ip, &outgoing.header, outgoing.len, checksum);
        self.train = Train { id, segments, at: now, ecn, header };
    }
}
