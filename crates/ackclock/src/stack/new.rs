//! Creating a stack, and lending memory to it.

use super::addresses::{AddressPlace, Addresses};
use super::demux::Demux;
use super::half_open::HalfOpens;
use super::id_queue::IdQueue;
use super::listeners::Listeners;
use super::memory::{IdleMemory, MemoryBudget, QueueMemory};
use super::pool::{NO_ID, Pool};
use super::ports::EphemeralPorts;
use super::ready::ReadyQueue;
use super::replies::{Replies, ResetLimits};
use super::secret::Secret;
use super::statistics::Counted;
use super::time_wait::TimeWaits;
use super::timers::TimerQueue;
use super::{Deadlines, Stack, StackConfig, Storage};
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Profile};
use crate::storage::Buffer;
use crate::tcp::flight::FlightChoice;
use crate::tcp::{Buffers, ConfigError};
use crate::time::Instant;
use crate::wire;

/// Least MTU of a link in bytes (RFC 791 section 3.2).
const MIN_MTU: u32 = 68;

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Creates a stack without addresses. Each connection gets a clone of `controller`.
    ///
    /// # Errors
    /// Names the invalid setting, or the field of a connection's [`Buffers`] that is missing.
    pub fn new(
        config: StackConfig,
        controller: C,
        storage: Storage<'a, C, P>,
    ) -> Result<Self, ConfigError> {
        let mut stack = Self::empty(config, controller);
        stack.lend(storage)?;
        Ok(stack)
    }

    /// Creates a stack without memory, for a `static`. Until memory is [lent](Self::lend) to it, calls fail
    /// with errors that say so.
    ///
    /// ```
    /// use ackclock::congestion::{Growth, Reno};
    /// use ackclock::profile::Full;
    /// use ackclock::stack::{Capabilities, ConnectionMemory, Stack, StackConfig, StackMemory};
    /// use std::sync::Mutex;
    ///
    /// const CONFIG: StackConfig = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
    /// const RENO: Reno = Reno::new(Growth::ByteCounting { limit: 2 });
    ///
    /// static STACK: Mutex<Stack<'static, Reno>> = Mutex::new(Stack::empty(CONFIG, RENO));
    /// static MEMORY: Mutex<StackMemory<'static, Reno, Full, 2, 2, 2, 1>> = Mutex::new(StackMemory::new());
    /// static CONNECTIONS: Mutex<[ConnectionMemory<Full, 2048, 8, 4>; 2]> =
    ///     Mutex::new([const { ConnectionMemory::new() }; 2]);
    ///
    /// // The leaked boxes stand for the `static` memory of a program on a microcontroller.
    /// let memory = Box::leak(Box::new(MEMORY.lock()?));
    /// let connections = Box::leak(Box::new(CONNECTIONS.lock()?));
    /// STACK.lock()?.lend(memory.storage(connections.each_mut()))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn empty(config: StackConfig, controller: C) -> Self {
        const fn none<'a, T>() -> Buffer<'a, T> {
            Buffer::lent(&mut [])
        }
        Stack {
            secret: Secret::new(config.secret),
            controller,
            now: Instant::ZERO,
            addresses: Addresses::new(none()),
            ports: EphemeralPorts::new(config.first_ephemeral_port, config.last_ephemeral_port),
            listeners: Listeners::new(none(), none()),
            connections: Pool::new(none(), 0),
            predicted: InitialValue::INITIAL,
            memory: QueueMemory {
                spare: none(),
                lent_receive: Some((0, 0)),
                budget: MemoryBudget::new(0),
                idle: IdleMemory::new(none()),
                hand: 0,
            },
            half_open: HalfOpens::new(none(), none(), none(), 0),
            time_waits: TimeWaits::new(none(), 0),
            demux: Demux::empty(none()),
            deadlines: Deadlines { timers: TimerQueue::new(none()), busy: NO_ID },
            identification: 0,
            ready: ReadyQueue::new(none(), none(), 0),
            events: IdQueue::new(none()),
            replies: Replies::new(none(), none(), none()),
            reset_limits: ResetLimits::NEW,
            error_limit: InitialValue::INITIAL,
            narrow_paths: InitialValue::INITIAL,
            host_metrics: InitialValue::INITIAL,
            fast_open: InitialValue::INITIAL,
            deaf_hosts: InitialValue::INITIAL,
            signatures: InitialValue::INITIAL,
            statistics: Counted::NONE,
            config,
        }
    }

    /// Lends memory to the stack. All state that it had in other memory is lost without notice, including
    /// addresses and listeners. Discard handles from before too: they may come to refer to other connections.
    ///
    /// # Errors
    /// Names the invalid setting, or the field of a connection's [`Buffers`] that is missing; then nothing
    /// has changed.
    pub fn lend(&mut self, storage: Storage<'a, C, P>) -> Result<(), ConfigError> {
        let link = &mut self.config.link;
        if link.mtu < MIN_MTU {
            return Err(ConfigError::Mtu);
        }
        storage.spare.iter().flatten().try_for_each(check_buffers)?;
        link.segmentation = link.segmentation.usable::<P>();
        let largest = if P::SEGMENTATION { link.segmentation.largest() } else { 0 };
        let quantum = link.mtu.max(largest.saturating_add(wire::MAX_HEADER as u32));
        let config = &self.config;
        let Storage {
            connections,
            spare,
            connection_timers,
            ready,
            credits,
            events,
            resting,
            half_open,
            half_open_timers,
            syn_acks,
            time_wait,
            listeners,
            listener_events,
            mut addresses,
            buckets,
            replies,
            echoes,
            echo_data,
        } = storage;
        let (mut least, mut most) = (usize::MAX, 0);
        for lent in spare.iter().flatten().map(|buffers| buffers.receive.len()) {
            (least, most) = (least.min(lent), most.max(lent));
        }
        addresses.fill(AddressPlace::EMPTY);
        self.addresses.renew(addresses);
        self.listeners = Listeners::new(listeners, listener_events);
        self.connections = Pool::new(connections, config.max_connections);
        self.predicted = InitialValue::INITIAL;
        self.fast_open = InitialValue::INITIAL;
        self.signatures = InitialValue::INITIAL;
        self.memory = QueueMemory {
            spare,
            lent_receive: (least <= most).then_some((least, most)),
            budget: MemoryBudget::new(config.memory),
            idle: IdleMemory::new(resting),
            hand: 0,
        };
        self.half_open =
            HalfOpens::new(half_open, half_open_timers, syn_acks, config.max_half_open);
        self.time_waits = TimeWaits::new(time_wait, config.max_time_wait);
        self.demux = Demux::new(buckets, &self.secret);
        self.deadlines = Deadlines { timers: TimerQueue::new(connection_timers), busy: NO_ID };
        self.ready = ReadyQueue::new(ready, credits, quantum);
        self.events = IdQueue::new(events);
        self.replies = Replies::new(replies, echoes, echo_data);
        Ok(())
    }
}

/// Checks that a connection can send and receive with the memory lent to it.
fn check_buffers<P: Profile>(lent: &Buffers<'_, P>) -> Result<(), ConfigError> {
    if is_left_out(&lent.send) {
        return Err(ConfigError::NoSendBuffer);
    }
    if is_left_out(&lent.receive) {
        return Err(ConfigError::NoReceiveBuffer);
    }
    if P::Flight::KEEPS_RECORDS && is_left_out(&lent.flight) {
        return Err(ConfigError::NoFlightBuffer);
    }
    Ok(())
}

const fn is_left_out<T>(buffer: &Buffer<'_, T>) -> bool {
    buffer.length() == 0 && !buffer.can_grow()
}
