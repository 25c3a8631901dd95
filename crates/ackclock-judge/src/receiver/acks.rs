//! What the host acknowledges, and when.

use super::arrived::Arrived;
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;
use std::collections::VecDeque;

pub(crate) static BEYOND_RECEIVED: Sentence = Sentence::must(
    "ack-beyond-received",
    9293,
    "3.4",
    "The acknowledgment mechanism employed is cumulative so that an acknowledgment of sequence number X \
     indicates that all octets up to but not including X have been received.",
);
pub(crate) static GOES_BACK: Sentence = Sentence::must(
    "ack-goes-back",
    9293,
    "3.8.1",
    "When the receiver accepts a segment, it advances RCV.NXT and sends an acknowledgment.",
);
pub(crate) static NOT_CURRENT: Sentence = Sentence::must(
    "ack-not-current",
    9293,
    "3.1",
    "If the ACK control bit is set, this field contains the value of the next sequence number the sender \
     of the segment is expecting to receive.",
);
pub(crate) static TOO_LATE: Sentence = Sentence::must(
    "ack-too-late",
    5681,
    "4.2",
    "an ACK SHOULD be generated for at least every second full-sized segment, and MUST be generated within \
     500 ms of the arrival of the first unacknowledged packet.",
);
pub(crate) static STRETCH: Sentence = Sentence::should(
    "stretch-ack",
    5681,
    "4.2",
    "an ACK SHOULD be generated for at least every second full-sized segment",
);
pub(crate) static OUT_OF_ORDER: Sentence = Sentence::should(
    "ack-of-out-of-order-late",
    5681,
    "4.2",
    "Out-of-order data segments SHOULD be acknowledged immediately, in order to accelerate loss recovery.",
);
pub(crate) static FILLS_GAP: Sentence = Sentence::should(
    "ack-of-filled-gap-late",
    5681,
    "4.2",
    "the receiver SHOULD send an immediate ACK when it receives a data segment that fills in all or part of \
     a gap in the sequence space.",
);
pub(crate) static OUTSIDE: Sentence = Sentence::should(
    "ack-of-old-segment-missing",
    9293,
    "3.10.7.4",
    "If an incoming segment is not acceptable, an acknowledgment should be sent in reply",
);
pub(crate) static TOO_MANY: Sentence = Sentence::must(
    "more-than-one-ack",
    5681,
    "4.2",
    "A TCP receiver MUST NOT generate more than one ACK for every incoming segment, other than to update the \
     offered window as the receiving application consumes new data",
);

pub(crate) static CHALLENGE: Sentence = Sentence::must(
    "challenge-ack-missing",
    5961,
    "3.2",
    "TCP MUST send an acknowledgment (challenge ACK)",
);
pub(crate) static CLOSED_WINDOW: Sentence = Sentence::must(
    "ack-of-window-probe-missing",
    9293,
    "3.8.6.1",
    "When the receiving TCP peer has a zero window and a segment arrives, it must still send an \
     acknowledgment showing its next expected sequence number and current window (zero).",
);

pub(crate) static ACK_OF_UNSENT: Sentence = Sentence::must(
    "ack-of-unacceptable-ack-missing",
    5961,
    "5.2",
    "All incoming segments whose ACK value doesn't satisfy the above condition MUST be discarded and an ACK \
     sent back.",
);
pub(crate) static PAWS: Sentence = Sentence::must(
    "ack-of-old-timestamp-missing",
    7323,
    "5.3",
    "Send an acknowledgment in reply as specified in Section 3.9 of [RFC0793], page 69, and drop the segment.",
);

/// How long hosts may be silent after an answer to what they refuse (RFC 5961 section 7).
const THROTTLE: Duration = Duration::from_secs(10);

/// Payload bytes below which no segment counts as full-sized: the default MSS of IPv4 (RFC 9293 section 3.7.1).
const LEAST_FULL: Offset = 536;

/// A segment in order that is not acknowledged yet.
#[derive(Clone, Copy, Debug)]
struct Unacked {
    time: Instant,
    number: u64,
    /// The first number behind it.
    end: Offset,
}

/// An ack that must be sent at once.
#[derive(Clone, Copy, Debug)]
struct Owed {
    time: Instant,
    number: u64,
    sentence: &'static Sentence,
}

/// The acks that the host owes, by when, and what it has acknowledged since.
#[derive(Clone, Debug, Default)]
pub(crate) struct Acks {
    unacked: VecDeque<Unacked>,
    owed: Option<Owed>,
    /// Segments since the last ack, any of which may be answered.
    arrivals: VecDeque<Instant>,
    /// When the host last had to challenge a segment.
    challenged: Option<Instant>,
    /// A verdict on a late ack was given for this number.
    told_late: u64,
}

/// How a segment that has reached the host stands to what it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// The next one, and nothing was behind a hole.
    Next,
    /// It fills all or part of a gap.
    FillsGap,
    /// Behind a hole.
    BehindHole,
    /// It has nothing new, and cannot be accepted.
    Old,
    /// It lies behind the window, which is closed.
    ClosedWindow,
    /// Its timestamp is older than one that came before.
    OldStamp,
}

impl Acks {
    /// A segment has reached the host that it may answer.
    ///
    /// What is larger than the MSS that the host has told was put together on its way: each of its parts may be answered.
    pub(super) fn on_any(&mut self, seen: &Seen<'_>, facts: &Facts) {
        let mss = facts.host_syn.options.mss.map_or(LEAST_FULL, Offset::from);
        let full = (mss - seen.options_len as Offset).max(1);
        for _ in 0..(seen.payload_len() + full - 1).div_euclid(full).max(1) {
            self.arrivals.push_back(seen.time);
            if self.arrivals.len() > 4096 {
                self.arrivals.pop_front();
            }
        }
    }

