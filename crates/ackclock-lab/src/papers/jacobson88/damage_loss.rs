//! Section 3, footnote 6: what packets damaged in transit cost.

use super::senders::{self, BACKOFF, mss};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::{derived, ratio};
use crate::papers::flows::{ENDLESS, Flow, Flows};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Topology};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "damage_loss",
    paper: Paper::Jacobson88,
    shows: "section 3, footnote 6",
    title: "damage loss: throughput against 1/(1 + 2pw), and where congestion avoidance feels it",
    scenario: "An Arpanet path of 8 packets: the window is 8 packets and fills the path exactly. A \
               share p of the packets is lost in transit. An RFC 793 sender waits for its timer, \
               two round trips, after each loss; the new sender reduces its window as well.",
    choices: &[
        Choice {
            parameter: "old_timer",
            value: "rfc793",
            reason: "the formula is that of a timer of two round trips, not of BSD's coarse clock",
        },
        BACKOFF,
        Choice {
            parameter: "new_timer",
            value: "jacobson88",
            reason: "an exact clock, as for the old sender, so that the two differ in their windows",
        },
        Choice {
            parameter: "round_trip",
            value: "630ms",
            reason: "8 packets at the Arpanet's 56 kbit/s; the formula does not depend on it",
        },
    ],
    parameters: &[super::stated::SENDER, super::stated::LOSS],
    sends: true,
    headline: &["bytes_per_s"],
    seconds: Seconds { full: 20.0, quick: 3.0 },
    work: Work::Rust { variants, run, judge },
};

/// Packets of the window, and of the path.
fn window() -> u32 {
    published::whole("jacobson88.damage_loss.window_packets")
}

const LOSSES: [(&str, f64); 6] =
    [("0.2%", 0.002), ("0.5%", 0.005), ("1%", 0.01), ("2%", 0.02), ("5%", 0.05), ("10%", 0.1)];

fn variant(sender: &str, loss: &str, seeds: u64) -> Variant {
    Variant::new(&[("sender", sender), ("loss", loss)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 20 };
    let mut variants = Vec::new();
    for sender in ["old", "new"] {
        variants.push(variant(sender, "0", seeds));
        variants.extend(LOSSES.map(|(loss, _)| variant(sender, loss, seeds)));
        for loss in ["0", "1%"] {
            let base = variant(sender, loss, seeds);
            variants.push(base.but("round_trip", "315ms", seeds));
            match sender {
                "old" => {
                    variants.push(base.but("old_timer", "rfc793:ticks:one", seeds));
                    variants.push(base.but("backoff", "none", seeds));
                }
                _ => variants.push(base.but("new_timer", "jacobson88:ticks:one", seeds)),
            }
        }
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let round_trip: Duration = job.get("round_trip")?;
    let loss = job.word("loss")?;
    // The line carries the window in a round trip; all but a packet's time on it is propagation.
    let packet = round_trip.as_micros() / u64::from(window());
    let rate = u64::from(mss() + 40) * 8 * 1_000_000 / packet;
    let delay = (round_trip.as_micros() - packet) / 2;
    let line = format!("rate={rate}bit,delay={delay}us,queue=infinite,ack=0");
    let there: Path = format!("{line},loss={loss}").parse()?;
    let back: Path = format!("{line},loss=0").parse()?;
    let chain = Topology::chain(&[[there, back]]);
    let (law, mut settings) = senders::sender(job)?;
    (settings.send_buffer, settings.receive_buffer) = (window() * mss(), window() * mss());
    settings.ack_policy = ackclock::tcp::AckPolicy::EverySegment;
    settings.rto.min = Duration::from_millis(1);
    let [from, to] = chain.ends;
    let start = Instant::ZERO;
    let flow =
        Flow { from, to, ends: [settings; 2], start, pause: Duration::ZERO, amount: ENDLESS };
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], ())?;
    // As many packets with any loss as make a steady mean.
    const LENGTH: u64 = 2000;
    job.run_until(&mut flows.emulator, Instant::from_secs(LENGTH))?;
    let mut sample = Sample::new();
    sample.set("bytes_per_s", flows.delivered(0) as f64 / LENGTH as f64);
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |sender: &str, loss: &str| variant(sender, loss, 1).name();
    let factor = |sender: &str, loss: &str| {
        ratio(samples, [&name(sender, loss), &name(sender, "0")], "bytes_per_s")
    };
    let formula = |share: f64| 1.0 / (1.0 + 2.0 * share * f64::from(window()));
    let mut findings = Findings::new();
    for (loss, share) in LOSSES {
        let predicted = formula(share);
        let finding = Finding::new(
            format!("throughput of the old sender at {loss} over that without loss"),
            factor("old", loss)?,
        )
        .paper(format!(
            "{predicted:.3}, by {}",
            published::text("jacobson88.damage_loss.rfc793_throughput_factor")
        ))
        .tolerance(Tolerance::around(predicted, 0.05));
        findings.push(match share >= 0.01 {
            true => finding.missed(
                "a loss costs more than the formula's two round trips: the timer starts with the last \
                 ack before it, and what is sent again may be lost as well",
            ),
            false => finding,
        });
    }
    let beyond = |loss: &str| {
        let variants = [name("new", loss), name("old", loss)];
        derived(samples, [&variants[0], &variants[1]], "bytes_per_s", |new, old| new / old)
    };
    for (loss, share) in LOSSES {
        let mut finding = Finding::new(
            format!("throughput of the new sender over the old one's at {loss}"),
            beyond(loss)?,
        )
        .paper(published::text("jacobson88.damage_loss.insensitive_until_loss"));
        // Below the threshold of 5 %.
        if share <= 0.02 {
            finding = finding.tolerance(Tolerance::AtLeast(0.95));
        }
        if share >= 0.01 {
            finding = finding.missed("congestion avoidance feels 1 % of loss already");
        }
        findings.push(finding);
    }
    let [x, y] = [Axis::log("loss"), Axis::linear("throughput over that without loss")];
    let mut plot = Plot::new("throughput", "damage loss (footnote 6)", x, y);
    for sender in ["old", "new"] {
        let points = LOSSES
            .into_iter()
            .filter_map(|(loss, share)| Some((share, factor(sender, loss).ok()?.median)));
        plot = plot.line(format!("{sender} sender"), Style::LinePoints, points);
    }
    let points = LOSSES.map(|(_, share)| (share, formula(share)));
    findings.plots.push(plot.line("1 / (1 + 2pw)", Style::Dashes, points));
    Ok(findings)
}
