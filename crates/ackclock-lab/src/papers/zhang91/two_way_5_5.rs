//! Figure 3 and section 3.2: five connections in each direction.

use super::analysis::{Epoch, correlation, largest_rise, means, share};
use super::network::{self, CHOICES, Scenario, TRANSMISSION};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "two_way_5_5",
    paper: Paper::Zhang91,
    shows: "figure 3, section 3.2",
    title: "five connections each way: rapid queue fluctuations, larger buffers no better",
    scenario: "Five connections from host 1 and five from host 2 over the line of 50 kbit/s with \
               a propagation delay of 0.01 s. Buffers of 30 packets, then of 60.",
    choices: CHOICES,
    parameters: &[super::stated::tau("0.01s"), super::stated::buffer("")],
    sends: true,
    headline: &["utilisation", "dropped_data"],
    seconds: Seconds { full: 30.0, quick: 4.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 3 } else { 20 };
            let mut variants =
                network::with_sensitivity(&Variant::new(&[("buffer", "30")], seeds), quick);
            variants.push(Variant::new(&[("buffer", "60")], seeds));
            variants
        },
        run,
        judge,
    },
};

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let (tau, buffer) = (job.word("tau")?, job.word("buffer")?);
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections: [5, 5], tau, buffer, laws };
    let run = network::run(job, &scenario, network::connection(job)?)?;
    let mut sample = Sample::new();
    sample.set("utilisation", (run.utilisation(0)? + run.utilisation(1)?) / 2.0);
    sample.set("dropped_data", share(run.drops(), |drop| drop.is_data));
    let epochs = run.epochs(tau, job.get("buffer")?)?;
    let losses: u64 = epochs.iter().map(Epoch::total).sum();
    sample.set("drops_in_an_epoch", losses as f64 / epochs.len() as f64);
    let rise = |side| -> Result<f64, Stop> {
        Ok(largest_rise(&run.line(side)?.packets, run.span, TRANSMISSION) as f64)
    };
    sample.set("largest_rise", rise(0)?.max(rise(1)?));
    let step = Duration::from_secs(2);
    let queue =
        |side| -> Result<Vec<f64>, Stop> { Ok(means(&run.line(side)?.packets, run.span, step)) };
    sample.set("correlation_of_queues", correlation(&queue(0)?, &queue(1)?));
    if job.draws() {
        let title = format!("Queues with buffers of {buffer}, and drops of data (figure 3)");
        sample.draw(run.queue_plot(&title, &[0, 1], Duration::from_secs(60))?);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let published = |key: &str| published::text(&format!("zhang91.two_way_5_5.{key}"));
    let number = |key: &str| published::number(&format!("zhang91.two_way_5_5.{key}"));
    let [small, large] = ["buffer=30", "buffer=60"];
    let utilisation = [small, large].map(|variant| samples.spread(variant, "utilisation"));
    let [of_small, of_large] = utilisation;
    let (of_small, of_large) = (of_small?, of_large?);
    findings.push(
        Finding::new("utilisation, buffers of 30", of_small)
            .paper(published("buffer_30_utilisation"))
            .tolerance(Tolerance::around(number("buffer_30_utilisation"), 0.05)),
    );
    findings.push(
        Finding::new("utilisation, buffers of 60", of_large)
            .paper(published("buffer_60_utilisation"))
            .tolerance(Tolerance::around(number("buffer_60_utilisation"), 0.05)),
    );
    findings.push(
        Finding::statement("the larger buffer is no better", of_large.median <= of_small.median)
            .paper("utilisation decreases"),
    );
    findings.push(
        Finding::new(
            "share of dropped packets that are data",
            samples.spread(small, "dropped_data")?,
        )
        .paper(published("dropped_packets_that_are_data"))
        .tolerance(Tolerance::AtLeast(0.995)),
    );
    findings.push(
        Finding::new("drops in an epoch", samples.spread(small, "drops_in_an_epoch")?)
            .paper(published("synchronisation"))
            .tolerance(Tolerance::around(10.0, 0.05))
            .missed("depends on where one epoch ends and the next begins, which the paper does not define"),
    );
    findings.push(
        Finding::new(
            "largest rise of a queue within a data transmission time, packets",
            samples.spread(small, "largest_rise")?,
        )
        .paper(published("synchronisation"))
        .note("an order of magnitude, and the largest is more than the usual one"),
    );
    findings.push(
        Finding::new("correlation of the queues", samples.spread(small, "correlation_of_queues")?)
            .paper(published("synchronisation"))
            .tolerance(Tolerance::Below(0.0)),
    );
    Ok(findings)
}
