//! Figures 7 to 12: four conversations over one link, before and after.

use super::conversations::{self, GATEWAY};
use super::figure_12::{time_constant, time_constant_of_spikes};
use super::senders::{BACKOFF, NEW_TIMER, OLD_TIMER, OVERHEAD};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::second;
use crate::papers::segments::{Conversation, SegmentLog, rate_over, sequence_plot};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::Instant;
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
            value: "150ms",
            reason: "one way: not stated; with it the old senders send as much again as figure 8's, and \
                     figure 4's slow start of two seconds fits. The receivers' split of figure 9 needs a \
                     shorter path: see the delay sweep",
        },
        OLD_TIMER,
        BACKOFF,
        NEW_TIMER,
        OVERHEAD,
        GATEWAY,
    ],
    parameters: &[super::stated::SENDER, super::stated::queue("50"), super::stated::DROPS],
    sends: true,
    headline: &["retransmitted", "delivered_of_25_kB"],
    seconds: Seconds { full: 20.0, quick: 15.0 },
    work: Work::Rust { variants, run, judge },
};

/// After it the new senders have found their windows (figure 10).
const START_OVER: Instant = Instant::from_secs(20);
/// Bytes per second of the line, and of data by the paper's count.
fn line_and_data() -> [f64; 2] {
    [printed("link_bps") / 8.0, printed("link_data_Bps")]
}

fn variant(sender: &str, seeds: u64) -> Variant {
    Variant::new(&[("sender", sender)], seeds)
}

