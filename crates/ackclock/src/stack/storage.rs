//! The memory of a stack.

use super::addresses::AddressPlace;
use super::demux::Bucket;
use super::half_open::HalfOpen;
use super::id_queue::Link;
use super::listeners::ListenerRecord;
use super::pool::Place;
use super::ready::{Credit, NO_CREDIT};
use super::replies::{Echo, Reply};
use super::slot::Slot;
use super::time_wait::TimeWaitRecord;
use super::timer_queue::TimerCell;
use crate::profile::{Full, Profile};
use crate::storage::Buffer;
use crate::tcp::Buffers;

/// Memory for a stack: growing (with the `alloc` feature), or lent by a [`StackMemory`].
#[derive(Debug)]
pub struct Storage<'a, C, P: Profile = Full> {
    pub(super) connections: Buffer<'a, Place<Slot<'a, C, P>>>,
    /// Lent buffers of connections that are not in use.
    pub(super) spare: Buffer<'a, Option<Buffers<'a>>>,
    pub(super) connection_timers: Buffer<'a, TimerCell>,
    pub(super) ready: Buffer<'a, Link>,
    pub(super) credits: Buffer<'a, Credit>,
    pub(super) events: Buffer<'a, Link>,
    pub(super) resting: Buffer<'a, Link>,
    pub(super) half_open: Buffer<'a, Place<HalfOpen>>,
    pub(super) half_open_timers: Buffer<'a, TimerCell>,
    pub(super) syn_acks: Buffer<'a, Link>,
    pub(super) time_wait: Buffer<'a, Place<TimeWaitRecord>>,
    pub(super) listeners: Buffer<'a, Place<ListenerRecord>>,
    pub(super) listener_events: Buffer<'a, Link>,
    pub(super) addresses: Buffer<'a, AddressPlace>,
    pub(super) buckets: Buffer<'a, Bucket>,
    pub(super) replies: Buffer<'a, Reply>,
    pub(super) echoes: Buffer<'a, Echo>,
    pub(super) echo_data: Buffer<'a, u8>,
}

#[cfg(feature = "alloc")]
impl<C> Storage<'_, C> {
    /// Storage that grows on demand, up to the limits of the
    /// [`StackConfig`](super::StackConfig).
    pub fn growing() -> Self {
        Storage {
            connections: Buffer::growing(),
            spare: Buffer::growing(),
            connection_timers: Buffer::growing(),
            ready: Buffer::growing(),
            credits: Buffer::growing(),
            events: Buffer::growing(),
            half_open: Buffer::growing(),
            half_open_timers: Buffer::growing(),
            syn_acks: Buffer::growing(),
            time_wait: Buffer::growing(),
            listeners: Buffer::growing(),
            listener_events: Buffer::growing(),
            addresses: Buffer::growing(),
            resting: Buffer::growing(),
            buckets: Buffer::growing(),
            replies: Buffer::growing(),
            echoes: Buffer::growing(),
            echo_data: Buffer::growing(),
        }
    }
}

/// Memory for a stack that needs no heap: so many connections, half-open connections, connections
/// in TIME-WAIT and listeners at a time.
///
/// `BUCKETS` is the size of the table in which connections are looked up. It is used if it is
/// greater than the number of connections of all three kinds together (a third more makes it
/// fast); otherwise, as with the default of 0, they are compared one after another, which is
/// faster for a handful.
///
/// The last three may be left to their defaults: local addresses, answers without a connection (resets
/// and acks of small records, and as many echo replies) that wait for the link, and bytes of echo data
/// that do: one full Ethernet frame and some short ones. [`limits`](super::limits) says what happens to
/// what does not fit.
#[derive(Debug)]
pub struct StackMemory<
    'a,
    C,
    const CONNECTIONS: usize,
    const HALF_OPEN: usize,
    const TIME_WAIT: usize,
    const LISTENERS: usize,
    const BUCKETS: usize = 0,
    const ADDRESSES: usize = 8,
    const REPLIES: usize = 16,
    const ECHO_BYTES: usize = 2048,
    P: Profile = Full,
> {
    connections: [Place<Slot<'a, C, P>>; CONNECTIONS],
    spare: [Option<Buffers<'a>>; CONNECTIONS],
    connection_timers: [TimerCell; CONNECTIONS],
    ready: [Link; CONNECTIONS],
    credits: [Credit; CONNECTIONS],
    events: [Link; CONNECTIONS],
    half_open: [Place<HalfOpen>; HALF_OPEN],
    half_open_timers: [TimerCell; HALF_OPEN],
    syn_acks: [Link; HALF_OPEN],
    time_wait: [Place<TimeWaitRecord>; TIME_WAIT],
    listeners: [Place<ListenerRecord>; LISTENERS],
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
    const CONNECTIONS: usize,
    const HALF_OPEN: usize,
    const TIME_WAIT: usize,
    const LISTENERS: usize,
    const BUCKETS: usize,
    const ADDRESSES: usize,
    const REPLIES: usize,
    const ECHO_BYTES: usize,
    P: Profile,
>
    StackMemory<
        'a,
        C,
        CONNECTIONS,
        HALF_OPEN,
        TIME_WAIT,
        LISTENERS,
        BUCKETS,
        ADDRESSES,
        REPLIES,
        ECHO_BYTES,
        P,
    >
{
    /// Memory with nothing in it: all zeros where it is all lent (without the feature `alloc`), so
    /// that as a static it takes no place in an image.
    pub const fn new() -> Self {
        StackMemory {
            connections: [const { Place::EMPTY }; CONNECTIONS],
            spare: [const { None }; CONNECTIONS],
            connection_timers: [TimerCell::UNUSED; CONNECTIONS],
            ready: [Link::OUT; CONNECTIONS],
            credits: [NO_CREDIT; CONNECTIONS],
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

    /// Lends the memory to a stack, with the buffers of each connection. It serves one stack.
    pub fn storage(
        &'a mut self,
        buffers: [impl Into<Buffers<'a>>; CONNECTIONS],
    ) -> Storage<'a, C, P> {
        for (place, buffers) in self.spare.iter_mut().zip(buffers) {
            *place = Some(buffers.into());
        }
        TimerCell::prepare(&mut self.connection_timers);
        TimerCell::prepare(&mut self.half_open_timers);
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
    const CONNECTIONS: usize,
    const HALF_OPEN: usize,
    const TIME_WAIT: usize,
    const LISTENERS: usize,
    const BUCKETS: usize,
    const ADDRESSES: usize,
    const REPLIES: usize,
    const ECHO_BYTES: usize,
    P: Profile,
> Default
    for StackMemory<
        '_,
        C,
        CONNECTIONS,
        HALF_OPEN,
        TIME_WAIT,
        LISTENERS,
        BUCKETS,
        ADDRESSES,
        REPLIES,
        ECHO_BYTES,
        P,
    >
{
    fn default() -> Self {
        Self::new()
    }
}
