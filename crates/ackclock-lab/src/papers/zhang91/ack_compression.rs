//! Section 4.2: acks that were queued together come together.

use super::analysis::{largest_rise, share, spacings};
use super::network::{self, CHOICES, Run, Scenario, TRANSMISSION, port};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock_report::{Axis, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ack_compression",
    paper: Paper::Zhang91,
    shows: "section 4.2",
    title: "ack compression: acks leave a queue at their own pace, and queues jump",
    scenario: "One connection each way, tau 0.01 s, buffers of 20 packets, beside three connections \
               in one direction over the same line. With traffic in one direction acks keep the \
               distance of the data that they acknowledge, 80 ms, and a queue grows by a packet at a \
               time. With traffic in both directions acks that waited behind data leave 8 ms apart, \
               and so do the data that they clock out.",
    choices: CHOICES,
    parameters: &[super::stated::tau("0.01s"), super::stated::buffer("20"), super::stated::TRAFFIC],
    sends: true,
    headline: &["compressed_acks", "largest_rise"],
    seconds: Seconds { full: 15.0, quick: 2.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 3 } else { 10 };
            let base = Variant::new(&[("traffic", "both ways")], seeds);
            let mut variants = network::with_sensitivity(&base, quick);
            variants.push(Variant::new(&[("traffic", "one way")], seeds));
            variants
        },
        run,
        judge,
    },
};

/// Seconds between acks that were compressed: twice what an ack takes, 50 bytes at 50 kbit/s.
const COMPRESSED: f64 = 0.016;

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let connections = if job.word("traffic")? == "both ways" { [1, 1] } else { [3, 0] };
    let (tau, buffer) = (job.word("tau")?, job.word("buffer")?);
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections, tau, buffer, laws };
    let run = network::run(job, &scenario, network::connection(job)?)?;
    let mut sample = Sample::new();
    measure(&run, &mut sample)?;
    if job.draws() {
        sample.draw(histogram(&run));
    }
    Ok(sample)
}

/// Measures how compressed the acks are that go to host 1.
pub(super) fn measure(run: &Run, sample: &mut Sample) -> Result<(), Stop> {
    let spacings = ack_spacings(run);
    sample.set("compressed_acks", share(&spacings, |spacing| *spacing <= COMPRESSED));
    let rise = largest_rise(&run.line(0)?.packets, run.span, TRANSMISSION);
    sample.set("largest_rise", rise as f64);
    sample.set("dropped_acks", run.drops().iter().filter(|drop| !drop.is_data).count() as f64);
    Ok(())
}

/// Between acks for the connections of host 1, whatever their connection.
fn ack_spacings(run: &Run) -> Vec<f64> {
    let to_host_1 = run.watch.acks.iter().filter(|(each, _)| **each < port(1, 0));
    let mut times: Vec<_> = to_host_1.flat_map(|(_, times)| times.iter().copied()).collect();
    times.sort_unstable();
    spacings(&times, run.span[0])
}

fn histogram(run: &Run) -> Plot {
    let [x, y] =
        ["time between acks in ms, 160 and more at the end", "share of acks"].map(Axis::linear);
    let title = "When acks reach host 1: 8 ms apart is compressed, 80 ms is the data's pace";
    let spacings = ack_spacings(run).into_iter().map(|spacing| spacing * 1e3);
    Plot::new("spacing", title, x, y).histogram("acks", spacings, 4.0, 41)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let [both, one] = ["traffic=both ways", "traffic=one way"];
    let claim = published::text("zhang91.ack_compression.claim");
    findings.push(
        Finding::new(
            "largest rise of the queue within a data transmission time, both ways, packets",
            samples.spread(both, "largest_rise")?,
        )
        .paper(claim)
        .tolerance(Tolerance::AtLeast(5.0)),
    );
    findings.push(
        Finding::new("the same, one way", samples.spread(one, "largest_rise")?)
            .paper("alternates between q and q + 1, grows with the windows")
            .tolerance(Tolerance::AtMost(2.0))
            .note("three connections may each open their window by a packet in that time"),
    );
    findings.push(
        Finding::new(
            "acks within 16 ms of the one before, both ways, share",
            samples.spread(both, "compressed_acks")?,
        )
        .paper("acks leave a queue at their own rate")
        .tolerance(Tolerance::AtLeast(0.25)),
    );
    findings.push(
        Finding::new("the same, one way", samples.spread(one, "compressed_acks")?)
            .paper("spacing of data")
            .tolerance(Tolerance::Exactly(0.0)),
    );
    findings.push(
        Finding::new("acks dropped, both ways", samples.spread(both, "dropped_acks")?)
            .paper("never")
            .tolerance(Tolerance::Exactly(0.0)),
    );
    Ok(findings)
}
