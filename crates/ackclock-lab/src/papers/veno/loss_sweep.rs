//! Figures 4 and 5 with one connection: throughput over the loss rate.

use super::network::{self, ACKS, THRESHOLD, TIMER, TIMER_OF_NS};
use crate::drawing::{DrawPrinted, together};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::ratio;
use crate::papers::flows::second;
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::time::{Duration, Instant};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "loss_sweep",
    paper: Paper::Veno,
    shows: "figures 4 and 5",
    title: "one connection over losses from 0.01 % to 10 %: Veno's gain over SACK",
    scenario: "Figure 2(b): a bottleneck of 1.6 Mbit/s with a propagation delay of 100 ms and a \
               buffer of 12 packets, random loss on the forward link only. One connection with \
               packets of 1460 bytes and infinite data for 200 s.",
    choices: &[
        THRESHOLD,
        ACKS,
        TIMER,
        Choice {
            parameter: "delay",
            value: "100ms",
            reason: "one way: the paper calls it the link's propagation delay",
        },
    ],
    parameters: &[super::stated::LAW, super::stated::LOSS, super::stated::BUFFER],
    sends: true,
    headline: &["utilisation"],
    seconds: Seconds { full: 40.0, quick: 5.0 },
    work: Work::Rust { variants, run, judge },
};

const LOSSES: [&str; 10] =
    ["0.01%", "0.02%", "0.05%", "0.1%", "0.2%", "0.5%", "1%", "2%", "5%", "10%"];
const QUICK_LOSSES: [&str; 4] = ["0.01%", "0.1%", "1%", "10%"];

fn variant(loss: &str, law: &str, seeds: u64) -> Variant {
    Variant::new(&[("loss", loss), ("law", law)], seeds)
}

/// Losses of which the paper prints the gain.
const PRINTED: [&str; 2] = ["0.01%", "1%"];

/// With the threshold of later descriptions of Veno.
fn later(loss: &str, seeds: u64) -> Variant {
    Variant::new(&[("loss", loss), ("law", "veno"), ("threshold", "3")], seeds)
}

