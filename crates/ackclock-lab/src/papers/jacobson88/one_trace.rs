//! Figures 5 and 6: one trace of round-trip times under two retransmission timers.

use super::senders;
use super::timers::{self, DEVIATION, PATTERN, RFC_793};
use crate::drawing::together;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::{derived, ratio};
use crate::papers::flows::seconds;
use crate::papers::segments::SegmentLog;
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Event, HostId, Observer, Path, Topology, Wants};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "one_trace",
    paper: Paper::Jacobson88,
    shows: "figures 5 and 6",
    title: "the same round-trip times under RFC 793's timer and under mean + deviation",
    scenario: "A conversation sends single packets over a line of 56 kbit/s whose load rises and falls, with \
               a timer that never fires: these are the data of both figures, 110 round trips of \
               which none is repeated. Then each packet of a conversation with one of the two timers gets just \
               the round-trip time that the trace has for it.",
    choices: &[
        Choice {
            parameter: "delay",
            value: "150ms",
            reason: "one way, of the line in the trace: the paper's path through the Arpanet is not stated",
        },
        Choice {
            parameter: "pause",
            value: "500ms",
            reason: "between a packet's ack and the next packet",
        },
    ],
    parameters: &[super::stated::TIMER, super::stated::CLOCK],
    sends: true,
    headline: &["spurious", "timer_over_round_trip"],
    seconds: Seconds { full: 1.0, quick: 0.5 },
    work: Work::Rust { variants, run, judge },
};

/// Packets of the figures.
const PACKETS: usize = 110;
/// Of the replayed round trip's way there; the rest is the way back.
const BACK: Duration = Duration::from_millis(1);

fn variant(timer: &str, seeds: u64) -> Variant {
    Variant::new(&[("timer", timer)], seeds)
}

