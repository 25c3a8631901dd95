//! The predicted road (fast path) of a stack, for what nearly all packets of an established connection look
//! like.
//!
//! The room remembers the connection whose packet arrived last, and what its next packets have in common with
//! it ([`ReadTemplate`]); the headers written last ([`WriteTemplate`]); and how many segments may follow the
//! last one sent without another decision (a train). It has one door in each direction:
//! [`take_predicted`](Stack::take_predicted) for packets that arrive, and
//! [`send_predicted`](Stack::send_predicted) for those that are sent. Everything else takes the general road,
//! which has the same results and does not know of the room. An image without
//! [`Prediction`](crate::profile::Profile::Prediction) has no room.

use super::aftermath::Cause;
use super::output::{Sink, Turned};
use super::pool::NO_ID;
use super::slot::Slot;
use super::tuple::FourTuple;
use super::{Received, Rejected, Stack, Transmit};
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Kept, Profile};
use crate::tcp::{Outgoing, State, Turn};
use crate::time::Instant;
use crate::wire::{Ecn, PredictedSegment, ReadTemplate, Segment, WriteFields, WriteTemplate};

/// Identifies a connection for as long as it exists: its slot and the slot's generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Whose {
    id: u32,
    generation: u32,
}

/// Templates of the packets expected next, and whose they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predicted {
    /// The connection of the last packet, as the next packet often belongs to the same one.
    recent: u32,
    /// Template to recognise the next packet of that connection.
    arrival: Option<(Whose, ReadTemplate)>,
    /// The connection whose header was written last, and the template of that header.
    header_of: Option<Whose>,
    header: WriteTemplate,
    /// How many segments may follow the last one sent, differing from it only in sequence number and payload.
    train: u32,
    /// When the last one was sent; a train does not continue at a later time.
    train_at: Instant,
    /// ECN codepoint of the train.
    train_ecn: Ecn,
}

impl InitialValue for Predicted {
    const INITIAL: Self = Predicted {
        recent: NO_ID,
        arrival: None,
        header_of: None,
        header: WriteTemplate::EMPTY,
        train: 0,
        train_at: Instant::ZERO,
        train_ecn: Ecn::NotEct,
    };
}

