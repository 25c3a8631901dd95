//! A stack: many connections over one link, with demultiplexing, timers, listeners, ports, ICMP and limits.

mod accept;
mod accurate_ecn;
mod addresses;
mod aftermath;
mod arrival;
mod capabilities;
mod cidr;
mod config;
mod demux;
mod error;
mod fast_open;
#[cfg(feature = "alloc")]
mod growing;
mod half_open;
mod host_metrics;
mod icmp_errors;
mod id_queue;
mod ip_fields;
mod known_hosts;
pub mod limits;
mod listeners;
mod memory;
mod new;
mod open;
mod output;
mod packets;
mod passive_open;
mod poll;
mod pool;
mod ports;
mod predicted;
mod ready;
mod receive_autotuning;
mod replies;
pub(crate) mod scale;
mod secret;
mod signatures;
mod siphash;
mod slot;
mod socket_options;
mod statistics;
mod storage;
mod syn_cookies;
mod time_wait;
mod timers;
mod tuple;
mod user_calls;

pub use crate::tcp::Readiness;
pub use accept::{Answer, Request};
pub(crate) use addresses::{Addresses, Network, bits};
pub use capabilities::{Capabilities, Segmentation};
pub use cidr::{Cidr, CidrError};
pub use config::{ListenConfig, StackConfig};
pub use error::{AddressError, ConnectError, InvalidHandle, KeyError, ListenError, SettingError};

pub use known_hosts::HostMetrics;
pub use packets::{Offered, Received, Rejected, Transmit};
pub use poll::Event;
pub use signatures::KeyScope;
pub use statistics::Statistics;
pub use storage::{ConnectionMemory, StackMemory, Storage};

use crate::congestion::{BuiltIn, CongestionController};
use crate::profile::{Full, Part, Profile};
use crate::tcp::challenge::AnswerLimit;
use crate::tcp::{Error, Initial};
use crate::time::Instant;
use crate::wire::Address;
use accurate_ecn::DeafHosts;
use aftermath::Cause;
use demux::{Demux, Entity};
use fast_open::FastOpen;
use half_open::HalfOpens;
use host_metrics::HostMetricsCache;
use icmp_errors::NarrowPaths;
use id_queue::IdQueue;
use listeners::Listeners;
use memory::{QueueMemory, QueueSizes};
use pool::Pool;
use ports::EphemeralPorts;
use predicted::Predicted;
use ready::ReadyQueue;
use replies::{Replies, ResetLimits};
use scale::Scale;
use secret::Secret;
use signatures::Signatures;
use slot::Slot;
use statistics::Counted;
use time_wait::TimeWaits;
use timers::TimerQueue;
use tuple::FourTuple;

/// The timer queue's cell for one connection.
type Cell<P> = <<P as Profile>::Connections as Scale>::TimerCell;
/// The credit of one connection in the ready queue.
type Credit<P> = <<P as Profile>::Connections as Scale>::Credit;

/// Handle of a connection. It never refers to another connection: slots are reused, handles are not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl Handle {
    /// The handle as a number, for interfaces that only pass numbers.
    pub const fn to_bits(self) -> u64 {
        to_bits(self.slot, self.generation)
    }

    /// The handle that [`to_bits`](Self::to_bits) has converted. Any other number gives a handle of no
    /// connection, or of some other one.
    pub const fn from_bits(bits: u64) -> Self {
        let (slot, generation) = from_bits(bits);
        Handle { slot, generation }
    }
}

