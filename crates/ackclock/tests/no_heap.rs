//! Two stacks in lent memory, as firmware has them, over a path that loses, doubles and reorders,
//! under an allocator that fails: whatever happens between setup and end, nothing is allocated or
//! freed. It holds with and without the `alloc` feature, for every profile, and with an Ethernet layer
//! between stack and path.

use ackclock::apps::Pattern;
use ackclock::congestion::Reno;
use ackclock::link::ethernet::{Ethernet, EthernetStatistics};
use ackclock::link::{Direct, Interface};
use ackclock::profile::{Full, Internet, NoRanges, Present, Profile};
use ackclock::seq::SeqRange;
use ackclock::stack::{
    Capabilities, Cidr, Event, Handle, ListenConfig, Listener, Received, Stack, StackConfig,
    StackMemory, Transmit,
};
use ackclock::storage::Buffer;
use ackclock::tcp::{AckPolicy, Buffers, Config, FlightRecord, ReceiveError};
use ackclock::time::{Duration, Instant};
use ackclock::wire::EthernetAddress;
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::net::SocketAddr;

/// The system's allocator, until the thread arms it.
struct Failing;

thread_local! {
    static ARMED: Cell<bool> = const { Cell::new(false) };
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Whether the call must fail; it is counted then.
fn fails() -> bool {
    let armed = ARMED.get();
    if armed {
        CALLS.set(CALLS.get() + 1);
    }
    armed
}

// SAFETY: every call goes to the system's allocator as it came, or answers as an allocator without
// memory does; what is freed while armed stays allocated.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails() {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are those that the system's allocator wants.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !fails() {
            // SAFETY: as above; `memory` came of the system's allocator.
            unsafe { System.dealloc(memory, layout) }
        }
    }
}

#[global_allocator]
static ALLOCATOR: Failing = Failing;

/// How often the allocator was called while `run` ran.
fn calls_during<R>(run: impl FnOnce() -> R) -> (R, u32) {
    CALLS.set(0);
    ARMED.set(true);
    let result = run();
    ARMED.set(false);
    (result, CALLS.get())
}

#[test]
fn an_allocation_is_noticed() {
    let (_, calls) = calls_during(|| Vec::<u8>::new().try_reserve(1).is_err());
    assert_eq!(calls, 1);
}

ackclock::profile! {
    /// The least that opens connections: what comes out of order is sent again.
    struct Opening: least { ActiveOpen = Present, Ranges = NoRanges }
}

const CONNECTIONS: usize = 2;
const MTU: usize = 576;
/// A packet with an Ethernet header.
const FRAME: usize = MTU + 14;
/// Packets on their way; more are lost.
const PLACES: usize = 32;
/// The longest connection of all takes a small part of this.
const MOST_STEPS: u32 = 200_000;

type Memory<'a, P> = StackMemory<'a, Reno, P, CONNECTIONS, 2, 2, 1>;

struct Lent<P: Profile> {
    send: [u8; 2048],
    receive: [u8; 2048],
    flight: [FlightRecord<P>; 4],
    reassembly: [SeqRange; 4],
}

impl<P: Profile> Lent<P> {
    fn new() -> Self {
        Lent {
            send: [0; 2048],
            receive: [0; 2048],
            flight: [FlightRecord::default(); 4],
            reassembly: [SeqRange::default(); 4],
        }
    }

    fn buffers(&mut self) -> Buffers<'_, P> {
        Buffers {
            send: Buffer::lent(&mut self.send),
            receive: Buffer::lent(&mut self.receive),
            flight: Buffer::lent(&mut self.flight),
            reassembly: Buffer::lent(&mut self.reassembly),
            ..Buffers::default()
        }
    }
}

/// xorshift64 (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) % end
    }
}

/// What one case is about.
#[derive(Clone, Copy, Debug)]
struct Case {
    seed: u64,
    /// One packet in so many is lost, doubled, or late; 0: none.
    trouble: u64,
    bytes: u64,
    sack: bool,
    timestamps: bool,
    every_segment: bool,
    connections: u32,
    /// Between them: longer than an answer of a neighbour is believed, if there is an Ethernet layer.
    idle: Duration,
}

impl Case {
    fn config(&self) -> Config {
        let mut config = Config::default();
        config.sack = self.sack;
        config.timestamps = self.timestamps;
        if self.every_segment {
            config.ack_policy = AckPolicy::EverySegment;
        }
        config
    }
}

struct Flying {
    bytes: [u8; FRAME],
    len: usize,
    to: usize,
    due: Instant,
}

struct Path {
    flying: [Flying; PLACES],
    random: Random,
    trouble: u64,
}

