//! When data is sent again: for what reason, and how long after it was sent before.

use super::congestion::is_free;
use super::data::Data;
use super::flight::{Delivered, Flight};
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;

pub(crate) static TOO_EARLY: Sentence = Sentence::must(
    "retransmission-too-early",
    6298,
    "5",
    "An implementation MUST manage the retransmission timer(s) in such a way that a segment is never \
     retransmitted too early, i.e., less than one RTO after the previous transmission of that segment.",
);
pub(crate) static INITIAL_RTO: Sentence = Sentence::should(
    "initial-rto-too-low",
    6298,
    "2",
    "Until a round-trip time (RTT) measurement has been made for a segment sent between the sender and \
     receiver, the sender SHOULD set RTO <- 1 second",
);
pub(crate) static RTO_AFTER_SYN: Sentence = Sentence::must(
    "rto-after-lost-syn",
    6298,
    "5",
    "the RTO MUST be re-initialized to 3 seconds when data transmission begins",
);
pub(crate) static NO_BACKOFF: Sentence = Sentence::must(
    "no-backoff",
    6298,
    "5",
    "The host MUST set RTO <- RTO * 2 (\"back off the timer\").",
);
pub(crate) static ACKED_AGAIN: Sentence = Sentence::must(
    "acknowledged-data-again",
    9293,
    "3.10.7.4",
    "Any segments on the retransmission queue that are thereby entirely acknowledged are removed.",
);
pub(crate) static SACKED_AGAIN: Sentence = Sentence::should(
    "sacked-data-again",
    2018,
    "5",
    "After the SACKed bit is turned on (as the result of processing a received SACK option), the data sender \
     will skip that segment during any later retransmission.",
);

/// Why data may have been sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// Something that arrived says that it is lost, or may say so.
    Evidence,
    /// The same, or the retransmission timer.
    EvidenceOrTimer,
    /// The retransmission timer, and nothing else.
    Timer,
    /// A probe of the tail (RFC 8985 section 7), or of a closed window.
    Probe,
    /// A router has dropped it for its size, which is no congestion (RFC 1191 section 6.4).
    TooBig,
}

/// A span of time and a sixteenth less than that: clocks are coarse.
fn about(span: Duration, facts: &Facts) -> Duration {
    span.saturating_sub(span / 16).saturating_sub(facts.settings.reaction)
}

/// Whether a segment that was sent so long ago is lost by RACK: with less than three duplicate acks, or segments SACKed, it has
/// a quarter of a round trip to come yet (RFC 8985 section 6.2 step 4).
fn has_waited(since: Duration, facts: &Facts, flight: &Flight) -> bool {
    let many = flight.repeats >= 3 || flight.sacked_segments() >= 3;
    !facts.sack() || many || since >= about(flight.reordering_wait(), facts)
}

/// How long a host waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    /// For the retransmission timer, at most.
    pub(crate) longest_rto: Duration,
    /// With a tail, until it is probed, at least.
    pub(crate) tail_probe: Duration,
}

/// The history of retransmissions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retransmissions {
    /// The last retransmission of the first unacknowledged byte after which nothing was received, and the
    /// time since the one before.
    timed: Option<(Offset, Instant, Option<Duration>)>,
    /// A tail probe has been sent, and nothing was newly acknowledged since.
    tail_probe: bool,
    /// Up to here everything was taken for lost by a timeout.
    pub(crate) timed_out: Offset,
    /// Up to here three duplicate acks may have begun a recovery, whether it sent something or not.
    repairs: Offset,
    /// Until then a timer that fired before an ack came may show.
    excused: Instant,
    /// How often the timer may have been backed off since the last certain round trip.
    backoffs: u32,
    /// Acks since then that give a certain measurement.
    clean_acks: u32,
    /// When the timer may have sent something again last, and its timestamp.
    timer_at: Instant,
    timer_stamp: Option<u32>,
    /// SYNs sent again by the timer.
    pub(crate) syn_timeouts: u32,
    syn_gap: Option<Duration>,
    /// When the timer sent it last, and when it was sent last for any reason.
    last_syn: Instant,
    syn_sent: Instant,
    /// A segment has come since the last SYN.
    heard: bool,
    /// The last one was such an answer: what follows is not timed from the one before.
    syn_answered: bool,
    /// Whether data was sent again by the timer.
    data_timed: bool,
    /// When the host last sent data.
    last_data: Instant,
    /// When the last ack of something new or SACK reached the host.
    pub(crate) last_delivered: Instant,
    /// When the last ack of something new did.
    pub(crate) last_advance: Instant,
    /// When the timer was started first since then: what is sent while it runs does not start it anew.
    armed: Instant,
}

