//! Calls on two connected stacks, over a path that does whatever the input says; then the path is
//! good, and what was written arrives once and in order.

use crate::peer::{acquit, any_law, judge, stack_at};
use ackclock::apps::Pattern;
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Handle, ListenConfig, Listener, Stack};
use ackclock::tcp::{AckPolicy, Config, EcnMode, Nagle, ReceiveError, RecoveryAlgorithm};
use ackclock::time::{Duration, Instant};
use ackclock_judge::Judge;
use arbitrary::{Result, Unstructured};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2))];
const PORT: u16 = 80;
/// Operations of one run.
const MOST_STEPS: u32 = 200;
/// What each side writes at most, in bytes.
const MOST_DATA: u64 = 1_000;
/// How long a packet takes once the path is good.
const DELAY: Duration = Duration::from_millis(1);
/// No run needs so many rounds of packets, or timers, to end.
const MOST_ROUNDS: u32 = 100_000;

pub(crate) fn run(data: &[u8]) {
    // Input that ends early is not worth more.
    let _ = operations(&mut Unstructured::new(data));
}

struct Side {
    stack: Stack<'static, BuiltIn>,
    judge: Judge,
    handle: Option<Handle>,
    stream: Pattern,
    written: u64,
    read: u64,
    finished: bool,
    saw_end: bool,
    aborted: bool,
    /// What is on its way to the other side.
    path: VecDeque<OnPath>,
}

/// A packet on its way.
#[derive(Clone)]
struct OnPath {
    packet: Vec<u8>,
    /// Whether a bit was flipped. The checksum tells one, but not any two.
    damaged: bool,
}

struct World {
    sides: [Side; 2],
    listener: Listener,
    now: Instant,
}

fn operations(u: &mut Unstructured<'_>) -> Result<()> {
    let ends = [(config(u)?, any_law(u)?), (config(u)?, any_law(u)?)];
    let mut world = World::new(ends);
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        let side = usize::from(u.arbitrary::<bool>()?);
        world.step(u, side)?;
    }
    world.settle();
    world.sides.iter().for_each(|side| acquit(&side.judge));
    Ok(())
}

fn config(u: &mut Unstructured<'_>) -> Result<Config> {
    let mut config = Config::default();
    config.timestamps = u.arbitrary()?;
    config.sack = u.arbitrary()?;
    config.window_scaling = u.arbitrary()?;
    config.nagle = *u.choose(&Nagle::ALL)?;
    config.ecn = *u.choose(&[EcnMode::Off, EcnMode::Accept, EcnMode::Request])?;
    config.recovery = *u.choose(RecoveryAlgorithm::ALL)?;
    config.mss = *u.choose(&[Some(536), Some(100), Some(7), None])?;
    config.send_buffer = *u.choose(&[8_000, 1, 300])?;
    config.receive_buffer = *u.choose(&[8_000, 1, 300, 100_000])?;
    config.reassembly_ranges = *u.choose(&[8, 0, 1])?;
    config.flight_records = *u.choose(&[1_000, 1, 3])?;
    config.ack_policy = if u.arbitrary()? { AckPolicy::default() } else { AckPolicy::EverySegment };
    config.rto.max = Duration::from_secs(10);
    // The path may be dead for long.
    config.give_up = Duration::from_secs(1_000_000);
    config.syn_give_up = Duration::from_secs(1_000_000);
    Ok(config)
}

impl World {
    fn new(ends: [(Config, BuiltIn); 2]) -> Self {
        let now = Instant::from_secs(1);
        let [client, mut server] = [0, 1].map(|side| Side {
            stack: stack_at(ADDRESSES[side], side as u64, ends[side].1),
            judge: judge(),
            handle: None,
            stream: Pattern::new(side as u64),
            written: 0,
            read: 0,
            finished: false,
            saw_end: false,
            aborted: false,
            path: VecDeque::new(),
        });
        let remote = SocketAddr::new(ADDRESSES[1], PORT);
        let mut listen = ListenConfig::new(remote);
        listen.connection = ends[1].0;
        let listener = server.stack.listen(listen).expect("a free port");
        let mut client = client;
        let handle = client.stack.connect(now, remote, None, &ends[0].0);
        client.handle = Some(handle.expect("a free port"));
        let mut world = World { sides: [client, server], listener, now };
        world.collect();
        world
    }

