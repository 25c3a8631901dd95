//! Four conversations over one link (figure 7): how they run, and what each got.

use super::senders;
use crate::experiment::{Choice, Job, Stop};
use crate::papers::flows::{ETHERNET, Flow, Flows, dumbbell, second, starts};
use crate::papers::segments::{Conversation, SegmentLog};
use crate::published;
use crate::sample::Sample;
use ackclock::apps::Amount;
use ackclock::time::{Duration, Instant};

/// The gateway's side of the Ethernet.
pub(super) const GATEWAY: Choice = Choice {
    parameter: "gateway",
    value: "infinite",
    reason: "packets back to back that the gateway takes from the Ethernet while it is busy: the paper \
             counts the queue of the link only",
};

/// Which receivers are 4.3BSD's.
const SLOW: [bool; 4] = [true, false, true, false];
/// Runs them all to their ends, where `queue` is the buffer of the gateway before the line.
pub(super) fn run(job: &Job<'_>, queue: &str) -> Result<SegmentLog, Stop> {
    let (delay, overhead) = (job.word("delay")?, job.word("overhead")?);
    let rate = published::number("jacobson88.four_conversations.link_bps");
    let line = format!("rate={rate}bit,delay={delay},loss=0,queue={queue},overhead={overhead}");
    let spacing = published::seconds("jacobson88.four_conversations.start_spacing_s");
    let access = ETHERNET.replace("infinite", job.word("gateway")?);
    let dumbbell = dumbbell([&line, &line, &access], SLOW.len())?;
    let (law, mut settings) = senders::sender(job)?;
    settings.mss = Some(published::whole("jacobson88.four_conversations.mss"));
    let window = published::whole("jacobson88.four_conversations.window_bytes");
    (settings.send_buffer, settings.receive_buffer) = (window, window);
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
            start: jitter + spacing.saturating_mul(index as u64),
            pause: Duration::ZERO,
            amount: Amount::Bytes(published::whole("jacobson88.four_conversations.transfer_bytes")),
        });
    }
    let log = SegmentLog::new(dumbbell.senders.iter().copied());
    let mut flows = Flows::new(job, &dumbbell.topology, |_| law, &flows, log)?;
    flows.run_until_done(job, Instant::from_secs(5000))?;
    Ok(flows.emulator.into_observer().0)
}

/// What was sent in the trace: its first 11,000 packets, or all if they are fewer.
pub(super) fn measure_trace(sample: &mut Sample, log: &SegmentLog) {
    let sent = log.conversations().flat_map(|each| &each.sent);
    let mut sent: Vec<_> = sent.map(|sent| (sent.at, sent.again)).collect();
    sent.sort_unstable();
    sent.truncate(published::whole(
        "jacobson88.four_conversations.without_congestion_avoidance.packets_sent",
    ));
    let unique = sent.iter().filter(|(_, again)| !again).count() as f64;
    sample.set("unique", unique);
    sample.set("retransmitted", 1.0 - unique / sent.len() as f64);
}

/// What each conversation got while all four ran: from the last one's start to the first one's end.
pub(super) fn measure_shares(sample: &mut Sample, log: &SegmentLog) {
    let all = || log.conversations();
    let last_start = all().filter_map(|each| each.sent.first()).map(|sent| sent.at).max();
    let first_end = all().filter_map(Conversation::ended).min();
    let (Some(from), Some(until)) = (last_start, first_end) else { return };
    let seconds = second(until) - second(from);
    let rate =
        |each: &Conversation| f64::from(each.acked_by(until) - each.acked_by(from)) / seconds;
    let rates: Vec<f64> = all().map(rate).collect();
    let best = rates.iter().copied().fold(0.0, f64::max);
    let worst = rates.iter().copied().fold(f64::INFINITY, f64::min);
    sample.set("best_over_worst", best / worst);
    let mut means = [0.0; 2];
    for (mean, (name, wanted)) in means.iter_mut().zip([("slow", true), ("fast", false)]) {
        let of_kind = || (0..SLOW.len()).filter(move |flow| SLOW[*flow] == wanted);
        *mean = of_kind().filter_map(|flow| rates.get(flow)).sum::<f64>() / 2.0;
        sample.set(format!("bytes_per_s_to_{name}_receivers"), *mean);
        let conversations = || of_kind().filter_map(|flow| log.conversation(flow));
        let again: usize = conversations().map(Conversation::retransmissions).sum();
        let packets: usize = conversations().map(Conversation::packets).sum();
        sample.set(format!("retransmitted_to_{name}_receivers"), again as f64 / packets as f64);
    }
    let [slow, fast] = means;
    sample.set("fast_over_slow", fast / slow);
}
