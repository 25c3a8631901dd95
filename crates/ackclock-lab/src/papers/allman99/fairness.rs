//! Table 4: sixteen transfers at once.

use super::network::{self, ACKS, DELAY, Kind, Repair, TIMER, Transfer};
use crate::drawing::DrawPrinted;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{jain, starts};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "fairness",
    paper: Paper::Allman99,
    shows: "table 4",
    title: "Jain's fairness index of 16 transfers of up to six kinds, 26 rows",
    scenario: "The network of figure 1: 16 transfers of 3,000,000 bytes start at the same time; so \
               many of them with Reno or SACK, AE, DA or ABC, as the row says, over a queue of 40 \
               segments with drop-tail or RED.",
    choices: &[
        ACKS,
        DELAY,
        TIMER,
        Choice {
            parameter: "start",
            value: "100ms",
            reason: "within this: \"at the same time\", but not at one instant, which would let the \
                     order of events decide",
        },
    ],
    parameters: &[super::stated::QUEUE, super::stated::MIX],
    sends: true,
    headline: &["jain"],
    seconds: Seconds { full: 80.0, quick: 12.0 },
    work: Work::Rust { variants, run, judge },
};

/// Rows of the table.
const ROWS: usize = 26;
/// The columns between the queue and the index.
const KINDS: [Kind<'_>; 6] = [
    Kind { repair: Repair::Reno, algorithm: "AE" },
    Kind { repair: Repair::Reno, algorithm: "DA" },
    Kind { repair: Repair::Reno, algorithm: "ABC" },
    Kind { repair: Repair::Sack, algorithm: "AE" },
    Kind { repair: Repair::Sack, algorithm: "DA" },
    Kind { repair: Repair::Sack, algorithm: "ABC" },
];

/// A number of the table.
fn printed(row: usize, column: usize) -> f64 {
    published::number(&format!("allman99.fairness.rows.{row}.{column}"))
}

fn queue(row: usize) -> &'static str {
    let queue = published::text(&format!("allman99.fairness.rows.{row}.0"));
    if queue == "RED" { "red" } else { "drop-tail" }
}

/// How many of each kind, as `0-0-0-4-6-6`.
fn mix(row: usize) -> String {
    let counts = (1..=KINDS.len()).map(|column| printed(row, column).to_string());
    counts.collect::<Vec<_>>().join("-")
}

fn variant(row: usize, seeds: u64) -> Variant {
    Variant::new(&[("queue", queue(row)), ("mix", &mix(row))], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 1 } else { 10 };
    let mut variants: Vec<_> = (0..ROWS).map(|row| variant(row, seeds)).collect();
    let rows = if quick { 1 } else { 5 };
    for (parameter, value) in [
        ("acks", "delayed=200ms/0"),
        ("delay", "25ms"),
        ("timer", "jacobson88:ticks:one"),
        ("start", "5s"),
    ] {
        variants.push(variant(ROWS - 1, rows).but(parameter, value, rows));
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let mut starts = starts(job, job.get("start")?);
    let mut transfers = Vec::new();
    for (kind, count) in KINDS.into_iter().zip(job.word("mix")?.split('-')) {
        let count: usize = count.parse().map_err(|_| Stop::Failed("no such mix".to_owned()))?;
        let start = starts.by_ref().take(count);
        transfers.extend(start.map(|start| Transfer {
            kind,
            start,
            pause: Duration::ZERO,
            bytes: 3_000_000,
        }));
    }
    let mut flows = network::start(job, network::advertised(), &transfers, |_| ())?;
    flows.run_until_done(job, Instant::from_secs(5000))?;
    let throughputs: Vec<f64> =
        (0..flows.count()).map(|flow| network::throughput(&flows, flow)).collect();
    let mut sample = Sample::new();
    sample.set("jain", jain(&throughputs));
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    for row in 0..ROWS {
        let kinds = KINDS.iter().enumerate().filter_map(|(index, kind)| {
            let count = printed(row, index + 1);
            let sender = if kind.repair == Repair::Reno { "Reno" } else { "SACK" };
            (count > 0.0).then(|| format!("{count} {sender} {}", kind.algorithm))
        });
        let kinds: Vec<_> = kinds.collect();
        findings.push(
            Finding::new(
                format!("Jain index, {}, {}", queue(row), kinds.join(", ")),
                samples.spread(&variant(row, 1).name(), "jain")?,
            )
            .paper(format!("{:.4}", printed(row, KINDS.len() + 1)))
            .tolerance(Tolerance::AtLeast(0.98)),
        );
    }
    let [x, y] = [Axis::linear("row of the table"), Axis::linear("Jain's index")];
    let title = "fairness of 16 flows, row by row (table 4)";
    let rows = || (0..ROWS).map(|row| (row, row as f64 + 1.0));
    let measured = rows().filter_map(|(row, number)| {
        Some((number, samples.spread(&variant(row, 1).name(), "jain").ok()?.median))
    });
    let plot = Plot::new("table_4", title, x, y).line("measured", Style::Points, measured);
    let printed = rows().map(|(row, number)| (number, printed(row, KINDS.len() + 1)));
    findings.plots.push(plot.printed_points("index", printed));
    Ok(findings)
}