/// Handle of a listener.
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
/// The code that drives a stack passes packets to [`on_packet`](Stack::on_packet) and calls
/// [`on_timeout`](Stack::on_timeout) when the time of [`poll_at`](Stack::poll_at) has come. After either, and
/// after calls of the application, it calls [`transmit`](Stack::transmit) for as long as it returns
/// [`Offered::Taken`], and [`poll_event`](Stack::poll_event) until it returns `None`.
#[derive(Debug)]
pub struct Stack<'a, C = BuiltIn, P: Profile = Full> {
    config: StackConfig,
    controller: C,
    secret: Secret,
    /// The latest `now` passed in.
    now: Instant,
    addresses: Addresses<'a>,
    ports: EphemeralPorts,
    listeners: Listeners<'a, P>,
    connections: Pool<'a, Slot<'a, C, P>>,
    /// Templates of the packets expected next.
    predicted: <P::Prediction as Part>::Begins<Predicted>,
    memory: QueueMemory<'a, P>,
    half_open: HalfOpens<'a, P>,
    time_waits: TimeWaits<'a, P>,
    demux: Demux<'a, P::Connections>,
    deadlines: Deadlines<'a, P>,
    /// IP identification of the next packet that routers may fragment (RFC 6864).
    identification: u16,
    ready: ReadyQueue<'a, Credit<P>>,
    events: IdQueue<'a>,
    replies: Replies<'a>,
    reset_limits: ResetLimits<P::Connections>,
    /// Rate limit of the ICMP errors that we send.
    error_limit: <P::IcmpErrors as Part>::Begins<AnswerLimit>,
    narrow_paths: <P::IcmpErrors as Part>::Begins<NarrowPaths>,
    host_metrics: <P::HostMetrics as Part>::Begins<HostMetricsCache>,
    fast_open: <P::FastOpen as Part>::Begins<FastOpen>,
    deaf_hosts: <P::AccurateEcn as Part>::Begins<DeafHosts>,
    signatures: <P::Signatures as Part>::Begins<Signatures>,
    statistics: Counted<P>,
}

/// The deadlines of connections.
#[derive(Debug)]
struct Deadlines<'a, P: Profile> {
    timers: TimerQueue<'a, Cell<P>>,
    /// The busy connection: the one that has received or sent last, unless its deadline is in the queue
    /// already. What it does changes its deadline every time, and nobody needs it meanwhile.
    busy: u32,
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

    /// Our addresses with their prefixes, in the order in which they are stored.
    pub fn addresses(&self) -> impl Iterator<Item = Cidr> {
        self.addresses.iter().map(Cidr::from)
    }

    /// Our addresses, for address resolution.
    pub(crate) const fn own(&self) -> &Addresses<'a> {
        &self.addresses
    }

    /// Removes a local address; connections bound to it end with an error.
    pub fn remove_address(&mut self, now: Instant, address: Cidr) -> Result<(), AddressError> {
        let now = self.begin(now);
        self.addresses.remove(address)?;
        let is_gone = |ip: Address| ip == Address::from(address.address);
        for id in 0..self.connections.end() {
            if let Some(slot) = self.connections.get_mut(id)
                && is_gone(slot.tuple.local.ip())
                && !slot.detached
            {
                slot.connection.fail(Error::AddressRemoved);
                self.touched(now, id, Cause::Step);
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

    /// Bytes of [`StackConfig::memory`] in use; 0 where storage is lent.
    pub fn memory_in_use(&self) -> u64 {
        self.memory.budget.reserved()
    }

    /// Counters of the whole stack; all zero in a profile without counters.
    pub fn statistics(&self) -> &Statistics {
        self.statistics.all()
    }

    /// Begins a step: a packet, a call or a timer. Returns the stack's time.
    fn begin(&mut self, now: Instant) -> Instant {
        self.forget_predicted();
        self.advance(now)
    }

    /// Advances the stack's time, which never goes back, and returns it.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    fn advance(&mut self, now: Instant) -> Instant {
        if now < self.now {
            self.statistics.count(|all| &mut all.time_went_back);
        }
        self.now = self.now.max(now);
        self.now
    }

    /// The entity that has this four-tuple, if any.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn find(&self, tuple: &FourTuple) -> Option<Entity> {
        if let Some((id, slot)) = self.recent()
            && slot.tuple == *tuple
        {
            return Some(Entity::Connection(id));
        }
        if !self.demux.is_absent() {
            return self.demux.find(tuple, |entity| self.is_of(entity, tuple));
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

    // Not inlined, as few buckets have the right hash but another tuple; this keeps the search loop small.
    #[inline(never)]
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

    /// The least receive memory that a connection with this configuration begins with, and the most that it
    /// can get and advertise, in bytes; `None` if there is no memory left.
    fn receive_memory(&self, initial: &Initial<P>) -> Option<(usize, usize)> {
        let (least, most) = match self.memory.lent_receive {
            Some(lent) => lent,
            None => {
                let first = QueueSizes::first_window(&self.memory.budget, initial)?;
                (first as usize, initial.receive_buffer as usize)
            }
        };
        let clamp = if P::RARE_SETTINGS { initial.window_clamp as usize } else { usize::MAX };
        Some((least.min(clamp), most.min(clamp)))
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests;