/// New senders behind a gateway that drops early.
fn early(seeds: u64) -> Variant {
    Variant::new(&[("sender", "new"), ("drops", "early")], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    // Runs of the old senders differ by a third.
    let (seeds, rows) = if quick { (60, 3) } else { (200, 20) };
    let mut variants = Vec::new();
    for sender in ["old", "new"] {
        let base = variant(sender, seeds);
        for (parameter, value) in [("delay", "20ms"), ("delay", "200ms"), ("overhead", "+0")] {
            variants.push(base.but(parameter, value, rows));
        }
        variants.push(base);
    }
    let [old, new] = ["old", "new"].map(|sender| variant(sender, seeds));
    variants.push(old.but("old_timer", "rfc793:ticks", rows));
    // Karn's rule is among the paper's new algorithms.
    variants.push(old.but("old_timer", "rfc793:ticks:one-without-karn", rows));
    variants.push(old.but("backoff", "none", rows));
    // The old senders' windows at once never get through a gateway of five packets.
    variants.push(new.but("gateway", "5", rows));
    variants.push(new.but("new_timer", "jacobson88:ticks:one", rows));
    variants.push(early(rows));
    variants
}

/// The buffer of the gateway: packets are dropped where it is full, or early, by RED with the values of its own paper.
fn queue(job: &Job<'_>) -> Result<String, Stop> {
    let packets = job.word("queue")?;
    match job.word("drops")? {
        "full" => Ok(packets.to_owned()),
        "early" => Ok(format!("red:5:15:0.002:0.02:{packets}")),
        other => Err(Stop::Failed(format!("drops is full or early, not {other:?}"))),
    }
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let log = conversations::run(job, &queue(job)?)?;
    let mut sample = Sample::new();
    conversations::measure_trace(&mut sample, &log);
    conversations::measure_shares(&mut sample, &log);
    measure(&mut sample, &log);
    if job.draws() {
        draw(&mut sample, job, &log)?;
    }
    Ok(sample)
}

fn measure(sample: &mut Sample, log: &SegmentLog) {
    let all = || log.conversations();
    let packets: usize = all().map(Conversation::packets).sum();
    sample.set("packets", packets as f64);
    // While all four are at it, after the start.
    if let Some(first_end) = all().filter_map(Conversation::ended).min() {
        let seconds = second(first_end) - second(START_OVER);
        let acked = |at| all().map(|each| f64::from(each.acked_by(at))).sum::<f64>();
        let sent = |at| all().map(|each| each.sent_by(at) as f64).sum::<f64>();
        let [line, data] = line_and_data();
        let delivered = (acked(first_end) - acked(START_OVER)) / seconds;
        let offered = (sent(first_end) - sent(START_OVER)) / seconds;
        sample.set("delivered_of_25_kB", delivered / data);
        sample.set("delivered_of_28.8_kB", delivered / line);
        sample.set("offered_of_25_kB", offered / data);
    }
    let acked =
        |at| all().map(|each| f64::from(each.acked_by(at))).sum::<f64>() / line_and_data()[1];
    let interval = published::seconds("jacobson88.four_conversations.averaging_s.figure_12");
    let bandwidths = rate_over(Instant::from_secs(69), interval, acked);
    sample.set("spike_time_constant_s", time_constant_of_spikes(&bandwidths));
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

fn draw(sample: &mut Sample, job: &Job<'_>, log: &SegmentLog) -> Result<(), Stop> {
    let (sender, drops) = (job.word("sender")?, job.word("drops")?);
    let end = log.conversations().filter_map(Conversation::ended).max().unwrap_or_default();
    let figure = if sender == "old" { 8 } else { 9 };
    let title = format!("four conversations, {sender} senders (figure {figure})");
    sample.draw(sequence_plot("sequence", &title, log.conversations(), end));
    let axes = || [Axis::linear("time (s)"), Axis::linear("bandwidth in parts of 25 kB/s")];
    let all = || log.conversations();
    let [_, data] = line_and_data();
    let sent = |at| all().map(|each| each.sent_by(at) as f64).sum::<f64>() / data;
    let acked = |at| all().map(|each| f64::from(each.acked_by(at))).sum::<f64>() / data;
    let span = |figure: &str| {
        published::seconds(&format!("jacobson88.four_conversations.averaging_s.{figure}"))
    };
    let five = span("figures_10_11");
    let [x, y] = axes();
    let plot = Plot::new("total", "total bandwidth over 5 s (figure 10)", x, y);
    sample.draw(plot.line(sender, Style::Line, rate_over(end, five, sent)));
    let [x, y] = axes();
    let plot = Plot::new("effective", "effective bandwidth over 5 s (figure 11)", x, y);
    sample.draw(plot.line(sender, Style::Line, rate_over(end, five, acked)));
    if sender == "new" {
        let [x, y] = axes();
        let (name, title) = match drops {
            "early" => (
                "detail_early",
                "effective bandwidth over 3 s behind a gateway that drops early (figure 12)",
            ),
            _ => ("detail", "effective bandwidth over 3 s (figure 12)"),
        };
        let plot = Plot::new(name, title, x, y);
        let points = rate_over(end, span("figure_12"), acked);
        let times = "with_congestion_avoidance.figure_12.window_reductions_at_s";
        let marks = (0..3).map(|number| (printed(&format!("{times}.{number}")), 1.0));
        sample.draw(plot.line(sender, Style::Line, points).line(
            "printed: windows are reduced",
            Style::Crosses,
            marks,
        ));
    }
    Ok(())
}

/// Old senders and new in one picture, as figures 10 and 11 have them, with what is printed.
fn both(samples: &Samples) -> Vec<Plot> {
    let drawn = |sender: &str, name: &str| {
        let (_, sample) = samples.of(&variant(sender, 1).name()).next()?;
        sample.plots.iter().find(|plot| plot.name == name).cloned()
    };
    let both = |name, printed: [(&str, &str); 2]| {
        let (old, new) = (drawn("old", name)?, drawn("new", name)?);
        let title = format!("{}, old senders and new", old.title);
        let mut plot = Plot::new(name, &title, old.x, old.y);
        plot.lines = old.lines.into_iter().chain(new.lines).collect();
        let points = plot.lines.iter().flat_map(|line| &line.points);
        let end = points.map(|(time, _)| *time).fold(0.0, f64::max);
        Some(printed.into_iter().fold(plot, |plot, (name, key)| {
            let level = self::printed(key);
            plot.line(name, Style::Dashes, [(0.0, level), (end, level)])
        }))
    };
    let new = ("printed: new", "with_congestion_avoidance.delivered_over_link");
    let total = [("printed: old", "without_congestion_avoidance.load_over_link"), new];
    let effective = [("printed: old", "without_congestion_avoidance.delivered_over_link"), new];
    [both("total", total), both("effective", effective)].into_iter().flatten().collect()
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    judge_old(samples, &mut findings)?;
    judge_new(samples, &mut findings)?;
    findings.plots.extend(both(samples));
    findings.note(
        "The paper's figures are one run each. Rates are those from the last conversation's start until \
         the first one ends: afterwards the others have the line for themselves, and all end alike.",
    );
    Ok(findings)
}

/// A number that the paper prints of the four conversations.
fn printed(key: &str) -> f64 {
    published::number(&format!("jacobson88.four_conversations.{key}"))
}

fn judge_old(samples: &Samples, findings: &mut Findings) -> Result<(), Stop> {
    let name = variant("old", 1).name();
    let printed = |key: &str| printed(&format!("without_congestion_avoidance.{key}"));
    let spread = |quantity: &str| samples.spread(&name, quantity);
    let (sent, again) = (printed("packets_sent"), printed("retransmissions"));
    for (what, quantity, printed, plot) in [
        (
            "share of the trace's 11,000 packets that were sent again",
            "retransmitted",
            again / sent,
            "sequence",
        ),
        ("packets of the trace that were sent first", "unique", sent - again, "sequence"),
        (
            "delivered in parts of 25 kB/s",
            "delivered_of_25_kB",
            printed("delivered_over_link"),
            "effective",
        ),
        ("sent in parts of 25 kB/s", "offered_of_25_kB", printed("load_over_link"), "total"),
    ] {
        findings.push(
            Finding::new(format!("{what}, old senders"), spread(quantity)?)
                .shown_in(plot)
                .paper(number(printed))
                .tolerance(Tolerance::around(printed, 0.05)),
        );
    }
    let ratio = printed("conversation_Bps.0") / printed("conversation_Bps.3");
    findings.push(
        Finding::new("best conversation over the worst, old senders", spread("best_over_worst")?)
            .paper(number(ratio))
            .tolerance(Tolerance::around(ratio, 0.05))
            .missed(
                "one run of the paper's, in which one conversation got next to nothing: here few seeds are \
                 like that, and half of them stay below 2",
            ),
    );
    findings.push(
        Finding::new(
            "delivered in parts of the line's 28.8 kB/s, old senders",
            spread("delivered_of_28.8_kB")?,
        )
        .note("from 20 s until the first conversation ends"),
    );
    findings.push(Finding::new("packets sent in all, old senders", spread("packets")?));
    Ok(())
}

fn judge_new(samples: &Samples, findings: &mut Findings) -> Result<(), Stop> {
    let name = variant("new", 1).name();
    let printed = |key: &str| printed(&format!("with_congestion_avoidance.{key}"));
    let spread = |quantity: &str| samples.spread(&name, quantity);
    let again = printed("retransmissions") / printed("packets_sent");
    findings.push(
        Finding::new("share of packets retransmitted, new senders", spread("retransmitted")?)
            .paper(format!("{again:.4}: 1 %"))
            .tolerance(Tolerance::Between(0.005, 0.015)),
    );
    let delivered = printed("delivered_over_link");
    findings.push(
        Finding::new("delivered in parts of 25 kB/s, new senders", spread("delivered_of_25_kB")?)
            .shown_in("effective")
            .paper(number(delivered))
            .tolerance(Tolerance::around(delivered, 0.05))
            .note("from 20 s until the first conversation ends"),
    );
    let sent = printed("packets_sent");
    findings.push(
        Finding::new("packets sent, new senders", spread("packets")?)
            .paper(number(sent))
            .tolerance(Tolerance::around(sent, 0.05)),
    );
    let ratio = printed("conversation_Bps.0") / printed("conversation_Bps.3");
    findings.push(
        Finding::new("best conversation over the worst, new senders", spread("best_over_worst")?)
            .paper(number(ratio))
            .note("the receivers' kinds decide on a short path only: see the delay sweep"),
    );
    findings.push(Finding::new(
        "delivered in parts of the line's 28.8 kB/s, new senders",
        spread("delivered_of_28.8_kB")?,
    ));
    findings.push(
        Finding::new(
            "s, time constant of the windows at their reductions, new senders",
            spread("window_time_constant_s")?,
        )
        .shown_in("detail")
        .paper(number(printed("figure_12.fitted_time_constant_s")))
        .tolerance(Tolerance::around(printed("figure_12.fitted_time_constant_s"), 0.05))
        .missed("three reductions of one run in the paper; windows here hardly fall from one to the next"),
    );
    judge_spikes(samples, findings);
    judge_early(samples, findings)?;
    let times = published::text(
        "jacobson88.four_conversations.with_congestion_avoidance.figure_12.window_reductions_at_s",
    );
    findings.push(
        Finding::new(
            "windows that were reduced in the first minute, new senders",
            spread("reductions_in_a_minute")?,
        )
        .paper(format!("reductions at {times} s are pointed out"))
        .note("the paper does not say that these are all"),
    );
    Ok(())
}

/// The same as the paper reads it off its figure, where spikes shrink in any seed.
fn judge_spikes(samples: &Samples, findings: &mut Findings) {
    let key = "with_congestion_avoidance.figure_12.fitted_time_constant_s";
    if let Ok(spread) = samples.spread(&variant("new", 1).name(), "spike_time_constant_s") {
        findings.push(
            Finding::new(
                "s, time constant of the three highest spikes of the figure, new senders",
                spread,
            )
            .shown_in("detail")
            .paper(number(printed(key)))
            .note("as the paper reads it, of one run; here of the seeds in which spikes shrink"),
        );
    }
}

/// The time constant that the paper expects of another gateway.
fn judge_early(samples: &Samples, findings: &mut Findings) -> Result<(), Stop> {
    let expected =
        printed("with_congestion_avoidance.figure_12.expected_with_gateway_drop_policy_s");
    let quantity =
        "s, time constant of the windows at their reductions, a gateway that drops early";
    findings.push(
        Finding::new(quantity, samples.spread(&early(1).name(), "window_time_constant_s")?)
            .shown_in("detail_early")
            .paper(format!("{}, expected", number(expected)))
            .note("no measurement of the paper's: what it expects of an algorithm that was still to come"),
    );
    Ok(())
}
