//! Figures 7 to 12: four conversations over one link, before and after.

use super::senders::{self, BACKOFF, NEW_TIMER, OLD_TIMER, OVERHEAD};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{ETHERNET, Flow, Flows, dumbbell, second, starts};
use crate::papers::segments::{Conversation, SegmentLog, rate_over, sequence_plot};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::apps::Amount;
use ackclock::time::{Duration, Instant};
use ackclock_report::{Axis, Plot, Style, number};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "four_conversations",
    paper: Paper::Jacobson88,
    shows: "figures 7 to 12",
    title: "four conversations of 1 MB over one link with and without congestion avoidance",
    scenario: "Transfers of 2048 packets of 512 bytes start 3 s apart from four machines on one \
               Ethernet to four on another, over a link of 230.4 kbit/s whose queue holds 50 \
               packets. Windows are 16 kB. Two receivers are 4.3BSD's, which delay an ack until 35 \
               % of the window is filled or 200 ms have passed, two are newer and delay it for at \
               most one packet.",
    choices: &[
        Choice {
            parameter: "delay",
            value: "200ms",
            reason: "one way: not stated; a round trip of 0.4 s is what figure 4's slow start \
                     suggests",
        },
        OLD_TIMER,
        BACKOFF,
        NEW_TIMER,
        OVERHEAD,
    ],
    headline: &["retransmitted", "delivered_of_25_kB"],
    seconds: Seconds { full: 20.0, quick: 15.0 },
    variants,
    run,
    judge,
};

const BYTES: u64 = 1 << 20;
/// After it the new senders have found their windows (figure 10).
const START_OVER: Instant = Instant::from_secs(20);
/// Bytes per second of the line, and of data by the paper's count.
const LINE: f64 = 28_800.0;
const DATA: f64 = 25_000.0;
/// Which receivers are 4.3BSD's.
const SLOW: [bool; 4] = [true, false, true, false];

fn variant(sender: &str) -> Variant {
    Variant::new(&[("sender", sender)], SEEDS)
}

/// Runs of the old senders differ by a third, and what they send again lies near the tolerance's edge: the
/// median of fewer says more of their seeds than of the senders.
const SEEDS: u64 = 400;

fn variants(quick: bool) -> Vec<Variant> {
    let rows = if quick { 3 } else { 10 };
    let mut variants = Vec::new();
    for sender in ["old", "new"] {
        let base = variant(sender);
        for (parameter, value) in [("delay", "20ms"), ("delay", "100ms"), ("overhead", "+0")] {
            variants.push(base.but(parameter, value, rows));
        }
        variants.push(base);
    }
    let [old, new] = ["old", "new"].map(variant);
    variants.push(old.but("old_timer", "rfc793:ticks", rows));
    variants.push(old.but("backoff", "none", rows));
    variants.push(new.but("new_timer", "jacobson88:ticks:one", rows));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let (delay, overhead) = (job.word("delay")?, job.word("overhead")?);
    let line = format!("rate=230.4kbit,delay={delay},loss=0,queue=50,overhead={overhead}");
    let dumbbell = dumbbell([&line, &line, ETHERNET], SLOW.len())?;
    let (law, settings) = senders::sender(job)?;
    let mut flows = Vec::new();
    // Nobody starts transfers by hand to the millisecond.
    for (index, (is_slow, jitter)) in
        SLOW.into_iter().zip(starts(job, Duration::from_millis(100))).enumerate()
    {
        let receiver = match is_slow {
            true => senders::slow_receiver(settings),
            false => senders::fast_receiver(settings)?,
        };
        flows.push(Flow {
            from: dumbbell.senders[index],
            to: dumbbell.receivers[index],
            ends: [settings, receiver],
            start: jitter + Duration::from_secs(3 * index as u64),
            amount: Amount::Bytes(BYTES),
        });
    }
    let log = SegmentLog::new(dumbbell.senders.iter().copied());
    let mut flows = Flows::new(job, &dumbbell.topology, |_| law, &flows, log)?;
    flows.run_until_done(job, Instant::from_secs(5000))?;
    let rates: Vec<f64> = (0..SLOW.len())
        .filter_map(|flow| flows.seconds(flow))
        .map(|seconds| BYTES as f64 / seconds)
        .collect();
    let log = flows.emulator.into_observer().0;
    let mut sample = Sample::new();
    measure(&mut sample, &log, &rates);
    if job.draws() {
        draw(&mut sample, job.word("sender")?, &log);
    }
    Ok(sample)
}

