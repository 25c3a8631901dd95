//! Both ends of connections over an emulated path, each host judged.

use crate::actor::{Actor, Plan, QUIET, Role};
use crate::hosts::Hosting;
use crate::rates::Known;
use crate::{Fault, Outcome};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{ListenConfig, Listener};
use ackclock::tcp::{Config, Info};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Checksums, Packet, Protocol, parse_packet};
use ackclock_emulator::{Emulator, Event, HostId, LEFT, Observer, PairConfig, RIGHT};
use ackclock_judge::{Call, Judges};
use std::cell::RefCell;
use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

/// More packets than any host sends at one instant of virtual time.
const MOST_AT_ONCE: u64 = 100_000;

/// So many, and it is asked whether the judge has said why.
const MANY_AT_ONCE: u64 = 2_000;

/// The variable of the environment that asks for packets, or a peer's script, to be printed.
pub(crate) const TRACE: &str = "GAUNTLET_TRACE";

/// What the judges, the applications and the network share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bench(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    judges: Judges,
    now: Instant,
    /// Packets at this instant.
    packets: u64,
    wrong: Option<u64>,
    /// A number of a connection's [`Info`](ackclock::tcp::Info) that is not what its application did.
    untrue: Option<String>,
    /// Where urgent data ends: who wrote it, to whom, and after how many bytes.
    urgent: HashSet<(SocketAddr, SocketAddr, u64)>,
    /// What all servers accept from, where they share a port.
    listener: Option<Listener>,
    /// Each packet is printed.
    traces: bool,
}

impl Bench {
    pub(crate) fn new(judges: Judges) -> Bench {
        let traces = std::env::var_os(TRACE).is_some();
        Bench(Rc::new(RefCell::new(State { judges, traces, ..State::default() })))
    }

    /// An application has called.
    pub(crate) fn call(
        &self,
        now: Instant,
        host: HostId,
        local: SocketAddr,
        remote: SocketAddr,
        call: Call,
    ) {
        if let Some(judge) = self.0.borrow_mut().judges.judge(host) {
            judge.on_call(now, local, remote, call);
        }
    }

    /// A byte was read that was not written so.
    pub(crate) fn wrong_bytes(&self, at: u64) {
        self.0.borrow_mut().wrong.get_or_insert(at);
    }

    /// A number that a stack told of a connection cannot be.
    pub(crate) fn untrue(&self, what: String) {
        self.0.borrow_mut().untrue.get_or_insert(what);
    }

    /// Urgent data ends after so many bytes from one to the other.
    pub(crate) fn urgent_ends(&self, (from, to): (SocketAddr, SocketAddr), at: u64) {
        self.0.borrow_mut().urgent.insert((from, to, at));
    }

    /// Whether it does.
    pub(crate) fn is_urgent_end(&self, (from, to): (SocketAddr, SocketAddr), at: u64) -> bool {
        self.0.borrow().urgent.contains(&(from, to, at))
    }

    /// The listener that servers share, made by the first of them.
    pub(crate) fn listener(&self, make: impl FnOnce() -> Option<Listener>) -> Option<Listener> {
        let known = self.0.borrow().listener;
        known.or_else(|| {
            let made = make();
            self.0.borrow_mut().listener = made;
            made
        })
    }

    /// What is wrong so far.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let mut state = self.0.borrow_mut();
        for host in [LEFT, RIGHT] {
            let name = if host == LEFT { "left" } else { "right" };
            let verdict = state.judges.judge(host).and_then(|judge| {
                judge.findings().verdicts.first().map(|verdict| format!("{name} {verdict}"))
            });
            if let Some(verdict) = verdict {
                return Some(Fault::Judge(verdict));
            }
        }
        if let Some(at) = state.wrong {
            return Some(Fault::Bytes(format!("byte {at} is wrong")));
        }
        state.untrue.take().map(Fault::Numbers)
    }

    /// Nothing else has happened until now.
    pub(crate) fn on_time(&self, now: Instant) {
        for host in [LEFT, RIGHT] {
            if let Some(judge) = self.0.borrow_mut().judges.judge(host) {
                judge.on_time(now);
            }
        }
    }

    /// A packet goes out of a host, or is taken in by it.
    pub(crate) fn passes(&self, now: Instant, host: HostId, is_sent: bool, bytes: &[u8]) {
        if let Some(judge) = self.0.borrow_mut().judges.judge(host) {
            match is_sent {
                true => judge.on_sent(now, bytes),
                false => judge.on_received(now, bytes),
            }
        }
    }

    /// Segments that were judged.
    pub(crate) fn judged(&self) -> u64 {
        let mut state = self.0.borrow_mut();
        [LEFT, RIGHT]
            .into_iter()
            .filter_map(|host| state.judges.judge(host).map(|judge| judge.findings().judged))
            .sum()
    }
}

