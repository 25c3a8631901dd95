//! Section 3.1: what the paper derives for traffic in one direction, as exact tests.

use super::analysis::period;
use super::network::{self, LENGTH, PAYLOAD, START, Scenario, port};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::sample::{Sample, Samples, Spread};
use ackclock::congestion::Fixed;
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "formulas",
    paper: Paper::Zhang91,
    shows: "section 3.1",
    title: "traffic in one direction: the queue, the path's capacity, and idle time as B^-2",
    scenario: "Three connections from host 1 over the line of 50 kbit/s. With fixed windows and tau 0.98 s, \
               2P = 24.5 packets, the queue is to be q = floor(w1 + w2 + w3 - 2P) and q + 1 in turn. With \
               Tahoe's windows and tau 0.18 s, 2P = 4.5 packets, the first drop is to come with the packet \
               after C = floor(B + 2P), and the idle time is to fall as B^-2, since a cycle has the same \
               idle time with any buffer and gets longer as B^2: with the three connections, and with one.",
    choices: &[
        START,
        LENGTH,
        Choice {
            parameter: "timer",
            value: "jacobson88-k2:ticks:one",
            reason: "4.3BSD-Tahoe's, as in the other experiments",
        },
        Choice {
            parameter: "recovery",
            value: "tahoe",
            reason: "4.3BSD-Tahoe's, as in the other experiments",
        },
    ],
    parameters: &[super::stated::buffer(""), super::stated::WINDOWS],
    sends: true,
    headline: &["longest", "windows_at_first_drop", "idle"],
    seconds: Seconds { full: 8.0, quick: 2.0 },
    work: Work::Rust { variants, run, judge },
};

/// Propagation, and twice the pipe in packets.
const TAU: &str = "0.98s";
const PIPES: f64 = 24.5;
/// The same where windows are Tahoe's: so short that the larger buffers are many times as much.
const SHORT_TAU: &str = "0.18s";
const SHORT_PIPES: f64 = 4.5;
const TOTALS: [u32; 4] = [21, 27, 36, 60];
const BUFFERS: [u32; 6] = [10, 20, 40, 80, 160, 320];

fn fixed(total: u32, seeds: u64) -> Variant {
    Variant::new(&[("windows", &total.to_string())], seeds)
}

/// Three connections; runs as long as some ten cycles take.
fn tahoe(buffer: u32, seeds: u64) -> Variant {
    tahoe_with("tahoe", buffer, 8, seeds)
}

/// One connection, whose cycle takes the time of 3/8 (B + 2P)^2 packets.
fn alone(buffer: u32, seeds: u64) -> Variant {
    tahoe_with("tahoe alone", buffer, 3, seeds)
}