/// By a clock without ticks.
fn exact(timer: &str, seeds: u64) -> Variant {
    Variant::new(&[("timer", timer), ("clock", "exact")], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 5 } else { 30 };
    let mut variants = Vec::new();
    for timer in [RFC_793, DEVIATION] {
        let base = variant(timer, seeds);
        for (parameter, value) in [("delay", "500ms"), ("pause", "2s")] {
            variants.push(base.but(parameter, value, seeds));
        }
        variants.push(exact(timer, seeds));
        variants.push(base);
    }
    variants
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

/// What the line makes of packets that nobody sends again.
fn trace(job: &Job<'_>) -> Result<Vec<Duration>, Stop> {
    let mut never = senders::timer(DEVIATION, "exact", "each")?;
    (never.min, never.initial) = (never.max, never.max);
    let until = Instant::from_secs(400);
    let log = timers::loaded_line(job, never, timers::pattern(PATTERN)?, until)?;
    let trips = log.conversation(0).map(timers::round_trips).unwrap_or_default();
    let trips: Vec<_> = trips
        .iter()
        .take(PACKETS)
        .map(|(_, seconds)| Duration::from_nanos((seconds * 1e9) as u64))
        .collect();
    let whole = trips.len() == PACKETS;
    whole.then_some(trips).ok_or_else(|| Stop::Failed("the trace is too short".to_owned()))
}

/// The way there that makes the round trip.
fn path(round_trip: Duration) -> Result<Path, Stop> {
    let delay = round_trip.as_nanos().saturating_sub(BACK.as_nanos());
    Ok(format!("rate=10gbit,delay={delay}ns,loss=0,queue=infinite").parse()?)
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let trace = trace(job)?;
    let timer = senders::timer(job.word("timer")?, job.word("clock")?, "each")?;
    let back: Path =
        format!("rate=10gbit,delay={}ns,loss=0,queue=infinite", BACK.as_nanos()).parse()?;
    // The handshake is like the first packet.
    let chain = Topology::chain(&[[path(trace[0])?, back]]);
    let (law, settings) = timers::sender(job, timer)?;
    let timeouts = Timeouts { host: chain.ends[0], changes: Vec::new() };
    let observer = (SegmentLog::new([chain.ends[0]]), timeouts);
    let mut emulator = job.emulator(&chain.topology, job.seed, |_| law, observer)?;
    timers::converse(job, &mut emulator, chain.ends, &chain.topology, settings)?;
    let pause: Duration = job.get("pause")?;
    let mut acked = Instant::ZERO + trace[0];
    for round_trip in &trace {
        // In the middle of the pause nothing is on its way.
        job.run_until(&mut emulator, acked + pause / 2)?;
        emulator.change_path(chain.hops[0][0], &path(*round_trip)?);
        acked = acked + pause + *round_trip;
    }
    job.run_until(&mut emulator, acked)?;
    let (log, timeouts) = emulator.into_observer().0;
    let missing = || Stop::Failed("nothing was sent".to_owned());
    let conversation = log.conversation(0).ok_or_else(missing)?;
    let points = timeouts.beside(&timers::round_trips(conversation));
    let mut sample = Sample::new();
    sample.set("differs", differs(&points, &trace));
    sample.set("packets", points.len() as f64);
    sample.set("spurious", conversation.retransmissions() as f64);
    // At low load: in the quiet half of the packets.
    let median = Spread::of(points.iter().map(|(rtt, _)| *rtt)).map_or(0.0, |spread| spread.median);
    let quiet = points.iter().filter(|(rtt, _)| *rtt <= median);
    let over = Spread::of(quiet.map(|(rtt, timer)| timer / rtt));
    sample.set("timer_over_round_trip", over.map_or(f64::NAN, |spread| spread.median));
    if job.draws() {
        sample.draw(draw(job.word("timer")?, &points));
    }
    Ok(sample)
}

impl Timeouts {
    /// Each packet's round trip, and the timer when it was sent.
    fn beside(&self, round_trips: &[(Instant, f64)]) -> Vec<(f64, f64)> {
        let timer = |at: Instant| {
            let behind = self.changes.partition_point(|(since, _)| *since <= at);
            let (_, timer) = self.changes.get(behind.checked_sub(1)?)?;
            Some(seconds(*timer))
        };
        round_trips.iter().filter_map(|(at, rtt)| Some((*rtt, timer(*at)?))).collect()
    }
}

/// By how much the round trips of a conversation differ from the trace's at most, in seconds.
fn differs(points: &[(f64, f64)], trace: &[Duration]) -> f64 {
    let both = points.iter().zip(trace);
    both.map(|((rtt, _), wanted)| (rtt - seconds(*wanted)).abs()).fold(0.0, f64::max)
}

fn draw(timer: &str, points: &[(f64, f64)]) -> Plot {
    let figure = if timer == RFC_793 { 5 } else { 6 };
    let [x, y] = [Axis::linear("packet"), Axis::linear("round-trip time (s)")];
    let title = format!("round-trip times and the timer {timer} (figure {figure})");
    let numbered = || (1..).map(f64::from).zip(points);
    Plot::new("timer", &title, x, y)
        .line("round trip", Style::LinePoints, numbered().map(|(n, (rtt, _))| (n, *rtt)))
        .line("timer", Style::Line, numbered().map(|(n, (_, timer))| (n, *timer)))
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let [old, new] = [RFC_793, DEVIATION].map(|timer| variant(timer, 1).name());
    let mut findings = Findings::new();
    for (name, figure, paper) in [
        (&old, 5, "retransmits packets that are only delayed"),
        (&new, 6, "essentially eliminates spurious retransmissions"),
    ] {
        let spread = samples.spread(name, "spurious")?;
        let what =
            format!("packets of {PACKETS} that the timer of figure {figure} sends again in vain");
        findings.push(
            Finding::new(what, spread)
                .paper(paper)
                .note("no number is printed; the one in parts of the other is judged"),
        );
    }
    findings.push(
        Finding::new(
            "packets sent again in vain, figure 6 over figure 5",
            // Where figure 5 has none, figure 6 is no better.
            derived(
                samples,
                [&new, &old],
                "spurious",
                |new, old| {
                    if old > 0.0 { new / old } else { 1.0 }
                },
            )?,
        )
        .paper("essentially eliminates spurious retransmissions")
        .tolerance(Tolerance::Below(0.1)),
    );
    let lower = |what: &str, variants: [&str; 2]| {
        let lower = ratio(samples, variants, "timer_over_round_trip")?;
        let what = format!("timer over round trip at low load, figure 6 over figure 5, {what}");
        Ok::<_, Stop>(
            Finding::new(what, lower)
                .paper(published::text("jacobson88.retransmit_timer.claim_low_load"))
                .tolerance(Tolerance::Below(1.0)),
        )
    };
    findings.push(lower("by ticks", [&new, &old])?.missed(
        "the least timeout of three ticks of 500 ms is longer than twice such round trips",
    ));
    let [exact_old, exact_new] = [RFC_793, DEVIATION].map(|timer| exact(timer, 1).name());
    findings.push(lower("by an exact clock", [&exact_new, &exact_old])?);
    let title = "the same round trips under both timers (figures 5 and 6)";
    let variants = [(old.clone(), "rfc793: "), (new.clone(), "jacobson88: ")];
    let both = together(samples, "timer", title, &variants);
    findings.plots.extend(both.map(|plot| Plot { name: "both".to_owned(), ..plot }));
    let same = [&old, &new].map(|name| samples.spread(name, "differs").map(|spread| spread.most));
    let [old, new] = same;
    findings.push(
        Finding::new(
            "s by which a round trip under either timer differs from the trace's at most",
            Spread::exactly(old?.max(new?)),
        )
        .paper("same data")
        .note(
            "a packet that RFC 793's timer sends again in vain may stand before the next one: less than a \
             tenth of a round trip",
        ),
    );
    Ok(findings)
}