impl Retransmissions {
    /// When the timer was started at the latest.
    pub(crate) fn started(&self) -> Instant {
        self.last_data.max(self.last_delivered)
    }

    /// What a host waits for its timer, and for a probe of the tail.
    pub(crate) fn waits(&self, flight: &Flight, facts: &Facts) -> Waits {
        Waits {
            longest_rto: self.longest_rto(flight, facts),
            tail_probe: self.probe_wait(flight, facts),
        }
    }

    /// How long the timer may run at most.
    pub(crate) fn longest_rto(&self, flight: &Flight, facts: &Facts) -> Duration {
        let settings = &facts.settings;
        let least = settings.least_rto.max(Duration::from_secs(1));
        let base = match flight.longest_rtt() {
            // SRTT and four times RTTVAR, neither of which is longer than the longest round trip.
            Some(rtt) => rtt.saturating_mul(5).max(least + least / 2),
            None => settings.initial_rto.saturating_mul(2).max(Duration::from_secs(3)),
        };
        // The timer may have sent it again, whatever had come before (rule 5.7).
        let is_syn_again = facts.host_syns > 1;
        let base = if is_syn_again { base.max(Duration::from_secs(3)) } else { base };
        // Who remembers nothing of a SYN-ACK has not measured with it (RFC 4987 section 3.6).
        let was_measured = settings.keeps_half_open || !facts.host_syn.flags.contains(Flags::ACK);
        let base = if was_measured { base } else { base.max(settings.initial_rto) };
        let most = settings.largest_rto.max(base);
        base.saturating_mul(1 << self.backoffs.min(20)).min(most) + settings.reaction
    }

    /// How short the timer may be at least.
    fn shortest_rto(&self, flight: &Flight, facts: &Facts) -> Duration {
        let least = facts.settings.least_rto;
        let unmeasured = facts.settings.initial_rto.min(Duration::from_secs(1)).max(least);
        match (flight.least_measured(), flight.least_rtt()) {
            (Some(rtt), _) => rtt.max(least),
            (None, Some(rtt)) => unmeasured.min(rtt.max(least)),
            (None, None) => unmeasured,
        }
    }

    /// When the last SYN was sent.
    pub(crate) fn last_syn_sent(&self, facts: &Facts) -> Instant {
        facts.host_syn.time.max(self.syn_sent)
    }

    /// The host has sent a SYN or SYN-ACK again.
    pub(crate) fn on_syn_again(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let last = facts.host_syn.time.max(self.last_syn);
        let gap = seen.time.saturating_since(last);
        self.syn_sent = seen.time;
        if std::mem::take(&mut self.heard) {
            // A SYN-ACK may answer a SYN that came again, and starts no timer then.
            (self.syn_gap, self.syn_answered) = (None, true);
            return;
        }
        self.last_syn = seen.time;
        self.syn_timeouts += 1;
        if gap < about(facts.settings.initial_rto, facts) {
            docket.forbid(&INITIAL_RTO, seen.time, seen.number, || {
                format!("the SYN is sent again after {gap}")
            });
        }
        self.judge_backoff(seen, gap, self.syn_gap, facts, docket);
        let is_timed = !std::mem::take(&mut self.syn_answered);
        self.syn_gap = is_timed.then_some(gap);
    }

    fn judge_backoff(
        &self,
        seen: &Seen<'_>,
        gap: Duration,
        before: Option<Duration>,
        facts: &Facts,
        docket: &mut Docket<'_>,
    ) {
        let Some(before) = before else { return };
        // RFC 6298 section 2: a maximum of the RTO is at least 60 seconds.
        let most = Duration::from_secs(60).min(facts.settings.largest_rto);
        let right = before.saturating_mul(2).min(most);
        if gap < about(right, facts) {
            docket.forbid(&NO_BACKOFF, seen.time, seen.number, || {
                format!("sent again after {gap}, the timeout before having been {before}")
            });
        }
    }

