//! Both ends of connections over an emulated path, each host judged.

use crate::actor::{Actor, Plan, QUIET, Role};
use crate::{Fault, Outcome};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::Config;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Checksums, Packet, Protocol, parse_packet};
use ackclock_emulator::{Emulator, Event, HostId, LEFT, Observer, PairConfig, RIGHT};
use ackclock_judge::{Call, Judges};
use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

/// More packets than any host sends at one instant of virtual time.
const MOST_AT_ONCE: u64 = 100_000;

/// So many, and it is asked whether the judge has said why.
const MANY_AT_ONCE: u64 = 2_000;

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
    /// Each packet is printed.
    traces: bool,
}

impl Bench {
    fn new(judges: Judges) -> Bench {
        let traces = std::env::var_os("GAUNTLET_TRACE").is_some();
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

    fn fault(&self) -> Option<Fault> {
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
        state.wrong.map(|at| Fault::Bytes(format!("byte {at} is wrong")))
    }

    /// Nothing else has happened until now.
    fn on_time(&self, now: Instant) {
        for host in [LEFT, RIGHT] {
            if let Some(judge) = self.0.borrow_mut().judges.judge(host) {
                judge.on_time(now);
            }
        }
    }

    fn judged(&self) -> u64 {
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
    /// Both connect.
    pub(crate) simultaneous: bool,
    pub(crate) seed: u64,
    /// In virtual time.
    pub(crate) limit: Duration,
    /// All that is written must arrive within the limit.
    pub(crate) arrives: bool,
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
            simultaneous: false,
            seed: 1,
            limit: Duration::from_secs(60),
            arrives: true,
        }
    }

    fn ends(&self, index: u16) -> [SocketAddr; 2] {
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        let (left, right) = match self.ipv6 {
            true => (address("fd00::1"), address("fd00::2")),
            false => (address("10.0.0.1"), address("10.0.0.2")),
        };
        [SocketAddr::new(left, 5_000 + index), SocketAddr::new(right, 7_000 + index)]
    }

    fn actors(&self, bench: &Bench) -> Vec<[Actor; 2]> {
        let pair = |index: u16| {
            let ends = self.ends(index);
            let at = Instant::ZERO + self.apart.saturating_mul(u32::from(index).into());
            let local = self.simultaneous.then_some(ends[0]);
            let left = Role::Connects { local, remote: ends[1], at };
            let right = match self.simultaneous {
                true => Role::Connects { local: Some(ends[1]), remote: ends[0], at },
                false => Role::Listens { on: ends[1] },
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

    /// Runs it until something is wrong, or all is over.
    pub(crate) fn run(&self) -> Outcome {
        let mut config = PairConfig::new(self.path.parse().expect("a path"));
        if let Some(back) = self.back {
            config.paths[1] = back.parse().expect("a path");
        }
        config.seed = self.seed;
        let law: BuiltIn = self.law.parse().expect("a law");
        let [left, right] = self.configs.map(|each| ackclock_testkit::script::told(&each, &law));
        let bench = Bench::new(Judges::new().with(LEFT, left).with(RIGHT, right));
        let mut emulator =
            Emulator::pair(&config, [law; 2], bench.clone()).expect("a usable network");
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
        let end = Instant::ZERO + self.limit;
        let mut now = Instant::ZERO;
        let step = Duration::from_millis(200);
        while now < end && !emulator.is_done() {
            now = (now + step).min(end);
            emulator.run_until(now);
            bench.on_time(now);
            if let Some(fault) = bench.fault() {
                return Err(fault);
            }
        }
        // What a connection does when the applications have left it.
        emulator.run_until(now + Duration::from_secs(5));
        bench.on_time(now + Duration::from_secs(5));
        if let Some(fault) = bench.fault() {
            return Err(fault);
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
        Ok(bench.judged())
    }
}
