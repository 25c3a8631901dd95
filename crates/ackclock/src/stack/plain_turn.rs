//! The turn of a connection that sends a plain segment, its first SYN, or nothing.

use super::output::{Sink, Turned};
use super::pool::NO_ID;
use super::{Stack, Transmit};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::Turn;
use crate::time::Instant;
use crate::wire::{PlainFields, PlainHeader};

/// The header that was written last.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastHeader {
    /// The connection.
    id: u32,
    header: PlainHeader,
}

impl LastHeader {
    /// Of no connection.
    pub(super) const NONE: Self = LastHeader { id: NO_ID, header: PlainHeader::EMPTY };

    /// Another connection may be `id` from now on.
    pub(super) fn forget(&mut self, id: u32) {
        if self.id == id {
            self.id = NO_ID;
        }
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// The turn of connection `id`, the first in the queue, if it is plain what that sends.
    #[inline(always)]
    pub(super) fn take_plain_turn(
        &mut self,
        now: Instant,
        id: u32,
        sink: &mut Sink<'_>,
    ) -> Option<Turned> {
        let slot = self.connections.get_mut(id)?;
        let plain = match slot.connection.plain_turn(now) {
            Turn::Plain(plain) => plain,
            Turn::Silent => return Some(Turned::SILENT),
            Turn::Opening => return self.take_syn_turn(now, id, sink),
            Turn::Other => return None,
        };
        let last = &mut self.last_header;
        if last.id != id {
            let ends = [slot.tuple.local, slot.tuple.remote];
            last.header = PlainHeader::between(ends.map(|end| (end.ip(), end.port())))?;
            last.id = id;
        }
        let fields = PlainFields {
            hop_limit: slot.marking.hop_limit(),
            dscp: slot.marking.dscp(),
            ecn: plain.ecn,
            seq: plain.seq,
            ack: plain.ack,
            flags: plain.flags,
            window: plain.window_field,
            timestamps: plain.timestamps,
        };
        let payload = slot.connection.plain_payload(&plain);
        let checksum = self.config.link.checksum;
        let transmit = Transmit {
            header: last.header.write(&fields, payload, checksum),
            payload,
            transport_offset: PlainHeader::TRANSPORT_OFFSET,
            segment_size: 0,
            checksum,
            ecn: plain.ecn,
        };
        let offered = sink(&transmit, slot.tuple.remote.ip(), &self.addresses);
        let mut is_last = false;
        if offered.is_ok() {
            let bytes = transmit.len();
            self.statistics.count(|all| &mut all.packets_sent);
            is_last = slot.connection.on_plain_sent(now, &plain);
            if !is_last {
                self.ready.charge(bytes);
                self.after_turn(now, id);
            }
        }
        Some(Turned { offered: Some(offered), is_last })
    }
}
