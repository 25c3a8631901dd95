//! The collapse of 1986: what is left of a line when more and more old senders share it.

use super::senders::{self, NEW_TIMER, OLD_TIMER, mss};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{ENDLESS, ETHERNET, Flow, Flows, dumbbell, seconds, starts};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_report::{Axis, Plot, Style, number};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "collapse",
    paper: Paper::Jacobson88,
    shows: "section 1",
    title: "the collapse of 1986: more and more conversations over one line, old senders and new",
    scenario: "One conversation alone gets 32 kbit/s of data over a short path. Then as many as 128 share it, \
               each with a window of eight packets, 4.3BSD's default, and each from a machine of its own. The \
               gateway holds whatever they send. What counts are data that arrive for the first time.",
    choices: &[
        Choice {
            parameter: "delay",
            value: "20ms",
            reason: "one way: 400 yards and two IMP hops, of which the paper says no more",
        },
        Choice {
            parameter: "queue",
            value: "2000",
            reason: "packets that the gateway holds for the line: with all windows in it nothing is lost, \
                     and packets are only late. A gateway that drops them keeps its line of use",
        },
        OLD_TIMER,
        Choice {
            parameter: "backoff",
            value: "none",
            reason: "of the old sender: exponential backoff is one of the new algorithms, and with any that \
                     grows the collapse needs more conversations",
        },
        Choice {
            parameter: "initial",
            value: "6s",
            reason: "timeout before the first measurement: 4.3BSD took the round trip for 3 s, and waited for \
                     two of them. If the queue is longer nothing is ever measured (Karn's rule)",
        },
        NEW_TIMER,
    ],
    parameters: &[super::stated::SENDER, super::stated::CONVERSATIONS],
    sends: true,
    headline: &["bits_per_s_each", "of_line"],
    seconds: Seconds { full: 15.0, quick: 2.0 },
    work: Work::Rust { variants, run, judge },
};

/// How many conversations share the line, and how many of them are judged.
const CONVERSATIONS: [usize; 6] = [1, 4, 16, 32, 64, 128];
const MANY: usize = 64;
/// What is measured: not the beginning.
const FROM: Instant = Instant::from_secs(600);
const UNTIL: Instant = Instant::from_secs(1800);

fn printed(key: &str) -> f64 {
    published::number(&format!("jacobson88.collapse.{key}"))
}