fn tahoe_with(windows: &str, buffer: u32, divisor: u64, seeds: u64) -> Variant {
    let length = (u64::from(buffer) * u64::from(buffer) / divisor + 1000).to_string();
    let buffer = buffer.to_string();
    Variant::new(&[("windows", windows), ("buffer", &buffer), ("length", &length)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let (seeds, most) = if quick { (2, 160) } else { (10, 320) };
    let mut variants = TOTALS.map(|total| fixed(total, seeds)).to_vec();
    for buffer in BUFFERS.into_iter().filter(|each| *each <= most) {
        // One connection alone does the same with any seed.
        variants.extend([tahoe(buffer, seeds), alone(buffer, 2)]);
    }
    variants.push(fixed(36, seeds).but("start", "60s", 1));
    variants.push(fixed(36, seeds).but("length", "2000", 1));
    variants.push(tahoe(20, seeds).but("timer", "jacobson88:ticks:one", 1));
    variants.push(tahoe(20, seeds).but("recovery", "tahoe-go-back-n", 1));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let mut sample = Sample::new();
    match job.word("windows")? {
        "tahoe" => measure_tahoe(job, &mut sample, 3)?,
        "tahoe alone" => measure_tahoe(job, &mut sample, 1)?,
        _ => measure_fixed(job, &mut sample)?,
    }
    Ok(sample)
}

/// Three windows that are a third of the total each; acks take no time, as the formula has it.
fn measure_fixed(job: &Job<'_>, sample: &mut Sample) -> Result<(), Stop> {
    let total: u32 = job.get("windows")?;
    let laws = [Fixed::segments(total / 3).into(); 2];
    let scenario = Scenario { connections: [3, 0], tau: TAU, buffer: "infinite", laws };
    let chain = network::topology_with(&scenario, "counted", "ack=0,loss=0")?;
    let run = network::run_over(job, &scenario, network::without_losses(), chain)?;
    let [from, until] = run.span;
    let queue = run.line(0)?.packets.over(from, until);
    sample.set("longest", queue.map_or(0.0, |queue| queue.most as f64));
    sample.set("shortest", queue.map_or(0.0, |queue| queue.least as f64));
    Ok(())
}

fn measure_tahoe(job: &Job<'_>, sample: &mut Sample, connections: u16) -> Result<(), Stop> {
    let buffer = job.word("buffer")?;
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections: [connections, 0], tau: SHORT_TAU, buffer, laws };
    let chain = network::topology_with(&scenario, "counted", "loss=0")?;
    let run = network::run_over(job, &scenario, network::connection(job)?, chain)?;
    let epochs = run.epochs(SHORT_TAU, job.get("buffer")?)?;
    let windows = epochs.iter().map(|epoch| {
        let windows = (0..connections).map(|index| {
            let cwnd = run.cwnd(port(0, index)).ok().and_then(|cwnd| cwnd.at(epoch.began));
            cwnd.unwrap_or(0) / u64::from(PAYLOAD)
        });
        windows.sum::<u64>() as f64
    });
    let windows = Spread::of(windows).map_or(f64::NAN, |spread| spread.median);
    sample.set("windows_at_first_drop", windows);
    // Over whole cycles: idle times are few and long.
    let (Some(first), Some(last)) = (epochs.first(), epochs.last()) else { return Ok(()) };
    let busy = run.line(0)?.busy.over(first.began, last.began);
    let idle = 1.0 - busy.map_or(0.0, |busy| busy.mean);
    sample.set("idle", idle);
    sample.set("idle_s_in_a_cycle", idle * period(&epochs));
    sample.set("cycle_s", period(&epochs));
    Ok(())
}

/// The power of the idle time from one buffer to another, in what fits into path and buffer: with large
/// ones that is the buffer.
fn power(samples: &Samples, variant: OfBuffer, [small, large]: [u32; 2]) -> Result<Spread, Stop> {
    let idle = |buffer| samples.spread(&variant(buffer, 1).name(), "idle");
    let ratio = idle(large)?.median / idle(small)?.median;
    let capacity = |buffer| f64::from(buffer) + SHORT_PIPES;
    Ok(Spread::exactly(ratio.ln() / (capacity(large) / capacity(small)).ln()))
}

/// The variant with a buffer, and so many seeds.
type OfBuffer = fn(u32, u64) -> Variant;

/// How many connections, in words.
const LINES: [(&str, OfBuffer); 2] = [("three connections", tahoe), ("one connection", alone)];

/// The idle time over the buffer, and in a cycle.
fn judge_idle(samples: &Samples, buffers: &[u32], findings: &mut Findings) -> Result<(), Stop> {
    for (line, variant) in LINES {
        for pair in buffers.windows(2) {
            let [small, large] = [pair[0], pair[1]];
            let finding = Finding::new(
                format!("power of the idle time in B + 2P, B of {small} and {large}, {line}"),
                power(samples, variant, [small, large])?,
            )
            .paper("-2, asymptotically");
            let asymptotic = large >= 160;
            findings.push(match (asymptotic, line) {
                (false, _) => {
                    finding.note("with less than 80 packets slow start takes much of a cycle")
                }
                (true, "one connection") => finding.tolerance(Tolerance::around(-2.0, 0.05)),
                _ => finding.tolerance(Tolerance::around(-2.0, 0.05)).missed(
                    "losses of three connections are spread over a round trip: see the notes",
                ),
            });
        }
    }
    let in_a_cycle = |buffer: u32| samples.spread(&alone(buffer, 1).name(), "idle_s_in_a_cycle");
    let (least, most) = (buffers[0], buffers[buffers.len() - 1]);
    let constant = in_a_cycle(most)?.median / in_a_cycle(least)?.median;
    findings.push(
        Finding::new(
            format!("idle time in a cycle, buffers of {most} over {least}, one connection"),
            Spread::exactly(constant),
        )
        .paper("remains constant (section 4.3.1)")
        .tolerance(Tolerance::around(1.0, 0.05)),
    );
    Ok(())
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    for total in TOTALS {
        let queue = (f64::from(total) - PIPES).max(0.0).floor();
        let longest = if queue > 0.0 || f64::from(total) > PIPES { queue + 1.0 } else { 1.0 };
        let name = fixed(total, 1).name();
        for (end, expected) in [("shortest", queue), ("longest", longest)] {
            findings.push(
                Finding::new(
                    format!("{end} queue with windows of {total} in all"),
                    samples.spread(&name, end)?,
                )
                .paper(format!("{expected}, by q = floor(max(0, w1 + w2 + w3 - 2P)) and q + 1"))
                .tolerance(Tolerance::Exactly(expected)),
            );
        }
    }
    let there = |buffer: &u32| samples.of(&tahoe(*buffer, 1).name()).next().is_some();
    let buffers: Vec<u32> = BUFFERS.into_iter().filter(there).collect();
    for &buffer in &buffers {
        let capacity = (f64::from(buffer) + SHORT_PIPES).floor();
        findings.push(
            Finding::new(
                format!("windows in all at the first drop, buffers of {buffer}"),
                samples.spread(&tahoe(buffer, 1).name(), "windows_at_first_drop")?,
            )
            .paper(format!("{}, by C = floor(B + 2P) and the packet after it", capacity + 1.0))
            .tolerance(Tolerance::Exactly(capacity + 1.0)),
        );
    }
    judge_idle(samples, &buffers, &mut findings)?;
    let [x, y] = [Axis::log("buffer (packets)"), Axis::log("idle time, share")];
    let mut plot = Plot::new("idle", "idle time over the buffer (section 3.1)", x, y);
    for (line, variant) in LINES {
        let points = buffers.iter().filter_map(|buffer| {
            let idle = samples.spread(&variant(*buffer, 1).name(), "idle").ok()?;
            Some((f64::from(*buffer), idle.median))
        });
        plot = plot.line(line, Style::LinePoints, points);
    }
    findings.plots.push(plot);
    findings.note(
        "Of three connections the losses are apart by up to a round trip, which the buffer lengthens: with a \
         large one the first that lost has gone through slow start before the last one loses, and the line \
         is hardly idle any more. With one connection the idle time is that of its slow start.",
    );
    Ok(findings)
}
