//! Figure 3: one connection over dummynet, with a loss of 1 %.

use super::network;
use crate::drawing::{DrawSeries, together};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::ratio;
use crate::papers::flows::{ENDLESS, Flow, Flows, ethernet};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Recorder, Topology};
use ackclock_report::{Axis, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "dummynet",
    paper: Paper::Veno,
    shows: "figure 3",
    title: "one connection, 1 % of random loss: Veno against SACK, as stated and as the ipfw rules act",
    scenario: "A router with dummynet between sender and receiver: 800 kbit/s, 50 ms, a queue of 8 \
               packets and 1 % of loss in each direction. Packets of 1460 bytes, a receiver's buffer \
               of 64 kB, infinite data. The printed ipfw rules name neither in nor out, so that a \
               router that forwards applies each pipe twice: 100 ms and 1.99 % each way.",
    choices: &[
        network::THRESHOLD_OF_NETBSD,
        Choice {
            parameter: "acks",
            value: "delayed=40ms",
            reason: "the receiver is Red Flag Linux, and Linux delays acks by 40 ms unless data \
                     come more slowly",
        },
        Choice {
            parameter: "timer",
            value: "jacobson88:ticks:one",
            reason: "the senders are NetBSD 1.1: ticks of 500 ms, one segment timed per window",
        },
        Choice {
            parameter: "length",
            value: "200",
            reason: "seconds; as long as the paper's simulations, since the experiment's length is \
                     not printed",
        },
    ],
    parameters: &[super::stated::LAW, super::stated::PIPES],
    sends: true,
    headline: &["packets_per_s"],
    seconds: Seconds { full: 15.0, quick: 3.0 },
    work: Work::Rust { variants, run, judge },
};

/// How the path is read: how often a packet passes the pipe, and how often its rate is used.
const READINGS: [(&str, u32, f64); 3] = [("once", 1, 1.0), ("twice", 2, 1.0), ("shared", 2, 2.0)];

fn printed(key: &str) -> f64 {
    published::number(&format!("veno.dummynet.{key}"))
}

/// What a packet meets on the path.
fn path(passes: u32, shares: f64) -> Result<Path, Stop> {
    let loss = (1.0 - (1.0 - printed("loss")).powi(passes as i32)) * 100.0;
    let delay = printed("one_way_delay_s") * f64::from(passes) * 1e3;
    let (rate, queue) = (printed("link_bps") / shares, printed("queue_packets"));
    Ok(format!("rate={rate}bit,delay={delay}ms,loss={loss:.4}%,queue={queue}").parse()?)
}

/// Payload of a packet.
fn mss() -> u16 {
    published::whole("veno.dummynet.mss")
}

