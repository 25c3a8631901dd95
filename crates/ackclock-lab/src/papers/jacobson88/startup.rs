//! Figures 3 and 4: how a conversation starts with and without slow start.

use super::senders::{self, BACKOFF, NEW_TIMER, OLD_TIMER, OVERHEAD, mss};
use crate::drawing::{DrawPrinted, together};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::ratio;
use crate::papers::flows::{ENDLESS, Flow, Flows};
use crate::papers::segments::{SegmentLog, sequence_plot};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Topology};
use ackclock_report::{Axis, Plot, Style, number};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "startup",
    paper: Paper::Jacobson88,
    shows: "figures 3 and 4",
    title: "startup with and without slow start: bandwidth wasted on retransmissions",
    scenario: "Two hosts over six store-and-forward hops, one of them with 20 kB/s left for this \
               conversation. The window is 16 kB, 32 packets of 512 bytes, and the bottleneck \
               gateway has buffers for 30 packets, so that pipe and queue together hold a window, \
               the queue alone does not.",
    choices: &[
        Choice {
            parameter: "delay",
            value: "200ms",
            reason: "one way, of all hops: slow start takes two seconds in figure 4, five round \
                     trips for 32 packets",
        },
        Choice {
            parameter: "receiver",
            value: "own",
            reason: "the same system at both ends: 4.3BSD's receiver, which waits for 35 % of the \
                     window or 200 ms, with the old sender, and the one that delays an ack for at \
                     most one packet with the new",
        },
        OLD_TIMER,
        BACKOFF,
        NEW_TIMER,
        OVERHEAD,
    ],
    parameters: &[super::stated::SENDER, super::stated::queue("30")],
    sends: true,
    headline: &["bytes_per_s", "bytes_per_s_in_a_minute"],
    seconds: Seconds { full: 3.0, quick: 1.0 },
    work: Work::Rust { variants, run, judge },
};

/// Bytes of data per second that the conversation can have.
fn available() -> f64 {
    published::number("jacobson88.startup.path_data_Bps")
}

/// What figure 4 shows: about so many seconds.
const TRACE: Duration = Duration::from_secs(10);
const MINUTE: Duration = Duration::from_secs(60);

