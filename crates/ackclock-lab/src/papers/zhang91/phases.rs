//! The phase diagram of two-way traffic over delay and buffer, of which section 4.3 shows two points.

use super::analysis::{correlation, means};
use super::network::{self, CHOICES, Scenario, port};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::sample::{Sample, Samples};
use ackclock::time::Duration;
use ackclock_report::{Axis, HeatMap, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "phases",
    paper: Paper::Zhang91,
    shows: "section 4.3",
    title: "one connection each way: in phase or out of phase, over delay and buffer",
    scenario: "One connection from host 1 and one from host 2 over the line of 50 kbit/s, propagation \
               delays of 0.01 to 2 s, buffers of 10 to 80 packets. The paper shows that windows are out \
               of phase at 0.01 s and in phase at 1 s, with buffers of 20, and that where the border runs \
               is not known.",
    choices: CHOICES,
    parameters: &[super::stated::tau(""), super::stated::buffer("")],
    sends: true,
    headline: &["correlation", "utilisation"],
    seconds: Seconds { full: 25.0, quick: 3.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 1 } else { 5 };
            let mut variants = network::with_sensitivity(&of("0.2s", "40", seeds), quick);
            for delay in DELAYS {
                let of_delay =
                    BUFFERS.into_iter().filter(|buffer| !(delay == "0.2s" && *buffer == "40"));
                let coarse =
                    |buffer: &&str| !quick || ["0.01s", "1s"].contains(&delay) || *buffer == "20";
                variants.extend(of_delay.filter(coarse).map(|buffer| of(delay, buffer, seeds)));
            }
            variants
        },
        run,
        judge,
    },
};

const DELAYS: [&str; 6] = ["0.01s", "0.1s", "0.2s", "0.5s", "1s", "2s"];
const BUFFERS: [&str; 4] = ["10", "20", "40", "80"];

fn of(tau: &str, buffer: &str, seeds: u64) -> Variant {
    Variant::new(&[("tau", tau), ("buffer", buffer)], seeds)
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let (tau, buffer) = (job.word("tau")?, job.word("buffer")?);
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections: [1, 1], tau, buffer, laws };
    let run = network::run(job, &scenario, network::connection(job)?)?;
    let step = Duration::from_millis(500);
    let [one, other] =
        [port(0, 0), port(1, 0)].map(|port| run.cwnd(port).map(|cwnd| means(cwnd, run.span, step)));
    let mut sample = Sample::new();
    sample.set("correlation", correlation(&one?, &other?));
    sample.set("utilisation", (run.utilisation(0)? + run.utilisation(1)?) / 2.0);
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let spread =
        |tau: &str, buffer: &str| samples.spread(&of(tau, buffer, 1).name(), "correlation");
    for (tau, paper, tolerance) in [
        ("0.01s", "out of phase", Tolerance::Below(0.0)),
        ("1s", "in phase", Tolerance::Above(0.0)),
    ] {
        findings.push(
            Finding::new(
                format!("correlation of the windows, tau {tau}, B 20"),
                spread(tau, "20")?,
            )
            .paper(paper)
            .tolerance(tolerance),
        );
    }
    for tau in DELAYS {
        for buffer in BUFFERS {
            // Of a quick run not every point is there.
            let Ok(measured) = spread(tau, buffer) else { continue };
            if buffer != "20" || !["0.01s", "1s"].contains(&tau) {
                let what = format!("correlation of the windows, tau {tau}, B {buffer}");
                findings.push(Finding::new(what, measured));
            }
        }
    }
    let value = |tau, buffer| spread(tau, buffer).map_or(f64::NAN, |spread| spread.median);
    let row = |buffer| DELAYS.iter().map(|tau| value(tau, buffer)).collect();
    let [x, y] = ["propagation delay", "buffer in packets"].map(Axis::linear);
    let mut plot = Plot::new("phases", "Correlation of the two windows: 1 is in phase", x, y);
    plot.heat = Some(HeatMap {
        columns: DELAYS.map(str::to_owned).to_vec(),
        rows: BUFFERS.map(str::to_owned).to_vec(),
        values: BUFFERS.into_iter().map(row).collect(),
        label: "correlation".to_owned(),
    });
    findings.plots.push(plot);
    Ok(findings)
}