    /// A segment has reached the host that it may challenge: then it may be silent about others for a while.
    pub(super) fn on_perhaps_challenged(&mut self, seen: &Seen<'_>) {
        self.challenged = Some(seen.time);
    }

    /// A segment has reached the host that it has to take, or, if old, to answer.
    pub(super) fn on_taken(&mut self, seen: &Seen<'_>, order: Order) {
        let sentence = match order {
            Order::Next => {
                let (time, number, end) = (seen.time, seen.number, seen.end());
                self.unacked.push_back(Unacked { time, number, end });
                return;
            }
            Order::FillsGap => &FILLS_GAP,
            Order::BehindHole => &OUT_OF_ORDER,
            Order::Old => &OUTSIDE,
            Order::ClosedWindow => &CLOSED_WINDOW,
            Order::OldStamp => &PAWS,
        };
        self.owed.get_or_insert(Owed { time: seen.time, number: seen.number, sentence });
    }

    /// A RST or SYN has reached the host that it must challenge.
    pub(super) fn on_challenged(&mut self, seen: &Seen<'_>) {
        let (time, number) = (seen.time, seen.number);
        let refused = !(seen.is(Flags::RST) || seen.is(Flags::SYN));
        let sentence = if refused { &ACK_OF_UNSENT } else { &CHALLENGE };
        if self.challenged.is_none_or(|last| last + THROTTLE < time) {
            self.owed.get_or_insert(Owed { time, number, sentence });
        }
        self.challenged = Some(time);
    }

    /// The host has sent a segment.
    pub(super) fn on_sent(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        arrived: &Arrived,
        docket: &mut Docket<'_>,
    ) {
        let Some(ack) = seen.ack else { return };
        let (time, number) = (seen.time, seen.number);
        let reach = arrived.reach(facts.told.max(1));
        if ack > reach {
            docket.forbid(&BEYOND_RECEIVED, time, number, || {
                format!("acknowledges {ack}, but nothing has arrived from {reach} on")
            });
        }
        if ack < facts.told {
            docket.forbid(&GOES_BACK, time, number, || {
                format!("acknowledges {ack} after {}", facts.told)
            });
        }
        let certain = arrived.certain_reach(facts.told.max(1));
        if ack < certain && ack >= facts.told.max(1) {
            docket.forbid(&NOT_CURRENT, time, number, || {
                format!("acknowledges {ack}, though all up to {certain} had arrived")
            });
        }
        self.owed = None;
        while self.unacked.front().is_some_and(|first| first.end <= ack) {
            self.unacked.pop_front();
        }
        self.count(seen, facts, ack, docket);
    }

    /// One ack for each segment, but for updates of the window.
    fn count(&mut self, seen: &Seen<'_>, facts: &Facts, ack: Offset, docket: &mut Docket<'_>) {
        let is_pure = seen.len() == 0 && seen.seq >= facts.sent;
        let opens = ack + facts.host_window(seen) > facts.edge || ack > facts.told;
        // A segment with text goes when there is text, and tells of the ack besides.
        if is_pure && self.arrivals.pop_front().is_none() && !opens && facts.told >= 1 {
            docket.forbid(&TOO_MANY, seen.time, seen.number, || {
                "a second ack of what one segment brought".into()
            });
        }
        let reaction = facts.settings.reaction;
        while self.arrivals.front().is_some_and(|&time| time + reaction < seen.time) {
            self.arrivals.pop_front();
        }
    }

    /// Says which acks are overdue.
    pub(super) fn on_time(&mut self, now: Instant, facts: &Facts, docket: &mut Docket<'_>) {
        let reaction = facts.settings.reaction;
        if let Some(owed) = self.owed
            && owed.time + reaction < now
        {
            self.owed = None;
            docket.forbid(owed.sentence, now, owed.number, || {
                format!("no ack within {reaction} of packet {}", owed.number)
            });
        }
        if let Some(first) = self.unacked.front().copied()
            && first.time + facts.settings.ack_delay + reaction < now
        {
            self.unacked.pop_front();
            docket.forbid(&TOO_LATE, now, first.number, || {
                format!(
                    "packet {} is not acknowledged after {}",
                    first.number, facts.settings.ack_delay
                )
            });
        }
        if let Some(second) = self.crossing(facts)
            && second.time + reaction < now
            && second.number != self.told_late
        {
            self.told_late = second.number;
            docket.forbid(&STRETCH, now, second.number, || {
                format!("no ack after {} bytes", second.end - facts.told)
            });
        }
    }

    /// The segment that makes so many bytes unacknowledged that an ack is due.
    fn crossing(&self, facts: &Facts) -> Option<Unacked> {
        let full = facts.largest_received.max(LEAST_FULL);
        let most = full * Offset::from(facts.settings.segments_per_ack);
        let last = self.unacked.back()?;
        if facts.largest_received == 0 || last.end - facts.told < most {
            return None;
        }
        self.unacked.iter().find(|segment| segment.end - facts.told >= most).copied()
    }

    /// When the next ack is overdue.
    pub(super) fn due(&self, facts: &Facts) -> Instant {
        let reaction = facts.settings.reaction;
        let owed = self.owed.map_or(Instant::FAR_FUTURE, |owed| owed.time + reaction);
        let first = self.unacked.front();
        let late = first
            .map_or(Instant::FAR_FUTURE, |first| first.time + facts.settings.ack_delay + reaction);
        let crossing = self.crossing(facts).filter(|second| second.number != self.told_late);
        let stretched = crossing.map_or(Instant::FAR_FUTURE, |second| second.time + reaction);
        owed.min(late).min(stretched)
    }

    /// The connection is past the point where acks are owed.
    pub(super) fn release(&mut self) {
        self.unacked.clear();
        self.owed = None;
    }
}
