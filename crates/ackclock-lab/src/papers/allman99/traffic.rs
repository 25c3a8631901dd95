//! The random traffic of section 3: flows of random lengths that start at random times.

use super::network::{self, Kind, SEGMENT, Transfer};
use crate::experiment::{Choice, Job, Stop, Variant};
use crate::papers::flows::starts;
use crate::sample::Sample;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Distribution, Draws};

/// How long flows are.
pub(super) const LENGTHS: Choice = Choice {
    parameter: "lengths",
    value: "uniform",
    reason: "the paper says no more than random. From 1 to 100 segments of 1000 bytes, all equally \
             likely, so that 50 flows load the line by 13 % and 375 flows fill it",
};
/// Flows start within this (section 3).
const STARTS: Duration = Duration::from_secs(100);
/// All flows are over by then.
const END: Instant = Instant::from_secs(5000);
/// Stream of the lengths.
const STREAM: u64 = 89;

/// The variant with other values for what the paper does not state, one at a time.
pub(super) fn otherwise(base: &Variant, seeds: u64) -> [Variant; 5] {
    [
        ("lengths", "exponential"),
        ("acks", "delayed=200ms/0"),
        ("delay", "25ms"),
        ("timer", "jacobson88:ticks:one"),
        ("timer", "jacobson88:ticks=100ms/2:one"),
    ]
    .map(|(parameter, value)| base.but(parameter, value, seeds))
}

/// Runs as many flows as the setting `flows` says, of these kinds in turn.
pub(super) fn run(job: &Job<'_>, kinds: &[Kind<'_>]) -> Result<Sample, Stop> {
    let count: usize = job.get("flows")?;
    let distribution = match job.word("lengths")? {
        "uniform" => Distribution::Uniform(1, 100),
        "exponential" => Distribution::Exponential(50),
        other => return Err(Stop::Failed(format!("no such lengths: {other}"))),
    };
    let lengths = Draws::new(distribution, job.seed, STREAM);
    let transfers: Vec<_> = lengths
        .zip(starts(job, STARTS))
        .zip(kinds.iter().cycle())
        .take(count)
        .map(|((segments, start), &kind)| Transfer {
            kind,
            start,
            bytes: segments.max(1) * SEGMENT,
        })
        .collect();
    let mut flows = network::start(job, network::ADVERTISED, &transfers, |_| ())?;
    flows.run_until_done(job, END)?;
    let mut sample = Sample::new();
    for (index, kind) in kinds.iter().enumerate() {
        let which = (index..count).step_by(kinds.len());
        let throughputs = which.clone().map(|flow| network::throughput(&flows, flow));
        let mean = throughputs.sum::<f64>() / which.len() as f64;
        let [throughput, goodput] = quantities(kinds.len(), kind.algorithm);
        sample.set(throughput, mean);
        sample.set(goodput, network::goodput(&flows, which));
    }
    Ok(sample)
}

/// The names of throughput (the mean of the flows') and goodput.
pub(super) fn quantities(kinds: usize, algorithm: &str) -> [String; 2] {
    ["throughput", "goodput"].map(|quantity| match kinds {
        1 => quantity.to_owned(),
        _ => format!("{quantity}_of_{algorithm}"),
    })
}
