//! Section 2: what two retransmission timers make of a line's load.

use super::senders;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::mutants::law::Law;
use crate::papers::compare::ratio;
use crate::papers::datagram::address;
use crate::papers::flows::{FIRST_PORT, ethernet, second};
use crate::papers::generator::{Generator, Sink};
use crate::papers::segments::{Conversation, SegmentLog};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::apps::{Amount, Burst, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{AckPolicy, Config, RtoConfig};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, HostId, Observer, Path, Topology};
use ackclock_report::{Axis, Plot, Style};
use std::net::SocketAddr;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "timers",
    paper: Paper::Jacobson88,
    shows: "section 2",
    title: "spurious timeouts of RFC 793's timer and of mean + deviation, by load",
    scenario: "A conversation sends single packets over a line of 56 kbit/s that others load with \
               packets at random times, of random lengths. Round-trip times are what the queue \
               makes them; nothing is lost, so that every timeout is spurious. The load is steady, \
               or rises and falls as in the trace of the figures.",
    choices: &[
        Choice {
            parameter: "delay",
            value: "150ms",
            reason: "one way: the paper's path through the Arpanet is not stated; about four packets' \
                     time on the line there and back",
        },
        Choice {
            parameter: "pause",
            value: "500ms",
            reason: "between a packet's ack and the next packet: the conversation adds little to the \
                     load",
        },
        Choice {
            parameter: "clock",
            value: "ticks",
            reason: "4.3BSD's, of 500 ms: appendix A counts on their rounding, which adds up to a tick \
                     and three quarters. By an exact clock mean and deviation alone are no better \
                     than twice the mean where most round trips are alike",
        },
    ],
    parameters: &[super::stated::TIMER, super::stated::LOAD],
    sends: true,
    headline: &["spurious"],
    seconds: Seconds { full: 30.0, quick: 4.0 },
    work: Work::Rust { variants, run, judge },
};

pub(super) const RFC_793: &str = "rfc793";
pub(super) const DEVIATION: &str = "jacobson88";
const LOADS: [&str; 6] = ["0.1", "0.3", "0.5", "0.6", "0.75", "0.9"];
/// Load that rises and falls.
pub(super) const PATTERN: &str = "pattern";
/// Mean length of the others' packets, in bytes, and the line's bits per second.
const LENGTH: u64 = 512;
const LINE: u64 = 56_000;

