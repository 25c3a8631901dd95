//! Tables 2 and 3: a long and a short transfer side by side.

use super::network::{self, ACKS, DELAY, Drops, Kind, Repair, TIMER, Transfer};
use crate::drawing::DrawPrinted;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::ratio;
use crate::papers::flows::{FIRST_PORT, starts};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "one_on_one",
    paper: Paper::Allman99,
    shows: "tables 2 and 3",
    title: "a long and a short transfer, each with or without ABC: ratios to both without",
    scenario: "The network of figure 1 with SACK senders and delayed acks. A transfer of 20,000,000 \
               bytes starts; at a random time one of 5,000,000 bytes starts and ends before the long \
               one does. 30 runs. The advertised window is 20 segments, as stated for all \
               simulations, or as large as can be.",
    choices: &[
        ACKS,
        DELAY,
        TIMER,
        Choice {
            parameter: "start",
            value: "50s",
            reason: "the short transfer starts at random within this, so that it ends in time",
        },
    ],
    parameters: &[
        super::stated::QUEUE,
        super::stated::WINDOW,
        super::stated::LONG,
        super::stated::SHORT,
    ],
    sends: true,
    headline: &["throughput_long", "throughput_short", "drops_short"],
    seconds: Seconds { full: 40.0, quick: 6.0 },
    work: Work::Rust { variants, run, judge },
};

const PAIRS: [(&str, &str); 4] = [("DA", "DA"), ("DA", "ABC"), ("ABC", "DA"), ("ABC", "ABC")];
const QUANTITIES: [&str; 4] = ["throughput_long", "throughput_short", "drops_long", "drops_short"];
const STATED: &str = "20";
const LARGE: &str = "uncapped";

fn variant(queue: &str, window: &str, (long, short): (&str, &str), seeds: u64) -> Variant {
    let settings = [("queue", queue), ("window", window), ("long", long), ("short", short)];
    Variant::new(&settings, seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 5 } else { 30 };
    let mut variants = Vec::new();
    for queue in ["drop-tail", "red"] {
        for window in [STATED, LARGE] {
            variants.extend(PAIRS.map(|pair| variant(queue, window, pair, seeds)));
        }
    }
    let rows = if quick { 2 } else { 10 };
    for pair in [PAIRS[0], PAIRS[1]] {
        let base = variant("drop-tail", LARGE, pair, rows);
        for (parameter, value) in [
            ("acks", "delayed=200ms/0"),
            ("delay", "25ms"),
            ("timer", "jacobson88:ticks:one"),
            ("start", "5s"),
        ] {
            variants.push(base.but(parameter, value, rows));
        }
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let window = if job.word("window")? == STATED { network::advertised() } else { 1 << 20 };
    let within = Duration::from_millis(100) + job.get("start")?;
    let start = starts(job, within).next().unwrap_or_default();
    let transfer = |algorithm, start, bytes| {
        let (kind, pause) = (Kind { repair: Repair::Sack, algorithm }, Duration::ZERO);
        Transfer { kind, start, pause, bytes }
    };
    let transfers = [
        transfer(
            job.word("long")?,
            Instant::ZERO,
            published::whole("allman99.one_on_one.long_bytes"),
        ),
        transfer(job.word("short")?, start, published::whole("allman99.one_on_one.short_bytes")),
    ];
    let mut flows = network::start(job, window, &transfers, Drops::new)?;
    flows.run_until_done(job, Instant::from_secs(2000))?;
    let mut sample = Sample::new();
    for (flow, role) in ["long", "short"].into_iter().enumerate() {
        sample.set(format!("throughput_{role}"), network::throughput(&flows, flow));
        let drops = flows.emulator.observer().0.of(FIRST_PORT + flow as u16);
        sample.set(format!("drops_{role}"), drops as f64);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let stated = |pair| variant("drop-tail", STATED, pair, 1).name();
    for pair in PAIRS {
        let drops = samples.derived(&stated(pair), "drops", |sample| {
            Some(sample.get("drops_long")? + sample.get("drops_short")?)
        })?;
        findings.push(
            Finding::new(
                format!("segments dropped as stated, drop-tail, {}/{}", pair.0, pair.1),
                drops,
            )
            .paper("some: their ratios are printed")
            .tolerance(Tolerance::Exactly(0.0))
            .note("two windows of 20 segments fit into the queue of 40: nothing can be lost"),
        );
    }
    for (table, queue) in [(2, "drop-tail"), (3, "red")] {
        let printed = queue.replace('-', "_");
        for window in [STATED, LARGE] {
            if (queue, window) == ("drop-tail", STATED) {
                continue;
            }
            let base = variant(queue, window, PAIRS[0], 1).name();
            for (row, pair) in PAIRS.into_iter().enumerate().skip(1) {
                let name = variant(queue, window, pair, 1).name();
                for (column, quantity) in (1..).zip(QUANTITIES) {
                    let reading = if window == LARGE { " (a reading)" } else { "" };
                    let what = format!(
                        "table {table}, window {window}{reading}, {}/{}: {} over DA/DA's",
                        pair.0,
                        pair.1,
                        quantity.replace('_', " of the ")
                    );
                    let finding = Finding::new(what, ratio(samples, [&name, &base], quantity)?)
                        .paper(published::text(&format!(
                            "allman99.one_on_one.{printed}.{row}.{column}"
                        )));
                    // "Stable across all combinations" (section 5.1).
                    findings.push(match quantity {
                        "throughput_long" => finding.tolerance(Tolerance::Between(0.95, 1.05)),
                        _ => finding.note("single runs differ by more than the rows of the table"),
                    });
                }
            }
        }
    }
    for (table, queue, window) in [(2, "drop-tail", LARGE), (3, "red", STATED), (3, "red", LARGE)] {
        findings.plots.push(plot(samples, table, queue, window)?);
    }
    findings.note(
        "Table 2 cannot come from the stated parameters: with an advertised window of 20 segments at \
         most 40 segments of two transfers are under way, and the queue holds them all. Without that \
         bound there are drops, and their ratios stand beside the printed ones; how large the window \
         was is not known.",
    );
    Ok(findings)
}

/// A table as a picture: the four ratios of each pair beside the printed ones.
fn plot(samples: &Samples, table: u32, queue: &str, window: &str) -> Result<Plot, Stop> {
    let name = |pair| variant(queue, window, pair, 1).name();
    let [mut measured, mut printed] = [Vec::new(), Vec::new()];
    for (row, pair) in PAIRS.into_iter().enumerate().skip(1) {
        for (column, quantity) in (1..).zip(QUANTITIES) {
            let place = (measured.len() + row) as f64;
            let ratio = ratio(samples, [&name(pair), &name(PAIRS[0])], quantity)?;
            measured.push((place, ratio.median));
            let key = format!("allman99.one_on_one.{}.{row}.{column}", queue.replace('-', "_"));
            printed.push((place, published::number(&key)));
        }
    }
    let columns = "throughput long and short, drops long and short, of DA/ABC, ABC/DA and ABC/ABC";
    let [x, y] = [Axis::linear(columns), Axis::linear("over DA/DA's")];
    let title = format!("ratios to both without ABC, {queue}, window {window} (table {table})");
    let plot = Plot::new(&format!("table_{table}_{window}"), &title, x, y);
    Ok(plot.line("measured", Style::Points, measured).printed_points("ratios", printed))
}
