//! Section 4.3.3: the conjecture about fixed windows and acks of no length.

use super::network::{self, LENGTH, START, Scenario};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::congestion::Fixed;
use ackclock_report::{Axis, HeatMap, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "conjecture",
    paper: Paper::Zhang91,
    shows: "section 4.3.3",
    title: "fixed windows and acks of no length: which line is full follows from w1 - w2 and 2P",
    scenario: "One connection each way with fixed windows w1 and w2, infinite buffers, and acks \
               that take no time. P = rate x tau / packet size is the pipe in packets. The paper \
               conjectures: if w1 > w2 + 2P exactly one line is full, and the queues are out of \
               phase; if w1 < w2 + 2P neither line is full, and they are in phase.",
    choices: &[START, LENGTH],
    parameters: &[super::stated::PIPES],
    sends: true,
    headline: &["classified_right"],
    seconds: Seconds { full: 60.0, quick: 5.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 1 } else { 3 };
            let pipes = if quick { &PIPES[..2] } else { &PIPES[..] };
            let mut variants: Vec<Variant> =
                pipes.iter().map(|(tau, _)| Variant::new(&[("tau", tau)], seeds)).collect();
            let (base, few) = (variants[0].clone(), 1);
            variants.push(base.but("start", "60s", few));
            variants.push(base.but("length", "2000", few));
            variants
        },
        run,
        judge,
    },
};

/// Propagation delays, and 2P for each: never a whole number, so that no case is on the border.
const PIPES: [(&str, f64); 5] =
    [("0.01s", 0.25), ("0.42s", 10.5), ("0.18s", 4.5), ("0.7s", 17.5), ("1.02s", 25.5)];
const WINDOWS: [u32; 7] = [4, 8, 12, 18, 24, 30, 40];
/// A line that is busy for so much of the time is full.
const FULL: f64 = 0.9995;

/// The grid that is run: pairs of windows, the larger one first.
fn pairs(quick: bool) -> impl Iterator<Item = (u32, u32)> {
    let step = if quick { 2 } else { 1 };
    let windows = move || WINDOWS.into_iter().step_by(step);
    windows().flat_map(move |large| {
        windows().take_while(move |small| *small <= large).map(move |small| (large, small))
    })
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let tau = job.word("tau")?;
    let pipe = PIPES.iter().find(|(each, _)| *each == tau).map_or(f64::NAN, |(_, pipe)| *pipe);
    let mut sample = Sample::new();
    let (mut right, mut cases) = (0_u32, 0_u32);
    for (large, small) in pairs(job.quick) {
        let laws = [Fixed::segments(large).into(), Fixed::segments(small).into()];
        let scenario = Scenario { connections: [1, 1], tau, buffer: "infinite", laws };
        let chain = network::topology_with(&scenario, "counted", "ack=0")?;
        let run = network::run_over(job, &scenario, network::without_losses(), chain)?;
        let [one, other] = [run.utilisation(0)?, run.utilisation(1)?];
        let full = [one, other].into_iter().filter(|share| *share >= FULL).count();
        let expected = usize::from(f64::from(large) > f64::from(small) + pipe);
        cases += 1;
        right += u32::from(full == expected);
        sample.set(format!("full_lines_{large}_{small}"), full as f64);
    }
    sample.set("classified_right", f64::from(right) / f64::from(cases));
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    for (tau, pipe) in PIPES {
        let variant = format!("tau={tau}");
        if samples.of(&variant).next().is_none() {
            continue;
        }
        findings.push(
            Finding::new(
                format!("cases classified right with 2P = {pipe}, share"),
                samples.spread(&variant, "classified_right")?,
            )
            .paper("all: ".to_owned() + &published::text("zhang91.conjecture.rule"))
            .tolerance(Tolerance::Exactly(1.0)),
        );
        findings.plots.push(map(samples, &variant, pipe));
    }
    findings.note(
        "A case is classified by how many lines are full, busy for at least 99.95 % of the time; the \
         phase of the queues is not measured. No case is on the border w1 = w2 + 2P, of which the \
         conjecture does not say whether a line is full.",
    );
    Ok(findings)
}

/// How many lines are full, for each pair of windows.
fn map(samples: &Samples, variant: &str, pipe: f64) -> Plot {
    let lines = |large, small| {
        let quantity = format!("full_lines_{large}_{small}");
        let values = samples.of(variant).filter_map(|(_, sample)| sample.get(&quantity));
        Spread::of(values).map_or(f64::NAN, |spread| spread.median)
    };
    let windows: Vec<u32> =
        WINDOWS.into_iter().filter(|window| !lines(*window, *window).is_nan()).collect();
    let value = |row: u32, column: u32| lines(row.max(column), row.min(column));
    let values =
        windows.iter().map(|row| windows.iter().map(|column| value(*row, *column)).collect());
    let names = || windows.iter().map(u32::to_string).collect();
    let [x, y] = ["w1 in packets", "w2 in packets"].map(Axis::linear);
    let mut plot = Plot::new(variant, &format!("Full lines, 2P = {pipe}"), x, y);
    plot.heat = Some(HeatMap {
        columns: names(),
        rows: names(),
        values: values.collect(),
        label: "full lines".to_owned(),
    });
    plot
}
