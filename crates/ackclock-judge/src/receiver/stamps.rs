//! The timestamps that the host sends, and those that make it refuse a segment (RFC 7323).

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Flags, Options};
use std::collections::VecDeque;

pub(crate) static CLOCK_BACK: Sentence = Sentence::must(
    "timestamp-goes-back",
    7323,
    "4.1",
    "Values of this clock MUST be at least approximately proportional to real time, in order to measure actual \
     RTT.",
);
pub(crate) static ECHO: Sentence = Sentence::must(
    "timestamp-echo",
    7323,
    "3.2",
    "When the ACK bit is set in an outgoing segment, the sender MUST echo a recently received TSval",
);
pub(crate) static ECHO_STALE: Sentence = Sentence::must(
    "timestamp-echo-stale",
    7323,
    "4.3",
    "TS.Recent holds a timestamp to be echoed in TSecr whenever a segment is sent",
);

pub(crate) static CLOCK_STANDS: Sentence = Sentence::must(
    "timestamp-clock-stands",
    7323,
    "4.1",
    "Values of this clock MUST be at least approximately proportional to real time, in order to measure actual \
     RTT.",
);

/// The longest tick of a clock (section 5.4).
const SLOWEST_TICK: Duration = Duration::from_secs(1);

/// Values of received segments that are remembered.
const REMEMBERED: usize = 128;

/// The rules of timestamps. Values are on the circle of 32 bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamps {
    /// The host's last TSval.
    value: Option<SeqNumber>,
    /// When it was sent first.
    since: Instant,
    /// TSvals that TS.Recent may have: of segments at or before Last.ACK.sent.
    eligible: VecDeque<SeqNumber>,
    /// Whether some were forgotten.
    forgot: bool,
    /// TS.Recent at least: of a segment that the host took for certain and could have acted upon.
    least: Option<SeqNumber>,
    /// The same, of segments that it may not have acted upon yet.
    fresh: VecDeque<(Instant, SeqNumber)>,
}

impl Stamps {
    /// The peer's SYN came before the host's.
    pub(super) fn on_syn(&mut self, options: &Options) {
        self.eligible.extend(options.timestamps.map(|stamps| SeqNumber(stamps.value)));
    }

    /// Whether a segment is for certain older than the last one that the host took (PAWS, section 5.3).
    pub(super) fn is_stale(&self, seen: &Seen<'_>) -> bool {
        let Some(stamps) = seen.header.options.timestamps else { return false };
        self.least.is_some_and(|least| SeqNumber(stamps.value).before(least))
    }

    /// Whether a segment may be older than one that the host took, though that is not certain.
    pub(super) fn may_be_stale(&self, seen: &Seen<'_>) -> bool {
        let Some(stamps) = seen.header.options.timestamps else { return false };
        self.eligible.iter().any(|&value| SeqNumber(stamps.value).before(value))
    }

    /// A segment has reached the host; `taken` says that the host must have taken it.
    /// `reach` is RCV.NXT at most.
    pub(super) fn on_received(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        reach: Offset,
        taken: bool,
    ) {
        let Some(stamps) = seen.header.options.timestamps else { return };
        let value = SeqNumber(stamps.value);
        // Section 4.3 (2), and, with the length of the segment, what most hosts do instead: an older segment
        // may be one that was sent again because the ack was lost.
        // An ack that was sent may not have been seen yet.
        let is_prompt = facts.settings.reaction.is_zero();
        let last_ack = if is_prompt { facts.told.max(1) } else { reach };
        if seen.seq > last_ack && !seen.is(Flags::SYN) {
            return;
        }
        if self.eligible.back() != Some(&value) {
            self.eligible.push_back(value);
            if self.eligible.len() > REMEMBERED {
                self.eligible.pop_front();
                self.forgot = true;
            }
        }
        if taken && seen.seq == facts.told {
            self.fresh.push_back((seen.time, value));
        }
    }

    /// Brings what is certain up to date.
    pub(super) fn settle(&mut self, now: Instant, facts: &Facts) {
        while let Some(&(time, value)) = self.fresh.front() {
            if time + facts.settings.reaction >= now {
                break;
            }
            self.fresh.pop_front();
            if self.least.is_none_or(|least| value.after(least)) {
                self.least = Some(value);
                // What is older cannot be echoed any more.
                while self.eligible.front().is_some_and(|&first| first.before(value)) {
                    self.eligible.pop_front();
                    self.forgot = false;
                }
            }
        }
    }

    /// The host has sent a segment.
    pub(super) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let Some(stamps) = seen.header.options.timestamps else { return };
        let (time, number) = (seen.time, seen.number);
        let value = SeqNumber(stamps.value);
        if let Some(last) = self.value
            && value.before(last)
        {
            docket.forbid(&CLOCK_BACK, time, number, || format!("TSval {value} after {last}"));
        }
        if self.value != Some(value) {
            self.since = time;
        } else if time > self.since + SLOWEST_TICK + SLOWEST_TICK {
            docket.forbid(&CLOCK_STANDS, time, number, || {
                format!("TSval {value} as {} before", time.saturating_since(self.since))
            });
        }
        self.value = Some(value);
        if !facts.timestamps() || !seen.is(Flags::ACK) {
            return;
        }
        let echo = SeqNumber(stamps.echo);
        if let Some(least) = self.least
            && echo.before(least)
        {
            docket.forbid(&ECHO_STALE, time, number, || {
                format!("TSecr {echo}, though a segment with {least} was taken")
            });
        } else if !self.forgot && !self.eligible.contains(&echo) {
            docket.forbid(&ECHO, time, number, || {
                format!("TSecr {echo}, which no segment up to the last ack has brought")
            });
        }
    }
}