fn measure(sample: &mut Sample, log: &SegmentLog, rates: &[f64]) {
    let all = || log.conversations();
    let packets: usize = all().map(Conversation::packets).sum();
    let again: usize = all().map(Conversation::retransmissions).sum();
    sample.set("packets", packets as f64);
    sample.set("retransmissions", again as f64);
    sample.set("retransmitted", again as f64 / packets as f64);
    // While all four are at it, after the start.
    if let Some(first_end) = all().filter_map(Conversation::ended).min() {
        let seconds = second(first_end) - second(START_OVER);
        let acked = |at| all().map(|each| f64::from(each.acked_by(at))).sum::<f64>();
        let sent = |at| all().map(|each| each.sent_by(at) as f64).sum::<f64>();
        let delivered = (acked(first_end) - acked(START_OVER)) / seconds;
        let offered = (sent(first_end) - sent(START_OVER)) / seconds;
        sample.set("delivered_of_25_kB", delivered / DATA);
        sample.set("delivered_of_28.8_kB", delivered / LINE);
        sample.set("offered_of_25_kB", offered / DATA);
    }
    let best = rates.iter().copied().fold(0.0, f64::max);
    let worst = rates.iter().copied().fold(f64::INFINITY, f64::min);
    sample.set("best_over_worst", best / worst);
    for (name, wanted) in [("slow", true), ("fast", false)] {
        let of_kind = || SLOW.iter().enumerate().filter(move |(_, is_slow)| **is_slow == wanted);
        let mean = of_kind().filter_map(|(flow, _)| rates.get(flow)).sum::<f64>() / 2.0;
        sample.set(format!("bytes_per_s_to_{name}_receivers"), mean);
        let conversations = || of_kind().filter_map(|(flow, _)| log.conversation(flow));
        let again: usize = conversations().map(Conversation::retransmissions).sum();
        let packets: usize = conversations().map(Conversation::packets).sum();
        sample.set(format!("retransmitted_to_{name}_receivers"), again as f64 / packets as f64);
    }
    let reductions = reductions(log);
    sample.set("window_time_constant_s", time_constant(&reductions));
    sample.set("reductions_in_a_minute", reductions.len() as f64);
}

/// When windows were reduced in the first minute, and how large they were: what had been sent and
/// not acknowledged when a retransmission followed a silence.
fn reductions(log: &SegmentLog) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    for conversation in log.conversations() {
        let mut sent_to = 0;
        for sent in &conversation.sent {
            let acked = conversation.acked_by(sent.at);
            if sent.again && sent.offset == acked && sent.at < Instant::from_secs(60) {
                found.push((second(sent.at), f64::from(sent_to - acked)));
            }
            sent_to = sent_to.max(sent.offset + sent.bytes);
        }
    }
    found
}

