//! Figures 5 and 6: what two retransmission timers make of the same round-trip times.

use super::senders;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::ratio;
use crate::papers::datagram::address;
use crate::papers::flows::{FIRST_PORT, ethernet, second};
use crate::papers::generator::{Generator, Sink};
use crate::papers::segments::{Conversation, SegmentLog};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::apps::{Amount, Burst, Server, Service, Source, SourceConfig};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::AckPolicy;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Event, HostId, Observer, Path, Topology, Wants};
use ackclock_report::{Axis, Plot, Style};
use std::net::SocketAddr;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "timers",
    paper: Paper::Jacobson88,
    shows: "figures 5 and 6, section 2",
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

const RFC_793: &str = "rfc793";
const DEVIATION: &str = "jacobson88";
const LOADS: [&str; 6] = ["0.1", "0.3", "0.5", "0.6", "0.75", "0.9"];
/// Load that rises and falls.
const PATTERN: &str = "pattern";
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

fn pattern(load: &str) -> Result<Vec<(Instant, u64)>, Stop> {
    let pace = |load: f64| (1000.0 / load).round() as u64;
    if load == PATTERN {
        let changes = (0..5).flat_map(|round| CHANGES.map(|(at, load)| (at + 500 * round, load)));
        return Ok(changes.map(|(at, load)| (Instant::from_secs(at), pace(load))).collect());
    }
    let load: f64 = load.parse().map_err(|_| Stop::Failed(format!("no such load: {load}")))?;
    Ok(vec![(Instant::ZERO, pace(load))])
}

/// The timeout as it is when a packet is sent.
#[derive(Debug)]
struct Timeouts {
    host: HostId,
    changes: Vec<(Instant, Duration)>,
}

impl Observer for Timeouts {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Connection(connection) if connection.host == self.host => {
                self.changes.push((now, connection.info.rto));
            }
            _ => {}
        }
    }

    fn wants(&self) -> Wants {
        Wants { connections: true, ..Wants::NOTHING }
    }
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let delay = job.word("delay")?;
    let line: Path = format!("rate={LINE}bit,delay={delay},loss=0,queue=infinite").parse()?;
    let access = ethernet()?;
    let dumbbell = Topology::dumbbell([line.clone(), line], &[access.clone(), access]);
    let (law, mut settings) =
        senders::new_with(senders::timer(job.word("timer")?, job.word("clock")?, "each")?)?;
    settings.ack_policy = AckPolicy::EverySegment;
    settings.rto.min = Duration::from_millis(1);
    settings.rto.initial = Duration::from_secs(10);
    let settings = job.settings(settings);
    let (from, to) = (dumbbell.senders[0], dumbbell.receivers[0]);
    let topology = &dumbbell.topology;
    let timeouts = job.draws().then(|| Timeouts { host: from, changes: Vec::new() });
    let observer = (SegmentLog::new([from]), timeouts);
    let mut emulator = job.emulator(topology, job.seed, |_| law, observer)?;
    let others = [dumbbell.senders[1], dumbbell.receivers[1]];
    let interval = Duration::from_nanos(LENGTH * 8 * 1_000_000_000 / LINE);
    let load = pattern(job.word("load")?)?;
    let generator = Generator::new(
        others.map(|host| address(topology, host)),
        LENGTH,
        interval,
        load,
        job.seed,
    );
    emulator.occupy(others[0], generator);
    emulator.occupy(others[1], Sink);
    let remote = SocketAddr::new(topology.addresses(to)[0], FIRST_PORT);
    let mut listen = ListenConfig::new(remote);
    listen.connection = settings;
    emulator.add_application(to, Server::new(Service::Discard, listen, Buffer::growing()))?;
    let mut source = SourceConfig::new(remote);
    source.connection = settings;
    let burst = Burst { pause: job.get("pause")?, amount: Amount::Bytes(LENGTH) };
    let source = Source::with_schedule(source, std::iter::repeat(burst));
    emulator.add_application(from, source)?;
    job.run_until(&mut emulator, Instant::from_secs(2500))?;
    let (log, timeouts) = emulator.into_observer().0;
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
    if let Some(timeouts) = timeouts {
        sample.draw(draw(job.word("timer")?, &round_trips, &timeouts));
    }
    Ok(sample)
}

/// When each packet was sent first, and how long its ack took from then.
fn round_trips(conversation: &Conversation) -> Vec<(Instant, f64)> {
    let first = conversation.sent.iter().filter(|sent| !sent.again);
    let trips = first.filter_map(|sent| {
        let behind = conversation.acked.partition_point(|(_, acked)| *acked <= sent.offset);
        let (acked_at, _) = conversation.acked.get(behind)?;
        Some((sent.at, second(*acked_at) - second(sent.at)))
    });
    trips.collect()
}

fn draw(timer: &str, round_trips: &[(Instant, f64)], timeouts: &Timeouts) -> Plot {
    let figure = if timer == RFC_793 { 5 } else { 6 };
    let [x, y] = [Axis::linear("packet"), Axis::linear("round-trip time (s)")];
    let title = format!("round-trip times and the timer {timer} (figure {figure})");
    // As many as the figures show.
    let shown = || (1..=110).map(f64::from).zip(round_trips);
    let timer_then = |at: Instant| {
        let behind = timeouts.changes.partition_point(|(since, _)| *since <= at);
        let (_, timeout) = timeouts.changes.get(behind.checked_sub(1)?)?;
        Some(timeout.as_nanos() as f64 / 1e9)
    };
    Plot::new("timer", &title, x, y)
        .line("round trip", Style::LinePoints, shown().map(|(n, (_, rtt))| (n, *rtt)))
        .line("timer", Style::Line, shown().filter_map(|(n, (at, _))| Some((n, timer_then(*at)?))))
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |timer: &str, load: &str| variant(timer, load, 1).name();
    let mut findings = Findings::new();
    for load in LOADS.into_iter().chain([PATTERN]) {
        for (timer, title) in [(RFC_793, "RFC 793's timer"), (DEVIATION, "mean + 4 deviations")] {
            let paper = match (timer, load) {
                (RFC_793, "0.1" | "0.3") => "adapts to loads of at most 30 %",
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