impl Predicted {
    /// The template for writing headers of this connection.
    #[inline(always)]
    fn template(&mut self, whose: Whose, tuple: &FourTuple) -> Option<&mut WriteTemplate> {
        if self.header_of != Some(whose) {
            let ends = [tuple.local, tuple.remote].map(|end| (end.ip(), end.port()));
            self.header_of = self.header.begin(ends).then_some(whose);
        }
        self.header_of.is_some().then_some(&mut self.header)
    }
}

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Ends a train, because something else happens to the stack, so that decisions must be made again.
    /// Called when a step begins ([`begin`](Self::begin)), and nowhere else.
    #[inline(always)]
    pub(super) fn forget_predicted(&mut self) {
        if let Some(room) = self.predicted.get_mut() {
            room.train = 0;
        }
    }

    /// The connection of the last packet, if it is still on the network.
    #[inline]
    pub(super) fn recent(&self) -> Option<(u32, &Slot<'a, C, P>)> {
        let id = self.predicted.get()?.recent;
        Some((id, self.connections.get(id).filter(|slot| !slot.detached)?))
    }

    /// Processes a packet if it is predicted; for any other returns false, without any effect.
    #[inline(always)]
    pub(super) fn take_predicted(&mut self, now: Instant, received: &Received<'_>) -> bool {
        let Some((whose, template)) = self.predicted.get().and_then(|room| room.arrival.as_ref())
        else {
            return false;
        };
        let Whose { id, generation } = *whose;
        let Some(segment) = template.read(received.packet, received.verify) else {
            return false;
        };
        let Some(slot) = self.connections.get_mut_of(id, generation) else {
            return false;
        };
        if !slot.connection.on_predicted(now.max(self.now), &segment) {
            return false;
        }
        if !segment.payload.is_empty() {
            let bytes = segment.payload.len();
            slot.tell_tuning(now.max(self.now), bytes, segment.timestamps);
        }
        let cause = Cause::predicted(slot.owner, slot.connection.has_answer(now.max(self.now)));
        if let Some(room) = self.predicted.get_mut() {
            room.recent = id;
        }
        let now = self.begin_packet(now);
        self.statistics.count(|all| &mut all.segments_delivered);
        self.touched(now, id, cause);
        true
    }

    /// Processes a segment of this connection if it is predicted, although it was parsed without a template
    /// because a packet of another connection came in between. For any other segment returns false, without
    /// any effect.
    #[inline]
    pub(super) fn take_predicted_segment(
        &mut self,
        now: Instant,
        id: u32,
        segment: &Segment<'_>,
    ) -> bool {
        let Some(predicted) = PredictedSegment::of(segment).filter(|_| P::PREDICTION) else {
            return false;
        };
        let Some(slot) = self.connections.get_mut(id) else {
            return false;
        };
        if slot.connection.is_accurate() || !slot.connection.on_predicted(now, &predicted) {
            return false;
        }
        if !predicted.payload.is_empty() {
            slot.tell_tuning(now, predicted.payload.len(), predicted.timestamps);
        }
        let cause = Cause::predicted(slot.owner, slot.connection.has_answer(now));
        self.touched(now, id, cause);
        true
    }

    /// Makes a template from a segment that was parsed without one, if it is the second of its connection in
    /// a row. If packets of several connections alternate, the template stays with one of them.
    pub(super) fn predict_arrivals(&mut self, id: u32, segment: &Segment<'_>) {
        let Some(room) = self.predicted.get_mut() else {
            return;
        };
        let is_second = core::mem::replace(&mut room.recent, id) == id;
        if !is_second && room.arrival.is_some() {
            return;
        }
        let whose = Whose { id, generation: self.connections.generation(id) };
        let options = segment.header.options;
        let is_known = room.arrival.as_ref().is_some_and(|(known, template)| {
            *known == whose && template.has_timestamps() == options.timestamps.is_some()
        });
        let slot = self.connections.get(id);
        let is_usual = |slot: &Slot<'a, C, P>| {
            slot.connection.state() == State::Established
                && !slot.connection.is_signed()
                && !slot.connection.is_accurate()
        };
        if !is_known && slot.is_some_and(is_usual) {
            room.arrival = ReadTemplate::after(segment).map(|template| (whose, template));
        }
    }

    /// Offers the next segment of a train to `sink`, if there is a train.
    #[inline]
    pub(super) fn continue_train(
        &mut self,
        now: Instant,
        sink: &mut Sink<'_>,
    ) -> Option<Result<(), Rejected>> {
        let is_under_way = self.predicted.get().is_some_and(|room| room.train > 0);
        if is_under_way { self.send_next(now, sink) } else { None }
    }

    #[inline(never)]
    fn send_next(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Result<(), Rejected>> {
        let room = self.predicted.get_mut()?;
        let (whose, template) = (room.header_of?, &mut room.header);
        let slot = self.connections.get_mut_of(whose.id, whose.generation);
        let goes_on = room.train_at == now && self.ready.is_alone(whose.id);
        let Some(slot) = slot.filter(|_| goes_on) else {
            room.train = 0;
            return None;
        };
        let (seq, payload) = slot.connection.repeated();
        let transmit = Transmit {
            transport_offset: template.transport_offset(),
            header: template.write_next(seq, payload),
            payload,
            segment_size: 0,
            checksum: self.config.link.checksum,
            ecn: room.train_ecn,
        };
        let offered = sink(&transmit, slot.tuple.remote.ip(), &self.addresses);
        if offered.is_ok() {
            self.statistics.count(|all| &mut all.packets_sent);
            self.ready.charge(transmit.len());
            let goes_on = slot.connection.on_repeated(now);
            room.train = if goes_on { room.train - 1 } else { 0 };
        }
        Some(offered)
    }

    /// The connection whose train is in progress, if any.
    pub(super) fn train_of(&self) -> Option<u32> {
        let room = self.predicted.get().filter(|room| room.train > 0)?;
        room.header_of.map(|whose| whose.id)
    }

    /// Begins a train after a segment that took the general road: the next ones differ from it only in
    /// sequence number and payload.
    pub(super) fn begin_train(&mut self, now: Instant, id: u32, outgoing: &Outgoing) {
        if !P::PREDICTION || self.config.link.segmentation.largest() > 0 || !self.ready.is_alone(id)
        {
            return;
        }
        let Some((slot, generation)) = self.connections.get_mut_with_generation(id) else {
            return;
        };
        let segments = slot.connection.repeats(now, outgoing);
        let options = &outgoing.header.options;
        if segments == 0 || !options.sack.is_empty() {
            return;
        }
        let fields = WriteFields {
            hop_limit: slot.ip_fields.hop_limit(),
            dscp: slot.ip_fields.dscp(),
            ecn: outgoing.ecn,
            seq: outgoing.header.seq,
            ack: outgoing.header.ack,
            flags: outgoing.header.flags,
            window: outgoing.header.window,
            timestamps: options.timestamps,
        };
        let checksum = self.config.link.checksum;
        if let Some(room) = self.predicted.get_mut()
            && let Some(template) = room.template(Whose { id, generation }, &slot.tuple)
        {
            template.prepare(&fields, outgoing.len, checksum);
            (room.train, room.train_at, room.train_ecn) = (segments, now, outgoing.ecn);
        }
    }

    /// Gives connection `id`, the first in the ready queue, its turn, if what it sends is predicted.
    #[inline(always)]
    pub(super) fn send_predicted(
        &mut self,
        now: Instant,
        id: u32,
        sink: &mut Sink<'_>,
    ) -> Option<Turned> {
        if !P::PREDICTION {
            return None;
        }
        let (slot, generation) = self.connections.get_mut_with_generation(id)?;
        let predicted = match slot.connection.predicted_turn(now) {
            Turn::Silent => return Some(Turned::SILENT),
            Turn::Other => return None,
            Turn::Predicted(predicted) => predicted,
        };
        let room = self.predicted.get_mut()?;
        let template = room.template(Whose { id, generation }, &slot.tuple)?;
        let fields = WriteFields {
            hop_limit: slot.ip_fields.hop_limit(),
            dscp: slot.ip_fields.dscp(),
            ecn: predicted.ecn,
            seq: predicted.seq,
            ack: predicted.ack,
            flags: predicted.flags,
            window: predicted.window_field,
            timestamps: predicted.timestamps,
        };
        let payload = slot.connection.predicted_payload(&predicted);
        let checksum = self.config.link.checksum;
        let transmit = Transmit {
            transport_offset: template.transport_offset(),
            header: template.write(&fields, payload, checksum),
            payload,
            segment_size: 0,
            checksum,
            ecn: predicted.ecn,
        };
        let offered = sink(&transmit, slot.tuple.remote.ip(), &self.addresses);
        let mut is_last = false;
        if offered.is_ok() {
            let bytes = transmit.len();
            self.statistics.count(|all| &mut all.packets_sent);
            is_last = slot.connection.on_predicted_sent(now, &predicted);
            if !is_last {
                self.ready.charge(bytes);
                self.touched(now, id, Cause::Sent);
            }
        }
        Some(Turned { offered: Some(offered), is_last })
    }
}