impl Path {
    fn put(&mut self, now: Instant, to: usize, packet: &[u8]) {
        let fate = if self.trouble > 0 { self.random.below(4 * self.trouble) } else { u64::MAX };
        let (copies, late) = match fate {
            0 | 1 => (0, 0),
            2 => (2, 0),
            3 => (1, 30),
            _ => (1, 0),
        };
        for _ in 0..copies {
            let Some(place) = self.flying.iter_mut().find(|place| place.due.is_never()) else {
                return;
            };
            place.bytes[..packet.len()].copy_from_slice(packet);
            (place.len, place.to) = (packet.len(), to);
            place.due = now + Duration::from_millis(10 + late);
        }
    }
}

struct World<'a, 'b, I, P: Profile> {
    ends: [Stack<'a, Reno, P>; 2],
    interfaces: &'b mut [I; 2],
    path: &'b mut Path,
    listener: Listener,
    case: Case,
    now: Instant,
}

impl<I: Interface, P: Profile> World<'_, '_, I, P> {
    /// Until the next thing happens. False: nothing will.
    fn step(&mut self) -> bool {
        for from in 0..2 {
            let (path, now) = (&mut *self.path, self.now);
            let mut packet = [0; FRAME];
            let mut sink = |transmit: &Transmit<'_>| {
                let len = transmit.copy_to(&mut packet).unwrap_or(0);
                path.put(now, 1 - from, &packet[..len]);
                Ok(())
            };
            let stack = &mut self.ends[from];
            while self.interfaces[from].transmit(now, stack, &mut sink).is_taken() {}
        }
        let timers = self.ends.iter().map(Stack::poll_at);
        let timers = timers.chain(self.interfaces.iter().map(I::poll_at));
        let timers = timers.fold(Instant::FAR_FUTURE, Instant::min);
        let arrivals = self.path.flying.iter().map(|flying| flying.due);
        let next = arrivals.fold(timers, Instant::min);
        if next.is_never() {
            return false;
        }
        self.now = self.now.max(next);
        for flying in &mut self.path.flying {
            if flying.due <= self.now {
                flying.due = Instant::FAR_FUTURE;
                let received = Received::unverified(&flying.bytes[..flying.len]);
                let stack = &mut self.ends[flying.to];
                self.interfaces[flying.to].on_received(self.now, stack, &received);
            }
        }
        self.ends.iter_mut().for_each(|end| end.on_timeout(self.now));
        true
    }

    /// The server sends back what it gets.
    fn serve(&mut self) {
        let (now, server) = (self.now, &mut self.ends[1]);
        while let Some(event) = server.poll_event() {
            match event {
                Event::Acceptable(listener) => while server.accept(listener).is_some() {},
                Event::Connection { handle, .. } => echo(now, server, handle),
                _ => {}
            }
        }
    }

    /// One connection whose every byte comes back.
    fn exchange(&mut self, address: SocketAddr) -> Result<(), &'static str> {
        let Case { bytes, seed, .. } = self.case;
        let pattern = Pattern::new(seed);
        let client = &mut self.ends[0];
        let opened = client.connect(self.now, address, None, &self.case.config());
        let handle = opened.map_err(|_| "no room for a connection")?;
        let (mut sent, mut received) = (0, 0);
        for _ in 0..MOST_STEPS {
            let client = &mut self.ends[0];
            while client.poll_event().is_some() {}
            let mut chunk = [0; 300];
            let len = self.path.random.below(301).min(bytes - sent) as usize;
            pattern.fill(sent, &mut chunk[..len]);
            sent += client.send(self.now, handle, &chunk[..len]).unwrap_or(0) as u64;
            if sent == bytes {
                client.shutdown(self.now, handle).map_err(|_| "the handle is void")?;
            }
            match client.receive(self.now, handle, &mut chunk) {
                Ok(len) => {
                    let mut expected = [0; 300];
                    pattern.fill(received, &mut expected[..len]);
                    if chunk[..len] != expected[..len] {
                        return Err("other bytes came back");
                    }
                    received += len as u64;
                }
                Err(ReceiveError::WouldBlock) => {}
                Err(ReceiveError::Finished) if received == bytes => {
                    return client.close(self.now, handle).map_err(|_| "the handle is void");
                }
                Err(ReceiveError::Finished) => return Err("not all came back"),
                Err(_) => return Err("the connection failed"),
            }
            self.serve();
            if !self.step() {
                // Only the client's own doing goes on from here.
                self.now += Duration::from_millis(1);
            }
        }
        Err("it goes on")
    }
}

fn echo<P: Profile>(now: Instant, server: &mut Stack<'_, Reno, P>, handle: Handle) {
    loop {
        let mut chunk = [0; 200];
        let len = match server.received(handle) {
            Ok([first, _]) => {
                let len = first.len().min(chunk.len());
                chunk[..len].copy_from_slice(&first[..len]);
                len
            }
            Err(_) => 0,
        };
        let taken = server.send(now, handle, &chunk[..len]).unwrap_or(0);
        let _ = server.consume(now, handle, taken);
        if taken == 0 {
            break;
        }
    }
    if server.readiness(handle).is_some_and(|readiness| readiness.finished) {
        let _ = server.close(now, handle);
    }
}