/// Prints a packet that a host sends or that reaches it.
fn trace(now: Instant, event: &Event<'_>) {
    let (what, packet) = match event {
        Event::Sent(packet) => ("sends", packet),
        Event::Delivered(packet) => ("gets ", packet),
        _ => return,
    };
    let node = if what == "sends" { packet.from } else { packet.to };
    if let Ok(Packet { ip, protocol: Protocol::Tcp(segment) }) =
        parse_packet(packet.bytes, Checksums::ALL)
    {
        let header = segment.header;
        let sack: Vec<String> = header
            .options
            .sack
            .as_slice()
            .iter()
            .map(|b| format!("{}-{}", b.start, b.end))
            .collect();
        println!(
            "{now:?} {node:?} {what} {}>{} {:?} seq {} len {} ack {} win {} {:?} {:?} {}",
            header.source_port,
            header.destination_port,
            header.flags,
            header.seq,
            segment.payload.len(),
            header.ack,
            header.window,
            ip.ecn,
            header.options.timestamps.map(|stamps| (stamps.value, stamps.echo)),
            sack.join(" ")
        );
    }
}

impl Observer for Bench {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        let mut state = self.0.borrow_mut();
        if now > state.now {
            (state.now, state.packets) = (now, 0);
        }
        state.packets += u64::from(matches!(event, Event::Sent(_)));
        if state.traces {
            trace(now, event);
        }
        state.judges.on_event(now, event);
        if state.packets >= MANY_AT_ONCE && state.packets.is_multiple_of(MANY_AT_ONCE) {
            drop(state);
            if let Some(fault) = self.fault() {
                std::panic::panic_any(fault);
            }
            state = self.0.borrow_mut();
        }
        let endless = state.packets > MOST_AT_ONCE;
        drop(state);
        assert!(!endless, "packets without an end at one instant");
    }
}

/// What does not hold of a stack, which is left alone.
fn broken(emulator: &Emulator<BuiltIn, Bench>, lent: bool) -> Option<Fault> {
    let mut stacks = [LEFT, RIGHT].into_iter().map(|host| emulator.stack(host));
    let broken = stacks.find_map(|stack| {
        let queued = |info: Info| u64::from(info.send_queue) + u64::from(info.receive_queue);
        let held: u64 = stack.connections(emulator.now()).map(|(_, info)| queued(info)).sum();
        // Memory that is lent is not counted.
        let is_counted = lent || stack.memory_in_use() >= held;
        let counted = (!is_counted).then_some("what queues hold is memory in use");
        stack.broken_invariant().or(counted)
    })?;
    Some(Fault::Numbers(format!("this does not hold: {broken}")))
}

