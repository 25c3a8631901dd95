//! Figure 1: how many saw teeth the windows have over a modem line.

use super::network::{self, ACKS, THRESHOLD_OF_NETBSD, TIMER};
use crate::drawing::DrawSeries;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings};
use crate::papers::compare::derived;
use crate::papers::flows::{Flow, Flows, ethernet};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::apps::Amount;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Recorder, Topology};
use ackclock_report::{Axis, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "modem",
    paper: Paper::Veno,
    shows: "figure 1",
    title: "saw teeth of the window over a modem line: Veno stays longer near a full path",
    scenario: "A file of 512 kB over a modem line of 33.6 kbit/s with a round trip of 150 ms; the \
               window between 20 and 80 s.",
    choices: &[
        Choice {
            parameter: "mss",
            value: "512",
            reason: "the paper sets the segment size \"to 512kbytes in order to see window \
                     evolution clearly\", which is meant to be bytes",
        },
        Choice {
            parameter: "buffer",
            value: "11",
            reason: "packets; with so many SACK has about the five teeth of the figure, a tooth from \
                     W/2 to W being 3/8 W^2 packets long. Veno's teeth then follow",
        },
        THRESHOLD_OF_NETBSD,
        ACKS,
        TIMER,
    ],
    parameters: &[super::stated::LAW],
    sends: true,
    headline: &["teeth"],
    seconds: Seconds { full: 3.0, quick: 1.0 },
    work: Work::Rust { variants, run, judge },
};

fn variant(law: &str, seeds: u64) -> Variant {
    Variant::new(&[("law", law)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 10 };
    let mut variants = Vec::new();
    for law in ["sack", "veno"] {
        let base = variant(law, seeds);
        for (parameter, value) in [
            ("mss", "256"),
            ("mss", "1460"),
            ("buffer", "8"),
            ("buffer", "14"),
            ("acks", "delayed=200ms/0"),
            ("timer", "jacobson88:ticks:one"),
        ] {
            variants.push(base.but(parameter, value, seeds));
        }
        variants.push(base);
    }
    variants.push(variant("veno", seeds).but("threshold", "1", seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let buffer = job.word("buffer")?;
    let printed = |key: &str| published::number(&format!("veno.modem.{key}"));
    let (rate, delay) = (printed("link_bps"), printed("rtt_s") / 2.0);
    let line: Path = format!("rate={rate}bit,delay={delay}s,loss=0,queue={buffer}").parse()?;
    let chain = Topology::chain(&[ethernet()?, [line.clone(), line]]);
    let mss = job.get("mss")?;
    let settings = network::connection(job, mss)?;
    let law = network::law(job, job.word("law")?)?;
    let [from, to] = chain.ends;
    // Each run meets the line's clock at another time.
    let start = Instant::from_millis(10 * job.seed);
    let flow = Flow {
        from,
        to,
        ends: [settings; 2],
        start,
        pause: Duration::ZERO,
        amount: Amount::Bytes(published::whole("veno.modem.transfer_bytes")),
    };
    let recorder = job.draws().then(Recorder::default);
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], recorder)?;
    let mut reductions = [0; 2];
    let span = [20, 80].map(Instant::from_secs);
    for (count, until) in reductions.iter_mut().zip(span) {
        job.run_until(&mut flows.emulator, until)?;
        *count = flows.info(0).map_or(0, |info| info.fast_recoveries + info.timeouts);
    }
    let mut sample = Sample::new();
    sample.set("teeth", (reductions[1] - reductions[0]) as f64);
    let delivered = flows.delivered(0) as f64 * 8.0 / rate / 80.0;
    sample.set("utilisation", delivered);
    if let Some(recorder) = flows.emulator.into_observer().0 {
        let [x, y] = [Axis::linear("time (s)"), Axis::linear("congestion window (packets)")];
        let mut plot = Plot::new("cwnd", "congestion window (figure 1)", x, y);
        for connection in recorder.connections().filter(|each| each.host == from) {
            plot = plot.series(job.word("law")?, &connection.cwnd, span, f64::from(mss));
        }
        sample.draw(plot);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let [sack, veno] = ["sack", "veno"].map(|law| variant(law, 1).name());
    let mut findings = Findings::new();
    for (name, key, title) in [(&sack, "sack", "SACK"), (&veno, "veno", "Veno")] {
        findings.push(
            Finding::new(format!("saw teeth of {title}"), samples.spread(name, "teeth")?)
                .paper(published::text(&format!("veno.modem.saw_teeth_20s_to_80s.{key}")))
                .note("the buffer, on which it depends, is not stated"),
        );
    }
    let fewer =
        derived(samples, [&veno, &sack], "teeth", |veno, sack| f64::from(u8::from(veno < sack)))?;
    findings.push(Finding::statement("Veno has fewer than SACK", fewer.median == 1.0));
    Ok(findings)
}
