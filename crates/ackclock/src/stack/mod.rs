//! Many connections over one link: demultiplexing, timers, listeners, ports, ICMP and limits.

mod addresses;
mod arrival;
mod calls;
mod capabilities;
mod cidr;
mod config;
#[cfg_attr(not(feature = "many-connections"), path = "no_demux.rs")]
mod demux;
mod error;
mod event;
mod events;
#[cfg_attr(not(all(feature = "fast-path", feature = "ipv4")), path = "no_expected.rs")]
mod expected;
mod half_open;
mod id_queue;
mod isn;
mod lend;
pub mod limits;
mod listeners;
mod marking;
#[cfg_attr(not(feature = "alloc"), path = "lent_only.rs")]
mod memory;
mod open;
mod output;
mod passive;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
mod plain_syn;
#[cfg_attr(not(all(feature = "fast-path", feature = "ipv4")), path = "no_plain_turn.rs")]
mod plain_turn;
mod pool;
#[cfg_attr(not(feature = "many-connections"), path = "turns.rs")]
mod ready;
mod replies;
mod resting;
mod settings;
mod siphash;
mod slot;
mod statistics;
mod storage;
mod time_wait;
#[cfg_attr(not(feature = "many-connections"), path = "few_timers.rs")]
mod timer_queue;
#[cfg_attr(not(feature = "fast-path"), path = "no_train.rs")]
mod train;
mod transmit;
mod tuning;
mod tuple;

pub use crate::tcp::Readiness;
#[cfg(feature = "ethernet")]
pub(crate) use addresses::{Addresses, Network, bits};
pub use capabilities::{Capabilities, Segmentation};
pub use cidr::{Cidr, CidrError};
pub use config::{ListenConfig, StackConfig};
pub use error::{AddressError, ConnectError, InvalidHandle, ListenError, SettingError};
pub use event::Event;
pub use statistics::Statistics;
pub use storage::{StackMemory, Storage};
pub use transmit::{Rejected, Transmit};

use crate::congestion::{BuiltIn, CongestionController};
use crate::profile::{Full, Profile};
use crate::storage::Buffer;
use crate::tcp::{Buffers, Config, Error};
use crate::time::Instant;
use crate::wire::Address;
#[cfg(not(feature = "ethernet"))]
use addresses::Addresses;
use demux::{Demux, Entity};
use expected::ExpectedPacket;
use half_open::HalfOpens;
use id_queue::IdQueue;
use isn::{EphemeralPorts, Secret};
use listeners::Listeners;
use memory::{MemoryBudget, QueueSizes};
use plain_turn::LastHeader;
use pool::Pool;
use ready::ReadyQueue;
use replies::{RateLimit, Replies};
use resting::Resting;
use slot::Slot;
use statistics::Counted;
use time_wait::TimeWaits;
use timer_queue::TimerQueue;
use train::Train;
use tuple::FourTuple;

/// Names a connection. It is never valid for another one: slots are reused, handles are not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl Handle {
    /// As a number, for interfaces that know numbers only.
    pub const fn to_bits(self) -> u64 {
        to_bits(self.slot, self.generation)
    }

    /// The handle that gave this number; from any other number one that names no connection, or
    /// another one.
    pub const fn from_bits(bits: u64) -> Self {
        let (slot, generation) = from_bits(bits);
        Handle { slot, generation }
    }
}

/// Names a listener.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Listener {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl Listener {
    /// See [`Handle::to_bits`].
    pub const fn to_bits(self) -> u64 {
        to_bits(self.slot, self.generation)
    }

    /// See [`Handle::from_bits`].
    pub const fn from_bits(bits: u64) -> Self {
        let (slot, generation) = from_bits(bits);
        Listener { slot, generation }
    }
}

const fn to_bits(slot: u32, generation: u32) -> u64 {
    (generation as u64) << 32 | slot as u64
}

const fn from_bits(bits: u64) -> (u32, u32) {
    (bits as u32, (bits >> 32) as u32)
}