fn variant(sender: &str, seeds: u64) -> Variant {
    Variant::new(&[("sender", sender)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 5 } else { 30 };
    let mut variants = Vec::new();
    for sender in ["old", "new"] {
        let base = variant(sender, seeds);
        for (parameter, value) in [
            ("delay", "50ms"),
            ("delay", "400ms"),
            ("receiver", "slow"),
            ("receiver", "fast"),
            ("overhead", "+0"),
        ] {
            variants.push(base.but(parameter, value, seeds));
        }
        variants.push(base);
    }
    let [old, new] = ["old", "new"].map(|sender| variant(sender, seeds));
    variants.push(old.but("old_timer", "rfc793", seeds));
    variants.push(old.but("backoff", "none", seeds));
    variants.push(new.but("new_timer", "jacobson88:ticks:one", seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let overhead = job.word("overhead")?;
    let on_wire = f64::from(mss() + 40) + job.get::<f64>("overhead")?;
    let rate = (available() * on_wire / f64::from(mss()) * 8.0).round();
    let delay: Duration = job.get("delay")?;
    // All hops share the delay but the sender's Ethernet.
    let hops: u64 = published::whole("jacobson88.startup.hops");
    let hop = format!("delay={}us,loss=0,overhead={overhead}", delay.as_micros() / (hops - 1));
    let fast: Path = format!("rate=10mbit,{hop},queue=infinite").parse()?;
    let slow = fast.with(&format!("rate={rate}bit"))?;
    let ethernet = fast.with("delay=0ms")?;
    let both = |path: &Path| [path.clone(), path.clone()];
    let bottleneck = [slow.with(&format!("queue={}", job.word("queue")?))?, slow];
    let behind = (2..hops).map(|_| both(&fast));
    let hops: Vec<_> = [both(&ethernet), bottleneck].into_iter().chain(behind).collect();
    let chain = Topology::chain(&hops);
    let (law, settings) = senders::sender(job)?;
    let receiver = match (job.word("receiver")?, job.word("sender")?) {
        ("slow", _) | ("own", "old") => senders::slow_receiver(settings),
        _ => senders::fast_receiver(settings)?,
    };
    let [from, to] = chain.ends;
    let start = Instant::ZERO;
    let flow = Flow {
        from,
        to,
        ends: [settings, receiver],
        start,
        pause: Duration::ZERO,
        amount: ENDLESS,
    };
    let log = SegmentLog::new([from]);
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], log)?;
    // The handshake, which the figures leave out, takes a little.
    job.run_until(&mut flows.emulator, Instant::ZERO + MINUTE + TRACE)?;
    let log = flows.emulator.into_observer().0;
    let conversation = log.conversation(0).ok_or(Stop::Failed("nothing was sent".to_owned()))?;
    // From the first data on, without the handshake, as the figures are drawn.
    let first = conversation.sent.first().map_or(Instant::ZERO, |sent| sent.at);
    let mut sample = Sample::new();
    for (quantity, time) in [("bytes_per_s", TRACE), ("bytes_per_s_in_a_minute", MINUTE)] {
        let acked = f64::from(conversation.acked_by(first + time));
        sample.set(quantity, acked / (time.as_nanos() as f64 / 1e9));
    }
    let again = conversation.retransmissions() as f64;
    sample.set("retransmitted", again / conversation.packets() as f64);
    let times = conversation.times_sent(mss());
    let more_than_once = times.iter().filter(|times| **times > 1).count();
    sample.set("sent_more_than_once", more_than_once as f64 / times.len() as f64);
    sample.set("most_times_sent", times.iter().copied().max().unwrap_or(0).into());
    if job.draws() {
        let figure = if job.word("sender")? == "old" { 3 } else { 4 };
        let title = format!("sequence numbers (figure {figure})");
        let all = log.conversations();
        let plot = sequence_plot("sequence", &title, all, first + TRACE);
        let old = ("throughput of 7 kB/s", "without_slow_start_Bps");
        let new = ("throughput of 16 kB/s", "with_slow_start_start_of_trace_Bps");
        let printed = [("20 kB/s available", "path_data_Bps"), if figure == 3 { old } else { new }];
        sample.draw(printed.into_iter().fold(plot, |plot, (what, key)| {
            let rate = published::number(&format!("jacobson88.startup.{key}"));
            plot.printed_slope(what, rate / 1e3)
        }));
        let [x, y] = [Axis::linear("first byte (kB)"), Axis::linear("times sent")];
        let title =
            format!("how often each packet was sent in a minute, {} sender", job.word("sender")?);
        let by_range = (0_u32..).map(|packet| f64::from(packet * mss()) / 1e3);
        let points: Vec<_> = by_range.zip(times.iter().copied().map(f64::from)).collect();
        sample.draw(Plot::new("times_sent", &title, x, y).line("packets", Style::Steps, points));
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let [old, new] = ["old", "new"].map(|sender| variant(sender, 1).name());
    let mut findings = Findings::new();
    let paper = |key: &str| published::text(&format!("jacobson88.startup.{key}"));
    findings.push(
        Finding::new(
            "throughput with slow start over the old sender's, in 10 s",
            ratio(samples, [&new, &old], "bytes_per_s")?,
        )
        .paper("two times better")
        .tolerance(Tolerance::AtLeast(2.0))
        .missed(
            "the old sender gets more than the paper's, and how much of 10 s slow start takes depends on \
             the round-trip time, which is not stated",
        ),
    );
    findings.push(
        Finding::new(
            "throughput with slow start over the old sender's, in a minute",
            ratio(samples, [&new, &old], "bytes_per_s_in_a_minute")?,
        )
        .paper("19/7 = 2.7")
        .tolerance(Tolerance::AtLeast(2.0)),
    );
    let fewer = "a packet is sent twice here at most, in the paper five times";
    let shorter = "the length of the trace and the round-trip time are not stated";
    for (name, quantity, key, what, missed) in [
        (
            &old,
            "bytes_per_s",
            "without_slow_start_Bps",
            "bytes/s without slow start, in 10 s",
            Some(fewer),
        ),
        (
            &old,
            "bytes_per_s_in_a_minute",
            "without_slow_start_Bps",
            "bytes/s without slow start, in a minute",
            Some(fewer),
        ),
        (
            &new,
            "bytes_per_s",
            "with_slow_start_start_of_trace_Bps",
            "bytes/s with slow start, in 10 s",
            Some(shorter),
        ),
        (
            &new,
            "bytes_per_s_in_a_minute",
            "with_slow_start_one_minute_Bps",
            "bytes/s with slow start, in a minute",
            None,
        ),
    ] {
        let printed = published::number(&format!("jacobson88.startup.{key}"));
        let finding = Finding::new(what, samples.spread(name, quantity)?)
            .paper(paper(key))
            .tolerance(Tolerance::around(printed, 0.05));
        findings.push(missed.iter().fold(finding, |finding, why| finding.missed(*why)));
    }
    let wasted = samples.derived(&old, "waste", |sample| {
        Some(1.0 - sample.get("bytes_per_s_in_a_minute")? / available())
    })?;
    let printed =
        1.0 - published::number("jacobson88.startup.without_slow_start_Bps") / available();
    findings.push(
        Finding::new("share of the bandwidth that the old sender wastes", wasted)
            .paper(number(printed))
            .tolerance(Tolerance::around(printed, 0.05))
            .missed(fewer),
    );
    findings.push(
        Finding::new(
            "share of the old sender's data that is sent more than once",
            samples.spread(&old, "sent_more_than_once")?,
        )
        .paper(paper("without_slow_start_note"))
        .note("no number is printed"),
    );
    findings.push(
        Finding::new(
            "most times that the old sender sends the same packet",
            samples.spread(&old, "most_times_sent")?,
        )
        .paper("5 (bytes 54 to 58 kB)")
        .tolerance(Tolerance::Exactly(5.0))
        .missed("not reproduced"),
    );
    findings.push(
        Finding::new(
            "packets of the new sender that are retransmissions",
            samples.spread(&new, "retransmitted")?,
        )
        .paper("none")
        .tolerance(Tolerance::Exactly(0.0)),
    );
    let title = "sequence numbers of the old sender and the new one (figures 3 and 4)";
    let variants = [(old, "old: "), (new, "new: ")];
    let both = together(samples, "sequence", title, &variants);
    findings.plots.extend(both.map(|plot| Plot { name: "both".to_owned(), ..plot }));
    Ok(findings)
}
