//! Figure 5: larger initial windows over the Internet.

use super::modem::plots;
use super::network::{self, ACK_TIMER, TIMER, WINDOWS, quantities};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock_emulator::{Distribution, Draws, Path};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "internet",
    paper: Paper::Allman98,
    shows: "figure 5",
    title: "16 kB to 100 hosts: time saved and retransmissions by initial window",
    scenario: "30 rounds of a transfer of 16 kB, segments of 512 bytes, with each initial window to \
               each of 100 hosts without SACK. The hosts of the paper are gone: 100 synthetic paths \
               stand for them, whose round-trip times, rates, buffers and losses are drawn once from \
               the distributions chosen below.",
    choices: &[RTT, RATE, BUFFER, SMALL, LOSS, TIMER, ACK_TIMER],
    parameters: &[],
    sends: true,
    headline: &[
        "loss_free_of_1",
        "saved_by_4",
        "extra_retransmissions_of_4",
        "extra_retransmissions_of_16",
        "extra_retransmissions_of_32",
    ],
    seconds: Seconds { full: 60.0, quick: 6.0 },
    work: Work::Rust { variants, run, judge },
};

/// Round-trip times of the paths.
pub(super) const RTT: Choice = Choice {
    parameter: "rtt",
    value: "40..400",
    reason: "ms, all equally likely: half of the hosts are outside the United States; the \
             picture of figure 7 is missing",
};
/// Rates of their bottlenecks.
pub(super) const RATE: Choice = Choice {
    parameter: "rate",
    value: "56..512",
    reason: "kbit/s that the bottleneck leaves to the transfer, all equally likely: from a \
             modem's rate to a third of T1; with more, 4 segments save more",
};
/// Buffers of most of them.
pub(super) const BUFFER: Choice = Choice {
    parameter: "buffer",
    value: "20..200",
    reason: "packets at the bottleneck of most paths, all equally likely",
};
/// Paths with very small buffers.
pub(super) const SMALL: Choice = Choice {
    parameter: "small",
    value: "10",
    reason: "% of the paths have a bottleneck with 4 to 12 packets, as terminal servers had: \
             that 32 segments cost less than three times what 16 cost needs few paths with \
             very small buffers rather than many with middling ones",
};
/// What others' traffic costs.
pub(super) const LOSS: Choice = Choice {
    parameter: "loss",
    value: "0.9",
    reason: "% of packets that others' traffic costs on average, exponentially distributed \
             over the paths, such that about 74 % of transfers with one segment lose nothing",
};

/// How many there are.
pub(super) fn hosts() -> u64 {
    published::whole("allman98.transfers.internet_hosts")
}

/// The paths are the same in all runs: seed of what is drawn for them.
pub(super) const PATHS: u64 = 98;

fn variants(quick: bool) -> Vec<Variant> {
    let (seeds, rows) = if quick { (10, 3) } else { (30, 10) };
    let base = Variant::new(&[], seeds);
    let mut variants = vec![base.clone()];
    for (parameter, value) in [
        ("rtt", "40..200"),
        ("rtt", "100..800"),
        ("rate", "128..2000"),
        ("rate", "1000..10000"),
        ("buffer", "8..100"),
        ("buffer", "40..400"),
        ("small", "0"),
        ("small", "20"),
        ("loss", "0.3"),
        ("loss", "2"),
        ("timer", "jacobson88:ticks:one"),
        ("ack_timer", "per-segment"),
    ] {
        variants.push(base.but(parameter, value, rows));
    }
    variants
}

/// Random numbers of a setting that is written as a span.
pub(super) fn span(job: &Job<'_>, setting: &str, stream: u64) -> Result<Draws, Stop> {
    let word = job.word(setting)?;
    let ends = word.split_once("..").and_then(|(first, last)| {
        Some(Distribution::Uniform(first.parse().ok()?, last.parse().ok()?))
    });
    let ends = ends.ok_or_else(|| Stop::Failed(format!("'{word}' is no span")))?;
    Ok(Draws::new(ends, PATHS, stream))
}

