//! Active opens (RFC 9293 section 3.10.1), and adding a connection to the stack.

use super::aftermath::Cause;
use super::demux::Entity;
use super::memory::QueueSizes;
use super::secret::{FirstNumbers, Secret};
use super::slot::{Owner, Slot};
use super::tuple::{End, FourTuple};
use super::{ConnectError, Handle, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{Config, Connection, EcnMode, FastOpenMode, Initial, Open};
use crate::time::Instant;
use crate::wire::is_unicast;
use core::net::SocketAddr;

/// Largest IPv4 packet in bytes (RFC 791 section 3.1); larger links exist.
const MAX_PACKET: u32 = 65_535;

/// Who opens a connection, and its settings.
#[derive(Clone, Copy)]
pub(super) enum By<'i, P: Profile> {
    /// The application.
    Application(&'i Initial<P>),
    /// A listener; its SYN-ACK has advertised a window of `promised` bytes.
    Listener { id: u32, promised: u32 },
}

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Opens a connection to `remote` (active open). The source address is the local one with the longest
    /// common prefix, and the port is chosen as in RFC 6056, unless `local` says otherwise (an unspecified
    /// address or port 0 leaves the choice to the stack).
    pub fn connect(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        config: &Config,
    ) -> Result<Handle, ConnectError> {
        self.open_actively(now, remote, local, config, None)
    }

    /// As [`connect`](Self::connect), with its own congestion control for this connection.
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
        let initial = Initial::new(config, self.secret.clock_phase());
        if let Some(kind) = self.signature_for(&tuple)
            && !self.begin_signed(kind, &tuple, first.isn, None)
        {
            return Err(ConnectError::NoResources);
        }
        let by = By::Application(&initial);
        let id =
            self.add_connection(&tuple, first, by, controller).ok_or(ConnectError::NoResources)?;
        // A signature leaves no room for a cookie.
        let may_open_fast = P::FAST_OPEN && !self.signs(&tuple);
        if may_open_fast && config.fast_open != FastOpenMode::Off {
            self.try_fast_open(now, id, config.fast_open);
        }
        if P::ACCURATE_ECN && config.ecn == EcnMode::RequestAccurate {
            self.ask_for_less(now, id);
        }
        self.demux.insert(&tuple, Entity::Connection(id));
        tell!(debug, "connection {}: opened", tuple);
        self.statistics.count(|all| &mut all.active_opens);
        self.fit_queues(now, id);
        self.touched(now, id, Cause::Step);
        Ok(Handle { slot: id, generation: self.connections.generation(id) })
    }

    /// Chooses address and port of both ends of a new connection.
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
        // Not converted yet: an address of a family that the build lacks would become the unspecified one.
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

    /// The initial values of a new connection.
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

    /// Reserves a free slot, and room for it in every queue; `None` if there is none.
    fn reserve_place(&mut self, tuple: &FourTuple) -> Option<u32> {
        let Some(id) = self.connections.vacancy() else {
            tell!(warn, "connection {} refused: no free slot", tuple);
            return None;
        };
        let count = id as usize + 1;
        // A slot that was used before has room everywhere.
        let has_places = id < self.connections.end()
            || (self.deadlines.timers.reserve(count)
                && self.ready.reserve(count)
                && self.events.reserve(count));
        if !(has_places && self.demux.reserve()) {
            return None;
        }
        // Without room there the connection frees its memory together with its slot.
        let _ = self.memory.idle.reserve(count);
        Some(id)
    }

    /// Adds a connection in a free slot, in SYN-SENT; `None` if there is no slot or memory for it. Without a
    /// `controller` it gets a clone of the stack's.
    // Not inlined, shared by active and passive opens: most of it runs only once in a connection's life.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(super) fn add_connection(
        &mut self,
        tuple: &FourTuple,
        first: FirstNumbers,
        by: By<'_, P>,
        controller: Option<C>,
    ) -> Option<u32> {
        let id = self.reserve_place(tuple)?;
        let (initial, owner, promised) = match by {
            By::Application(initial) => (initial, Owner::Application, None),
            By::Listener { id, promised } => {
                let record = self.listeners.records.get(id)?;
                (&record.config.connection, Owner::Listener, Some(promised))
            }
        };
        let sizes = match self.memory.lent_receive {
            Some(_) => None,
            None => {
                let reserved =
                    QueueSizes::reserve(self.now, &mut self.memory.budget, initial, promised);
                if reserved.is_none() {
                    tell!(warn, "connection {} refused: no memory for its queues", tuple);
                    self.statistics.count(|all| &mut all.memory_refused);
                }
                Some(reserved?)
            }
        };
        let spare = self.memory.spare.get_mut(id as usize).and_then(Option::take);
        let buffers = spare.or_else(|| self.memory.idle.new_buffers())?;
        let controller = controller.unwrap_or_else(|| self.controller.clone());
        let open = &self.open(tuple, first);
        let narrow_path = self.narrow_path(tuple.remote.ip());
        let signature = self.signature_for(tuple);
        let id = self.connections.fill(id, || {
            let connection = Connection::new(self.now, initial, controller, buffers, open);
            Slot::new(connection, *tuple, initial, owner, sizes)
        })?;
        if let Some(slot) = self.connections.get_mut(id) {
            if P::PATH_PROBING {
                slot.connection.set_up_probing(initial);
            }
            // In a passive open the half-open record holds what the SYN-ACK has offered.
            if P::ACTIVE_OPEN && promised.is_none() {
                slot.connection.offer(initial);
                if let Some(kind) = signature {
                    slot.connection.sign(kind);
                }
            }
            slot.connection.begin_user_timeout(initial);
            if let Some(sizes) = &slot.sizes {
                sizes.apply(&mut slot.connection);
            }
            if let Some((mtu, until)) = narrow_path {
                slot.connection.know_path(mtu, until);
            }
        }
        self.begin_with_metrics(id);
        Some(id)
    }
}
