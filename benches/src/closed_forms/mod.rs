//! Transfers for which the literature has closed forms: what the window law alone decides.
//!
//! Buffers are large and receivers take everything at once, so that nothing but the congestion window
//! limits the sender. Law, recovery, growth and acks are named, never the defaults. What is measured is
//! measured when slow start is long over, unless it is slow start.

pub mod formulas;
pub mod ideal;

use crate::starts::starts;
use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{AckPolicy, Config, Info, RecoveryAlgorithm};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{
    ApplicationId, Emulator, HostId, LEFT, Observer, PairConfig, RIGHT, Recorder, Series, Topology,
};
use ackclock_judge::FormJudges;
use std::net::SocketAddr;

/// The round-trip time of paths on which no queue forms, in seconds.
pub const RTT: f64 = 0.1;

/// Who sends, and how the receiver acknowledges.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    /// The window law.
    pub law: BuiltIn,
    /// How losses are repaired.
    pub recovery: RecoveryAlgorithm,
    /// b of the formulas: how many segments an ack acknowledges, 1 or 2.
    pub segments_per_ack: u32,
    /// In segments.
    pub initial_window: u16,
}

impl Sender {
    /// SACK repairs the losses (RFC 6675), with an ack per segment.
    pub fn new(law: impl Into<BuiltIn>) -> Self {
        Sender {
            law: law.into(),
            recovery: RecoveryAlgorithm::Rfc6675,
            segments_per_ack: 1,
            initial_window: 2,
        }
    }

    /// The same with acks for every second segment.
    pub fn delayed_acks(self) -> Self {
        Sender { segments_per_ack: 2, ..self }
    }

    fn config(&self) -> Config {
        const BUFFER: u32 = 4 << 20;
        let mut config = Config::default();
        (config.send_buffer, config.receive_buffer) = (BUFFER, BUFFER);
        config.recovery = self.recovery;
        config.initial_window = InitialWindow::segments(self.initial_window);
        config.ack_policy = match self.segments_per_ack {
            1 => AckPolicy::EverySegment,
            // BSD's 200 ms: longer than the round trip, so that a segment waits for the next one.
            _ => AckPolicy::Delayed { timeout: Duration::from_millis(200), quick_acks: 0 },
        };
        config
    }

    /// Begins a transfer without end, now.
    fn start<O: Observer>(
        &self,
        emulator: &mut Emulator<BuiltIn, O>,
        [from, to]: [HostId; 2],
        remote: SocketAddr,
    ) -> Flow {
        let mut listen = ListenConfig::new(remote);
        listen.connection = self.config();
        let server = Server::new(Service::Discard, listen, Buffer::growing());
        let server = emulator.add_application(to, server).expect("it listens");
        let mut source = SourceConfig::new(remote);
        source.connection = self.config();
        source.amount = Amount::Bytes(u64::MAX);
        let source = emulator.add_application(from, Source::new(source)).expect("it connects");
        Flow { from, source, server }
    }
}

/// A transfer that goes on.
#[derive(Clone, Copy)]
struct Flow {
    from: HostId,
    source: ApplicationId<Source>,
    server: ApplicationId<Server<'static>>,
}

impl Flow {
    fn info<O: Observer>(&self, emulator: &Emulator<BuiltIn, O>) -> Info {
        let source = emulator.application(self.source).expect("it was added");
        source.info(emulator.now(), emulator.stack(self.from)).expect("it was opened")
    }

    fn received<O: Observer>(&self, emulator: &Emulator<BuiltIn, O>) -> u64 {
        emulator.application(self.server).expect("it was added").statistics().bytes_received
    }
}

/// One flow from left to right.
fn pair<O: Observer>(
    sender: &Sender,
    there: &str,
    back: &str,
    seed: u64,
    observer: O,
) -> (Emulator<BuiltIn, (O, Option<FormJudges>)>, Flow) {
    let mut config = PairConfig::new(there.parse().expect("a path"));
    config.paths[1] = back.parse().expect("a path");
    config.seed = seed;
    let observer = (observer, FormJudges::if_asked([LEFT, RIGHT]));
    let mut emulator = Emulator::pair(&config, [sender.law; 2], observer).expect("a network");
    let remote = SocketAddr::new("10.0.0.2".parse().expect("an address"), Service::Discard.port());
    let flow = sender.start(&mut emulator, [LEFT, RIGHT], remote);
    (emulator, flow)
}

/// A path on which no queue forms to speak of: a window of 200 segments passes in 2.4 ms.
fn fast(loss: &str) -> String {
    format!("rate=1gbit,delay=50ms,loss={loss},queue=infinite")
}

/// How a flow fared.
#[derive(Clone, Copy, Debug)]
pub struct Steady {
    /// Segments received per round-trip time.
    pub rate: f64,
    /// The mean RTO while it was not backed off, in round-trip times.
    pub rto: f64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Payload bytes in a segment.
    pub mss: u32,
}

