//! The random traffic of section 3: flows of random lengths that start at random times.

use super::network::{self, Kind, Transfer};
use crate::experiment::{Choice, Job, Stop, Variant};
use crate::papers::flows::{seconds, starts};
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
/// What precedes a flow.
pub(super) const HANDSHAKE: Choice = Choice {
    parameter: "handshake",
    value: "sent",
    reason: "as TCP has it. The paper's senders are agents of ns that have none: with `none` each \
             connection is there and idle before the first flow sends",
};
/// Time for all connections to open one after another where flows have no handshake, and between two.
const OPENING: Duration = Duration::from_secs(20);
const BETWEEN: Duration = Duration::from_millis(30);
/// Flows start within this (section 3).
const STARTS: Duration = Duration::from_secs(100);
/// All flows are over by then.
const END: Instant = Instant::from_secs(5000);
/// Stream of the lengths.
const STREAM: u64 = 89;

/// The variant with other values for what the paper does not state, one at a time.
pub(super) fn otherwise(base: &Variant, seeds: u64) -> [Variant; 6] {
    [
        ("lengths", "exponential"),
        ("handshake", "none"),
        ("acks", "delayed=200ms/0"),
        ("delay", "25ms"),
        ("timer", "jacobson88:ticks:one"),
        ("timer", "jacobson88:ticks=100ms/2:one"),
    ]
    .map(|(parameter, value)| base.but(parameter, value, seeds))
}

/// Runs as many flows as the setting `flows` says, of these kinds in turn.
pub(super) fn run<'a>(job: &Job<'_>, kinds: &[Kind<'a>]) -> Result<Sample, Stop> {
    let count: usize = job.get("flows")?;
    let distribution = match job.word("lengths")? {
        "uniform" => Distribution::Uniform(1, 100),
        "exponential" => Distribution::Exponential(50),
        other => return Err(Stop::Failed(format!("no such lengths: {other}"))),
    };
    let lengths = Draws::new(distribution, job.seed, STREAM);
    let opens_before = job.word("handshake")? == "none";
    let transfer = |(index, ((segments, start), &kind)): (u64, ((u64, Instant), &Kind<'a>))| {
        let opened = Instant::ZERO + BETWEEN.saturating_mul(index);
        let (start, pause) = match opens_before {
            true => (opened, (start + OPENING).saturating_since(opened)),
            false => (start, Duration::ZERO),
        };
        Transfer { kind, start, pause, bytes: segments.max(1) * network::segment_bytes() }
    };
    let flows = lengths.zip(starts(job, STARTS)).zip(kinds.iter().cycle());
    let transfers: Vec<_> = (0..).zip(flows).take(count).map(transfer).collect();
    let mut flows = network::start(job, network::advertised(), &transfers, |_| ())?;
    flows.run_until_done(job, END)?;
    let handshake = 2.0 * seconds(job.get("delay")?);
    let mut sample = Sample::new();
    for (index, kind) in kinds.iter().enumerate() {
        let which = (index..count).step_by(kinds.len());
        let throughputs = which.clone().map(|flow| {
            // With a connection that is there before, neither its opening nor its rest counts.
            let idle = if opens_before { seconds(transfers[flow].pause) + handshake } else { 0.0 };
            network::throughput_after(&flows, flow, idle)
        });
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
