//! SYNs with the options of nearly all of them.

use super::marking::Marking;
use super::output::{Sink, Turned};
use super::tuple::FourTuple;
use super::{Rejected, Stack, Transmit};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::Instant;
use crate::wire::{Ecn, Header, PlainFields, PlainHeader};

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// The turn of connection `id`, the first in the queue, if it sends a SYN without ACK.
    #[inline(never)]
    pub(super) fn take_syn_turn(
        &mut self,
        now: Instant,
        id: u32,
        sink: &mut Sink<'_>,
    ) -> Option<Turned> {
        let slot = self.connections.get(id).filter(|slot| !slot.detached)?;
        let mut header = slot.connection.lone_syn(now)?;
        let offered = self.offer_syn(&slot.tuple, &mut header, slot.marking, sink);
        if offered.is_ok() {
            self.statistics.count(|all| &mut all.packets_sent);
            self.connections.get_mut(id)?.connection.on_lone_syn_sent(now);
        }
        Some(Turned { offered: Some(offered), is_last: offered.is_ok() })
    }

    /// Offers a SYN or SYN-ACK.
    #[inline(never)]
    pub(super) fn offer_syn(
        &self,
        tuple: &FourTuple,
        header: &mut Header,
        marking: Marking,
        sink: &mut Sink<'_>,
    ) -> Result<(), Rejected> {
        let ends = [tuple.local, tuple.remote].map(|end| (end.ip(), end.port()));
        let (Some((mss, timestamps, shift)), Some(plain)) =
            (header.options.usual_syn(), &mut PlainHeader::between(ends))
        else {
            return self.offer_bare(tuple, header, marking, sink);
        };
        let fields = PlainFields {
            hop_limit: marking.hop_limit(),
            dscp: marking.dscp(),
            ecn: Ecn::NotEct,
            seq: header.seq,
            ack: header.ack,
            flags: header.flags,
            window: header.window,
            timestamps,
        };
        let checksum = self.config.link.checksum;
        let transmit = Transmit {
            header: plain.write_syn(&fields, mss, shift, checksum),
            payload: [&[], &[]],
            transport_offset: PlainHeader::TRANSPORT_OFFSET,
            segment_size: 0,
            checksum,
            ecn: Ecn::NotEct,
        };
        sink(&transmit, tuple.remote.ip(), &self.addresses)
    }
}
