//! The cause of a retransmission, as far as a capture shows it.
//!
//! A capture shows what passed one point of the path. Timers and thresholds of the sender are
//! inferred: what it knew at a time is what had passed the point by then, which errs by the time
//! between the point and the sender.

use crate::text::span;
use ackclock::time::{Duration, Instant};
use serde::Serialize;

/// Duplicate acks after which a segment counts as lost (RFC 5681 section 3.2).
const DUPLICATE_THRESHOLD: u32 = 3;

/// What made the sender send a segment again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// Duplicate acks, SACK, or a partial ack in the recovery that they began.
    Fast,
    /// The retransmission timer.
    Timeout,
    /// The recovery that a timeout began.
    AfterTimeout,
    /// The probe timeout (RFC 8985 section 7).
    TailProbe,
    /// The window was closed (RFC 9293 section 3.8.6.1).
    WindowProbe,
    /// Nothing in the capture explains it.
    Unexplained,
}

impl Cause {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Fast => "fast retransmission",
            Cause::Timeout => "timeout",
            Cause::AfterTimeout => "after a timeout",
            Cause::TailProbe => "tail loss probe",
            Cause::WindowProbe => "window probe",
            Cause::Unexplained => "unexplained",
        }
    }
}

/// A retransmission and its explanation.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Retransmission {
    /// Number of the packet in the capture, from 1.
    pub packet: u64,
    /// Seconds since the connection's first packet.
    pub time_s: f64,
    /// Its first sequence number, counted from the SYN's, or from the first that was seen, as 1.
    pub seq: i64,
    /// Sequence numbers that it takes: its payload, and SYN and FIN.
    pub length: u64,
    /// What made the sender send it.
    pub cause: Cause,
    /// Why that is thought.
    pub evidence: String,
    /// Evidence that it was not needed, if there is any.
    pub spurious: Option<String>,
}

/// State of a direction when one of its segments is retransmitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation {
    pub(crate) now: Instant,
    /// When it was sent last, if that was seen.
    pub(crate) last_sent: Option<Instant>,
    pub(crate) transmissions: u16,
    /// It begins where the cumulative ack stands.
    pub(crate) is_first: bool,
    /// It ends where everything sent so far ends.
    pub(crate) is_last: bool,
    pub(crate) has_syn: bool,
    pub(crate) window_is_closed: bool,
    pub(crate) duplicates: u32,
    pub(crate) sacked_above: u64,
    /// The latest sending time of the data known to have arrived.
    pub(crate) newest_delivered: Option<Instant>,
    /// When anything was sent in this direction before.
    pub(crate) last_send: Option<Instant>,
    /// When anything came from the other end.
    pub(crate) last_heard: Option<Instant>,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) sack_permitted: bool,
    /// As the sender sees it; at other places that which is seen there is shorter.
    pub(crate) srtt: Option<Duration>,
    pub(crate) rto: Duration,
}

/// An episode of loss recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recovery {
    pub(crate) by_timeout: bool,
    /// It ends when this is acknowledged.
    pub(crate) until: u64,
    /// The cumulative ack has advanced since it began.
    pub(crate) partial_ack: bool,
}

impl Situation {
    pub(crate) fn explain(&self) -> (Cause, String) {
        let since = |then: Option<Instant>| then.map(|then| self.now.saturating_since(then));
        let again = match since(self.last_sent) {
            Some(since) => format!("{} after it was sent last", span(since)),
            None => "its first transmission was not seen".into(),
        };
        if self.window_is_closed && self.is_first {
            return (Cause::WindowProbe, format!("the window is closed; {again}"));
        }
        if self.has_syn {
            return (Cause::Timeout, format!("no answer to the SYN; {again}"));
        }
        // How long neither end had said anything.
        let silence = match (since(self.last_send), since(self.last_heard)) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b).unwrap_or_default(),
        };
        let quiet = format!("{} of silence", span(silence));
        // The timer counts from the last ack or transmission, and both pass the capture later or
        // earlier than the sender; a quarter allows for that.
        let timer = self.rto.saturating_sub(self.rto / 4);
        let srtt = self.srtt.unwrap_or(Duration::MAX);
        if self.is_last
            && self.transmissions == 1
            && self.sack_permitted
            && silence > srtt + srtt / 4
            && silence < timer
        {
            let text = format!(
                "the last segment sent, after {quiet}: longer than the round trip of {}, shorter \
                 than the timeout of about {}",
                span(srtt),
                span(self.rto)
            );
            return (Cause::TailProbe, text);
        }
        // A retransmission caused by an ack comes within a round trip.
        let was_unasked = silence > srtt.saturating_mul(3) / 2
            && since(self.last_sent).is_some_and(|since| since >= timer);
        if self.is_first && (silence >= timer || was_unasked) {
            let text = format!("{quiet}, the timeout is about {}; {again}", span(self.rto));
            return (Cause::Timeout, text);
        }
        if self.recovery.is_some_and(|recovery| recovery.by_timeout) {
            return (Cause::AfterTimeout, again);
        }
        if let Some(text) = self.fast_evidence() {
            return (Cause::Fast, format!("{text}; {again}"));
        }
        match self.recovery {
            Some(Recovery { partial_ack: true, .. }) if self.is_first => {
                (Cause::Fast, format!("a partial ack in fast recovery; {again}"))
            }
            Some(_) => (Cause::Fast, format!("in fast recovery; {again}")),
            None if self.is_first && silence > srtt.saturating_mul(2) => {
                let text = format!("{quiet}, twice the round trip of {}; {again}", span(srtt));
                (Cause::Timeout, text)
            }
            None => {
                (Cause::Unexplained, format!("no ack, timer or probe accounts for it; {again}"))
            }
        }
    }

    fn fast_evidence(&self) -> Option<String> {
        // Earlier SACKs say nothing about the loss of a retransmission.
        let is_first_time = self.transmissions <= 1;
        if is_first_time && self.duplicates >= DUPLICATE_THRESHOLD && self.is_first {
            return Some(match self.sacked_above {
                0 => format!("{} duplicate acks", self.duplicates),
                bytes => {
                    format!("{} duplicate acks, {bytes} bytes above it SACKed", self.duplicates)
                }
            });
        }
        if is_first_time && self.sacked_above > 0 {
            return Some(format!("{} bytes above it SACKed", self.sacked_above));
        }
        let overtaken = self.newest_delivered > self.last_sent && self.last_sent.is_some();
        overtaken.then(|| "data sent later than it has arrived".to_owned())
    }
}