/// The way to each host and back.
pub(super) fn paths(job: &Job<'_>) -> Result<Vec<[Path; 2]>, Stop> {
    let [mut rtts, mut rates, mut buffers] =
        [span(job, "rtt", 0)?, span(job, "rate", 1)?, span(job, "buffer", 2)?];
    let mut small_buffers = Draws::new(Distribution::Uniform(4, 12), PATHS, 4);
    let mut percentiles = Draws::new(Distribution::Uniform(0, 99), PATHS, 5);
    let small: u64 = job.get("small")?;
    let percent: f64 = job.get("loss")?;
    // In parts per million.
    let mean = (percent * 1e4).round() as u64;
    let mut losses = Draws::new(Distribution::Exponential(mean), PATHS, 3);
    let next = |draws: &mut Draws| draws.next().unwrap_or(0);
    let path = |_| {
        let (rtt, rate) = (next(&mut rtts), next(&mut rates));
        let (usual, few) = (next(&mut buffers), next(&mut small_buffers));
        let buffer = if next(&mut percentiles) < small { few } else { usual };
        // Half the round trip each way.
        let line = format!("rate={rate}kbit,delay={}us", rtt * 500);
        let loss = next(&mut losses).min(200_000) as f64 / 1e4;
        let there: Path = format!("{line},queue={buffer},loss={loss:.4}%").parse()?;
        let back: Path = format!("{line},queue=infinite,loss=0").parse()?;
        Ok([there, back])
    };
    (0..hosts()).map(path).collect()
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let mut loss_free = 0.0;
    let mut sums = [[0.0; 2]; WINDOWS.len()];
    for (host, path) in (0..).zip(paths(job)?) {
        let seed = job.seed * hosts() + host;
        let one = network::transfer(job, seed, 1, std::slice::from_ref(&path))?;
        loss_free += f64::from(u8::from(one.retransmissions == 0.0));
        // All transfers of a group lose the same packets of the path, counted from their first, so
        // that fewer rounds tell them apart.
        for (window, sum) in WINDOWS.into_iter().zip(&mut sums).skip(1) {
            let taken = network::transfer(job, seed, window, std::slice::from_ref(&path))?;
            sum[0] += 1.0 - taken.seconds / one.seconds;
            sum[1] += taken.retransmissions - one.retransmissions;
        }
    }
    let mut sample = Sample::new();
    sample.set("loss_free_of_1", loss_free / hosts() as f64);
    for (window, sum) in WINDOWS.into_iter().zip(sums) {
        for (quantity, sum) in quantities(window).into_iter().zip(sum) {
            sample.set(quantity, sum / hosts() as f64);
        }
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = Variant::new(&[], 1).name();
    let mut findings = Findings::new();
    let of = |quantity: &str| samples.spread(&name, quantity);
    let saved = |window| of(&quantities(window)[0]);
    // Retransmissions are few: what counts is the mean over the rounds, as in the paper.
    let mean = |window| {
        let values: Vec<f64> = samples
            .of(&name)
            .filter_map(|(_, sample)| sample.get(&quantities(window)[1]))
            .collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let paper = |key: &str| published::text(&format!("allman98.internet.{key}"));
    findings.push(
        Finding::new(
            "share of transfers with one segment that lose nothing",
            of("loss_free_of_1")?,
        )
        .paper(paper("loss_free_transfers_iw_1"))
        .note("the losses are chosen so"),
    );
    findings.push(
        Finding::new("time saved by 4 segments", saved(4)?)
            .paper(paper("saved_iw_4"))
            .tolerance(Tolerance::around(published::number("allman98.internet.saved_iw_4"), 0.05)),
    );
    for window in WINDOWS.into_iter().filter(|window| *window > 1) {
        let (printed, tolerance) = match window {
            4 => (Some("extra_retransmits_iw_4"), Tolerance::Between(0.035, 0.045)),
            16 => (Some("extra_retransmits_iw_16"), Tolerance::Between(1.0, 1.25)),
            32 => (Some("extra_retransmits_iw_32"), Tolerance::Between(2.75, 3.0)),
            _ => (None, Tolerance::ReportOnly),
        };
        let measured = Spread { median: mean(window), ..of(&quantities(window)[1])? };
        let mut finding = Finding::new(
            format!("additional retransmissions of {window} segments"),
            measured,
        )
        .tolerance(tolerance)
        .missed(
            "the paths are drawn, not the paper's; the mean over the rounds in place of the median",
        );
        if let Some(key) = printed {
            finding = finding.paper(paper(key));
        }
        findings.push(finding);
    }
    let fewer = mean(2).min(mean(3)) - mean(4);
    findings.push(
        Finding::new(
            "retransmissions that 4 segments save against the better of 2 and 3",
            Spread::exactly(fewer),
        )
        .paper(format!(
            "above 0: fewer with 4 segments than with 2 and 3 is {}",
            paper("fewer_retransmits_iw_4_than_2_and_3")
        ))
        .note("not reproduced; see the notes"),
    );
    findings.note(
        "The paper's words for 16 and 32 segments are missed: 1.5 retransmissions more are not just \
         over 1. Fewer cost the share of loss-free transfers, or the 3 of 32 segments.",
    );
    findings.note(
        "That 4 segments cost fewer retransmissions than 2 or 3 is not reproduced. A loss out of the \
         first four is repaired by fast retransmit here too, but a timeout with 2 or 3 segments in \
         flight sends hardly anything in vain, and the paths with few buffers, which 16 and 32 \
         segments need for their figures, cost 4 segments a little more than 2.",
    );
    let [sixteen, all] = [saved(16)?.median, saved(32)?.median];
    findings.push(
        Finding::new(
            "time with 32 segments over that with 16",
            Spread::exactly((1.0 - all) / (1.0 - sixteen)),
        )
        .paper(paper("time_iw_16_vs_32"))
        .tolerance(Tolerance::Between(0.95, 1.05)),
    );
    let number = |key: &str| published::number(&format!("allman98.internet.{key}"));
    // The other two are printed in words.
    let printed = [(4.0, number("saved_iw_4")), (4.0, number("extra_retransmits_iw_4"))];
    findings.plots.extend(plots(samples, &name, 5, printed.map(|point| vec![point])));
    Ok(findings)
}