/// Many TCP connections over one link.
///
/// Whoever drives it hands packets to [`on_packet`](Stack::on_packet), calls
/// [`on_timeout`](Stack::on_timeout) when [`poll_at`](Stack::poll_at) has come, and after either,
/// and after calls of the application, [`transmit`](Stack::transmit) until it returns `None` or the
/// link is full, and [`poll_event`](Stack::poll_event) until it returns `None`.
#[derive(Debug)]
pub struct Stack<'a, C = BuiltIn, P: Profile = Full> {
    config: StackConfig,
    controller: C,
    secret: Secret,
    /// The latest `now` that was given.
    now: Instant,
    addresses: Addresses<'a>,
    ports: EphemeralPorts,
    listeners: Listeners<'a>,
    connections: Pool<'a, Slot<'a, C, P>>,
    /// Whose segment arrived last: the next one is often of the same connection.
    recent: u32,
    /// What its next packet has in common with the last one.
    expected: ExpectedPacket,
    /// Which connection has received or sent last, unless its deadline has been noted since: what it
    /// does moves that each time, and nobody asks meanwhile.
    busy: u32,
    /// Lent buffers of connections that are not in use; none where storage grows.
    spare: Buffer<'a, Option<Buffers<'a>>>,
    /// Least and most bytes that a lent receive buffer holds; `None` where storage grows.
    lent_receive: Option<(usize, usize)>,
    memory: MemoryBudget,
    half_open: HalfOpens<'a>,
    time_waits: TimeWaits<'a>,
    demux: Demux<'a>,
    timers: TimerQueue<'a>,
    ready: ReadyQueue<'a>,
    /// Who sends the same again and again.
    train: Train,
    /// What the next packet sent has in common with one before.
    last_header: LastHeader,
    resting: Resting<'a>,
    events: IdQueue<'a>,
    replies: Replies<'a>,
    reset_limit: RateLimit,
    statistics: Counted,
}

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Adds a local address with its prefix.
    pub fn add_address(&mut self, address: Cidr) -> Result<(), AddressError> {
        let added = self.addresses.add(address);
        if added == Err(AddressError::NoResources) {
            self.statistics.count(|all| &mut all.calls_refused);
        }
        added
    }

    /// Our addresses with their prefixes, in the order of their places.
    pub fn addresses(&self) -> impl Iterator<Item = Cidr> {
        self.addresses.iter().map(Cidr::from)
    }

    /// The same, for whoever resolves them.
    #[cfg(feature = "ethernet")]
    pub(crate) const fn own(&self) -> &Addresses<'a> {
        &self.addresses
    }

    /// Removes a local address; connections bound to it end with an error.
    pub fn remove_address(&mut self, now: Instant, address: Cidr) -> Result<(), AddressError> {
        let now = self.advance(now);
        self.addresses.remove(address)?;
        let is_gone = |ip: Address| ip == Address::from(address.address);
        for id in 0..self.connections.end() {
            if let Some(slot) = self.connections.get_mut(id)
                && is_gone(slot.tuple.local.ip())
                && !slot.detached
            {
                slot.connection.fail(Error::AddressRemoved);
                self.after(now, id);
            }
        }
        for id in 0..self.half_open.records.end() {
            let record = self.half_open.records.get(id);
            if record.is_some_and(|record| is_gone(record.tuple.local.ip())) {
                self.forget_half_open(id);
            }
        }
        for id in 0..self.time_waits.records.end() {
            let record = self.time_waits.records.get(id);
            if record.is_some_and(|record| is_gone(record.tuple.local.ip())) {
                self.forget_time_wait(id);
            }
        }
        Ok(())
    }

    /// How much of [`StackConfig::memory`] is in use, in bytes; 0 where storage is lent.
    pub fn memory_in_use(&self) -> u64 {
        self.memory.reserved()
    }

    /// Counters of the whole stack; all at zero without the feature `counters`.
    pub fn statistics(&self) -> &Statistics {
        self.statistics.all()
    }

    /// Time as the stack sees it: it never goes back.
    #[cfg_attr(not(feature = "fast-path"), inline(never))]
    fn advance(&mut self, now: Instant) -> Instant {
        if now < self.now {
            self.statistics.count(|all| &mut all.time_went_back);
        }
        self.now = self.now.max(now);
        self.now
    }

    /// Who has this four-tuple.
    #[cfg_attr(feature = "fast-path", inline(never))]
    fn find(&self, tuple: &FourTuple) -> Option<Entity> {
        let recent = self.connections.get(self.recent).filter(|_| cfg!(feature = "fast-path"));
        if recent.is_some_and(|slot| slot.tuple == *tuple && !slot.detached) {
            return Some(Entity::Connection(self.recent));
        }
        if !self.demux.is_absent() {
            let hash = self.secret.demux(tuple);
            return self.demux.find(hash, |entity| self.is_of(entity, tuple));
        }
        let connection =
            self.connections.iter().find(|(_, slot)| slot.tuple == *tuple && !slot.detached);
        let half_open = || self.half_open.records.iter().find(|(_, record)| record.tuple == *tuple);
        let time_wait =
            || self.time_waits.records.iter().find(|(_, record)| record.tuple == *tuple);
        connection
            .map(|(id, _)| Entity::Connection(id))
            .or_else(|| half_open().map(|(id, _)| Entity::HalfOpen(id)))
            .or_else(|| time_wait().map(|(id, _)| Entity::TimeWait(id)))
    }

    // Few buckets have the hash and are not the one: the search need not hold more than it takes.
    #[cfg_attr(feature = "fast-path", inline(never))]
    fn is_of(&self, entity: Entity, tuple: &FourTuple) -> bool {
        self.tuple_of(entity) == Some(tuple)
    }

    fn tuple_of(&self, entity: Entity) -> Option<&FourTuple> {
        match entity {
            Entity::Connection(id) => self.connections.get(id).map(|slot| &slot.tuple),
            Entity::HalfOpen(id) => self.half_open.records.get(id).map(|record| &record.tuple),
            Entity::TimeWait(id) => self.time_waits.records.get(id).map(|record| &record.tuple),
        }
    }

    /// The least receive memory that a connection with this configuration begins with, and the most
    /// that it can get and offer, in bytes; `None` if there is none.
    fn receive_memory(&self, config: &Config) -> Option<(usize, usize)> {
        let (least, most) = match self.lent_receive {
            Some(lent) => lent,
            None => {
                let first = QueueSizes::first_window(&self.memory, config)?;
                (first as usize, config.receive_buffer as usize)
            }
        };
        let clamp = config
            .window_clamp
            .filter(|_| cfg!(feature = "tuning"))
            .map_or(usize::MAX, |bytes| bytes as usize);
        Some((least.min(clamp), most.min(clamp)))
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests;
