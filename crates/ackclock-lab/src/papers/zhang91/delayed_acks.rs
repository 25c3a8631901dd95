//! Section 5: delayed acks, with small windows and with large ones.

use super::ack_compression::measure;
use super::network::{self, CHOICES, PAYLOAD, Scenario};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::tcp::{AckPolicy, AckTimer};
use ackclock::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "delayed_acks",
    paper: Paper::Zhang91,
    shows: "section 5",
    title: "delayed acks, with small windows and with large ones",
    scenario: "One connection each way, tau 0.01 s, buffers of 20 packets, receivers that \
               acknowledge every second packet or when a timer expires. Windows of at most 8 \
               packets, and of at most 1000.",
    choices: CHOICES,
    parameters: &[
        super::stated::tau("0.01s"),
        super::stated::buffer("20"),
        super::stated::ACKS,
        super::stated::MAXWND,
    ],
    sends: true,
    headline: &["largest_rise", "compressed_acks"],
    seconds: Seconds { full: 20.0, quick: 3.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 3 } else { 10 };
            let of = |acks, maxwnd| Variant::new(&[("acks", acks), ("maxwnd", maxwnd)], seeds);
            let mut variants = network::with_sensitivity(&of("delayed", "8"), quick);
            variants.extend([of("delayed", "1000"), of("every", "8"), of("every", "1000")]);
            variants
        },
        run,
        judge,
    },
};

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let (tau, buffer) = (job.word("tau")?, job.word("buffer")?);
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections: [1, 1], tau, buffer, laws };
    let mut settings = network::connection(job)?;
    let maxwnd: u32 = job.get("maxwnd")?;
    settings.receive_buffer = maxwnd.min(network::maxwnd()) * u32::from(PAYLOAD);
    if job.word("acks")? == "delayed" {
        let timeout = Duration::from_millis(200);
        settings.ack_policy = AckPolicy::Delayed { timeout, quick_acks: 0 };
        settings.ack_timer = AckTimer::BSD;
    }
    let run = network::run(job, &scenario, settings)?;
    let mut sample = Sample::new();
    measure(&run, &mut sample)?;
    sample.set("utilisation", (run.utilisation(0)? + run.utilisation(1)?) / 2.0);
    if job.draws() && job.word("acks")? == "delayed" {
        let title = format!("Queues with delayed acks and windows of at most {maxwnd}");
        sample.draw(run.queue_plot(&title, &[0, 1], Duration::from_secs(40))?);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let claim = published::text("zhang91.delayed_ack.claim");
    let rise = |acks: &str, maxwnd: u32| {
        samples.spread(&format!("acks={acks} maxwnd={maxwnd}"), "largest_rise")
    };
    for (acks, maxwnd) in [("delayed", 8), ("every", 8), ("delayed", 1000), ("every", 1000)] {
        let what = "largest rise of the queue within a data transmission time, packets";
        let finding = Finding::new(
            format!("{what}: acks {acks}, windows up to {maxwnd}"),
            rise(acks, maxwnd)?,
        );
        findings.push(if acks == "delayed" {
            finding.paper(claim.clone()).note("no number is printed")
        } else {
            finding
        });
    }
    for acks in ["delayed", "every"] {
        let compressed = samples.spread(&format!("acks={acks} maxwnd=8"), "compressed_acks")?;
        let what = "acks within 16 ms of the one before, share: acks";
        findings.push(Finding::new(format!("{what} {acks}, windows up to 8"), compressed));
    }
    findings.note(
        "That small windows break up with delayed acks is not seen here: the largest rise is \
         nearly the whole window of 8 and not less than without the delay; an ack that was delayed \
         lets two packets go at once. The paper prints no number; what it looked at was a picture. Of the receiver \
         it says that it waits for a second packet or a timer, not how long: here it is BSD's \
         heartbeat of 200 ms.",
    );
    let large = Finding::new("rise with delayed acks and large windows", rise("delayed", 1000)?);
    findings.push(
        large.paper("compression becomes significant again").tolerance(Tolerance::AtLeast(5.0)),
    );
    Ok(findings)
}