    fn step(&mut self, u: &mut Unstructured<'_>, side: usize) -> Result<()> {
        match u.int_in_range(0..=15)? {
            0..=4 => self.deliver(side, 0),
            5 => {
                let last = self.sides[side].path.len().saturating_sub(1);
                let place = u.int_in_range(0..=last)?;
                self.deliver(side, place);
            }
            6 => {
                self.sides[side].path.pop_front();
            }
            7 => {
                let copy = self.sides[side].path.front().cloned();
                self.sides[side].path.extend(copy);
            }
            8 => {
                let first = self.sides[side].path.front_mut();
                if let Some(OnPath { packet, damaged }) = first.filter(|first| !first.damaged) {
                    let bit = u.int_in_range(0..=packet.len() * 8 - 1)?;
                    packet[bit / 8] ^= 1 << (bit % 8);
                    *damaged = true;
                }
            }
            9 | 10 => self.wait(*u.choose(&[1, 40, 300, 2_000])?),
            11 | 12 => self.sides[side].write(self.now, u.int_in_range(0..=1_000)?),
            13 => self.sides[side].read(self.now, u.int_in_range(0..=1_000)?),
            14 => self.set(u, side)?,
            _ => {
                if u.ratio(1, 2)? {
                    self.sides[side].shutdown(self.now);
                } else if u.ratio(1, 8)? {
                    self.sides[side].abort(self.now);
                }
            }
        }
        self.collect();
        Ok(())
    }

    fn set(&mut self, u: &mut Unstructured<'_>, side: usize) -> Result<()> {
        let (what, on) = (u.int_in_range(0..=9)?, u.arbitrary()?);
        let size = *u.choose(&[1, 300, 8_000, 100_000])?;
        let (now, Side { stack, handle, .. }) = (self.now, &mut self.sides[side]);
        let Some(handle) = *handle else {
            return Ok(());
        };
        let done = match what {
            0 | 1 => stack.set_nagle(now, handle, *u.choose(&Nagle::ALL)?).is_ok(),
            2 => stack.push(now, handle).is_ok(),
            3..=5 => stack.set_cork(now, handle, on).is_ok(),
            6 => stack.set_send_buffer(now, handle, size).is_ok(),
            7 => stack.set_receive_buffer(now, handle, size).is_ok(),
            8 => stack.set_window_clamp(now, handle, on.then_some(size)).is_ok(),
            _ if on => stack.set_quick_acks(now, handle, size as u16).is_ok(),
            _ => stack.set_controller(now, handle, any_law(u)?).is_ok(),
        };
        assert!(done || self.sides[side].aborted, "an open connection can be changed");
        Ok(())
    }

