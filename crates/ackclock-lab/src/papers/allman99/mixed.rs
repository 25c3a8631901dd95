//! Figures 8 and 9: half the flows use appropriate byte counting, half do not.

use super::network::{ACKS, DELAY, Kind, Repair, TIMER};
use super::traffic::{self, HANDSHAKE, LENGTHS, quantities};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "mixed",
    paper: Paper::Allman99,
    shows: "figures 8 and 9",
    title: "half ABC, half DA: each gets about the throughput that it gets among its own kind",
    scenario: "The network and the flows of figures 2 to 4 with SACK senders and delayed acks: half \
               of the flows use appropriate byte counting, half the standard rule; beside runs in \
               which all do the same.",
    choices: &[LENGTHS, HANDSHAKE, ACKS, DELAY, TIMER],
    parameters: &[super::stated::QUEUE, super::stated::MIX, super::stated::FLOWS],
    sends: true,
    headline: &["throughput_of_ABC", "throughput_of_DA"],
    seconds: Seconds { full: 200.0, quick: 8.0 },
    work: Work::Rust { variants, run, judge },
};

const KINDS: [Kind<'_>; 2] = [
    Kind { repair: Repair::Sack, algorithm: "DA" },
    Kind { repair: Repair::Sack, algorithm: "ABC" },
];
const COUNTS: [&str; 5] = ["100", "200", "300", "400", "500"];

fn variant(queue: &str, mix: &str, flows: &str, seeds: u64) -> Variant {
    Variant::new(&[("queue", queue), ("mix", mix), ("flows", flows)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let (counts, seeds): (&[&str], u64) = if quick { (&["300"], 6) } else { (&COUNTS, 30) };
    let mut variants = Vec::new();
    for queue in ["drop-tail", "red"] {
        for flows in counts {
            variants.extend(["half", "DA", "ABC"].map(|mix| variant(queue, mix, flows, seeds)));
        }
    }
    let rows = if quick { 1 } else { 10 };
    let base = variant("drop-tail", "half", "300", rows);
    variants.extend(traffic::otherwise(&base, rows));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    match job.word("mix")? {
        "half" => traffic::run(job, &KINDS),
        algorithm => traffic::run(job, &[Kind { repair: Repair::Sack, algorithm }]),
    }
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |queue: &str, mix: &str, flows: &str| variant(queue, mix, flows, 1).name();
    let mut findings = Findings::new();
    for queue in ["drop-tail", "red"] {
        let counts: Vec<&str> = COUNTS
            .into_iter()
            .filter(|flows| samples.of(&name(queue, "half", flows)).next().is_some())
            .collect();
        for (index, title) in ["throughput", "goodput"].into_iter().enumerate() {
            let [x, y] = [Axis::linear("flows"), Axis::linear(title)];
            let figure = if title == "goodput" { 8 } else { 9 };
            let caption = format!("{title}, half ABC and half DA, {queue} (figure {figure})");
            let mut plot = Plot::new(&format!("figure_{figure}_{queue}"), &caption, x, y);
            for algorithm in ["DA", "ABC"] {
                let mixed = quantities(2, algorithm)[index].clone();
                let among = |mix: &str, flows: &str| {
                    let quantity = if mix == "half" { &mixed } else { title };
                    samples.spread(&name(queue, mix, flows), quantity)
                };
                let ratios: Result<Vec<f64>, Stop> = counts
                    .iter()
                    .map(|flows| Ok(among("half", flows)?.median / among(algorithm, flows)?.median))
                    .collect();
                let spread =
                    Spread::of(ratios?).ok_or_else(|| Stop::Failed("no mixed flows".to_owned()))?;
                findings.push(
                    Finding::new(
                        format!("{title} of {algorithm} in the mix over its own, {queue}"),
                        spread,
                    )
                    .paper(published::text("allman99.many_flows.mixed"))
                    .tolerance(Tolerance::Between(0.9, 1.1))
                    .note("the spread is over the numbers of flows"),
                );
                for mix in ["half", algorithm] {
                    let points = counts.iter().filter_map(|flows| {
                        Some((flows.parse().ok()?, among(mix, flows).ok()?.median))
                    });
                    let line = if mix == "half" { "mixed" } else { "pure" };
                    plot = plot.line(format!("{line} {algorithm}"), Style::LinePoints, points);
                }
            }
            findings.plots.push(plot);
        }
    }
    Ok(findings)
}