fn variant(sender: &str, conversations: usize, seeds: u64) -> Variant {
    Variant::new(&[("sender", sender), ("conversations", &conversations.to_string())], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 1 } else { 5 };
    let mut variants = Vec::new();
    for sender in ["old", "new"] {
        variants.extend(CONVERSATIONS.map(|many| variant(sender, many, seeds)));
    }
    let [old, new] = ["old", "new"].map(|sender| variant(sender, MANY, seeds));
    for (parameter, value) in [
        ("delay", "200ms"),
        ("queue", "50"),
        ("queue", "200"),
        ("old_timer", "rfc793:ticks"),
        ("backoff", "linear"),
        ("initial", "1s"),
    ] {
        variants.push(old.but(parameter, value, seeds));
    }
    variants.push(new.but("new_timer", "jacobson88:ticks:one", seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let many: usize = job.get("conversations")?;
    let alone = printed("before_bps");
    let rate = (alone * f64::from(mss() + 40) / f64::from(mss())).round();
    let [delay, queue] = [job.word("delay")?, job.word("queue")?];
    let line = format!("rate={rate}bit,delay={delay},loss=0,queue={queue}");
    let dumbbell = dumbbell([&line, &line, ETHERNET], many)?;
    let (law, mut settings) = senders::sender(job)?;
    let window = mss() * published::whole::<u32>("jacobson88.collapse.window_packets");
    (settings.send_buffer, settings.receive_buffer) = (window, window);
    settings.rto.initial = job.get("initial")?;
    let ends = [settings, senders::slow_receiver(settings)];
    let hosts = dumbbell.senders.iter().zip(&dumbbell.receivers);
    let flow = |((&from, &to), start)| {
        let pause = Duration::ZERO;
        Flow { from, to, ends, start, pause, amount: ENDLESS }
    };
    let flows: Vec<Flow> = hosts.zip(starts(job, Duration::from_secs(60))).map(flow).collect();
    let mut flows = Flows::new(job, &dumbbell.topology, |_| law, &flows, ())?;
    let mut counts = [(0, 0); 2];
    for (count, until) in counts.iter_mut().zip([FROM, UNTIL]) {
        job.run_until(&mut flows.emulator, until)?;
        let bytes = (0..many).map(|flow| flows.delivered(flow)).sum::<u64>();
        let offered = flows.emulator.statistics(dumbbell.bottleneck[0]).packets_offered;
        *count = (bytes, offered);
    }
    let [before, after] = counts;
    let bytes = (after.0 - before.0) as f64;
    let bits_per_s = 8.0 * bytes / seconds(UNTIL.saturating_since(FROM));
    let mut sample = Sample::new();
    sample.set("bits_per_s_each", bits_per_s / many as f64);
    sample.set("of_line", bits_per_s / alone);
    let packets = bytes / f64::from(mss());
    sample.set("sent_for_each_that_arrives", (after.1 - before.1) as f64 / packets);
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let of = |sender: &str, many: usize, quantity: &str| {
        samples.spread(&variant(sender, many, 1).name(), quantity)
    };
    let (before, after) = (printed("before_bps"), printed("after_bps"));
    findings.push(
        Finding::new("bit/s of one conversation alone", of("old", 1, "bits_per_s_each")?)
            .paper(number(before))
            .note("the line's rate, which is not stated, is chosen so"),
    );
    let each = of("old", MANY, "bits_per_s_each")?;
    findings.push(
        Finding::new(format!("bit/s of each of {MANY} conversations, old senders"), each)
            .paper(number(after))
            .tolerance(Tolerance::AtMost(after * 1.05))
            .note("one-sided: how many there were is not stated, and so many are enough"),
    );
    let alone = of("old", 1, "bits_per_s_each")?.median;
    let fall = samples.derived(&variant("old", MANY, 1).name(), "fall", |sample| {
        Some(alone / sample.get("bits_per_s_each")?)
    })?;
    findings.push(
        Finding::new(format!("throughput alone over that of each of {MANY}, old senders"), fall)
            .paper(format!("{}: a factor of thousand", number(before / after)))
            .note("follows from the row above"),
    );
    findings.push(
        Finding::new(
            format!("share of the line that brings new data, {MANY} new senders"),
            of("new", MANY, "of_line")?,
        )
        .paper("1: the new senders use the link bandwidth (figure 11)")
        .tolerance(Tolerance::AtLeast(0.95)),
    );
    for sender in ["old", "new"] {
        findings.push(Finding::new(
            format!("packets sent for each that arrives, {MANY} {sender} senders"),
            of(sender, MANY, "sent_for_each_that_arrives")?,
        ));
    }
    findings.plots.push(plot(samples, [before, after]));
    Ok(findings)
}

/// What each gets over how many there are, and what is printed.
fn plot(samples: &Samples, [before, after]: [f64; 2]) -> Plot {
    let [x, y] = [Axis::log("conversations"), Axis::log("bit/s of each")];
    let title = "what a conversation gets of a line of 32 kbit/s (section 1)";
    let plot = ["old", "new"].into_iter().fold(Plot::new("each", title, x, y), |plot, sender| {
        let points = CONVERSATIONS.into_iter().filter_map(|many| {
            let spread =
                samples.spread(&variant(sender, many, 1).name(), "bits_per_s_each").ok()?;
            Some((many as f64, spread.median))
        });
        plot.line(format!("{sender} senders"), Style::LinePoints, points)
    });
    let [first, last] = [CONVERSATIONS[0], CONVERSATIONS[5]].map(|many| many as f64);
    let level = |value: f64| [(first, value), (last, value)];
    plot.line("printed: before", Style::Dashes, level(before)).line(
        "printed: October 1986",
        Style::Dashes,
        level(after),
    )
}