/// Connections between two hosts over a path.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) path: &'static str,
    /// Of the way back, where it is different.
    pub(crate) back: Option<&'static str>,
    pub(crate) law: &'static str,
    pub(crate) configs: [Config; 2],
    pub(crate) ipv6: bool,
    /// Of the one that connects, and of the other.
    pub(crate) plans: [Plan; 2],
    /// So many connections, each so much later than the one before.
    pub(crate) connections: u16,
    pub(crate) apart: Duration,
    /// When the first of them begins.
    pub(crate) begins: Duration,
    /// They go to one port.
    pub(crate) one_port: bool,
    /// The two hosts, if their stacks are not the emulator's.
    pub(crate) hosting: Option<[Hosting; 2]>,
    /// Both connect.
    pub(crate) simultaneous: bool,
    pub(crate) seed: u64,
    /// In virtual time.
    pub(crate) limit: Duration,
    /// All that is written must arrive within the limit.
    pub(crate) arrives: bool,
    /// What has arrived then must have taken no longer, because of what path and law can do.
    pub(crate) within: Duration,
    /// Nothing tells one connection from the others: all have to take the same time, with the same windows and paces at each
    /// moment of it.
    pub(crate) alike: bool,
    /// What the one that connects tells of the path has to be what is known of it.
    pub(crate) known: Option<Known>,
}

impl Run {
    pub(crate) fn new(path: &'static str) -> Run {
        Run {
            path,
            back: None,
            law: "cubic",
            configs: [Config::default(); 2],
            ipv6: false,
            plans: [Plan { amount: 60_000, ..QUIET }, QUIET],
            connections: 1,
            apart: Duration::ZERO,
            begins: Duration::ZERO,
            one_port: false,
            hosting: None,
            simultaneous: false,
            seed: 1,
            limit: Duration::from_secs(60),
            arrives: true,
            within: Duration::MAX,
            alike: false,
            known: None,
        }
    }

    fn ends(&self, index: u16) -> [SocketAddr; 2] {
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        let (left, right) = match self.ipv6 {
            true => (address("fd00::1"), address("fd00::2")),
            false => (address("10.0.0.1"), address("10.0.0.2")),
        };
        let port = if self.one_port { 7_000 } else { 7_000 + index };
        [SocketAddr::new(left, 5_000 + index), SocketAddr::new(right, port)]
    }

    fn actors(&self, bench: &Bench) -> Vec<[Actor; 2]> {
        let pair = |index: u16| {
            let ends = self.ends(index);
            let after = self.apart.saturating_mul(u32::from(index).into());
            let at = Instant::ZERO + self.begins + after;
            let local = self.simultaneous.then_some(ends[0]);
            let left = Role::Connects { local, remote: ends[1], at };
            let right = match self.simultaneous {
                true => Role::Connects { local: Some(ends[1]), remote: ends[0], at },
                false => {
                    let with = self.hosting.map(|[_, right]| right.listening(ends[1]));
                    let with = with.unwrap_or(ListenConfig::new(ends[1]));
                    Role::Listens { with, shared: self.one_port }
                }
            };
            let [first, second] = self.plans;
            let [ours, theirs] = self.configs;
            [
                Actor::new(first, left, ours, LEFT, bench.clone()),
                Actor::new(second, right, theirs, RIGHT, bench.clone()),
            ]
        };
        (0..self.connections).map(pair).collect()
    }

    /// What is left of connections that both applications have ended, after all the times that settings allow.
    fn remains(&self, emulator: &mut Emulator<BuiltIn, Bench>) -> Option<Fault> {
        if !emulator.is_done() {
            return None;
        }
        let longest = self.configs.iter().map(|config| {
            let linger = config.linger.unwrap_or(Duration::from_secs(100));
            config.fin_wait_2_timeout + config.msl.saturating_mul(2) + linger.max(config.rto.max)
        });
        let longest = longest.fold(Duration::ZERO, Duration::max);
        emulator.run_until(emulator.now() + longest.saturating_mul(2));
        let left: usize =
            [LEFT, RIGHT].map(|host| emulator.stack(host).states().count()).iter().sum();
        let memory: u64 =
            [LEFT, RIGHT].map(|host| emulator.stack(host).memory_in_use()).iter().sum();
        let text = format!("{left} connections and {memory} bytes are left when all is over");
        (left > 0 || memory > 0).then_some(Fault::Numbers(text))
    }