    /// A segment of the peer has reached the host; `echo` is the timestamp that it echoes.
    pub(crate) fn on_received(
        &mut self,
        now: Instant,
        delivered: Option<&Delivered>,
        echo: Option<u32>,
    ) {
        self.heard = true;
        self.timed = None;
        let Some(delivered) = delivered else { return };
        // With what tells of a false alarm the timer is set anew (RFC 4015 section 3.2).
        if delivered.bytes > 0 || delivered.acked > 0 || delivered.dsack {
            self.last_delivered = now;
            self.tail_probe = false;
        }
        if delivered.acked > 0 {
            (self.last_advance, self.armed) = (now, now);
        }
        // A measurement by Karn's algorithm, or by timestamps (RFC 6298 section 3).
        let by_stamps = match (echo, self.timer_stamp) {
            (Some(echo), Some(sent)) => SeqNumber(echo).at_or_after(SeqNumber(sent)),
            _ => false,
        };
        let by_karn = delivered.newest_original > self.timer_at;
        if delivered.acked > 0 && (by_karn || by_stamps) {
            self.clean_acks += 1;
            if self.clean_acks >= 2 {
                self.backoffs = 0;
            }
        }
    }

    /// An ack of something new has come; the flight is that before it.
    pub(crate) fn on_advance(&mut self, now: Instant, flight: &Flight, facts: &Facts) {
        let repeats = flight.repeats;
        if repeats >= 3 {
            self.repairs = facts.sent;
        }
        // A host that paces may wait with what its timer asks for, and then has the ack.
        let waited =
            now.saturating_since(flight.record(facts.acked).map_or(now, |first| first.last));
        if is_free(facts) && waited >= about(self.shortest_rto(flight, facts), facts) {
            self.excused = now + flight.least_rtt().unwrap_or(Duration::ZERO);
        }
    }

    /// The host has sent data or a FIN; `is_first` if nothing else is outstanding.
    pub(crate) fn note_data(&mut self, now: Instant, is_first: bool) {
        self.last_data = now;
        if is_first {
            self.armed = now;
        }
    }

    /// How long a tail is unacknowledged at least before it is probed: where the retransmission timer would expire
    /// sooner, it is probed then (RFC 8985 section 7.2).
    fn probe_wait(&self, flight: &Flight, facts: &Facts) -> Duration {
        flight.probe_wait().min(self.shortest_rto(flight, facts))
    }

    /// Whether the tail may be probed now, with new data or with its last segment (RFC 8985 section 7.3).
    pub(crate) fn may_probe_tail(&self, now: Instant, facts: &Facts, flight: &Flight) -> bool {
        let waits = about(self.probe_wait(flight, facts), facts);
        let is_quiet = now.saturating_since(self.started()) + facts.settings.reaction >= waits;
        let rto = about(self.shortest_rto(flight, facts), facts);
        let expires = now.saturating_since(self.armed) >= rto;
        facts.sack() && !self.tail_probe && (is_quiet || expires)
    }

    /// The tail was probed with new data: there is one such probe at a time (RFC 8985 section 7.3).
    pub(crate) fn note_tail_probe(&mut self) {
        self.tail_probe = true;
    }

