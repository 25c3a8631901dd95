//! The packet that is expected next.

use super::Stack;
use super::pool::NO_ID;
use super::slot::Slot;
use crate::congestion::CongestionController;
use crate::link::Received;
use crate::profile::Profile;
use crate::tcp::State;
use crate::time::Instant;
use crate::wire::{Expected, Segment};

/// How the next packet of a connection will be known.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpectedPacket {
    /// The connection, which is the same one as long as the generation is.
    id: u32,
    generation: u32,
    packet: Expected,
}

impl ExpectedPacket {
    /// Of no connection.
    pub(super) const NONE: Self =
        ExpectedPacket { id: NO_ID, generation: 0, packet: Expected::NONE };
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Takes the packet that the connection expects of which the last one was; false, without any
    /// effect, if it is another.
    #[inline(always)]
    pub(super) fn take_expected(&mut self, now: Instant, received: &Received<'_>) -> bool {
        let ExpectedPacket { id, generation, ref packet } = self.expected;
        let Some(segment) = packet.read(received.packet, received.verify) else {
            return false;
        };
        let Some(slot) = self.connections.get_mut_of(id, generation) else {
            return false;
        };
        // One that is detached expects nothing.
        if !slot.on_plain_segment(now.max(self.now), &segment) {
            return false;
        }
        let owner = slot.owner;
        let now = self.begin_packet(now);
        self.statistics.count(|all| &mut all.segments_delivered);
        self.after_plain(now, id, owner);
        true
    }

    /// A segment with nothing but timestamps was of this connection: the next one may be as well, as
    /// long as neither side has finished.
    pub(super) fn expect_another(&mut self, id: u32, segment: &Segment<'_>) {
        let generation = self.connections.generation(id);
        let is_known = self.expected.id == id && self.expected.generation == generation;
        let is_established = |slot: &Slot<'_, C, P>| slot.connection.state() == State::Established;
        if !is_known
            && self.connections.get(id).is_some_and(is_established)
            && let Some(packet) = Expected::after(segment)
        {
            self.expected = ExpectedPacket { id, generation, packet };
        }
    }
}
