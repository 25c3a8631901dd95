//! Appendix C: the timer on paths whose round trip is their packets' time on a slow line.

use super::senders;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{Flow, Flows};
use crate::papers::segments::{SegmentLog, sequence_plot};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::apps::Amount;
use ackclock::tcp::AckPolicy;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Rate, Topology};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "slip_timer",
    paper: Paper::Jacobson88,
    shows: "appendix C, footnote 21",
    title: "spurious timeouts on a slow line: mean plus two deviations against four",
    scenario: "A packet radio or SLIP line on which a packet of 576 bytes takes so long that the \
               round-trip time more than doubles when the first of them follows the handshake. \
               The window opens by slow start; nothing is lost, so that every timeout is \
               spurious.",
    choices: &[
        Choice {
            parameter: "clock",
            value: "exact",
            reason: "the analysis of appendix C knows no ticks",
        },
        Choice {
            parameter: "sampling",
            value: "one",
            reason: "a measurement per window, as 4.3BSD: the analysis has one for each round",
        },
        Choice {
            parameter: "step",
            value: "2.5",
            reason: "by what the first packet's round trip exceeds the handshake's, of small packets, \
                     which decides the propagation delay: the analysis has a round trip that \
                     doubles. A later round is no worse, since each ack starts the timer again",
        },
    ],
    parameters: &[super::stated::LINE, super::stated::ESTIMATOR],
    sends: true,
    headline: &["timeouts"],
    seconds: Seconds { full: 2.0, quick: 1.0 },
    work: Work::Rust { variants, run, judge },
};

const LINES: [&str; 3] = ["1200bit", "2400bit", "9600bit"];
const ESTIMATORS: [&str; 2] = ["jacobson88-k2", "jacobson88"];

fn variant(line: &str, estimator: &str, seeds: u64) -> Variant {
    Variant::new(&[("line", line), ("estimator", estimator)], seeds)
}

fn variants(_quick: bool) -> Vec<Variant> {
    // Nothing is random but the ticks.
    let mut variants = Vec::new();
    for line in LINES {
        for estimator in ESTIMATORS {
            variants.push(variant(line, estimator, 3));
        }
    }
    for estimator in ESTIMATORS {
        let base = variant("2400bit", estimator, 3);
        for (parameter, value) in
            [("clock", "ticks"), ("sampling", "each"), ("step", "1.8"), ("step", "3.5")]
        {
            variants.push(base.but(parameter, value, 3));
        }
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let line = job.word("line")?;
    let rate = job.get::<Rate>("line")?.bits_per_second() as f64;
    let step: f64 = job.get("step")?;
    // Seconds on the line of a packet with its ack, and of a SYN (with its MSS option) with its
    // answer: (2 delay + packet) / (2 delay + handshake) = step.
    let bytes: u16 =
        published::whole("jacobson88.retransmit_timer.examples_bandwidth_dominated.packet_bytes");
    let payload = bytes - 40;
    let [packet, handshake] =
        [f64::from(bytes) + 40.0, 44.0 + 44.0].map(|bytes| bytes * 8.0 / rate);
    let delay = ((packet - step * handshake) / (step - 1.0) / 2.0 * 1e6).round();
    let path: Path = format!("rate={line},delay={delay}us,loss=0,queue=infinite").parse()?;
    let chain = Topology::chain(&[[path.clone(), path]]);
    let [estimator, clock, sampling] =
        [job.word("estimator")?, job.word("clock")?, job.word("sampling")?];
    let (law, mut settings) = senders::new_with(senders::timer(estimator, clock, sampling)?)?;
    // A window of 16 packets.
    settings.mss = Some(payload);
    let window = 16 * u32::from(payload);
    (settings.send_buffer, settings.receive_buffer) = (window, window);
    settings.ack_policy = AckPolicy::EverySegment;
    settings.rto.min = Duration::from_millis(1);
    // So that the handshake is not what times out.
    settings.rto.initial = Duration::from_secs(6);
    let [from, to] = chain.ends;
    let amount = Amount::Bytes(64 * u64::from(payload));
    let flow =
        Flow { from, to, ends: [settings; 2], start: Instant::ZERO, pause: Duration::ZERO, amount };
    let log = SegmentLog::new([from]);
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], log)?;
    flows.run_until_done(job, Instant::from_secs(10_000))?;
    let mut sample = Sample::new();
    let info = flows.info(0);
    sample.set("timeouts", info.map_or(f64::NAN, |info| info.timeouts as f64));
    sample.set("retransmissions", info.map_or(f64::NAN, |info| info.retransmitted as f64));
    if job.draws() {
        let log = flows.emulator.into_observer().0;
        let end = log.conversation(0).and_then(|each| each.ended()).unwrap_or_default();
        let title = format!("{line}, {estimator}");
        sample.draw(sequence_plot("sequence", &title, log.conversations(), end));
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let paper = |key: &str| published::text(&format!("jacobson88.retransmit_timer.{key}"));
    for line in LINES {
        let timeouts =
            |estimator: &str| samples.spread(&variant(line, estimator, 1).name(), "timeouts");
        findings.push(
            Finding::new(
                format!("spurious timeouts with k = 2, {line}/s"),
                timeouts(ESTIMATORS[0])?,
            )
            .paper(paper("claim_slow_start_k2"))
            .note(
                "so where the first packet's round trip is more than twice the handshake's: \
                       the delay is chosen for that, and so this is not judged",
            ),
        );
        findings.push(
            Finding::new(
                format!("spurious timeouts with k = 4, {line}/s"),
                timeouts(ESTIMATORS[1])?,
            )
            .paper(paper("claim_slow_start_k4"))
            .tolerance(Tolerance::Exactly(0.0)),
        );
    }
    Ok(findings)
}
