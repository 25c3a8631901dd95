//! Figures 5 to 7: scaled byte counting.

use super::network::{ACKS, DELAY, Kind, Repair, TIMER};
use super::traffic::{self, HANDSHAKE, LENGTHS};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::means_of_points;
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "scaled",
    paper: Paper::Allman99,
    shows: "figures 5, 6 and 7",
    title: "scaled byte counting: the more of an ack counts, the more throughput and the less goodput",
    scenario: "The network and the flows of figures 2 to 4, SACK senders with delayed acks and \
               scaled byte counting, cwnd += 1 + (N - 1) S in the initial slow start. The paper \
               names S = 0.5 as an example and 1 as the most; here S = 0, 0.25, 0.5, 0.75, 1.",
    choices: &[LENGTHS, HANDSHAKE, ACKS, DELAY, TIMER],
    parameters: &[super::stated::QUEUE, super::stated::SCALE, super::stated::FLOWS],
    sends: true,
    headline: &["throughput", "goodput"],
    seconds: Seconds { full: 250.0, quick: 10.0 },
    work: Work::Rust { variants, run, judge },
};

const SCALES: [&str; 5] = ["0/1", "1/4", "1/2", "3/4", "1/1"];
const COUNTS: [&str; 5] = ["100", "200", "300", "400", "500"];

fn variant(queue: &str, scale: &str, flows: &str, seeds: u64) -> Variant {
    Variant::new(&[("queue", queue), ("scale", scale), ("flows", flows)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let (counts, scales, seeds): (&[&str], &[&str], u64) =
        if quick { (&["300"], &["0/1", "1/1"], 8) } else { (&COUNTS, &SCALES, 30) };
    let mut variants = Vec::new();
    for queue in ["drop-tail", "red"] {
        for flows in counts {
            variants.extend(scales.iter().map(|scale| variant(queue, scale, flows, seeds)));
        }
    }
    let rows = if quick { 1 } else { 10 };
    for scale in ["0/1", "1/1"] {
        let base = variant("drop-tail", scale, "300", rows);
        variants.extend(traffic::otherwise(&base, rows));
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    traffic::run(job, &[Kind { repair: Repair::Sack, algorithm: job.word("scale")? }])
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |queue: &str, scale: &str, flows: &str| variant(queue, scale, flows, 1).name();
    let counts: Vec<&str> = COUNTS
        .into_iter()
        .filter(|flows| samples.of(&name("red", "0/1", flows)).next().is_some())
        .collect();
    let compare = |queue: &str, quantity: &str| {
        let variants = |scale: &str| counts.iter().map(|flows| name(queue, scale, flows)).collect();
        means_of_points(samples, [variants("1/1"), variants("0/1")], quantity)
    };
    let order = published::text("allman99.many_flows.sabc_order");
    let mut findings = Findings::new();
    let mut lost = Vec::new();
    for queue in ["drop-tail", "red"] {
        findings.push(
            Finding::new(
                format!("throughput with S = 1 over S = 0, {queue}"),
                compare(queue, "throughput")?,
            )
            .paper(order.clone())
            .tolerance(Tolerance::Above(1.0)),
        );
        let goodput = compare(queue, "goodput")?;
        lost.push(1.0 - goodput.median);
        findings.push(
            Finding::new(format!("goodput with S = 1 over S = 0, {queue}"), goodput)
                .paper(order.clone())
                .tolerance(Tolerance::Below(1.0)),
        );
    }
    findings.push(
        Finding::new(
            "spread of goodput between S = 0 and 1, with RED over drop-tail's",
            Spread::exactly(lost[1] / lost[0]),
        )
        .paper("below 1")
        .tolerance(Tolerance::Below(1.0))
        .missed("goodput falls more with S over RED, whose queue is shorter: contradicted"),
    );
    for (figure, queue, quantity) in
        [(5, "drop-tail", "goodput"), (6, "drop-tail", "throughput"), (7, "red", "goodput")]
    {
        let [x, y] = [Axis::linear("flows"), Axis::linear(quantity)];
        let title = format!("{quantity} by S, {queue} (figure {figure})");
        let mut plot = Plot::new(&format!("figure_{figure}"), &title, x, y);
        for scale in SCALES {
            let points = counts.iter().filter_map(|flows| {
                let spread = samples.spread(&name(queue, scale, flows), quantity).ok()?;
                Some((flows.parse().ok()?, spread.median))
            });
            plot = plot.line(format!("S = {scale}"), Style::LinePoints, points);
        }
        findings.plots.push(plot);
    }
    Ok(findings)
}