/// The time constant of the exponential that fits best, by least squares of the logarithms; NaN if
/// there is none.
fn time_constant(points: &[(f64, f64)]) -> f64 {
    let points = points.iter().filter(|(_, size)| *size > 0.0);
    let (mut n, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (time, size) in points {
        let log = size.ln();
        (n, x, y, xx, xy) = (n + 1.0, x + time, y + log, xx + time * time, xy + time * log);
    }
    let slope = (n * xy - x * y) / (n * xx - x * x);
    if slope < 0.0 { -1.0 / slope } else { f64::NAN }
}

fn draw(sample: &mut Sample, sender: &str, log: &SegmentLog) {
    let end = log.conversations().filter_map(Conversation::ended).max().unwrap_or_default();
    let figure = if sender == "old" { 8 } else { 9 };
    let title = format!("four conversations, {sender} senders (figure {figure})");
    sample.draw(sequence_plot("sequence", &title, log.conversations(), end));
    let axes = || [Axis::linear("time (s)"), Axis::linear("bandwidth in parts of 25 kB/s")];
    let all = || log.conversations();
    let sent = |at| all().map(|each| each.sent_by(at) as f64).sum::<f64>() / DATA;
    let acked = |at| all().map(|each| f64::from(each.acked_by(at))).sum::<f64>() / DATA;
    let five = Duration::from_secs(5);
    let [x, y] = axes();
    let plot = Plot::new("total", "total bandwidth over 5 s (figure 10)", x, y);
    sample.draw(plot.line(sender, Style::Line, rate_over(end, five, sent)));
    let [x, y] = axes();
    let plot = Plot::new("effective", "effective bandwidth over 5 s (figure 11)", x, y);
    sample.draw(plot.line(sender, Style::Line, rate_over(end, five, acked)));
    if sender == "new" {
        let [x, y] = axes();
        let plot = Plot::new("detail", "effective bandwidth over 3 s (figure 12)", x, y);
        let points = rate_over(end, Duration::from_secs(3), acked);
        sample.draw(plot.line(sender, Style::Line, points));
    }
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let [old, new] = ["old", "new"].map(|sender| variant(sender).name());
    let printed = |sender: &str, key: &str| {
        published::number(&format!("jacobson88.four_conversations.{sender}.{key}"))
    };
    let (before, after) = ("without_congestion_avoidance", "with_congestion_avoidance");
    let share = |sender| printed(sender, "retransmissions") / printed(sender, "packets_sent");
    let mut findings = Findings::new();
    for (name, sender, title, lost, delivered) in [
        (
            &old,
            before,
            "old senders",
            Tolerance::Between(0.33, 0.40),
            Tolerance::Between(0.60, 0.80),
        ),
        (&new, after, "new senders", Tolerance::Below(0.02), Tolerance::Above(0.97)),
    ] {
        findings.push(
            Finding::new(
                format!("share of packets retransmitted, {title}"),
                samples.spread(name, "retransmitted")?,
            )
            .paper(format!("{:.3}", share(sender)))
            .tolerance(lost),
        );
        findings.push(
            Finding::new(
                format!("delivered in parts of 25 kB/s, {title}"),
                samples.spread(name, "delivered_of_25_kB")?,
            )
            .paper(printed(sender, "delivered_over_link").to_string())
            .tolerance(delivered)
            .note("from 20 s until the first conversation ends"),
        );
        findings.push(Finding::new(
            format!("delivered in parts of the line's 28.8 kB/s, {title}"),
            samples.spread(name, "delivered_of_28.8_kB")?,
        ));
        findings.push(
            Finding::new(format!("packets sent, {title}"), samples.spread(name, "packets")?)
                .paper(printed(sender, "packets_sent").to_string()),
        );
        let best_over_worst =
            printed(sender, "conversation_Bps.0") / printed(sender, "conversation_Bps.3");
        findings.push(
            Finding::new(
                format!("best conversation over the worst, {title}"),
                samples.spread(name, "best_over_worst")?,
            )
            .paper(number(best_over_worst)),
        );
    }
    findings.push(
        Finding::new(
            "sent in parts of 25 kB/s, old senders",
            samples.spread(&old, "offered_of_25_kB")?,
        )
        .paper(printed(before, "load_over_link").to_string()),
    );
    for (quantity, key, what) in [
        (
            "bytes_per_s_to_fast_receivers",
            "conversation_Bps.0",
            "bytes/s to receivers that ack every other packet",
        ),
        ("bytes_per_s_to_slow_receivers", "conversation_Bps.3", "bytes/s to 4.3BSD's receivers"),
        (
            "retransmitted_to_fast_receivers",
            "loss_rate_fast",
            "share retransmitted to receivers that ack every other packet",
        ),
        (
            "retransmitted_to_slow_receivers",
            "loss_rate_slow",
            "share retransmitted to 4.3BSD's receivers",
        ),
        (
            "window_time_constant_s",
            "figure_12.fitted_time_constant_s",
            "s, time constant of the windows at their reductions",
        ),
    ] {
        findings.push(
            Finding::new(format!("{what}, new senders"), samples.spread(&new, quantity)?)
                .paper(printed(after, key).to_string()),
        );
    }
    findings.push(
        Finding::new(
            "windows that were reduced in the first minute, new senders",
            samples.spread(&new, "reductions_in_a_minute")?,
        )
        .paper({
            let times = "figure_12.window_reductions_at_s";
            let times = published::text(&format!("jacobson88.four_conversations.{after}.{times}"));
            format!("reductions at {times} s are pointed out")
        }),
    );
    findings.note(
        "The paper's ratio of 16 between the best and the worst of the old conversations, and of 8 to \
         4.5 kB/s between the receivers, are one run each. Here the old senders are alike: the \
         queue drops from all of them, and all go back by a window. Nor do conversations with \
         4.3BSD's receivers lose more than the others, or take longer.",
    );
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_constant_of_an_exponential_is_found() {
        let points = [0.0, 10.0, 30.0].map(|time: f64| (time, 1000.0 * (-time / 20.0).exp()));
        assert!((time_constant(&points) - 20.0).abs() < 1e-9);
        assert!(time_constant(&[(0.0, 1.0), (1.0, 2.0)]).is_nan());
    }
}