fn stack<'a, P: Profile>(
    memory: &'a mut Memory<'a, P>,
    buffers: [Buffers<'a, P>; CONNECTIONS],
    last: u8,
) -> Stack<'a, Reno, P> {
    let config = StackConfig::new(Capabilities::with_mtu(MTU as u32), [last.into(), 2]);
    let mut stack = Stack::new(config, Reno::default(), memory.storage(buffers)).unwrap();
    stack.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 }).unwrap();
    stack
}

/// Runs a case; what went wrong, and how often the allocator was called meanwhile.
fn run<P: Profile>(
    case: Case,
    interfaces: &mut [impl Interface; 2],
) -> (Result<(), &'static str>, u32) {
    // Of a profile that is not named here it is unknown that nothing happens when its memory is dropped.
    let [client_memory, server_memory] = [(); 2].map(|()| Box::leak(Box::new(Memory::new())));
    let lent = Box::leak(Box::new([(); 4].map(|()| Lent::<P>::new())));
    let [a, b, c, d] = lent.each_mut().map(Lent::buffers);
    let client = stack(client_memory, [a, b], 1);
    let mut server = stack(server_memory, [c, d], 2);
    let address = SocketAddr::from(([10, 0, 0, 2], 7));
    let mut listen = ListenConfig::new(address);
    listen.connection = case.config();
    let listener = server.listen(listen).unwrap();
    let nothing = || Flying { bytes: [0; FRAME], len: 0, to: 0, due: Instant::FAR_FUTURE };
    let mut path = Path {
        flying: [(); PLACES].map(|()| nothing()),
        random: Random(case.seed | 1),
        trouble: case.trouble,
    };
    let now = Instant::from_secs(1);
    let ends = [client, server];
    let mut world = World { ends, interfaces, path: &mut path, listener, case, now };
    calls_during(|| {
        for _ in 0..case.connections {
            world.exchange(address)?;
            world.now += case.idle;
        }
        let now = world.now;
        world.ends[1].close_listener(now, world.listener);
        Ok(())
    })
}

/// Fifty connections one after another over a path without trouble.
const FIFTY: Case = Case {
    seed: 1,
    trouble: 0,
    bytes: 5_000,
    sack: true,
    timestamps: true,
    every_segment: false,
    connections: 50,
    idle: Duration::ZERO,
};

#[test]
fn fifty_connections_one_after_another_use_two_slots_and_no_heap() {
    assert_eq!(run::<Full>(FIFTY, &mut [Direct; 2]), (Ok(()), 0));
    assert_eq!(run::<Internet>(FIFTY, &mut [Direct; 2]), (Ok(()), 0));
    assert_eq!(run::<Opening>(FIFTY, &mut [Direct; 2]), (Ok(()), 0));
}

/// Interfaces that remember four neighbours, as the firmware's does.
fn ethernet() -> [Ethernet<4, 0>; 2] {
    [1, 2].map(|last| Ethernet::new(EthernetAddress([2, 0, 0, 0, 0, last])))
}

#[test]
fn neighbours_that_are_asked_for_again_take_no_heap() {
    let case = Case { idle: Duration::from_secs(600), ..FIFTY };
    let mut interfaces = ethernet();
    assert_eq!(run::<Full>(case, &mut interfaces), (Ok(()), 0));
    let [client, _] = interfaces.map(|interface| *interface.statistics());
    assert!(client.requests_sent > 1);
    let mut interfaces = ethernet();
    assert_eq!(run::<Internet>(case, &mut interfaces), (Ok(()), 0));
    let [client, _] = interfaces.map(|interface| *interface.statistics());
    assert_eq!(client, EthernetStatistics::default(), "the profile has no counters");
}

fn cases() -> impl Strategy<Value = Case> {
    let trouble = prop_oneof![Just(0u64), 6..60u64];
    let options = (any::<bool>(), any::<bool>(), any::<bool>());
    (any::<u64>(), trouble, 0..30_000u64, options, 1..4u32).prop_map(
        |(seed, trouble, bytes, (sack, timestamps, every_segment), connections)| Case {
            seed,
            trouble,
            bytes,
            sack,
            timestamps,
            every_segment,
            connections,
            idle: Duration::ZERO,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_byte_comes_back_without_a_heap(case in cases()) {
        prop_assert_eq!(run::<Full>(case, &mut [Direct; 2]), (Ok(()), 0));
        prop_assert_eq!(run::<Internet>(case, &mut [Direct; 2]), (Ok(()), 0));
        prop_assert_eq!(run::<Opening>(case, &mut [Direct; 2]), (Ok(()), 0));
    }

        #[test]
    fn every_byte_comes_back_over_ethernet_without_a_heap(case in cases()) {
        prop_assert_eq!(run::<Internet>(case, &mut ethernet()), (Ok(()), 0));
    }
}
