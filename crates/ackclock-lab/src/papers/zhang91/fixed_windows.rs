//! Figures 8 and 9, sections 4.1 and 4.2: fixed windows and infinite buffers.

use super::network::{self, IN_SERVICE, LENGTH, START, Scenario};
use crate::drawing::DrawPrinted;
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::congestion::Fixed;
use ackclock::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "fixed_windows",
    paper: Paper::Zhang91,
    shows: "figures 8 and 9, section 4.2",
    title: "fixed windows of 30 and 25 packets: exact utilisation and queues",
    scenario: "One connection from host 1 with a window of 30 packets and one from host 2 with 25, \
               which never change, infinite buffers, propagation delays of 0.01 s (figure 8) and 1 s \
               (figure 9). The connections start at random times.",
    choices: &[START, LENGTH, IN_SERVICE],
    parameters: &[
        super::stated::tau(""),
        super::stated::window("w1", "30"),
        super::stated::window("w2", "25"),
    ],
    sends: true,
    headline: &["utilisation_1", "utilisation_2"],
    seconds: Seconds { full: 10.0, quick: 2.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 3 } else { 20 };
            let bases = ["0.01s", "1s"].map(|tau| Variant::new(&[("tau", tau)], seeds));
            let few = if quick { 1 } else { 5 };
            let rows = bases.clone().into_iter().flat_map(|base| {
                [("start", "60s"), ("length", "4000"), ("in_service", "uncounted")]
                    .map(|(parameter, value)| base.but(parameter, value, few))
            });
            bases.clone().into_iter().chain(rows).collect()
        },
        run,
        judge,
    },
};

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let tau = job.word("tau")?;
    let laws = [Fixed::segments(job.get("w1")?), Fixed::segments(job.get("w2")?)].map(Into::into);
    let scenario = Scenario { connections: [1, 1], tau, buffer: "infinite", laws };
    let run = network::run(job, &scenario, network::without_losses())?;
    let mut sample = Sample::new();
    for side in [0, 1] {
        sample.set(format!("utilisation_{}", side + 1), run.utilisation(side)?);
        sample.set(format!("queue_{}", side + 1), run.longest_queue(side)?);
    }
    if job.draws() {
        let figure = if tau == "1s" { 9 } else { 8 };
        let title = format!("Queues with fixed windows (figure {figure})");
        let plot = run.queue_plot(&title, &[0, 1], Duration::from_secs(30))?;
        let pipe = if tau == "1s" { "large" } else { "small" };
        sample.draw([0, 1].into_iter().fold(plot, |plot, index| {
            let key = format!("zhang91.fixed_windows_{pipe}_pipe.max_queue.{index}");
            plot.printed_level(&format!("longest queue {}", index + 1), published::number(&key))
        }));
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    for (tau, pipe) in [("0.01s", "small"), ("1s", "large")] {
        for index in 0..2 {
            let (variant, number) = (format!("tau={tau}"), index + 1);
            let key = format!("zhang91.fixed_windows_{pipe}_pipe");
            let quantity = format!("utilisation_{number}");
            let printed = format!("{key}.utilisation.{index}");
            let share = published::number(&printed);
            findings.push(
                Finding::new(
                    format!("utilisation of line {number}, tau {tau}"),
                    samples.spread(&variant, &quantity)?,
                )
                .paper(published::text(&printed))
                // Two digits are printed.
                .tolerance(Tolerance::Between(share - 0.005, f64::min(share + 0.005, 1.0))),
            );
            let max_queue = format!("{key}.max_queue.{index}");
            findings.push(
                Finding::new(
                    format!("longest queue {number}, tau {tau}"),
                    samples.spread(&variant, &format!("queue_{number}"))?,
                )
                .paper(published::text(&max_queue))
                .tolerance(Tolerance::Exactly(published::number(&max_queue))),
            );
        }
    }
    findings.note(
        "With the large pipe some starts lead into another circle, with the same utilisation and \
         shorter queues: the least values in the table. A picture shows the first seed, whichever \
         circle it is in. The paper shows one run.",
    );
    Ok(findings)
}