    /// Runs it until something is wrong, or all is over.
    pub(crate) fn run(&self) -> Outcome {
        let mut config = PairConfig::new(self.path.parse().expect("a path"));
        if let Some(back) = self.back {
            config.paths[1] = back.parse().expect("a path");
        }
        config.seed = self.seed;
        let law: BuiltIn = self.law.parse().expect("a law");
        let told = |side: usize| {
            let mut told = ackclock_testkit::script::told(&self.configs[side], &law);
            if let Some(hosts) = self.hosting {
                told = hosts[side].tell(told, self.connections.into());
            }
            self.plans[side].tune.map_or(told.clone(), |(_, tune)| tune.tell(told))
        };
        let (left, right) = (told(0), told(1));
        if std::env::var_os(TRACE).is_some() {
            println!("{self:?}");
        }
        let bench = Bench::new(Judges::new().with(LEFT, left).with(RIGHT, right));
        let mut emulator =
            Emulator::pair(&config, [law; 2], bench.clone()).expect("a usable network");
        for (number, hosting) in self.hosting.iter().flatten().enumerate() {
            let (mtu, secret) = (config.paths[number].mtu, [self.seed, number as u64]);
            let host = [LEFT, RIGHT][number];
            emulator.with_stack(host, |_, stack| hosting.build(stack, mtu, law, secret));
        }
        let mut ids = Vec::new();
        for [left, right] in self.actors(&bench) {
            // The one that listens first.
            let right = emulator.add_application(RIGHT, right);
            let left = emulator.add_application(LEFT, left);
            let (Ok(left), Ok(right)) = (left, right) else {
                return Err(Fault::Hang("an end cannot start".into()));
            };
            ids.push((left, right));
        }
        let lent = self.hosting.is_some_and(|hosts| hosts.iter().any(Hosting::is_lent));
        let end = Instant::ZERO + self.limit;
        let mut now = Instant::ZERO;
        let step = Duration::from_millis(200);
        let mut arrived_at = None;
        while now < end && !emulator.is_done() {
            now = (now + step).min(end);
            emulator.run_until(now);
            bench.on_time(now);
            let untrue = || self.known.and_then(|known| known.contradicted(&emulator));
            if let Some(fault) = bench.fault().or_else(|| broken(&emulator, lent)).or_else(untrue) {
                return Err(fault);
            }
            let has_arrived = ids.iter().all(|(_, right)| {
                emulator
                    .application(*right)
                    .is_some_and(|right| right.moved().1 == self.plans[0].amount)
            });
            if has_arrived {
                arrived_at.get_or_insert(now);
            }
        }
        // What a connection does when the applications have left it.
        emulator.run_until(now + Duration::from_secs(5));
        bench.on_time(now + Duration::from_secs(5));
        if let Some(fault) = bench.fault().or_else(|| self.remains(&mut emulator)) {
            return Err(fault);
        }
        if self.alike {
            let took = ids.iter().filter_map(|(left, _)| emulator.application(*left)?.took());
            let took: Vec<Duration> = took.collect();
            if took.iter().any(|each| *each != took[0]) {
                let text = format!("what is the same takes one time and another: {took:?}");
                return Err(Fault::Numbers(text));
            }
            let told = ids.iter().filter_map(|(left, _)| Some(emulator.application(*left)?.told()));
            let told: Vec<u64> = told.collect();
            if told.iter().any(|each| *each != told[0]) {
                let text = "what is the same has one window or pace and another".into();
                return Err(Fault::Numbers(text));
            }
        }
        for (left, right) in ids {
            let moved = |id| emulator.application(id).map_or((0, 0), Actor::moved);
            let ((sent, got), (answered, received)) = (moved(left), moved(right));
            let all = (sent, answered) == (self.plans[0].amount, self.plans[1].amount);
            if self.arrives && !(all && (received, got) == (sent, answered)) {
                return Err(Fault::Hang(format!(
                    "{sent} bytes written and {received} read one way, {answered} and {got} the other"
                )));
            }
        }
        let took = arrived_at.map_or(self.limit, |at| at.saturating_since(Instant::ZERO));
        match took > self.within {
            true => Err(Fault::Hang(format!("takes {took:?}, where {:?} are enough", self.within))),
            false => Ok(bench.judged()),
        }
    }
}
