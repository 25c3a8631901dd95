//! Section 3.1: what the paper derives for traffic in one direction, as exact tests.

use super::network::{self, LENGTH, PAYLOAD, START, Scenario, port};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant};
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
               after C = floor(B + 2P), and the idle time is to fall as B^-2.",
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
    headline: &["longest", "windows_at_first_drop", "idle"],
    seconds: Seconds { full: 8.0, quick: 2.0 },
    variants,
    run,
    judge,
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

/// Runs as long as some ten periods take.
fn tahoe(buffer: u32, seeds: u64) -> Variant {
    let length = (u64::from(buffer) * u64::from(buffer) / 8 + 1000).to_string();
    let buffer = buffer.to_string();
    Variant::new(&[("windows", "tahoe"), ("buffer", &buffer), ("length", &length)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let (seeds, most) = if quick { (2, 160) } else { (10, 320) };
    let mut variants = TOTALS.map(|total| fixed(total, seeds)).to_vec();
    variants
        .extend(BUFFERS.into_iter().filter(|each| *each <= most).map(|each| tahoe(each, seeds)));
    variants.push(fixed(36, seeds).but("start", "60s", 1));
    variants.push(fixed(36, seeds).but("length", "2000", 1));
    variants.push(tahoe(20, seeds).but("timer", "jacobson88:ticks:one", 1));
    variants.push(tahoe(20, seeds).but("recovery", "tahoe-go-back-n", 1));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let mut sample = Sample::new();
    if job.word("windows")? == "tahoe" {
        measure_tahoe(job, &mut sample)?;
    } else {
        measure_fixed(job, &mut sample)?;
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

fn measure_tahoe(job: &Job<'_>, sample: &mut Sample) -> Result<(), Stop> {
    let buffer = job.word("buffer")?;
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections: [3, 0], tau: SHORT_TAU, buffer, laws };
    let chain = network::topology_with(&scenario, "counted", "loss=0")?;
    let run = network::run_over(job, &scenario, network::connection(job)?, chain)?;
    sample.set("idle", 1.0 - run.utilisation(0)?);
    let epochs = run.epochs(SHORT_TAU, job.get("buffer")?)?;
    let windows = epochs.iter().map(|epoch| {
        let windows = (0..3).map(|index| {
            let cwnd = run.cwnd(port(0, index)).ok().and_then(|cwnd| cwnd.at(epoch.began));
            cwnd.unwrap_or(0) / u64::from(PAYLOAD)
        });
        windows.sum::<u64>() as f64
    });
    let windows = Spread::of(windows).map_or(f64::NAN, |spread| spread.median);
    sample.set("windows_at_first_drop", windows);
    Ok(())
}

/// The power of the second variant's quantity over the first's, by their buffers.
fn power(samples: &Samples, [small, large]: [u32; 2]) -> Result<Spread, Stop> {
    let idle = |buffer| samples.spread(&tahoe(buffer, 1).name(), "idle");
    let ratio = idle(large)?.median / idle(small)?.median;
    Ok(Spread::exactly(ratio.ln() / (f64::from(large) / f64::from(small)).ln()))
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
    for pair in buffers.windows(2) {
        let [small, large] = [pair[0], pair[1]];
        let mut finding = Finding::new(
            format!("power of the idle time between buffers of {small} and {large}"),
            power(samples, [small, large])?,
        )
        .paper("-2, asymptotically")
        .note("below 80 packets the periods are too short to be asymptotic");
        if large >= 160 {
            finding = finding
                .tolerance(Tolerance::around(-2.0, 0.1))
                .missed("not seen with buffers of this size; why has not been found");
        }
        findings.push(finding);
    }
    let [x, y] = [Axis::log("buffer (packets)"), Axis::log("idle time, share")];
    let points = buffers.iter().filter_map(|buffer| {
        Some((f64::from(*buffer), samples.spread(&tahoe(*buffer, 1).name(), "idle").ok()?.median))
    });
    let plot = Plot::new("idle", "idle time over the buffer (section 3.1)", x, y);
    findings.plots.push(plot.line("measured", Style::LinePoints, points));
    Ok(findings)
}
