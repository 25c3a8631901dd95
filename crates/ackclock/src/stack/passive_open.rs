//! Passive opens: segments for listeners and half-open connections.

use super::Stack;
use super::demux::Entity;
use super::half_open::{self, HalfOpen, Passive};
use super::listeners::ListenerRecord;
use super::open::By;
use super::secret::FirstNumbers;
use super::tuple::FourTuple;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::Instant;
use crate::wire::{Flags, Segment};

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Processes a segment without a connection: state LISTEN (section 3.10.7.2) or CLOSED (section
    /// 3.10.7.1).
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn on_new_segment(&mut self, now: Instant, segment: &Segment<'_>) {
        let tuple = FourTuple::of(segment);
        let Some(listener) = self.listener_for(&tuple) else {
            tell!(debug, "segment dropped, {}: no listener", tuple);
            if self.addresses.contains(tuple.local.ip()) {
                self.statistics.count(|all| &mut all.no_connection);
                self.reset(now, segment);
            } else {
                self.statistics.count(|all| &mut all.not_for_us);
            }
            return;
        };
        self.statistics.count(|all| &mut all.segments_delivered);
        let flags = segment.header.flags;
        if flags.contains(Flags::RST) {
            return;
        }
        if flags.contains(Flags::ACK) {
            if P::SYN_COOKIES && self.take_cookie(now, listener, segment, &tuple) {
                return;
            }
            return self.reset(now, segment);
        }
        // A SYN with FIN is no legitimate one (Linux drops it too).
        if flags.contains(Flags::SYN) && !flags.contains(Flags::FIN) {
            self.open_passively(now, listener, segment, &tuple, None);
        }
    }

    pub(super) fn listener_for(&self, tuple: &FourTuple) -> Option<u32> {
        self.listeners.find(tuple.local, self.addresses.contains(tuple.local.ip()))
    }

    /// Third check in LISTEN: a SYN. `previous`: a connection in TIME-WAIT that is replaced if there is room
    /// for the new one.
    pub(super) fn open_passively(
        &mut self,
        now: Instant,
        id: u32,
        syn: &Segment<'_>,
        tuple: &FourTuple,
        previous: Option<u32>,
    ) {
        let Some(listener) = self.listeners.records.get(id) else {
            return;
        };
        let requests = listener.config.requests();
        // While the accept queue is full no handshake is begun; the peer retransmits its SYN later.
        // Handshakes already in progress are finished as far as there is room.
        if !listener.has_room_for_established() {
            tell!(warn, "SYN dropped, {}: accept queue full", tuple);
            self.statistics.count(|all| &mut all.accept_overflow);
            return;
        }
        if P::FAST_OPEN
            && previous.is_none()
            && !self.signs(tuple)
            && self.take_fast_open(now, id, syn, tuple)
        {
            return;
        }
        if !self.has_room_for_half_open(id) {
            self.statistics.count(|all| &mut all.half_open_overflow);
            // Not for a peer that was in TIME-WAIT: it is known, and the new sequence numbers must lie above
            // the old ones.
            if P::SYN_COOKIES && previous.is_none() && !requests {
                return self.send_cookie(now, id, syn, tuple);
            }
        }
        let mut first = self.secret.first_numbers(now, tuple);
        if let Some(previous) = previous
            && let Some(record) = self.time_waits.records.get(previous)
        {
            first.isn = record.next_isn(first.isn);
        }
        let added = self.add_half_open(now, id, syn, first);
        if let (Some(_), Some(previous)) = (added, previous) {
            self.statistics.count(|all| &mut all.time_wait_reused);
            self.forget_time_wait(previous);
        }
    }

    fn has_room_for_half_open(&self, listener: u32) -> bool {
        let listener = self.listeners.records.get(listener);
        let has_room = listener.is_some_and(ListenerRecord::has_room_for_half_open);
        has_room && !self.half_open.records.is_full() && self.memory.budget.may_promise()
    }

    /// Adds a half-open connection for a SYN, with these initial numbers; another one is dropped if there is
    /// no room. `None` if there is no memory for it.
    #[inline(never)]
    pub(super) fn add_half_open(
        &mut self,
        now: Instant,
        id: u32,
        syn: &Segment<'_>,
        first: FirstNumbers,
    ) -> Option<u32> {
        let listener = self.listeners.records.get(id)?;
        let any = listener.has_room_for_half_open();
        let has_cookies = P::SYN_COOKIES && !listener.config.requests();
        // With a returned cookie the window is promised only for a moment: it becomes a connection at once.
        let may_promise = has_cookies || self.memory.budget.may_promise();
        if !any || self.half_open.records.is_full() || !may_promise {
            // A returned cookie needs its place at once.
            let victim = self.half_open.victim(|record| {
                (has_cookies || record.may_give_way(now)) && (any || record.listener == id)
            })?;
            self.forget_half_open(victim);
        }
        let tuple = FourTuple::of(syn);
        let listener = self.listeners.records.get(id)?;
        let initial = &listener.config.connection;
        let Some(receive_memory) = self.receive_memory(initial) else {
            tell!(warn, "SYN dropped, {}: no memory for its queues", tuple);
            self.statistics.count(|all| &mut all.memory_refused);
            self.make_room(now);
            return None;
        };
        let passive = Passive {
            listener: id,
            first,
            mtu: self.config.link.mtu,
            receive_memory,
            defer_accept: listener.config.defer_accept(),
            is_request: listener.config.requests(),
            opens_fast: listener.config.fast_open().is_some() && !self.signs(&tuple),
            signature: self.signature_for(&tuple),
        };
        if !self.demux.reserve() {
            return None;
        }
        let make = || HalfOpen::new(now, initial, syn, &passive);
        let half_open = self.half_open.insert_with(make)?;
        if let Some(kind) = passive.signature
            && !self.begin_signed(kind, &tuple, passive.first.isn, Some(syn.header.seq))
        {
            self.half_open.remove(half_open);
            return None;
        }
        let window = self.half_open.records.get(half_open).map_or(0, HalfOpen::window);
        self.memory.budget.promise(window);
        self.demux.insert(&tuple, Entity::HalfOpen(half_open));
        if let Some(listener) = self.listeners.records.get_mut(id) {
            listener.half_open += 1;
            if listener.config.requests() {
                self.listeners.events.push(id);
            }
        }
        Some(half_open)
    }

    /// Processes a segment of a half-open connection. Returns the connection that it becomes, if it does; the
    /// caller then passes the segment to that.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn on_half_open_segment(
        &mut self,
        now: Instant,
        id: u32,
        segment: &Segment<'_>,
    ) -> Option<u32> {
        let record = self.half_open.records.get_mut(id)?;
        match record.on_segment(now, segment) {
            half_open::Answer::Drop => {}
            half_open::Answer::SynAck => {
                self.half_open.output.push(id);
            }
            half_open::Answer::Acknowledge => {
                let ack = record.ack(now);
                self.reply(ack);
            }
            half_open::Answer::Reset => self.reset(now, segment),
            half_open::Answer::Forget => self.forget_half_open(id),
            half_open::Answer::Refuse if P::ACCURATE_ECN => {
                let refusal = record.refusal();
                self.forget_half_open(id);
                self.refuse(now, refusal);
            }
            half_open::Answer::Refuse => {}
            half_open::Answer::Establish => return self.establish(now, id),
        }
        None
    }

    /// Turns a half-open connection into a connection if there is room. Otherwise the segment is dropped and
    /// the record stays: the peer, or our SYN-ACK's timer, will try again.
    fn establish(&mut self, now: Instant, half_open: u32) -> Option<u32> {
        let record = self.half_open.records.get(half_open)?;
        let (listener, tuple) = (record.listener, record.tuple);
        let Some(has_room) =
            self.listeners.records.get(listener).map(ListenerRecord::has_room_for_established)
        else {
            self.forget_half_open(half_open);
            return None;
        };
        let mut added = None;
        if has_room {
            added = self.add_accepted(now, half_open, &tuple);
            self.make_room(now);
        }
        let Some(id) = added else {
            if let Some(record) = self.half_open.records.get_mut(half_open) {
                record.wait_for_room();
            }
            tell!(warn, "handshake not finished, {}: no room for the connection", tuple);
            self.statistics.count(|all| &mut all.accept_overflow);
            return None;
        };
        tell!(debug, "connection {}: accepted", tuple);
        self.statistics.count(|all| &mut all.passive_opens);
        self.demux.replace(&tuple, Entity::HalfOpen(half_open), Entity::Connection(id));
        self.remove_half_open(half_open);
        self.push_waiting(listener, id);
        Some(id)
    }

    /// Adds the connection for a half-open record.
    fn add_accepted(&mut self, now: Instant, half_open: u32, tuple: &FourTuple) -> Option<u32> {
        let record = self.half_open.records.get(half_open)?;
        // The timestamp offset is part of the state that `accept` copies.
        let first = FirstNumbers { isn: record.iss, timestamp_offset: 0 };
        let by = By::Listener { id: record.listener, promised: record.window() };
        let id = self.add_connection(tuple, first, by, None)?;
        let accepted = self.half_open.records.get(half_open)?.accepted();
        self.connections.get_mut(id)?.connection.accept(now, &accepted);
        Some(id)
    }

    /// Removes a half-open connection (back to LISTEN).
    pub(super) fn forget_half_open(&mut self, id: u32) {
        if let Some(record) = self.half_open.records.get(id) {
            self.demux.remove(&record.tuple, Entity::HalfOpen(id));
            self.remove_half_open(id);
        }
    }

    #[inline(never)]
    fn remove_half_open(&mut self, id: u32) {
        let Some(record) = self.half_open.records.get(id) else {
            return;
        };
        self.memory.budget.keep_promise(record.window());
        if let Some(listener) = self.listeners.records.get_mut(record.listener) {
            listener.half_open = listener.half_open.saturating_sub(1);
            if listener.config.requests() {
                self.listeners.events.push(record.listener);
            }
        }
        self.half_open.remove(id);
    }
}