    /// Takes what the stacks send, and connections to accept.
    fn collect(&mut self) {
        for side in &mut self.sides {
            let (now, path, judge) = (self.now, &mut side.path, &mut side.judge);
            let mut sink = |transmit: &ackclock::stack::Transmit<'_>| {
                let mut packet = vec![0; transmit.len()];
                transmit.copy_to(&mut packet).expect("room for it");
                judge.on_sent(now, &packet);
                path.push_back(OnPath { packet, damaged: false });
                Ok(())
            };
            while side.stack.transmit(self.now, &mut sink).is_taken() {}
        }
        let server = &mut self.sides[1];
        if server.handle.is_none() {
            server.handle = server.stack.accept(self.listener);
        }
    }

    fn deliver(&mut self, from: usize, place: usize) {
        if let Some(first) = self.sides[from].path.remove(place) {
            let to = &mut self.sides[1 - from];
            to.judge.on_received(self.now, &first.packet);
            to.stack.on_packet(self.now, &first.packet);
        }
    }

    fn wait(&mut self, millis: u64) {
        let end = self.now + Duration::from_millis(millis);
        loop {
            let due = self.sides.iter().map(|side| side.stack.poll_at()).min();
            let due = due.unwrap_or(Instant::FAR_FUTURE);
            if due > end {
                break;
            }
            self.fire(due);
        }
        self.now = end;
    }

    fn fire(&mut self, due: Instant) {
        self.now = self.now.max(due);
        for side in &mut self.sides {
            side.stack.on_timeout(self.now);
            assert!(side.stack.poll_at() > self.now, "a timer stays due");
        }
        self.collect();
    }

    /// From now on nothing is lost. Both sides finish and read everything.
    fn settle(&mut self) {
        let mut rounds = 0;
        loop {
            rounds += 1;
            assert!(rounds < MOST_ROUNDS, "it does not end: {}", self.tell());
            for side in 0..2 {
                let now = self.now;
                let this = &mut self.sides[side];
                if let Some(handle) = this.handle {
                    let _ = this.stack.set_cork(now, handle, false);
                }
                this.shutdown(now);
                this.read(now, usize::MAX >> 1);
            }
            self.collect();
            if self.sides.iter().all(Side::is_done) {
                break;
            }
            if self.sides.iter().all(|side| side.path.is_empty()) {
                let due = self.sides.iter().map(|side| side.stack.poll_at()).min();
                let due = due.unwrap_or(Instant::FAR_FUTURE);
                if due.is_never() && self.sides.iter().any(|side| side.aborted) {
                    // Before the other side had heard of it.
                    break;
                }
                assert!(!due.is_never(), "nobody has anything to do: {}", self.tell());
                self.fire(due);
                continue;
            }
            self.now += DELAY;
            for side in 0..2 {
                for _ in 0..self.sides[side].path.len() {
                    self.deliver(side, 0);
                }
            }
        }
        for side in &mut self.sides {
            // What is left, and the end.
            side.read(self.now, usize::MAX >> 1);
            side.read(self.now, usize::MAX >> 1);
        }
        let [client, server] = &self.sides;
        if !client.aborted && !server.aborted {
            assert_eq!((client.read, server.read), (server.written, client.written));
            assert!(client.saw_end && server.saw_end, "{}", self.tell());
        }
    }

    fn tell(&self) -> String {
        let tell = |side: &Side| {
            let info = side.handle.and_then(|handle| side.stack.info(self.now, handle));
            format!("wrote {}, read {}, {info:#?}", side.written, side.read)
        };
        self.sides.each_ref().map(tell).join("\n")
    }
}

impl Side {
    fn write(&mut self, now: Instant, len: u64) {
        let len = len.min(MOST_DATA - self.written);
        if let Some(handle) = self.handle.filter(|_| !self.finished && !self.aborted) {
            let mut bytes = vec![0; len as usize];
            self.stream.fill(self.written, &mut bytes);
            self.written += self.stack.send(now, handle, &bytes).unwrap_or(0) as u64;
        }
    }

    fn read(&mut self, now: Instant, most: usize) {
        let Some(handle) = self.handle.filter(|_| !self.aborted) else {
            return;
        };
        let stream = Pattern::new(1 - self.seed());
        let mut bytes = vec![0; most.min(MOST_DATA as usize + 1)];
        match self.stack.receive(now, handle, &mut bytes) {
            Ok(n) => {
                assert_eq!(stream.first_mismatch(self.read, &bytes[..n]), None);
                self.read += n as u64;
            }
            Err(ReceiveError::Finished) => self.saw_end = true,
            Err(_) => {}
        }
    }

    /// That of its own stream: 0 or 1.
    fn seed(&self) -> u64 {
        u64::from(self.stream == Pattern::new(1))
    }

    fn shutdown(&mut self, now: Instant) {
        if let Some(handle) = self.handle.filter(|_| !self.aborted) {
            let _ = self.stack.shutdown(now, handle);
            self.finished = true;
        }
    }

    fn abort(&mut self, now: Instant) {
        if let Some(handle) = self.handle.filter(|_| !self.aborted) {
            let _ = self.stack.abort(now, handle);
            self.aborted = true;
        }
    }

    /// Whether nothing more can happen here.
    fn is_done(&self) -> bool {
        let Some(handle) = self.handle else {
            return false;
        };
        let over = self.stack.readiness(handle).is_none_or(|readiness| readiness.closed);
        self.aborted
            || over
            || self.saw_end && self.stack.readiness(handle).is_some_and(|r| r.flushed)
    }
}
