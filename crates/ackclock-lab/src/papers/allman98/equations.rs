//! Equations 1, 2, 5 and 6: how long slow start takes.

use super::network;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{ENDLESS, Flow, Flows, second};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::tcp::AckPolicy;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Recorder, Topology};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "equations",
    paper: Paper::Allman98,
    shows: "equations 1, 2, 5 and 6",
    title: "time for slow start to open the window: R log2(W_A / W_I), twice that with delayed acks",
    scenario: "A path of round-trip time R = 1 s that is nothing but propagation, without losses. \
               The congestion window opens from W_I segments to the advertised 64.",
    choices: &[
        Choice {
            parameter: "advertised",
            value: "64",
            reason: "segments: a power of two, so that the logarithm is whole",
        },
        network::TIMER,
        network::ACK_TIMER,
    ],
    parameters: &[super::stated::ACKS, super::stated::WINDOW],
    sends: true,
    headline: &["round_trips"],
    seconds: Seconds { full: 2.0, quick: 1.0 },
    work: Work::Rust { variants, run, judge },
};

const WINDOWS: [&str; 5] = ["1", "2", "4", "8", "16"];

fn variant(acks: &str, window: &str, seeds: u64) -> Variant {
    Variant::new(&[("acks", acks), ("window", window)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 10 };
    let mut variants = Vec::new();
    for acks in ["every", "delayed"] {
        variants.extend(WINDOWS.map(|window| variant(acks, window, seeds)));
        let base = variant(acks, "1", seeds);
        variants.push(base.but("advertised", "32", seeds));
        variants.push(base.but("ack_timer", "per-segment", seeds));
        variants.push(base.but("timer", "rfc6298", seeds));
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let path: Path = "rate=1gbit,delay=500ms,loss=0,queue=infinite".parse()?;
    let chain = Topology::chain(&[[path.clone(), path]]);
    let advertised: u32 = job.get("advertised")?;
    let (law, mut settings) = network::connection(job, job.get("window")?)?;
    settings.receive_buffer = advertised * u32::from(network::MSS);
    settings.send_buffer = 1 << 20;
    if job.word("acks")? == "every" {
        settings.ack_policy = AckPolicy::EverySegment;
    }
    let [from, to] = chain.ends;
    let flow = Flow {
        from,
        to,
        ends: [settings; 2],
        start: Instant::ZERO,
        pause: Duration::ZERO,
        amount: ENDLESS,
    };
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], Recorder::default())?;
    job.run_until(&mut flows.emulator, Instant::from_secs(60))?;
    let recorder = flows.emulator.into_observer().0;
    let sender = recorder.connections().find(|each| each.host == from);
    let sender = sender.ok_or_else(|| Stop::Failed("there is no connection".to_owned()))?;
    let reached =
        sender.cwnd.steps().iter().find(|(_, cwnd)| *cwnd >= u64::from(settings.receive_buffer));
    let mut sample = Sample::new();
    if let Some((at, _)) = reached {
        // The handshake takes a round trip of a second.
        sample.set("round_trips", second(*at) - 1.0);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let [x, y] = [Axis::log("initial window (segments)"), Axis::linear("round trips")];
    let mut plot = Plot::new("slow_start", "slow start from W_I to 64 segments", x, y);
    for (acks, key, factor) in
        [("every", "ack_every_segment", 1.0), ("delayed", "delayed_acks", 2.0)]
    {
        let predicted = |window: &str| factor * (64.0 / window.parse().unwrap_or(1.0_f64)).log2();
        for window in WINDOWS {
            let formula =
                published::text(&format!("allman98.initial_window.slow_start_time.{key}"));
            let measured = samples.spread(&variant(acks, window, 1).name(), "round_trips")?;
            // "About" for delayed acks: the window grows by half in each round trip, and
            // log2 / log1.5 is 1.71; then there is the delayed ack of the first segment.
            let value = predicted(window);
            let tolerance = match acks {
                "every" => Tolerance::Between(value - 0.01, value + 0.01),
                _ => Tolerance::around(value, 0.05),
            };
            let finding =
                Finding::new(format!("round trips from {window} segments, acks {acks}"), measured)
                    .paper(format!("{value}, by {formula}"))
                    .tolerance(tolerance);
            // From 8 segments on the delayed ack of the first one makes up for it.
            findings.push(match (acks, window) {
                ("delayed", "1" | "2" | "4") => {
                    finding.missed("\"about\": 1.71 for each doubling, not 2")
                }
                _ => finding,
            });
        }
        let points = |of: &dyn Fn(&str) -> Option<f64>| -> Vec<(f64, f64)> {
            WINDOWS.iter().filter_map(|window| Some((window.parse().ok()?, of(window)?))).collect()
        };
        let measured = |window: &str| {
            let name = variant(acks, window, 1).name();
            samples.spread(&name, "round_trips").ok().map(|spread| spread.median)
        };
        plot = plot.line(format!("acks {acks}"), Style::Points, points(&measured)).line(
            format!("equation, acks {acks}"),
            Style::Dashes,
            points(&|window| Some(predicted(window))),
        );
    }
    findings.plots.push(plot);
    Ok(findings)
}
