//! The memory of a stack, and of its connections.

use super::addresses::AddressPlace;
use super::demux::Bucket;
use super::half_open::HalfOpen;
use super::id_queue::Link;
use super::listeners::ListenerRecord;
use super::pool::Place;
use super::ready;
use super::replies::{Echo, Reply};
use super::slot::Slot;
use super::time_wait::TimeWaitRecord;
use super::timers::{TimerCell, TimerQueue};
use super::{Cell, Credit};
use crate::profile::{Full, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::tcp::{Buffers, FlightRecord};

/// Memory for a stack: growing (with the `alloc` feature), or lent by a [`StackMemory`].
#[derive(Debug)]
pub struct Storage<'a, C, P: Profile = Full> {
    pub(super) connections: Buffer<'a, Place<Slot<'a, C, P>>>,
    /// Lent buffers that no connection uses now.
    pub(super) spare: Buffer<'a, Option<Buffers<'a, P>>>,
    pub(super) connection_timers: Buffer<'a, Cell<P>>,
    pub(super) ready: Buffer<'a, Link>,
    pub(super) credits: Buffer<'a, Credit<P>>,
    pub(super) events: Buffer<'a, Link>,
    pub(super) resting: Buffer<'a, Link>,
    pub(super) half_open: Buffer<'a, Place<HalfOpen<P>>>,
    pub(super) half_open_timers: Buffer<'a, Cell<P>>,
    pub(super) syn_acks: Buffer<'a, Link>,
    pub(super) time_wait: Buffer<'a, Place<TimeWaitRecord<P>>>,
    pub(super) listeners: Buffer<'a, Place<ListenerRecord<P>>>,
    pub(super) listener_events: Buffer<'a, Link>,
    pub(super) addresses: Buffer<'a, AddressPlace>,
    pub(super) buckets: Buffer<'a, Bucket>,
    pub(super) replies: Buffer<'a, Reply>,
    pub(super) echoes: Buffer<'a, Echo>,
    pub(super) echo_data: Buffer<'a, u8>,
}

/// Memory for a stack without a heap, with profile `P`: for this many connections, half-open connections,
/// connections in TIME-WAIT and listeners at the same time.
///
/// `BUCKETS` is the size of the hash table in which connections are looked up. It is used if it is greater
/// than the number of connections of all three kinds together (a third more makes it fast). Otherwise, as
/// with the default of 0, connections are searched linearly, which is faster for a handful.
///
/// The last three parameters have defaults: local addresses; replies without a connection that wait for the
/// link (resets and acks of records, and as many echo replies); and bytes of echo data that wait for it (by
/// default one full Ethernet frame and some short ones). [`limits`](super::limits) says what happens beyond
/// them.
#[derive(Debug)]
pub struct StackMemory<
    'a,
    C,
    P: Profile,
    const CONNECTIONS: usize,
    const HALF_OPEN: usize,
    const TIME_WAIT: usize,
    const LISTENERS: usize,
    const BUCKETS: usize = 0,
    const ADDRESSES: usize = 8,
    const REPLIES: usize = 16,
    const ECHO_BYTES: usize = 2048,