/// A flow of which the path loses segments, over `seconds` from `warm_up` seconds on.
pub fn lossy(sender: &Sender, loss: &str, warm_up: u64, seconds: u64, seed: u64) -> Steady {
    let (mut emulator, flow) = pair(sender, &fast(loss), &fast("0"), seed, ());
    emulator.run_until(Instant::from_secs(warm_up));
    let (before, received) = (flow.info(&emulator), flow.received(&emulator));
    let timers: Vec<f64> = (1..=seconds)
        .filter_map(|second| {
            emulator.run_until(Instant::from_secs(warm_up + second));
            let info = flow.info(&emulator);
            (info.backoff == 0).then_some(info.rto.as_nanos() as f64 / 1e9 / RTT)
        })
        .collect();
    let after = flow.info(&emulator);
    let segments = (flow.received(&emulator) - received) as f64 / f64::from(after.mss);
    Steady {
        rate: segments * RTT / seconds as f64,
        rto: timers.iter().sum::<f64>() / timers.len() as f64,
        timeouts: after.timeouts - before.timeouts,
        mss: after.mss,
    }
}

/// How many round-trip times a window takes from the initial window to `to` segments, counted from
/// when the first of the data go out. Nothing is lost.
pub fn slow_start(sender: &Sender, to: u32) -> f64 {
    let (mut emulator, flow) = pair(sender, &fast("0"), &fast("0"), 1, Recorder::default());
    let target = loop {
        emulator.run_until(emulator.now() + Duration::from_millis(200));
        let info = flow.info(&emulator);
        let target = to * info.mss;
        if info.cwnd >= target {
            break u64::from(target);
        }
    };
    let (recorder, _) = emulator.into_observer();
    let record = recorder.connections().find(|end| end.host == LEFT).expect("the client's end");
    let since = |series: &Series, least| {
        let step = series.steps().iter().find(|(_, value)| *value >= least);
        step.expect("it was reached").0
    };
    // A SYN in flight is at most one byte.
    let began = since(&record.in_flight, 2);
    since(&record.cwnd, target).saturating_since(began).as_nanos() as f64 / 1e9 / RTT
}

/// One tooth of a sawtooth, from one drop of a full queue to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tooth {
    /// How long it was.
    pub period: Duration,
    /// Most segments in the window.
    pub most: u64,
    /// Fewest segments in the window.
    pub least: u64,
}

/// The teeth of a flow over a line that sends a segment in a millisecond and has a drop-tail queue of
/// `queue` packets, where the round trip takes `pipe` milliseconds without the queue; from `warm_up`
/// seconds on, for `seconds`.
pub fn sawtooth(sender: &Sender, pipe: u64, queue: u64, warm_up: u64, seconds: u64) -> Vec<Tooth> {
    // A packet of 1500 bytes takes its millisecond of the line, and an ack no time.
    let delay = pipe - 1;
    let there = format!("rate=12mbit,delay={delay}ms,loss=0,queue={queue}");
    let back = "rate=12mbit,delay=0s,loss=0,queue=infinite,ack=0";
    let (mut emulator, flow) = pair(sender, &there, back, 1, Recorder::default());
    emulator.run_until(Instant::from_secs(warm_up + seconds));
    let mss = u64::from(flow.info(&emulator).mss);
    let (recorder, _) = emulator.into_observer();
    let (_, line) = recorder.links().next().expect("the line");
    let record = recorder.connections().find(|end| end.host == LEFT).expect("the client's end");
    let drops = line.drops.iter().map(|(at, ..)| *at);
    let drops: Vec<Instant> = drops.filter(|at| *at >= Instant::from_secs(warm_up)).collect();
    let tooth = |ends: &[Instant]| {
        let window = record.cwnd.over(ends[0], ends[1]).expect("a window");
        let period = ends[1].saturating_since(ends[0]);
        Tooth { period, most: window.most / mss, least: window.least / mss }
    };
    drops.windows(2).map(tooth).collect()
}

/// Bytes that each of `flows` flows received in `seconds` from `warm_up` seconds on, over a bottleneck
/// that they share, 16 Mbit/s with a queue of one bandwidth-delay product. They start at random within
/// the first second.
pub fn shares(sender: &Sender, flows: usize, warm_up: u64, seconds: u64, seed: u64) -> Vec<f64> {
    let bottleneck = "rate=16mbit,delay=50ms,loss=0,queue=133";
    let access = "rate=1gbit,delay=0s,loss=0,queue=infinite";
    let path = |text: &str| text.parse().expect("a path");
    let dumbbell = Topology::dumbbell(
        [path(bottleneck), path(bottleneck)],
        &vec![[path(access), path(access)]; flows],
    );
    let topology = &dumbbell.topology;
    let judges = FormJudges::if_asked(topology.hosts());
    let mut emulator = Emulator::new(topology, seed, |_| sender.law, judges).expect("a network");
    let mut starts: Vec<(Instant, [HostId; 2])> = dumbbell
        .senders
        .iter()
        .zip(&dumbbell.receivers)
        .zip(starts(seed))
        .map(|((&from, &to), start)| (start, [from, to]))
        .collect();
    starts.sort_unstable_by_key(|(at, _)| *at);
    let flows: Vec<Flow> = starts
        .into_iter()
        .map(|(at, ends)| {
            emulator.run_until(at);
            let remote = SocketAddr::new(topology.addresses(ends[1])[0], Service::Discard.port());
            sender.start(&mut emulator, ends, remote)
        })
        .collect();
    emulator.run_until(Instant::from_secs(warm_up));
    let before: Vec<u64> = flows.iter().map(|flow| flow.received(&emulator)).collect();
    emulator.run_until(Instant::from_secs(warm_up + seconds));
    let received = flows.iter().map(|flow| flow.received(&emulator));
    received.zip(before).map(|(after, before)| (after - before) as f64).collect()
}
