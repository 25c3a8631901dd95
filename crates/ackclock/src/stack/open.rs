//! Opening connections and listening (RFC 9293 section 3.10.1).

use super::demux::Entity;
use super::memory::QueueSizes;
use super::pool::NO_ID;
use super::secret::{FirstNumbers, Secret};
use super::slot::{Owner, Slot};
use super::tuple::{End, FourTuple};
use super::{ConnectError, Handle, ListenConfig, ListenError, Listener, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{Config, Connection, Open};
use crate::time::Instant;
use crate::wire::{Address, Ipv6Address, is_unicast};
use core::net::SocketAddr;

/// Largest IPv4 packet in bytes (RFC 791 section 3.1); larger links exist.
const MAX_PACKET: u32 = 65_535;

/// Who opens a connection, with what settings.
#[derive(Clone, Copy)]
pub(super) enum By<'c> {
    /// The application.
    Application(&'c Config),
    /// A listener; its SYN-ACK has promised the peer a window of so many bytes.
    Listener { id: u32, promised: u32 },
}

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Opens a connection to `remote` (active open). The source address is chosen among the local
    /// ones (longest common prefix), the port by RFC 6056, unless `local` says otherwise (an
    /// unspecified address or port 0 leaves the choice to the stack).
    pub fn connect(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        config: &Config,
    ) -> Result<Handle, ConnectError> {
        self.open_actively(now, remote, local, config, None)
    }

    /// As [`connect`](Self::connect), with a controller of its own for this connection.
    pub fn connect_with(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        config: &Config,
        controller: C,
    ) -> Result<Handle, ConnectError> {
        self.open_actively(now, remote, local, config, Some(controller))
    }

    fn open_actively(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        config: &Config,
        controller: Option<C>,
    ) -> Result<Handle, ConnectError> {
        if !P::ACTIVE_OPEN {
            return Err(ConnectError::LeftOut);
        }
        let opened = self.try_to_open(now, remote, local, config, controller);
        if matches!(opened, Err(ConnectError::NoResources | ConnectError::NoPort)) {
            self.statistics.count(|all| &mut all.calls_refused);
        }
        opened
    }

    fn try_to_open(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        config: &Config,
        controller: Option<C>,
    ) -> Result<Handle, ConnectError> {
        let now = self.begin(now);
        config.validate().map_err(ConnectError::Config)?;
        let tuple = self.choose_ends(remote, local)?;
        let first = self.secret.first_numbers(now, &tuple);
        let by = By::Application(config);
        let id =
            self.add_connection(&tuple, first, by, controller).ok_or(ConnectError::NoResources)?;
        self.demux.insert(&tuple, Entity::Connection(id));
        tell!(debug, "connection {}: opened", tuple);
        self.statistics.count(|all| &mut all.active_opens);
        self.fit_queues(now, id);
        self.after(now, id);
        Ok(Handle { slot: id, generation: self.connections.generation(id) })
    }

    /// Both ends of a connection to be opened.
    fn choose_ends(
        &mut self,
        remote: SocketAddr,
        local: Option<SocketAddr>,
    ) -> Result<FourTuple, ConnectError> {
        let remote = End::from(remote);
        let ip = remote.ip();
        if !is_unicast(ip) || self.addresses.is_broadcast(ip) || remote.port() == 0 {
            return Err(ConnectError::InvalidRemote);
        }
        // As it was given: inside, an address of a family that was left out is nobody's.
        let wanted = local.map(|local| local.ip()).filter(|ip| !ip.is_unspecified());
        let address = match wanted {
            Some(own) => {
                let own_is_usable =
                    own.is_ipv4() == ip.is_ipv4() && self.addresses.contains(own.into());
                own_is_usable.then(|| own.into())
            }
            None => self.addresses.source_for(ip),
        };
        let address = address.ok_or(ConnectError::NoSourceAddress)?;
        let port = local.map_or(0, |local| local.port());
        let mut tuple = FourTuple { local: End::new(address, port), remote };
        if port != 0 {
            let is_free = self.find(&tuple).is_none();
            return is_free.then_some(tuple).ok_or(ConnectError::AddressInUse);
        }
        let mut ports = self.ports;
        let port = ports.choose(self.secret.port_offset(&tuple), |port| {
            tuple.local.set_port(port);
            self.find(&tuple).is_some()
        });
        self.ports = ports;
        port.map(|_| tuple).ok_or(ConnectError::NoPort)
    }

    /// What a new connection starts from.
    fn open(&self, tuple: &FourTuple, first: FirstNumbers) -> Open {
        let FirstNumbers { isn, timestamp_offset } = first;
        Open {
            iss: isn,
            timestamp_offset,
            mtu: self.config.link.mtu.min(MAX_PACKET),
            ip_header: tuple.ip_header(),
            random: Secret::random(self.now, isn),
            clock_phase: self.secret.clock_phase(),
        }
    }

    /// Puts a connection into a free slot, in SYN-SENT; `None` if there is no slot or memory for it.
    /// Without a `controller` of its own it has one like the stack's.
    // In one place for active and passive opens: most of it runs once in a connection's life.
    #[inline(never)]
    pub(super) fn add_connection(
        &mut self,
        tuple: &FourTuple,
        first: FirstNumbers,
        by: By<'_>,
        controller: Option<C>,
    ) -> Option<u32> {
        let (config, owner, promised) = match by {
            By::Application(config) => (config, Owner::Application, None),
            By::Listener { id, promised } => {
                let record = self.listeners.records.get(id)?;
                (&record.config.connection, Owner::Listener, Some(promised))
            }
        };
        let Some(id) = self.connections.vacancy() else {
            tell!(warn, "connection {} refused: no place for it", tuple);
            return None;
        };
        let count = id as usize + 1;
        // One that was used before has its place everywhere.
        let has_places = id < self.connections.end()
            || (self.timers.reserve(count)
                && self.ready.reserve(count)
                && self.events.reserve(count));
        if !(has_places && self.demux.reserve()) {
            return None;
        }
        // Without a place there the connection gives memory back with its slot.
        let _ = self.resting.reserve(count);
        let sizes = match self.lent_receive {
            Some(_) => None,
            None => {
                let reserved = QueueSizes::reserve(&mut self.memory, config, promised);
                if reserved.is_none() {
                    tell!(warn, "connection {} refused: no memory for its queues", tuple);
                    self.statistics.count(|all| &mut all.memory_refused);
                }
                Some(reserved?)
            }
        };
        let spare = self.spare.get_mut(id as usize).and_then(Option::take);
        let buffers = spare.or_else(|| self.resting.new_buffers())?;
        let controller = controller.unwrap_or_else(|| self.controller.clone());
        let open = &self.open(tuple, first);
        let id = self.connections.fill(id, || {
            let connection = Connection::new(self.now, config, controller, buffers, open);
            Slot::new(connection, *tuple, config, owner, sizes)
        })?;
        if let Some(slot) = self.connections.get_mut(id) {
            // The record of a half-open connection has what its SYN-ACK has offered.
            if P::ACTIVE_OPEN && promised.is_none() {
                slot.connection.offer(config);
            }
            if let Some(sizes) = &slot.sizes {
                sizes.apply(&mut slot.connection);
            }
        }
        Some(id)
    }

    /// Waits for connections (passive open). An unspecified address means any local address of
    /// that family; port 0 means any port, and [`local_addr`](Self::local_addr) of the accepted
    /// connection tells the original destination.
    pub fn listen(&mut self, config: ListenConfig) -> Result<Listener, ListenError> {
        check_listener(&config)?;
        let mut config = config;
        if config.local.is_ipv6() {
            // Without the scope and the flow that it may have.
            config.local = SocketAddr::new(config.local.ip(), config.local.port());
        }
        let is_there = Ipv6Address::EXISTS || config.local.is_ipv4();
        let ip = Address::from(config.local.ip());
        let is_foreign = P::RARE_SETTINGS && config.any_destination && is_unicast(ip);
        if !(is_there && (ip.is_unspecified() || self.addresses.contains(ip) || is_foreign)) {
            return Err(ListenError::NoSuchAddress);
        }
        let added = self.listeners.add(&config);
        if added == Err(ListenError::NoResources) {
            self.statistics.count(|all| &mut all.calls_refused);
        }
        let id = added?;
        Ok(Listener { slot: id, generation: self.listeners.records.generation(id) })
    }

    /// Changes a listener's settings for what arrives from now on. Where it listens, and whether for
    /// any destination, stays as it is.
    ///
    /// # Errors
    /// There is no such listener, or a setting cannot be used.
    pub fn set_listener(
        &mut self,
        listener: Listener,
        config: ListenConfig,
    ) -> Result<(), ListenError> {
        check_listener(&config)?;
        let id = self.resolve_listener(listener).ok_or(ListenError::InvalidListener)?;
        if let Some(record) = self.listeners.records.get_mut(id) {
            record.set(&config);
        }
        Ok(())
    }

    /// Takes the next established connection of a listener. An [`Event::Acceptable`] may stand for
    /// several.
    ///
    /// [`Event::Acceptable`]: super::Event::Acceptable
    pub fn accept(&mut self, listener: Listener) -> Option<Handle> {
        let id = self.pop_waiting(self.resolve_listener(listener)?)?;
        let (slot, generation) = self.connections.get_mut_with_generation(id)?;
        slot.owner = Owner::Application;
        self.fit_queues(self.now, id);
        self.note_news(id);
        Some(Handle { slot: id, generation })
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
            self.after(now, id);
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

    /// Puts an established connection behind those waiting at a listener.
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

    /// Takes the connection that has waited longest at a listener.
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
