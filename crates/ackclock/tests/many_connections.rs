//! What memory many connections take, counted by the allocator, each end by itself. What it finds is
//! printed too, as the benchmarks do.
#![cfg(feature = "alloc")]

use ackclock::congestion::BuiltIn;
use ackclock::stack::{
    Capabilities, Cidr, Handle, ListenConfig, Listener, Stack, StackConfig, Storage,
};
use ackclock::tcp::Config;
use ackclock::time::{Duration, Instant};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::net::SocketAddr;

/// The system's allocator, which counts for whom it works.
struct Counting;

thread_local! {
    /// Whose account is charged.
    static ACCOUNT: Cell<usize> = const { Cell::new(NOBODY) };
    /// Bytes that the ends and everything else have now.
    static HELD: [Cell<isize>; 3] = const { [const { Cell::new(0) }; 3] };
}

const NOBODY: usize = 2;

fn charge(bytes: isize) {
    HELD.with(|held| {
        let held = &held[ACCOUNT.get()];
        held.set(held.get() + bytes);
    });
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        charge(layout.size() as isize);
        // SAFETY: the caller's promises are those that the system's allocator wants.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        charge(-(layout.size() as isize));
        // SAFETY: as above; `memory` came of the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is asked of the stack, for each end.
const CONNECTIONS: usize = 100_000;
const MOST: isize = 200 << 20;

/// Places that the stack keeps for newcomers.
const KEPT: usize = 256;

const TURN: Duration = Duration::from_micros(20);

/// Two stacks, whose memory is on accounts of their own.
struct World {
    ends: [Stack<'static>; 2],
    listener: Listener,
    now: Instant,
}

impl World {
    fn new(server: SocketAddr) -> Self {
        let end = |index: usize| {
            let mut config = StackConfig::new(Capabilities::with_mtu(1500), [index as u64, 2]);
            config.max_connections = CONNECTIONS + KEPT;
            // What windows promise takes memory when it is used.
            config.memory = 1 << 40;
            let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).unwrap();
            let address = Cidr { address: [10, 0, 0, 1 + index as u8].into(), prefix: 8 };
            stack.add_address(address).unwrap();
            stack
        };
        let mut ends = [0, 1].map(|index| on_account(index, || end(index)));
        let listener = on_account(1, || ends[1].listen(ListenConfig::new(server)).unwrap());
        World { ends, listener, now: Instant::from_secs(1) }
    }

    fn call<R>(&mut self, index: usize, call: impl FnOnce(Instant, &mut Stack<'_>) -> R) -> R {
        let (now, stack) = (self.now, &mut self.ends[index]);
        on_account(index, || call(now, stack))
    }

    /// Carries packets until nobody has anything to say.
    fn settle(&mut self) {
        let mut packet = [0; 1500];
        let mut silent = 0;
        for from in [0, 1].into_iter().cycle() {
            self.now += TURN;
            let mut length = None;
            self.call(from, |now, stack| {
                stack.transmit(now, &mut |transmit| {
                    length = transmit.copy_to(&mut packet);
                    Ok(())
                })
            });
            silent = if length.is_some() { 0 } else { silent + 1 };
            if let Some(length) = length {
                self.call(1 - from, |now, stack| stack.on_packet(now, &packet[..length]));
            }
            if silent == 2 {
                break;
            }
        }
        for index in [0, 1] {
            self.call(index, |now, stack| {
                stack.on_timeout(now);
                while stack.poll_event().is_some() {}
            });
        }
    }

    /// Opens a connection.
    fn open(&mut self, local: SocketAddr, server: SocketAddr) -> [Handle; 2] {
        let config = Config::default();
        let client =
            self.call(0, |now, stack| stack.connect(now, server, Some(local), &config).unwrap());
        self.settle();
        let listener = self.listener;
        let accepted = self.call(1, |_, stack| stack.accept(listener).unwrap());
        [client, accepted]
    }

    /// A request, and an answer of the same size.
    fn exchange(&mut self, [client, server]: [Handle; 2]) {
        for (from, to, sender, receiver) in [(0, 1, client, server), (1, 0, server, client)] {
            let sent = self.call(from, |now, stack| stack.send(now, sender, &[7; 500]));
            assert_eq!(sent, Ok(500));
            self.settle();
            let mut bytes = [0; 600];
            let received = self.call(to, |now, stack| stack.receive(now, receiver, &mut bytes));
            assert_eq!(received, Ok(500));
        }
        self.now += Duration::from_millis(50);
        self.settle();
    }
}

fn on_account<R>(index: usize, work: impl FnOnce() -> R) -> R {
    ACCOUNT.set(index);
    let result = work();
    ACCOUNT.set(NOBODY);
    result
}

/// Bytes that each end has.
fn held() -> [isize; 2] {
    HELD.with(|held| [held[0].get(), held[1].get()])
}

#[test]
fn a_hundred_thousand_connections_take_less_than_200_mib_at_either_end() {
    let server: SocketAddr = ([10, 0, 0, 2], 9).into();
    let mut world = World::new(server);
    let mut handles = Vec::new();
    for n in 0..CONNECTIONS {
        // Ports alone do not tell so many apart.
        let address = [10, 1, (n / 40_000) as u8, 1].into();
        if n % 40_000 == 0 {
            world.call(0, |_, stack| stack.add_address(Cidr { address, prefix: 8 }).unwrap());
        }
        let local = SocketAddr::new(address, 20_000 + (n % 40_000) as u16);
        handles.push(world.open(local, server));
    }
    let fresh = held();
    handles.iter().for_each(|pair| world.exchange(*pair));
    let used = held();
    for (when, held) in [("new", fresh), ("after a request and its answer", used)] {
        for (end, held) in ["client", "server"].into_iter().zip(held) {
            let each = held / CONNECTIONS as isize;
            // A line for benches/performance.py.
            println!(
                r#"{{"bench":"memory of 100,000 connections","case":"bytes for each","contender":"{end}, {when}","bytes":{each}}}"#
            );
        }
    }
    assert!(fresh.into_iter().chain(used).all(|held| held < MOST), "{fresh:?} {used:?}");
}
