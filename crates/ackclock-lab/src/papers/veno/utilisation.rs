//! Figure 5: utilisation over the loss rate and the number of connections.

use super::network::{self, ACKS, THRESHOLD, TIMER};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::ratio;
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::time::{Duration, Instant};
use ackclock_report::{Axis, HeatMap, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "utilisation",
    paper: Paper::Veno,
    shows: "figure 5",
    title: "utilisation over loss and number of connections: the gain falls with their number",
    scenario: "Figure 2(b): a bottleneck of 1.6 Mbit/s, 100 ms and 12 packets, random loss on the \
               forward link. 1 to 32 connections of one kind start together and send packets of \
               1460 bytes for 200 s.",
    choices: &[
        THRESHOLD,
        ACKS,
        TIMER,
        Choice {
            parameter: "delay",
            value: "100ms",
            reason: "one way: the paper calls it the link's propagation delay",
        },
    ],
    parameters: &[
        super::stated::LAW,
        super::stated::LOSS,
        super::stated::CONNECTIONS,
        super::stated::BUFFER,
    ],
    sends: true,
    headline: &["utilisation"],
    seconds: Seconds { full: 90.0, quick: 5.0 },
    work: Work::Rust { variants, run, judge },
};

const LOSSES: [&str; 7] = ["0.01%", "0.03%", "0.1%", "0.3%", "1%", "3%", "10%"];
const COUNTS: [&str; 6] = ["1", "2", "4", "8", "16", "32"];

fn variant(loss: &str, count: &str, law: &str, seeds: u64) -> Variant {
    Variant::new(&[("loss", loss), ("connections", count), ("law", law)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 1 } else { 5 };
    let mut variants = Vec::new();
    for loss in LOSSES.iter().step_by(if quick { 2 } else { 1 }) {
        for count in COUNTS.iter().filter(|count| !quick || ["1", "4", "32"].contains(count)) {
            variants.extend(["sack", "veno"].map(|law| variant(loss, count, law, seeds)));
        }
    }
    let base = variant("1%", "4", "veno", seeds);
    for (parameter, value) in [
        ("threshold", "3"),
        ("acks", "delayed=200ms/0"),
        ("timer", "jacobson88:ticks:one"),
        ("delay", "50ms"),
    ] {
        variants.push(base.but(parameter, value, seeds));
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let count: usize = job.get("connections")?;
    let laws = vec![job.word("law")?; count];
    let line = [network::loss_sweep()[0], job.get("buffer")?];
    let mut flows = network::bottleneck(job, network::mss(), &laws, line, Duration::ZERO, ())?;
    job.run_until(&mut flows.emulator, Instant::ZERO + network::length())?;
    let mut sample = Sample::new();
    sample.set("utilisation", network::utilisation(&flows, 16));
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |loss: &str, count: &str, law: &str| variant(loss, count, law, 1).name();
    let gain = |loss: &str, count: &str| {
        let variants = [&name(loss, count, "veno"), &name(loss, count, "sack")];
        ratio(samples, variants.map(String::as_str), "utilisation")
    };
    let run = |loss: &&str, count: &&str| samples.of(&name(loss, count, "sack")).next().is_some();
    let losses: Vec<&str> = LOSSES.into_iter().filter(|loss| run(loss, &"1")).collect();
    let counts: Vec<&str> = COUNTS.into_iter().filter(|count| run(&losses[0], count)).collect();
    let mut findings = Findings::new();
    let mut gains = Vec::new();
    for loss in &losses {
        for count in &counts {
            gains.push(gain(loss, count)?.median);
        }
    }
    let above = gains.iter().filter(|gain| **gain >= 0.995).count();
    findings.push(
        Finding::new(
            "share of the points at which Veno is not below SACK",
            Spread::exactly(above as f64 / gains.len() as f64),
        )
        .paper("always higher")
        .tolerance(Tolerance::AtLeast(0.95)),
    );
    let falls = |loss: &str| -> Result<bool, Stop> {
        Ok(gain(loss, "32")?.median < gain(loss, "1")?.median)
    };
    findings.push(
        Finding::statement("at 1 %, 32 connections gain less than one", falls("1%")?)
            .paper(published::text("veno.loss_sweep.gain_falls_with")),
    );
    for (law, title) in [("sack", "SACK"), ("veno", "Veno")] {
        let value = |loss: &str, count: &str| {
            samples.spread(&name(loss, count, law), "utilisation").map(|spread| spread.median)
        };
        let row = |count: &&str| losses.iter().map(|loss| value(loss, count)).collect();
        let values: Result<Vec<Vec<f64>>, Stop> = counts.iter().map(row).collect();
        let [x, y] = [Axis::linear("loss"), Axis::linear("connections")];
        let mut plot = Plot::new(law, &format!("utilisation of {title} (figure 5)"), x, y);
        plot.heat = Some(HeatMap {
            columns: losses.iter().map(|&loss| loss.to_owned()).collect(),
            rows: counts.iter().map(|&count| count.to_owned()).collect(),
            values: values?,
            label: "utilisation".to_owned(),
        });
        findings.plots.push(plot);
    }
    Ok(findings)
}
