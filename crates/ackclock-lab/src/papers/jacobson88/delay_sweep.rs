//! Figure 9 over the path's delay: which receivers' conversations get more.

use super::conversations::{self, GATEWAY};
use super::senders::{NEW_TIMER, OVERHEAD};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock_report::{Axis, Plot, Style, number};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "delay_sweep",
    paper: Paper::Jacobson88,
    shows: "figure 9",
    title: "the four new conversations over the path's delay: the receivers' split, and its reverse",
    scenario: "The four conversations of figures 7 to 12 over paths of 2 to 200 ms one way, of which the \
               paper says nothing; and over one whose gateway takes no more than five packets back to \
               back from each machine.",
    choices: &[NEW_TIMER, OVERHEAD, GATEWAY],
    parameters: &[super::stated::SENDER, super::stated::DELAY, super::stated::queue("50")],
    sends: true,
    headline: &[
        "bytes_per_s_to_fast_receivers",
        "bytes_per_s_to_slow_receivers",
        "retransmitted_to_fast_receivers",
        "retransmitted_to_slow_receivers",
    ],
    seconds: Seconds { full: 20.0, quick: 4.0 },
    work: Work::Rust { variants, run, judge },
};

/// One way, in milliseconds.
const DELAYS: [u32; 7] = [2, 10, 20, 50, 100, 150, 200];
/// Where figure 9's rates come out, and where they are reversed.
const SHORT: u32 = 20;
const LONG: u32 = 200;

fn variant(delay: u32, seeds: u64) -> Variant {
    Variant::new(&[("sender", "new"), ("delay", &format!("{delay}ms"))], seeds)
}

/// With a gateway that takes five packets back to back.
fn few(seeds: u64) -> Variant {
    let delay = format!("{SHORT}ms");
    Variant::new(&[("sender", "new"), ("delay", &delay), ("gateway", "5")], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 10 } else { 40 };
    let mut variants = DELAYS.map(|delay| variant(delay, seeds)).to_vec();
    let base = variant(SHORT, seeds);
    for (parameter, value) in [
        ("gateway", "4"),
        ("gateway", "6"),
        ("overhead", "+0"),
        ("new_timer", "jacobson88:ticks:one"),
    ] {
        variants.push(base.but(parameter, value, seeds));
    }
    variants.push(few(seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let log = conversations::run(job, job.word("queue")?)?;
    let mut sample = Sample::new();
    conversations::measure_trace(&mut sample, &log);
    conversations::measure_shares(&mut sample, &log);
    Ok(sample)
}

/// Rates and losses by the kind of receiver: what is measured, its key, and its words.
const SPLIT: [(&str, &str, &str); 4] = [
    (
        "bytes_per_s_to_fast_receivers",
        "conversation_Bps.0 and conversation_Bps.1",
        "bytes/s to receivers of 4.3+BSD",
    ),
    (
        "bytes_per_s_to_slow_receivers",
        "conversation_Bps.2 and conversation_Bps.3",
        "bytes/s to receivers of 4.3BSD",
    ),
    (
        "retransmitted_to_fast_receivers",
        "loss_rate_fast",
        "share sent again to receivers of 4.3+BSD",
    ),
    (
        "retransmitted_to_slow_receivers",
        "loss_rate_slow",
        "share sent again to receivers of 4.3BSD",
    ),
];

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |delay: u32| variant(delay, 1).name();
    let mut findings = Findings::new();
    let few = few(1).name();
    for (quantity, key, what) in SPLIT {
        let number_of = |key: &str| {
            published::number(&format!(
                "jacobson88.four_conversations.with_congestion_avoidance.{key}"
            ))
        };
        // Two conversations each.
        let printed = match key.split_once(" and ") {
            Some((one, other)) => (number_of(one) + number_of(other)) / 2.0,
            None => number_of(key),
        };
        let is_rate = quantity.starts_with("bytes");
        let mut finding =
            Finding::new(format!("{what}, {SHORT} ms"), samples.spread(&name(SHORT), quantity)?)
                .paper(number(printed))
                .tolerance(Tolerance::around(printed, 0.05));
        if !is_rate {
            finding =
                finding.missed("the loss split needs a gateway that takes few packets at once");
        }
        findings.push(finding);
        let finding = Finding::new(
            format!("{what}, {SHORT} ms, gateway of 5"),
            samples.spread(&few, quantity)?,
        );
        findings.push(
            finding
                .paper(number(printed))
                .note("the paper does not tell of such a gateway: a variant"),
        );
    }
    for delay in DELAYS {
        let ratio = samples.spread(&name(delay), "fast_over_slow")?;
        let what = format!("rate to receivers of 4.3+BSD over that to 4.3BSD's, {delay} ms");
        let mut finding = Finding::new(what, ratio);
        if delay == LONG {
            finding = finding
                .paper("receivers that ack more often get more")
                .tolerance(Tolerance::Above(1.0))
                .missed("over a long path it is the reverse");
        }
        findings.push(finding);
    }
    findings.plots.extend(plots(samples));
    Ok(findings)
}

/// The split over the delay.
fn plots(samples: &Samples) -> [Plot; 2] {
    [("rate", "bytes/s", &SPLIT[..2]), ("again", "share sent again", &SPLIT[2..])].map(
        |(plot, unit, lines)| {
            let [x, y] = [Axis::linear("delay one way (ms)"), Axis::linear(unit)];
            let title = format!("{unit} by the kind of receiver, over the delay (figure 9 at one)");
            lines.iter().fold(Plot::new(plot, &title, x, y), |plot, (quantity, _, what)| {
                let points = DELAYS.into_iter().filter_map(|delay| {
                    let spread = samples.spread(&variant(delay, 1).name(), quantity).ok()?;
                    Some((f64::from(delay), spread.median))
                });
                plot.line(*what, Style::LinePoints, points)
            })
        },
    )
}