> {
    connections: [Place<Slot<'a, C, P>>; CONNECTIONS],
    spare: [Option<Buffers<'a, P>>; CONNECTIONS],
    connection_timers: [Cell<P>; CONNECTIONS],
    ready: [Link; CONNECTIONS],
    credits: [Credit<P>; CONNECTIONS],
    events: [Link; CONNECTIONS],
    half_open: [Place<HalfOpen<P>>; HALF_OPEN],
    half_open_timers: [Cell<P>; HALF_OPEN],
    syn_acks: [Link; HALF_OPEN],
    time_wait: [Place<TimeWaitRecord<P>>; TIME_WAIT],
    listeners: [Place<ListenerRecord<P>>; LISTENERS],
    listener_events: [Link; LISTENERS],
    addresses: [AddressPlace; ADDRESSES],
    buckets: [Bucket; BUCKETS],
    replies: [Reply; REPLIES],
    echoes: [Echo; REPLIES],
    echo_data: [u8; ECHO_BYTES],
}

impl<
    'a,
    C,
    P: Profile,
    const CONNECTIONS: usize,
    const HALF_OPEN: usize,
    const TIME_WAIT: usize,
    const LISTENERS: usize,
    const BUCKETS: usize,
    const ADDRESSES: usize,
    const REPLIES: usize,
    const ECHO_BYTES: usize,
>
    StackMemory<
        'a,
        C,
        P,
        CONNECTIONS,
        HALF_OPEN,
        TIME_WAIT,
        LISTENERS,
        BUCKETS,
        ADDRESSES,
        REPLIES,
        ECHO_BYTES,
    >
{
    /// Empty memory. Without the feature `alloc` it is all zeros, so that a `static` takes no space in an
    /// image.
    pub const fn new() -> Self {
        StackMemory {
            connections: [const { Place::EMPTY }; CONNECTIONS],
            spare: [const { None }; CONNECTIONS],
            connection_timers: [TimerCell::UNUSED; CONNECTIONS],
            ready: [Link::OUT; CONNECTIONS],
            credits: [ready::Credit::NONE; CONNECTIONS],
            events: [Link::OUT; CONNECTIONS],
            half_open: [const { Place::EMPTY }; HALF_OPEN],
            half_open_timers: [TimerCell::UNUSED; HALF_OPEN],
            syn_acks: [Link::OUT; HALF_OPEN],
            time_wait: [const { Place::EMPTY }; TIME_WAIT],
            listeners: [const { Place::EMPTY }; LISTENERS],
            listener_events: [Link::OUT; LISTENERS],
            addresses: [AddressPlace::EMPTY; ADDRESSES],
            buckets: [Bucket::EMPTY; BUCKETS],
            replies: [Reply::EMPTY; REPLIES],
            echoes: [Echo::EMPTY; REPLIES],
            echo_data: [0; ECHO_BYTES],
        }
    }

    /// Lends the memory to a stack, together with the buffers of each connection. It serves one stack only.
    pub fn storage(
        &'a mut self,
        buffers: [impl Into<Buffers<'a, P>>; CONNECTIONS],
    ) -> Storage<'a, C, P> {
        for (place, buffers) in self.spare.iter_mut().zip(buffers) {
            *place = Some(buffers.into());
        }
        TimerQueue::prepare(&mut self.connection_timers);
        TimerQueue::prepare(&mut self.half_open_timers);
        let entities = CONNECTIONS.saturating_add(HALF_OPEN).saturating_add(TIME_WAIT);
        Storage {
            connections: Buffer::lent(&mut self.connections),
            spare: Buffer::lent(&mut self.spare),
            connection_timers: Buffer::lent(&mut self.connection_timers),
            ready: Buffer::lent(&mut self.ready),
            credits: Buffer::lent(&mut self.credits),
            events: Buffer::lent(&mut self.events),
            resting: Buffer::default(),
            half_open: Buffer::lent(&mut self.half_open),
            half_open_timers: Buffer::lent(&mut self.half_open_timers),
            syn_acks: Buffer::lent(&mut self.syn_acks),
            time_wait: Buffer::lent(&mut self.time_wait),
            listeners: Buffer::lent(&mut self.listeners),
            listener_events: Buffer::lent(&mut self.listener_events),
            addresses: Buffer::lent(&mut self.addresses),
            buckets: match BUCKETS > entities {
                true => Buffer::lent(&mut self.buckets),
                false => Buffer::default(),
            },
            replies: Buffer::lent(&mut self.replies),
            echoes: Buffer::lent(&mut self.echoes),
            echo_data: Buffer::lent(&mut self.echo_data),
        }
    }
}

impl<
    C,
    P: Profile,
    const CONNECTIONS: usize,
    const HALF_OPEN: usize,
    const TIME_WAIT: usize,
    const LISTENERS: usize,
    const BUCKETS: usize,
    const ADDRESSES: usize,
    const REPLIES: usize,
    const ECHO_BYTES: usize,
> Default
    for StackMemory<
        '_,
        C,
        P,
        CONNECTIONS,
        HALF_OPEN,
        TIME_WAIT,
        LISTENERS,
        BUCKETS,
        ADDRESSES,
        REPLIES,
        ECHO_BYTES,
    >
{
    fn default() -> Self {
        Self::new()
    }
}

/// Memory for one connection without a heap: `BYTES` for the send queue and as many for the receive queue,
/// records of `FLIGHT` transmissions, and `RANGES` ranges of out-of-order data.
///
/// It is lent to a stack with the [`StackMemory`](super::StackMemory), where [`Buffers`] put together one by
/// one can be used as well. It has no memory for delivery rates ([`Buffers::delivery`]).
///
/// ```
/// use ackclock::congestion::Reno;
/// use ackclock::profile::Full;
/// use ackclock::stack::{Capabilities, ConnectionMemory, Stack, StackConfig, StackMemory};
///
/// let mut connections = [const { ConnectionMemory::<Full, 2048, 8, 4>::new() }; 2];
/// let mut memory = StackMemory::<Reno, Full, 2, 2, 2, 1>::new();
/// let storage = memory.storage(connections.each_mut());
/// let config = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
/// let stack = Stack::new(config, Reno::default(), storage)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConnectionMemory<
    P: Profile,
    const BYTES: usize,
    const FLIGHT: usize,
    const RANGES: usize,
> {
    send: [u8; BYTES],
    receive: [u8; BYTES],
    flight: [FlightRecord<P>; FLIGHT],
    reassembly: [SeqRange; RANGES],
}

impl<P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize>
    ConnectionMemory<P, BYTES, FLIGHT, RANGES>
{
    /// Empty memory: all zeros, so that a `static` takes no space in an image.
    pub const fn new() -> Self {
        ConnectionMemory {
            send: [0; BYTES],
            receive: [0; BYTES],
            flight: [FlightRecord::EMPTY; FLIGHT],
            reassembly: [SeqRange::new(SeqNumber(0), SeqNumber(0)); RANGES],
        }
    }
}

impl<P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize> Default
    for ConnectionMemory<P, BYTES, FLIGHT, RANGES>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, P: Profile, const BYTES: usize, const FLIGHT: usize, const RANGES: usize>
    From<&'a mut ConnectionMemory<P, BYTES, FLIGHT, RANGES>> for Buffers<'a, P>
{
    fn from(memory: &'a mut ConnectionMemory<P, BYTES, FLIGHT, RANGES>) -> Self {
        Buffers {
            send: Buffer::lent(&mut memory.send),
            receive: Buffer::lent(&mut memory.receive),
            flight: Buffer::lent(&mut memory.flight),
            delivery: Buffer::default(),
            reassembly: Buffer::lent(&mut memory.reassembly),
        }
    }
}
