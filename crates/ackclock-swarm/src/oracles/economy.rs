//! Economy: what is sent, and how often a timer fires, is bounded by what the path did.
//!
//! The network counts what it lost, duplicated and let overtake, so that nothing that the stacks believe is
//! asked. For each flow between two honest hosts:
//!
//! - **Repetitions**: payload beyond what applications wrote is at most so many windows for each loss seen: a
//!   timeout may send all that is in flight once more (go-back-N), and a spurious one too. `REPEATED` full windows of what
//!   can be in flight for each packet that the path lost, dropped, held back or let overtake, and `SPARE` besides
//!   for timeouts without a cause that the network sees (a host that is stopped, a jump of a clock). A receiver whose
//!   acks come later than probes and least timeouts allow for is left out, and so is a least timeout below that. A
//!   sender that has room for one segment only may send each of them twice: with a delayed ack it comes later than the
//!   timeout, and is acknowledged at once when it has come twice, which gives no measurement (RFC 6298 section 3).
//! - **Segments** without payload: each packet that arrives is answered by at most `ANSWERS` (an ack, and a
//!   window update when the application reads), besides probes, which time bounds: one in each least timeout.
//! - **Timers**: a host's stack is called for a timer at most `TIMERS` times for each packet that it sends or
//!   receives, and besides once in each least tick.

use super::Finding;
use crate::case::{Flow, HostSettings};
use crate::run::Outcome;
use ackclock::tcp::{AckPolicy, AckTimer};
use ackclock::time::Duration;

/// Bare segments for each packet that arrives.
const ANSWERS: u64 = 2;
/// Calls for timers for each packet.
const TIMERS: u64 = 4;
/// Packets that cost nothing to explain: handshakes, ends, first probes.
const SPARE: u64 = 64;
/// The least time between two probes, in milliseconds.
const TICK: u64 = 10;

/// How late an ack may come that a probe does not run into (RFC 8985 section 7.2, WCDelAckT), and the least
/// timeout of common stacks.
const LATE_ACK: Duration = Duration::from_millis(200);

/// A send buffer that holds less than two full segments.
const LONE: u32 = 2 * 1460;

/// Whether a host may acknowledge so late that the other end takes what it has sent for lost, again and again: the
/// ack that a repetition causes at once tells nothing of the one that is delayed.
fn acks_late(host: &HostSettings) -> bool {
    let delay = match host.config.ack_policy {
        AckPolicy::Delayed { timeout, .. } => timeout,
        AckPolicy::EverySegment => Duration::ZERO,
        _ => LATE_ACK,
    };
    delay >= LATE_ACK || host.config.ack_timer != AckTimer::PerSegment
}

/// What is wasted in a run.
pub(crate) fn judge(flows: &[Flow], hosts: &[HostSettings], outcome: &Outcome) -> Option<Finding> {
    let honest = hosts.iter().all(|host| host.lie.is_none() && host.smoltcp.is_none());
    if !honest || outcome.cut_short {
        return None;
    }
    let ticks = outcome.time.as_millis() / TICK;
    for (number, (facts, notes)) in outcome.facts.flows.iter().zip(&outcome.flows).enumerate() {
        let arrived = facts.delivered;
        for (side, sent) in facts.sent.iter().enumerate() {
            let bare = sent.segments - sent.data_segments;
            let most = ANSWERS * (arrived + notes.steps) + ticks + SPARE;
            if bare > most {
                let text = format!(
                    "flow {number}: side {side} sent {bare} segments without payload, {most} are enough for {arrived} that \
                     arrived at either end"
                );
                return Some(Finding::new("economy", &text));
            }
            let caused = facts.all_lost() + outcome.facts.disturbed + SPARE;
            let window = u64::from(hosts[flows[number].hosts[side]].config.send_buffer);
            let repeated = sent.payload.saturating_sub(notes.written[side]);
            let is_lone = hosts[flows[number].hosts[side]].config.send_buffer < LONE;
            let twice = if is_lone { notes.written[side] } else { 0 };
            let is_early = acks_late(&hosts[flows[number].hosts[1 - side]])
                || hosts[flows[number].hosts[side]].config.rto.min < LATE_ACK;
            if !is_early && repeated > twice + caused.saturating_mul(window) {
                let text = format!(
                    "flow {number}: side {side} sent {repeated} bytes again, and {caused} packets were lost, doubled or late"
                );
                return Some(Finding::new("economy", &text));
            }
        }
    }
    outcome.hosts.iter().enumerate().find_map(|(number, host)| {
        let most = TIMERS * (host.sent + host.received) + ticks + SPARE;
        (host.timers > most).then(|| {
            let text = format!(
                "host {number} was called for {} timers, {most} are enough for {} packets sent and {} received",
                host.timers, host.sent, host.received
            );
            Finding::new("economy", &text)
        })
    })
}