fn variant(pipes: &str, law: &str, seeds: u64) -> Variant {
    Variant::new(&[("pipes", pipes), ("law", law)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 5 } else { 30 };
    let both = |pipes| ["sack", "veno"].map(|law| variant(pipes, law, seeds));
    let mut variants: Vec<_> = READINGS.iter().flat_map(|(pipes, ..)| both(pipes)).collect();
    let (rows, [sack, veno]) = (if quick { 3 } else { 15 }, both("twice"));
    variants.push(veno.but("threshold", "1", rows));
    for base in [sack, veno] {
        variants.push(base.but("acks", "every", rows));
        variants.push(base.but("acks", "delayed=200ms/0", rows));
        variants.push(base.but("timer", "rfc6298", rows));
        if !quick {
            variants.push(base.but("length", "1000", 5));
        }
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let pipes = job.word("pipes")?;
    let reading = READINGS.iter().find(|(name, ..)| *name == pipes);
    let (_, passes, shares) =
        *reading.ok_or_else(|| Stop::Failed(format!("no such pipes: {pipes}")))?;
    let path = path(passes, shares)?;
    let chain = Topology::chain(&[[path.clone(), path], ethernet()?]);
    let mut settings = network::connection(job, mss())?;
    // What the header can tell of it.
    let window = published::whole::<u32>("veno.dummynet.receiver_window_bytes").min(65_535);
    (settings.receive_buffer, settings.window_scaling) = (window, false);
    let [from, to] = chain.ends;
    let flow = Flow {
        from,
        to,
        ends: [settings; 2],
        start: Instant::ZERO,
        pause: Duration::ZERO,
        amount: ENDLESS,
    };
    let law = network::law(job, job.word("law")?)?;
    let recorder = job.draws().then(Recorder::default);
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], recorder)?;
    let length = Duration::from_secs(job.get("length")?);
    job.run_until(&mut flows.emulator, Instant::ZERO + length)?;
    let mut sample = Sample::new();
    let packets = flows.delivered(0) as f64 / f64::from(mss());
    sample.set("packets_per_s", packets / (length.as_millis() as f64 / 1e3));
    if let Some(info) = flows.info(0) {
        sample.set("timeouts", info.timeouts as f64);
    }
    if let Some(recorder) = flows.emulator.into_observer().0 {
        let axes = [Axis::linear("time (s)"), Axis::linear("congestion window (packets)")];
        let [x, y] = axes;
        let mut plot = Plot::new("cwnd", "congestion window (figure 3)", x, y);
        for connection in recorder.connections().filter(|each| each.host == from) {
            let span = [Instant::ZERO, Instant::ZERO + length];
            plot = plot.series(job.word("law")?, &connection.cwnd, span, f64::from(mss()));
        }
        sample.draw(plot);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let packets =
        |pipes: &str, law: &str| samples.spread(&variant(pipes, law, 1).name(), "packets_per_s");
    let paper = |law: &str| published::text(&format!("veno.dummynet.{law}_packets_per_s"));
    let number = |law: &str| published::number(&format!("veno.dummynet.{law}_packets_per_s"));
    findings.push(
        Finding::new("packets/s of SACK, pipes applied twice", packets("twice", "sack")?)
            .paper(paper("sack"))
            .tolerance(Tolerance::around(number("sack"), 0.05)),
    );
    findings.push(
        Finding::new("packets/s of Veno, pipes applied twice", packets("twice", "veno")?)
            .paper(paper("veno"))
            .tolerance(Tolerance::around(number("veno"), 0.05))
            .missed("less by a tenth; see the notes on how the pipes are read"),
    );
    for (pipes, what) in [("twice", "pipes applied twice"), ("once", "path as stated")] {
        let variants = ["veno", "sack"].map(|law| variant(pipes, law, 1).name());
        let gain = ratio(samples, [&variants[0], &variants[1]], "packets_per_s")?;
        findings.push(
            Finding::new(format!("packets/s of Veno over SACK's, {what}"), gain)
                .paper(format!("{}", 1.0 + printed("gain")))
                .note("the two that it is made of are judged"),
        );
    }
    for law in ["sack", "veno"] {
        let name = if law == "sack" { "SACK" } else { "Veno" };
        let quantity = format!("packets/s of {name}, path as stated");
        findings.push(
            Finding::new(quantity, packets("once", law)?)
                .paper(paper(law))
                .note("does not follow from the stated parameters; see the notes"),
        );
        let quantity = format!("packets/s of {name}, each packet twice through one pipe");
        findings.push(
            Finding::new(quantity, packets("shared", law)?)
                .paper(paper(law))
                .note("the pipe's 800 kbit/s are shared by both passes"),
        );
    }
    for (pipes, ..) in READINGS {
        let both = ["sack", "veno"].map(|law| (variant(pipes, law, 1).name(), ""));
        let title =
            format!("congestion windows, pipes applied as in the reading '{pipes}' (figure 3)");
        let plot = together(samples, "cwnd", &title, &both);
        findings.plots.extend(plot.map(|plot| Plot { name: format!("cwnd_{pipes}"), ..plot }));
    }
    findings.note(
        "The printed 22 packets/s of SACK do not follow from the stated path: at 1 % of loss and a \
         round trip of 115 ms SACK gets about twice that. They do follow if the router applies each \
         pipe on the way in and on the way out, as the printed rules, which name neither, let it. \
         Then both passes would also share the pipe's rate, which would leave 33 packets/s at most, \
         less than the printed 38 of Veno; so the rate is taken as it is printed.",
    );
    findings.note(
        "Reading the threshold for random losses as alpha = 1 halves Veno's gain here: a delayed ack \
         alone makes a round trip look as if a packet were queued. The printed gain of 72 % is \
         about what every loss taken for random would give: sqrt(3) by the law of the square root.",
    );
    Ok(findings)
}
