//! The network of figure 1 and the senders of section 2, which all experiments of the paper share.

use super::watch::Watch;
use crate::experiment::{Choice, Job, Stop, Variant};
use ackclock::apps::{Amount, Later, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{AckPolicy, Config, RestartAfterIdle};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{
    Chain, Distribution, Draws, Emulator, HostId, LinkId, Path, Recorder, Topology,
};
use std::net::SocketAddr;

/// Payload of a data packet: 500 bytes without 40 of headers and the 10 that make acks 50 bytes long.
pub(super) const PAYLOAD: u16 = 450;
/// Largest window in packets (section 2.2).
const MAXWND: u32 = 1000;
/// Stream of the times at which connections start.
const STARTS: u64 = 91;

/// What section 2 leaves open.
pub(super) const CHOICES: &[Choice] = &[
    Choice {
        parameter: "recovery",
        value: "tahoe",
        reason: "as 4.3BSD-Tahoe did: after the third duplicate ack one segment is sent again, then \
                 sending goes on from the old snd_nxt; the paper says that its code is BSD's",
    },
    Choice {
        parameter: "timer",
        value: "jacobson88-k2:ticks:one",
        reason: "4.3BSD-Tahoe: 500 ms ticks, at least two, mean and two deviations, one segment \
                 timed per window",
    },
    Choice {
        parameter: "in_service",
        value: "counted",
        reason: "the queues of 55 packets of figure 8 are both windows, so that the packet in \
                 service is one of them; then it is one of the 20 of the buffer too",
    },
    Choice {
        parameter: "start",
        value: "5s",
        reason: "connections start at random times within this; the paper only says that they do",
    },
    Choice {
        parameter: "length",
        value: "1000",
        reason: "seconds after a warm-up of 200; the figures show a few hundred",
    },
];

/// A variant, and one for another value of each choice.
pub(super) fn with_sensitivity(base: &Variant, quick: bool) -> Vec<Variant> {
    let others = [
        ("recovery", "tahoe-go-back-n"),
        ("timer", "jacobson88:ticks:one"),
        ("timer", "jacobson88-k2:ticks=10ms/2:one"),
        ("in_service", "uncounted"),
        ("start", "60s"),
        ("length", "4000"),
    ];
    let seeds = if quick { 1 } else { 5 };
    let quick_enough = |(parameter, _): &&(&str, &str)| !quick || *parameter != "length";
    let others = others.iter().filter(quick_enough);
    let others = others.map(|(parameter, value)| base.but(parameter, value, seeds));
    [base.clone()].into_iter().chain(others).collect()
}

/// A scenario of the paper.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scenario<'a> {
    /// Connections from host 1 to host 2, and back.
    pub(super) connections: [u16; 2],
    /// Propagation delay of the bottleneck.
    pub(super) tau: &'a str,
    /// Buffer of each outgoing link of a switch, in packets or `infinite`.
    pub(super) buffer: &'a str,
    /// Law of the senders on host 1, and on host 2.
    pub(super) laws: [BuiltIn; 2],
}

/// What happened.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) recorder: Recorder,
    pub(super) watch: Watch,
    /// From switch 1 to switch 2, and back.
    pub(super) bottleneck: [LinkId; 2],
    /// The time after the warm-up.
    pub(super) span: [Instant; 2],
}

/// Warm-up, after which a run is measured.
pub(super) const WARM_UP: Instant = Instant::from_secs(200);

/// Tahoe that grows by 1/floor(cwnd) (section 2.1).
pub(super) fn tahoe() -> Result<BuiltIn, Stop> {
    Ok("tahoe:growth=floor".parse()?)
}

/// Figure 1: host 1, switch 1, switch 2, host 2.
pub(super) fn topology(scenario: &Scenario<'_>, in_service: &str) -> Result<Chain, Stop> {
    let Scenario { tau, buffer, .. } = scenario;
    let access: Path = "rate=10mbit,delay=0.1ms,loss=0,queue=infinite,overhead=+10".parse()?;
    let bottleneck =
        access.with(&format!("rate=50kbit,delay={tau},queue={buffer},in_service={in_service}"))?;
    let both = |path: &Path| [path.clone(), path.clone()];
    let mut chain = Topology::chain(&[both(&access), both(&bottleneck), both(&access)]);
    for host in chain.ends {
        chain.topology.set_processing(host, Duration::from_micros(100));
    }
    Ok(chain)
}