/// With receivers that delay acks.
fn delayed(law: &str, seeds: u64) -> Variant {
    Variant::new(&[("loss", "1%"), ("law", law), ("acks", "delayed=200ms/0")], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let (losses, seeds): (&[&str], u64) = if quick { (&QUICK_LOSSES, 3) } else { (&LOSSES, 20) };
    let mut variants = Vec::new();
    for loss in losses {
        for law in ["sack", "veno"] {
            variants.push(variant(loss, law, seeds));
        }
    }
    variants.extend(PRINTED.map(|loss| later(loss, seeds)));
    variants.push(variant("0.1%", "veno", seeds).but("threshold", "3", seeds));
    variants.extend(["sack", "veno"].map(|law| delayed(law, seeds.max(15)).judged_closely()));
    for law in ["sack", "veno"] {
        let base = variant("1%", law, seeds);
        for (parameter, value) in [
            ("acks", "delayed=40ms"),
            ("timer", "jacobson88:ticks:one"),
            ("timer", TIMER_OF_NS),
            ("delay", "50ms"),
        ] {
            variants.push(base.but(parameter, value, seeds));
        }
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let line = [network::loss_sweep()[0], job.get("buffer")?];
    let mut flows =
        network::bottleneck(job, network::mss(), &[job.word("law")?], line, Duration::ZERO, ())?;
    let end = Instant::ZERO + network::length();
    let mut rates = Vec::new();
    let step = Duration::from_secs(2);
    let mut before = 0;
    while flows.emulator.now() < end {
        let until = flows.emulator.now() + step;
        job.run_until(&mut flows.emulator, until)?;
        let delivered = flows.delivered(0);
        rates.push((second(until), (delivered - before) as f64 * 8.0 / 2e3));
        before = delivered;
    }
    let mut sample = Sample::new();
    sample.set("utilisation", network::utilisation(&flows, 16));
    sample
        .set("packets_per_s", flows.delivered(0) as f64 / f64::from(network::mss()) / second(end));
    sample.set("timeouts", flows.info(0).map_or(0.0, |info| info.timeouts as f64));
    // A decade apart, as figure 4 has them.
    if job.draws() && QUICK_LOSSES.contains(&job.word("loss")?) {
        let [x, y] = [Axis::linear("time (s)"), Axis::linear("rate (kbit/s)")];
        let plot = Plot::new("rate", "rate over time (figure 4)", x, y);
        sample.draw(plot.line(job.word("loss")?, Style::Line, rates));
    }
    Ok(sample)
}

/// Parts of the printed throughput that a measured one may be off, at most; of a small gain half.
const GIVE: f64 = 0.05;

/// Gains that are printed.
fn judge_gains(samples: &Samples, findings: &mut Findings) -> Result<(), Stop> {
    let alike = "with 0.01 % of loss SACK has nothing to gain: it fills the line but for the time that \
                 its first slow start takes";
    let short = "without delayed acks SACK's window is so large that Veno's meets the full line";
    let sack = |loss: &str| variant(loss, "sack", 1).name();
    let veno = |loss: &str| variant(loss, "veno", 1).name();
    let of_delayed = |law: &str| delayed(law, 1).name();
    for (what, variants, key, missed) in [
        ("1%, delayed acks", [of_delayed("veno"), of_delayed("sack")], "gain_at_1e-2", None),
        ("1%", [veno("1%"), sack("1%")], "gain_at_1e-2", Some(short)),
        ("1%, threshold 3", [later("1%", 1).name(), sack("1%")], "gain_at_1e-2", Some(short)),
        ("0.01%", [veno("0.01%"), sack("0.01%")], "gain_at_1e-4", Some(alike)),
        (
            "0.01%, threshold 3",
            [later("0.01%", 1).name(), sack("0.01%")],
            "gain_at_1e-4",
            Some(alike),
        ),
    ] {
        let printed = published::number(&format!("veno.loss_sweep.{key}"));
        let gain = ratio(samples, [&variants[0], &variants[1]], "utilisation")?;
        let quantity = format!("throughput of Veno over SACK's at {what}");
        let finding = Finding::new(quantity, gain)
            .paper(format!("{:.2}", 1.0 + printed))
            .tolerance(Tolerance::around(1.0 + printed, GIVE.min(printed / 2.0)));
        findings.push(missed.iter().fold(finding, |finding, why| finding.missed(*why)));
    }
    Ok(())
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = |loss: &str, law: &str| variant(loss, law, 1).name();
    let gain =
        |loss: &str| ratio(samples, [&name(loss, "veno"), &name(loss, "sack")], "utilisation");
    let mut findings = Findings::new();
    judge_gains(samples, &mut findings)?;
    for (law, name_of_law) in [("sack", "SACK"), ("veno", "Veno")] {
        let quantity = format!("utilisation of {name_of_law} at 10 %");
        findings.push(
            Finding::new(quantity, samples.spread(&name("10%", law), "utilisation")?)
                .paper(published::text("veno.loss_sweep.at_1e-1"))
                .tolerance(Tolerance::Below(0.2)),
        );
    }
    let losses = LOSSES.iter().filter(|loss| samples.of(&name(loss, "sack")).next().is_some());
    let gains: Result<Vec<_>, _> = losses.clone().map(|loss| gain(loss)).collect();
    let gains = gains?;
    let mean = gains.iter().map(|gain| gain.median).sum::<f64>() / gains.len() as f64;
    let printed = 1.0 + published::number("veno.loss_sweep.gain_mean_over_sweep");
    findings.push(
        Finding::new("mean of the median gains over the sweep", Spread::exactly(mean))
            .paper(format!("{printed:.2}"))
            .note("depends on which losses are swept, which the paper does not list"),
    );
    let [x, y] = [Axis::log("loss"), Axis::linear("utilisation")];
    let mut plot = Plot::new("utilisation", "one connection (figure 5)", x, y);
    for law in ["sack", "veno"] {
        let points = losses.clone().filter_map(|loss| {
            let share: f64 = loss.trim_end_matches('%').parse().ok()?;
            Some((share / 100.0, samples.spread(&name(loss, law), "utilisation").ok()?.median))
        });
        plot = plot.line(law, Style::LinePoints, points);
    }
    // The gains are printed, not the utilisations.
    let printed = [("0.01%", 1e-4, "gain_at_1e-4"), ("1%", 1e-2, "gain_at_1e-2")];
    let points = printed.into_iter().filter_map(|(word, loss, key)| {
        let gain = 1.0 + published::number(&format!("veno.loss_sweep.{key}"));
        Some((loss, gain * samples.spread(&name(word, "sack"), "utilisation").ok()?.median))
    });
    findings.plots.push(plot.printed_points("SACK's and the gain of Veno", points));
    for (law, panel) in [("sack", 'a'), ("veno", 'b')] {
        let title = format!("rate of {law} over time, by loss (figure 4{panel})");
        let variants: Vec<_> = QUICK_LOSSES.iter().map(|loss| (name(loss, law), "")).collect();
        let plot = together(samples, "rate", &title, &variants);
        findings.plots.extend(plot.map(|plot| Plot { name: format!("rate_{law}"), ..plot }));
    }
    findings.note(
        "If every loss were taken for random the gain would tend to sqrt(3) = 1.73, the printed \
         1.72: windows fall by a fifth instead of a half. It is less where the window is so small \
         that losses end in timeouts, which halve for both.",
    );
    Ok(findings)
}
