//! Listeners and accepting connections (passive open, RFC 9293 section 3.10.1).

use super::aftermath::Cause;
use super::pool::NO_ID;
use super::slot::Owner;
use super::tuple::FourTuple;
use super::{Handle, InvalidHandle, ListenConfig, ListenError, Listener, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::Instant;
use crate::wire::{Address, Ipv6Address, is_unicast};
use core::net::SocketAddr;

/// A connection request (a SYN) that waits for the application's answer; see [`ListenConfig::requests`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The local address and port that the peer wants to reach.
    pub local: SocketAddr,
    /// The peer's address and port.
    pub remote: SocketAddr,
    slot: u32,
    generation: u32,
}

/// The application's answer to a [`Request`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Send a SYN-ACK: when the handshake is finished, the listener has the connection to
    /// [`accept`](Stack::accept).
    Accept,
    /// Send a RST, as if nothing listened, within
    /// [`resets_per_second`](super::StackConfig::resets_per_second).
    Refuse,
    /// Send nothing, as if the SYN had been lost. If the peer retransmits it, there is a new request.
    Ignore,
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Starts a listener (passive open). An unspecified address means any local address of that family; port
    /// 0 means any port, and [`local_addr`](Self::local_addr) of the accepted connection is the original
    /// destination.
    pub fn listen(&mut self, config: ListenConfig) -> Result<Listener, ListenError> {
        check_listener(&config)?;
        let mut config = config;
        if config.local.is_ipv6() {
            // Drops the scope and the flow label that an IPv6 address may have.
            config.local = SocketAddr::new(config.local.ip(), config.local.port());
        }
        let is_there = Ipv6Address::EXISTS || config.local.is_ipv4();
        let ip = Address::from(config.local.ip());
        let is_foreign = P::RARE_SETTINGS && config.any_destination && is_unicast(ip);
        if !(is_there && (ip.is_unspecified() || self.addresses.contains(ip) || is_foreign)) {
            return Err(ListenError::NoSuchAddress);
        }
        let added = self.listeners.add(&config, self.secret.clock_phase());
        if added == Err(ListenError::NoResources) {
            self.statistics.count(|all| &mut all.calls_refused);
        }
        let id = added?;
        Ok(Listener { slot: id, generation: self.listeners.records.generation(id) })
    }

    /// Changes a listener's settings for segments that arrive from now on. Its address, its port and
    /// `any_destination` stay as they are.
    ///
    /// # Errors
    /// There is no such listener, or a setting is invalid.
    pub fn set_listener(
        &mut self,
        listener: Listener,
        config: ListenConfig,
    ) -> Result<(), ListenError> {
        check_listener(&config)?;
        let id = self.resolve_listener(listener).ok_or(ListenError::InvalidListener)?;
        if let Some(record) = self.listeners.records.get_mut(id) {
            record.set(&config, self.secret.clock_phase());
        }
        Ok(())
    }

    /// Takes the next established connection of a listener. One [`Event::Acceptable`] may stand for several.
    ///
    /// [`Event::Acceptable`]: super::Event::Acceptable
    pub fn accept(&mut self, listener: Listener) -> Option<Handle> {
        let id = self.pop_waiting(self.resolve_listener(listener)?)?;
        let (slot, generation) = self.connections.get_mut_with_generation(id)?;
        slot.owner = Owner::Application;
        self.fit_queues(self.now, id);
        self.touched(self.now, id, Cause::Accepted);
        Some(Handle { slot: id, generation })
    }

    /// Takes the next request of a listener that has [`requests`](ListenConfig::requests). One
    /// [`Event::Acceptable`] may stand for several. A request waits for its [answer](Self::answer) as long as
    /// a peer would wait for a SYN-ACK, unless the peer resets it or newer requests need its place.
    ///
    /// [`Event::Acceptable`]: super::Event::Acceptable
    pub fn next_request(&mut self, listener: Listener) -> Option<Request> {
        let id = self.resolve_listener(listener).filter(|_| P::RARE_SETTINGS)?;
        let slot = self.half_open.next_request(id)?;
        let FourTuple { local, remote } = self.half_open.records.get(slot)?.tuple;
        let generation = self.half_open.records.generation(slot);
        Some(Request { local: local.into(), remote: remote.into(), slot, generation })
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The request is gone, or was answered before.
    pub fn answer(
        &mut self,
        now: Instant,
        request: &Request,
        answer: Answer,
    ) -> Result<(), InvalidHandle> {
        let now = self.begin(now);
        let record = self.half_open.records.get_of(request.slot, request.generation);
        let record = record.filter(|record| record.is_request()).ok_or(InvalidHandle)?;
        match answer {
            Answer::Accept => self.half_open.accept_request(now, request.slot),
            Answer::Refuse => {
                let refusal = record.refusal();
                self.forget_half_open(request.slot);
                self.refuse(now, refusal);
            }
            Answer::Ignore => self.forget_half_open(request.slot),
        }
        Ok(())
    }

    /// Whether a request waits for its answer, or for the handshake that follows.
    pub fn is_pending(&self, request: &Request) -> bool {
        self.half_open.records.get_of(request.slot, request.generation).is_some()
    }

    /// How many connections [`accept`](Self::accept) would hand out now.
    pub fn acceptable(&self, listener: Listener) -> usize {
        let listener = self.resolve_listener(listener);
        let record = listener.and_then(|listener| self.listeners.records.get(listener));
        record.map_or(0, |record| record.waiting.len)
    }

    /// Ends a listener. Connections not yet accepted are reset.
    pub fn close_listener(&mut self, now: Instant, listener: Listener) {
        let now = self.begin(now);
        let Some(listener) = self.resolve_listener(listener) else {
            return;
        };
        while let Some(id) = self.pop_waiting(listener) {
            if let Some(slot) = self.connections.get_mut(id) {
                slot.owner = Owner::Nobody;
                slot.connection.abort();
            }
            self.touched(now, id, Cause::Step);
        }
        for id in 0..self.half_open.records.end() {
            if self.half_open.records.get(id).is_some_and(|record| record.listener == listener) {
                self.forget_half_open(id);
            }
        }
        self.listeners.records.remove(listener);
    }

    fn resolve_listener(&self, listener: Listener) -> Option<u32> {
        let Listener { slot, generation } = listener;
        self.listeners.records.get_of(slot, generation).map(|_| slot)
    }

    /// Appends an established connection to the accept queue of a listener.
    pub(super) fn push_waiting(&mut self, listener: u32, id: u32) {
        let Some(record) = self.listeners.records.get_mut(listener) else {
            return;
        };
        let waiting = &mut record.waiting;
        match self.connections.get_mut(waiting.last) {
            Some(last) if waiting.len > 0 => last.next_waiting = id,
            _ => waiting.first = id,
        }
        waiting.last = id;
        waiting.len += 1;
        self.listeners.events.push(listener);
    }

    /// Takes the oldest connection from the accept queue of a listener.
    fn pop_waiting(&mut self, listener: u32) -> Option<u32> {
        let waiting = &mut self.listeners.records.get_mut(listener)?.waiting;
        waiting.len = waiting.len.checked_sub(1)?;
        let id = waiting.first;
        let slot = self.connections.get_mut(id)?;
        waiting.first = core::mem::replace(&mut slot.next_waiting, NO_ID);
        Some(id)
    }
}

fn check_listener(config: &ListenConfig) -> Result<(), ListenError> {
    config.connection.validate().map_err(ListenError::Config)?;
    let usable = config.half_open > 0 && config.backlog > 0;
    if usable { Ok(()) } else { Err(ListenError::Backlog) }
}