/// The settings of a connection (section 2.1).
pub(super) fn connection(job: &Job<'_>) -> Result<Config, Stop> {
    let mut config = Config::default();
    config.mss = Some(PAYLOAD);
    config.send_buffer = MAXWND * u32::from(PAYLOAD);
    config.receive_buffer = MAXWND * u32::from(PAYLOAD);
    (config.timestamps, config.sack, config.nagle) = (false, false, false);
    config.ack_policy = AckPolicy::EverySegment;
    config.recovery = job.get("recovery")?;
    config.rto = job.get("timer")?;
    // 4.3BSD's before the first measurement. The paper's connections are there already; ours have
    // to find each other over a delay that may be longer than today's first timeout.
    config.rto.initial = Duration::from_secs(6);
    config.initial_window = ackclock::congestion::InitialWindow::segments(1);
    config.restart_after_idle = RestartAfterIdle::Never;
    Ok(config)
}

/// The host's n-th connection has this port, so that its packets can be told from others.
pub(super) const fn port(index: u16) -> u16 {
    40_000 + index
}

/// Runs a scenario with the job's seed; `settings` are those of all connections.
pub(super) fn run(job: &Job<'_>, scenario: &Scenario<'_>, settings: Config) -> Result<Run, Stop> {
    let Chain { topology, ends, hops, .. } = topology(scenario, job.word("in_service")?)?;
    let bottleneck = hops[1];
    let last_hops = [hops[0][1], hops[2][0]];
    let law = |host: HostId| scenario.laws[usize::from(host != ends[0])];
    let observer = (Recorder::default(), Watch::new(bottleneck, last_hops));
    let mut emulator = Emulator::new(&topology, job.seed, law, observer)?;
    let spread: Duration = job.get("start")?;
    let mut starts = Draws::new(Distribution::Uniform(0, spread.as_nanos()), job.seed, STARTS);
    for (side, (from, to)) in [(ends[0], ends[1]), (ends[1], ends[0])].into_iter().enumerate() {
        let remote = SocketAddr::new(topology.addresses(to)[0], Service::Discard.port());
        let mut listen = ListenConfig::new(remote);
        listen.connection = settings;
        emulator.add_application(to, Server::new(Service::Discard, listen, Buffer::growing()))?;
        for index in 0..scenario.connections[side] {
            let mut source = SourceConfig::new(remote);
            source.connection = settings;
            source.local = Some(SocketAddr::new(topology.addresses(from)[0], port(index)));
            source.amount = Amount::Time(Duration::MAX);
            let start = Instant::from_nanos(starts.next().unwrap_or(0));
            emulator.add_application(from, Later::new(start, Source::new(source)))?;
        }
    }
    let until = WARM_UP + Duration::from_secs(job.get("length")?);
    job.run_until(&mut emulator, until)?;
    let (recorder, watch) = emulator.into_observer();
    Ok(Run { recorder, watch, bottleneck, span: [WARM_UP, until] })
}

impl Run {
    /// Share of the time in which the bottleneck is busy, from host 1 to host 2, and back.
    pub(super) fn utilisation(&self) -> [f64; 2] {
        let [from, until] = self.span;
        self.bottleneck.map(|link| {
            let record = self.recorder.link(link);
            record.and_then(|record| record.busy.over(from, until)).map_or(0.0, |busy| busy.mean)
        })
    }

    /// Most packets at the bottleneck, the one in service included.
    pub(super) fn longest_queue(&self) -> [f64; 2] {
        let [from, until] = self.span;
        self.bottleneck.map(|link| {
            let record = self.recorder.link(link);
            let queue = record.and_then(|record| record.packets.over(from, until));
            queue.map_or(0.0, |queue| queue.most as f64)
        })
    }
}