fn variant(timer: &str, load: &str, seeds: u64) -> Variant {
    Variant::new(&[("timer", timer), ("load", load)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 2 } else { 10 };
    let mut variants = Vec::new();
    for timer in [RFC_793, DEVIATION] {
        for load in LOADS.into_iter().chain([PATTERN]) {
            variants.push(variant(timer, load, seeds));
        }
        let base = variant(timer, "0.75", seeds);
        for (parameter, value) in
            [("delay", "50ms"), ("delay", "500ms"), ("pause", "2s"), ("clock", "exact")]
        {
            variants.push(base.but(parameter, value, seeds));
        }
    }
    variants
}

/// When the load changes, in seconds, and to what: mean intervals in parts of a load of one. Quiet,
/// a burst of load, and quiet again, as packets 10 to 50 and 50 to 80 of figure 5.
const CHANGES: [(u64, f64); 6] =
    [(0, 0.3), (60, 0.75), (150, 0.3), (210, 0.9), (300, 0.5), (400, 0.75)];

pub(super) fn pattern(load: &str) -> Result<Vec<(Instant, u64)>, Stop> {
    let pace = |load: f64| (1000.0 / load).round() as u64;
    if load == PATTERN {
        let changes = (0..5).flat_map(|round| CHANGES.map(|(at, load)| (at + 500 * round, load)));
        return Ok(changes.map(|(at, load)| (Instant::from_secs(at), pace(load))).collect());
    }
    let load: f64 = load.parse().map_err(|_| Stop::Failed(format!("no such load: {load}")))?;
    Ok(vec![(Instant::ZERO, pace(load))])
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let timer = senders::timer(job.word("timer")?, job.word("clock")?, "each")?;
    let load = pattern(job.word("load")?)?;
    let log = loaded_line(job, timer, load, Instant::from_secs(2500))?;
    let missing = || Stop::Failed("nothing was sent".to_owned());
    let conversation = log.conversation(0).ok_or_else(missing)?;
    let round_trips = round_trips(conversation);
    let count = round_trips.len() as f64;
    let mean = round_trips.iter().map(|(_, rtt)| rtt).sum::<f64>() / count;
    let square = round_trips.iter().map(|(_, rtt)| (rtt - mean) * (rtt - mean)).sum::<f64>();
    let deviation = (square / count).sqrt();
    let mut sample = Sample::new();
    sample.set("spurious", conversation.retransmissions() as f64 / count);
    sample.set("mean_s", mean);
    sample.set("deviation_s", deviation);
    Ok(sample)
}

/// A conversation of single packets over a line that others load, with this timer.
pub(super) fn loaded_line(
    job: &Job<'_>,
    timer: RtoConfig,
    load: Vec<(Instant, u64)>,
    until: Instant,
) -> Result<SegmentLog, Stop> {
    let delay = job.word("delay")?;
    let line: Path = format!("rate={LINE}bit,delay={delay},loss=0,queue=infinite").parse()?;
    let access = ethernet()?;
    let dumbbell = Topology::dumbbell([line.clone(), line], &[access.clone(), access]);
    let (law, settings) = sender(job, timer)?;
    let (from, to) = (dumbbell.senders[0], dumbbell.receivers[0]);
    let topology = &dumbbell.topology;
    let log = SegmentLog::new([from]);
    let mut emulator = job.emulator(topology, job.seed, |_| law, log)?;
    let others = [dumbbell.senders[1], dumbbell.receivers[1]];
    let interval = Duration::from_nanos(LENGTH * 8 * 1_000_000_000 / LINE);
    let generator = Generator::new(
        others.map(|host| address(topology, host)),
        LENGTH,
        interval,
        load,
        job.seed,
    );
    emulator.occupy(others[0], generator);
    emulator.occupy(others[1], Sink);
    converse(job, &mut emulator, [from, to], topology, settings)?;
    job.run_until(&mut emulator, until)?;
    Ok(emulator.into_observer().0)
}

/// Both ends of the conversation, whose timer is not rounded up to a least one.
pub(super) fn sender(job: &Job<'_>, timer: RtoConfig) -> Result<(BuiltIn, Config), Stop> {
    let (law, mut settings) = senders::new_with(timer)?;
    settings.ack_policy = AckPolicy::EverySegment;
    settings.rto.min = settings.rto.min.min(Duration::from_millis(1));
    settings.rto.initial = Duration::from_secs(10);
    Ok((law, job.settings(settings)))
}

/// A packet, its ack, a pause, and so on.
pub(super) fn converse<O: Observer>(
    job: &Job<'_>,
    emulator: &mut Emulator<Law, O>,
    [from, to]: [HostId; 2],
    topology: &Topology,
    settings: Config,
) -> Result<(), Stop> {
    let remote = SocketAddr::new(topology.addresses(to)[0], FIRST_PORT);
    let mut listen = ListenConfig::new(remote);
    listen.connection = settings;
    emulator.add_application(to, Server::new(Service::Discard, listen, Buffer::growing()))?;
    let mut source = SourceConfig::new(remote);
    source.connection = settings;
    let burst = Burst { pause: job.get("pause")?, amount: Amount::Bytes(LENGTH) };
    let source = Source::with_schedule(source, std::iter::repeat(burst));
    emulator.add_application(from, source)?;
    Ok(())
}

/// When each packet was sent first, and how long its ack took from then.
pub(super) fn round_trips(conversation: &Conversation) -> Vec<(Instant, f64)> {
    let first = conversation.sent.iter().filter(|sent| !sent.again);
    let trips = first.filter_map(|sent| {
        let behind = conversation.acked.partition_point(|(_, acked)| *acked <= sent.offset);
        let (acked_at, _) = conversation.acked.get(behind)?;
        Some((sent.at, second(*acked_at) - second(sent.at)))
    });
    trips.collect()
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |timer: &str, load: &str| variant(timer, load, 1).name();
    let mut findings = Findings::new();
    let adapts_to = published::number("jacobson88.retransmit_timer.claim_rfc793_load_limit");
    for load in LOADS.into_iter().chain([PATTERN]) {
        for (timer, title) in [(RFC_793, "RFC 793's timer"), (DEVIATION, "mean + 4 deviations")] {
            let paper = match (timer, load) {
                (RFC_793, load) if load.parse().is_ok_and(|load: f64| load <= adapts_to) => {
                    "adapts to loads of at most 30 %"
                }
                (RFC_793, _) => "retransmits packets that are only delayed",
                _ => "essentially eliminates spurious retransmissions",
            };
            let quantity = format!("spurious timeouts per packet, {title}, load {load}");
            let spread = samples.spread(&name(timer, load), "spurious")?;
            let told = "no number is printed; the one in parts of the other is judged";
            findings.push(Finding::new(quantity, spread).paper(paper).note(told));
        }
    }
    for load in ["0.6", "0.75", "0.9", PATTERN] {
        let fewer = ratio(samples, [&name(DEVIATION, load), &name(RFC_793, load)], "spurious")?;
        findings.push(
            Finding::new(
                format!("spurious timeouts, mean + 4 deviations over RFC 793's, load {load}"),
                fewer,
            )
            .paper("essentially eliminates spurious retransmissions")
            .tolerance(Tolerance::Below(0.1)),
        );
    }
    let growth = |quantity: &str, load: &str| {
        let variants = [name(DEVIATION, load), name(DEVIATION, "0.3")];
        ratio(samples, [&variants[0], &variants[1]], quantity)
    };
    for (quantity, what) in [("mean_s", "mean"), ("deviation_s", "deviation")] {
        let queue = if quantity == "mean_s" { ", propagation included," } else { "" };
        findings.push(
            Finding::new(
                format!("{what} of the round trip{queue} at a load of 0.75 over that at 0.3"),
                growth(quantity, "0.75")?,
            )
            .paper("as 1/(1 - load): 2.8")
            .tolerance(Tolerance::around((1.0 - 0.3) / (1.0 - 0.75), 0.05))
            .missed(
                "packets of random lengths at random times: the queue alone grows as load / (1 - load), and \
                 to its mean the path's propagation is added",
            ),
        );
    }
    findings.push(
        Finding::statement(
            "the deviation grows with the load",
            growth("deviation_s", "0.9")?.median > growth("deviation_s", "0.75")?.median
                && growth("deviation_s", "0.75")?.median > growth("deviation_s", "0.5")?.median,
        )
        .paper(published::text("jacobson88.retransmit_timer.claim_rtt_range_at_load_0_75")),
    );
    let [x, y] = [Axis::linear("load"), Axis::linear("spurious timeouts per packet")];
    let mut plot = Plot::new("spurious", "spurious timeouts by load", x, y);
    for (timer, title) in [(RFC_793, "RFC 793"), (DEVIATION, "mean + 4 deviations")] {
        let points = LOADS.into_iter().filter_map(|load| {
            let spread = samples.spread(&name(timer, load), "spurious").ok()?;
            Some((load.parse().ok()?, spread.median))
        });
        plot = plot.line(title, Style::LinePoints, points);
    }
    findings.plots.push(plot);
    findings.note(
        "The times between packets and their lengths are exponential, so that round trips scatter \
         more than the Arpanet's did; no timer that follows the mean and its deviation avoids every \
         timeout then. What the paper claims is the difference between the two.",
    );
    Ok(findings)
}