    /// The host has sent data or a FIN again: why? `recovering` while losses of an earlier moment are repaired.
    pub(crate) fn cause(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        known: (&Flight, &Data),
        recovering: bool,
        docket: &mut Docket<'_>,
    ) -> Cause {
        let (flight, data) = known;
        let (time, number) = (seen.time, seen.number);
        let Some(record) = flight.record(seen.text().max(facts.acked)) else {
            return Cause::Probe;
        };
        let since = time.saturating_since(record.last);
        let is_first = seen.text() <= facts.acked;
        // A probe is a part of the last segment where that has become too long for the path.
        let is_last_cut = seen.text() == record.start && record.end >= facts.sent;
        let is_last = is_last_cut || seen.end() >= facts.sent;
        let is_sacked = flight.is_sacked(record.start, seen.text_end());
        let has_reneged = is_first && flight.has_reneged(facts.acked);
        if has_reneged {
            // Nothing that the receiver has told holds.
            self.timed_out = facts.sent;
        }
        let in_timeout = record.start < self.timed_out;
        // RFC 5681 section 3.2; RFC 5827 lets fewer do in a small flight, and SACK tells more than a count.
        let is_small = facts.outstanding() <= 4 * facts.peer_mss();
        let enough = if facts.sack() || is_small { 1 } else { 3 };
        // A new recovery may send all holes again (RFC 6675 section 5 step 4.3 resets HighRxt).
        let evidence = flight.overtaken(record)
            || flight.repeats >= enough
            || recovering
            || facts.acked < self.repairs
            || time <= self.excused
            || flight.lacks_fin(record)
            || in_timeout;
        let is_patient = !facts.settings.waits_for_reordering
            || recovering
            || in_timeout
            || has_waited(since, facts, flight);
        let shortest = self.shortest_rto(flight, facts);
        let may_be_timer = since >= about(shortest, facts);
        let was_too_big = data.was_too_big(record.last);
        if was_too_big {
            // What comes now is not timed from the transmission before.
            self.timed = None;
            if !(may_be_timer && is_first) {
                return Cause::TooBig;
            }
        }
        let has_waited_long = since + facts.settings.reaction
            >= about(self.probe_wait(flight, facts), facts)
            && facts.sack()
            && !self.tail_probe;
        let tail = is_last && (has_waited_long || self.may_probe_tail(time, facts, flight));
        let goes_back = facts.settings.goes_back;
        if is_sacked
            && !goes_back
            && !may_be_timer
            && !in_timeout
            && since > facts.settings.reaction
        {
            docket.forbid(&SACKED_AGAIN, time, number, || {
                format!("{} to {} is sent again, though SACKed", seen.text(), seen.text_end())
            });
        }
        let evidence = evidence && is_patient || was_too_big;
        if !evidence && !tail && !may_be_timer {
            let sentence = if flight.least_rtt().is_none() { &INITIAL_RTO } else { &TOO_EARLY };
            docket.forbid(sentence, time, number, || {
                format!(
                    "{} to {} is sent again after {since} without a cause",
                    seen.text(),
                    seen.end()
                )
            });
        }
        if may_be_timer && is_first {
            self.timed_out = facts.sent;
            self.note_timeout(seen, evidence || tail, facts, docket);
        }
        // A timer that fired before the last ack came, and whose retransmission was paced.
        let since_delivered = time.saturating_since(self.last_delivered);
        let since_advance = time.saturating_since(self.last_advance);
        let ran = since_advance >= about(shortest, facts);
        let perhaps = evidence && ran || !evidence && since_delivered < shortest / 2;
        if tail && !recovering && !flight.overtaken(record) {
            // Acks that repeat what is known are perhaps none of loss, and a probe comes no later than the timer.
            self.tail_probe = true;
            Cause::Probe
        } else if has_reneged || perhaps && may_be_timer && is_first {
            // A host may have its timer expire where the receiver has reneged (RFC 2018 section 8), and find that it has not.
            Cause::EvidenceOrTimer
        } else if evidence || !tail && !may_be_timer {
            Cause::Evidence
        } else if tail {
            self.tail_probe = true;
            Cause::Probe
        } else {
            Cause::Timer
        }
    }

    /// The timer may have sent the first unacknowledged byte again; `perhaps` if it may have been something else.
    fn note_timeout(
        &mut self,
        seen: &Seen<'_>,
        perhaps: bool,
        facts: &Facts,
        docket: &mut Docket<'_>,
    ) {
        self.backoffs += 1;
        self.clean_acks = 0;
        self.timer_at = seen.time;
        self.timer_stamp = seen.header.options.timestamps.map(|stamps| stamps.value);
        let fresh = !perhaps && self.syn_timeouts > 0 && !facts.timestamps() && !self.data_timed;
        let began = self.started();
        let gap = seen.time.saturating_since(began);
        if fresh && facts.acked <= 1 && gap < about(Duration::from_secs(3), facts) {
            docket.forbid(&RTO_AFTER_SYN, seen.time, seen.number, || {
                format!("the first timeout of data comes after {gap}")
            });
        }
        self.data_timed = true;
        let (una, time) = (facts.acked, seen.time);
        self.timed = match self.timed {
            Some((at, last, before)) if at == una => {
                let gap = time.saturating_since(last);
                self.judge_backoff(seen, gap, before, facts, docket);
                Some((una, time, Some(gap)))
            }
            _ => Some((una, time, None)),
        };
    }

    /// The host has sent again what was acknowledged by a segment that it need not have taken: perhaps its timer has fired.
    pub(crate) fn on_perhaps_timeout(&mut self) {
        self.backoffs += 1;
        self.clean_acks = 0;
    }

    /// The host has sent again what was acknowledged before.
    pub(crate) fn on_acked_again(&self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        if seen.time > self.last_delivered + facts.settings.reaction {
            docket.forbid(&ACKED_AGAIN, seen.time, seen.number, || {
                format!(
                    "{} to {} is sent again, though acknowledged up to {}",
                    seen.text(),
                    seen.end(),
                    facts.acked
                )
            });
        }
    }
}
