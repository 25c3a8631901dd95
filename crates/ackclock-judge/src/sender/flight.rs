//! The flight as an observer can know it: what was sent when, what has certainly or perhaps left the path,
//! and how long round trips took.

use crate::facts::Facts;
use crate::ranges::Ranges;
use crate::segment::{Offset, Seen};
use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;
use std::collections::VecDeque;

/// A segment that was sent and is not acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) start: Offset,
    /// The first number behind it, FIN counted.
    pub(crate) end: Offset,
    /// Up to where a SACK block covers it at least: receivers may leave a FIN out.
    text_end: Offset,
    /// Whether it was text and FIN in one segment: an ack of the text alone tells that the FIN was not taken.
    has_both: bool,
    pub(crate) first: Instant,
    pub(crate) last: Instant,
    /// When it was sent before `last`.
    before: Instant,
    pub(crate) sends: u32,
    /// The timestamp of the last transmission.
    stamp: Option<SeqNumber>,
    /// Bytes that the host had sent in all when it had sent this for the last time.
    pub(crate) mark: Offset,
    sacked: bool,
}

/// How long ago the host sent a SYN, or SYN-ACK, that is acknowledged now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SynTimes {
    pub(crate) since_first: Duration,
    pub(crate) since_last: Duration,
    /// It was sent but once.
    pub(crate) was_once: bool,
}

/// What a segment that reached the host says of the flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Delivered {
    /// Bytes newly acknowledged.
    pub(crate) acked: Offset,
    /// Bytes delivered that were not known to be before, by acknowledgment or SACK.
    pub(crate) bytes: Offset,
    /// Segments delivered.
    pub(crate) segments: Offset,
    /// When the latest segment was sent that is newly acknowledged and was sent but once.
    pub(crate) newest_original: Instant,
    /// Something was delivered that was never sent again, but sent before the last retransmission, or sooner after that than
    /// any round trip.
    pub(crate) original: bool,
    /// An ack that repeats what is known.
    pub(crate) duplicate: bool,
    /// The first SACK block reports a duplicate (RFC 2883 section 4).
    pub(crate) dsack: bool,
}

/// The flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    /// In order of their numbers; none overlaps another.
    records: VecDeque<Record>,
    sacked: Ranges,
    /// The records that one block of a segment covers which every host takes into account. What several blocks
    /// cover between them a host may miss: one that tells more of a record than the other.
    surely_sacked: Ranges,
    /// Payload bytes sent, those sent again included.
    launched: Offset,
    /// The largest mark of anything that has perhaps arrived.
    newest: Offset,
    /// Acks that repeat what is known since `newest` moved, and since the ack moved.
    dups: Offset,
    pub(crate) repeats: u32,
    /// Those of them that are duplicate acks for every host: they carry nothing (RFC 5681 section 2).
    pub(crate) sure_repeats: u32,
    /// By how much a sender without SACK has inflated its window.
    inflation: Offset,
    /// When something was sent again for the last time.
    again: Option<Instant>,
    /// What the last segment of the peer echoes, where timestamps are agreed on.
    echo: Option<SeqNumber>,
    least: Option<Duration>,
    /// Whether the shortest one is that of a retransmission, which a host need not measure (RFC 6298 section 3).
    is_doubtful: bool,
    /// Whether an ack has certainly measured one: what only SACK tells is no measurement for RACK.min_RTT (RFC 8985
    /// section 6.2 step 1).
    is_acked: bool,
    /// The longest round trip that is none but one, and the longest that may be one.
    certain: Duration,
    possible: Duration,
}

impl Flight {
    /// Bytes on the path at least: those sent after the newest one that may have arrived.
    pub(crate) fn pipe(&self, facts: &Facts) -> Offset {
        let pipe = self.launched - self.newest;
        if facts.heeds_sack() {
            return pipe;
        }
        // Each duplicate ack says that a segment has left; an ack of part deflates by what it acknowledges
        // (RFC 6582 section 3.2).
        let inflated = facts.outstanding() - self.inflation;
        (pipe - self.dups * facts.peer_mss()).min(inflated).max(0)
    }

    /// All that is on the path may be taken for lost.
    pub(crate) fn empty_pipe(&mut self) {
        self.newest = self.launched;
        self.dups = 0;
    }

    /// The record that holds `offset`.
    pub(crate) fn record(&self, offset: Offset) -> Option<&Record> {
        let at = self.records.partition_point(|record| record.end <= offset);
        self.records.get(at).filter(|record| record.start <= offset)
    }

    /// Whether something that was sent after this record's last transmission has perhaps arrived.
    pub(crate) fn overtaken(&self, record: &Record) -> bool {
        self.newest > record.mark
    }

    /// How many segments are SACKed, perhaps.
    pub(crate) fn sacked_segments(&self) -> usize {
        self.records.iter().filter(|record| self.sacked.touches(record.start, record.end)).count()
    }

    /// Whether all of a range is certainly SACKed.
    pub(crate) fn is_sacked(&self, start: Offset, end: Offset) -> bool {
        self.surely_sacked.covers(start, end)
    }

    /// Whether the first byte that is not acknowledged may have been SACKed: the receiver has discarded what it told
    /// (RFC 2018 section 8).
    pub(crate) fn has_reneged(&self, acked: Offset) -> bool {
        self.sacked.holding(acked).is_some()
    }

    /// Whether a FIN is all that is missing of the segment that it came with.
    pub(crate) fn lacks_fin(&self, record: &Record) -> bool {
        record.has_both && record.start == record.text_end
    }

    /// The shortest round trip, if one is known.
    pub(crate) fn least_rtt(&self) -> Option<Duration> {
        self.least
    }

    /// The shortest that every host has measured.
    pub(crate) fn least_measured(&self) -> Option<Duration> {
        self.least.filter(|_| !self.is_doubtful)
    }

    /// The longest round trip that an estimator may have seen; `None` before the first. What is perhaps none
    /// counts for at most four times the longest that is one.
    pub(crate) fn longest_rtt(&self) -> Option<Duration> {
        (!self.possible.is_zero())
            .then(|| self.certain.max(self.possible.min(self.certain.saturating_mul(4))))
    }

    /// How long RACK waits at least for a segment that others have overtaken: the shortest round trip, and a quarter
    /// of RACK.min_RTT (RFC 8985 section 6.2 step 4).
    pub(crate) fn reordering_wait(&self) -> Duration {
        let least = self.least.unwrap_or_default();
        if self.is_acked { least + least / 4 } else { least }
    }

    /// How long a tail is unacknowledged at least before it is probed (RFC 8985 section 7.2).
    pub(crate) fn probe_wait(&self) -> Duration {
        let unmeasured = Duration::from_secs(1);
        let twice = self.least.map_or(unmeasured, |least| least.saturating_mul(2));
        if self.is_doubtful { twice.min(unmeasured) } else { twice }
    }

    /// Takes the time between a SYN and its acknowledgment. `measured` is what its timestamp tells, if hosts may
    /// measure by that; a SYN that was sent once measures without (RFC 6298 section 3).
    pub(crate) fn on_syn_acked(&mut self, times: SynTimes, measured: Option<Duration>) {
        self.least = times.was_once.then_some(times.since_last);
        self.is_acked = times.was_once;
        self.certain = measured.unwrap_or(times.since_last);
        self.possible = times.since_first.max(Duration::from_nanos(1));
    }

    /// The answer to a SYN echoes what the host has never sent: it may have measured any time by that.
    pub(crate) fn on_unknown_echo(&mut self, since_last: Duration) {
        if self.least.is_none() {
            (self.least, self.is_doubtful) = (Some(since_last), true);
        }
    }

    /// A segment with text or FIN was sent; `known` is what had been sent before. What a SYN carried is of the flight only
    /// when it goes again: the answer to the SYN has refused it.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, known: Offset) {
        let (start, end) = (seen.text(), seen.text_end() + Offset::from(seen.is(Flags::FIN)));
        let stamp = seen.header.options.timestamps.map(|stamps| SeqNumber(stamps.value));
        self.launched += seen.payload_len();
        let old = end.min(known);
        if start < old {
            self.split(start);
            self.split(old);
            let first = self.records.partition_point(|record| record.end <= start);
            for record in self.records.range_mut(first..) {
                if record.start >= old {
                    break;
                }
                record.before = record.last;
                record.last = seen.time;
                record.sends += 1;
                record.stamp = stamp;
                record.mark = self.launched;
            }
            self.again = Some(seen.time);
        }
        if end > known {
            self.records.push_back(Record {
                start: start.max(known),
                end,
                text_end: seen.text_end().max(start.max(known) + 1),
                has_both: seen.is(Flags::FIN) && seen.payload_len() > 0,
                first: seen.time,
                last: seen.time,
                before: seen.time,
                sends: 1,
                stamp,
                mark: self.launched,
                sacked: false,
            });
        }
    }

    /// Makes two records of the one that has `at` within: only a part of it is sent again.
    fn split(&mut self, at: Offset) {
        let index = self.records.partition_point(|record| record.end <= at);
        let Some(rest) = self.records.get_mut(index).filter(|record| record.start < at) else {
            return;
        };
        let mark = rest.mark - (rest.end - at);
        let front = Record { end: at, text_end: rest.text_end.min(at), mark, ..*rest };
        rest.start = at;
        self.records.insert(index, front);
    }

    /// A segment with an acceptable ack has reached the host; `certain` if every host takes it into account.
    pub(crate) fn on_ack(
        &mut self,
        seen: &Seen<'_>,
        ack: Offset,
        facts: &Facts,
        certain: bool,
    ) -> Delivered {
        let mut delivered = Delivered {
            acked: (ack - facts.acked.max(1)).max(0),
            duplicate: ack == facts.acked,
            ..Delivered::default()
        };
        let before = self.newest;
        let stamps = seen.header.options.timestamps.filter(|_| facts.timestamps());
        self.echo = stamps.map(|stamps| SeqNumber(stamps.echo));
        if ack > facts.acked {
            self.take_ack(seen.time, ack, &mut delivered);
            (self.repeats, self.sure_repeats) = (0, 0);
            if self.inflation > 0 {
                self.inflation = (self.inflation - delivered.acked + facts.peer_mss()).max(0);
            }
        } else if delivered.duplicate && facts.outstanding() > 0 {
            self.repeats += 1;
            self.sure_repeats += u32::from(seen.text() == seen.end());
            self.inflation += facts.peer_mss();
        }
        if facts.sack() && !seen.header.options.sack.is_empty() {
            self.take_sacks(seen, ack, facts, certain, &mut delivered);
        }
        if self.newest > before {
            self.dups = 0;
        } else if delivered.duplicate {
            self.dups += 1;
        }
        delivered
    }

    fn take_ack(&mut self, now: Instant, ack: Offset, delivered: &mut Delivered) {
        let known = self.sacked.count_within(0, ack);
        delivered.bytes += (delivered.acked - known).max(0);
        self.sacked.forget_below(ack);
        self.surely_sacked.forget_below(ack);
        // Where nothing that was sent again is acknowledged each is a measurement (RFC 6298 section 3).
        let mut gone = self.records.iter().take_while(|record| record.end <= ack);
        let is_certain = gone.all(|record| record.sends == 1);
        while let Some(&record) = self.records.front() {
            if record.start >= ack {
                break;
            }
            if record.end > ack {
                // Part of a record has arrived; the rest was sent last.
                self.newest = self.newest.max(record.mark - (record.end - ack));
                // An ack of a part is a measurement too.
                self.is_acked |= self.measure_original(now, &record, is_certain);
                if let Some(front) = self.records.front_mut() {
                    front.start = ack;
                }
                break;
            }
            self.records.pop_front();
            self.newest = self.newest.max(record.mark);
            if record.sends == 1 {
                delivered.newest_original = delivered.newest_original.max(record.first);
            }
            if !record.sacked {
                self.is_acked |= self.measure(now, &record, is_certain, delivered);
            }
        }
    }

    fn take_sacks(
        &mut self,
        seen: &Seen<'_>,
        ack: Offset,
        facts: &Facts,
        certain: bool,
        delivered: &mut Delivered,
    ) {
        let mut previous: Option<(Offset, Offset)> = None;
        let floor = ack.max(facts.acked);
        for (index, block) in seen.header.options.sack.as_slice().iter().enumerate() {
            let (start, end) = (facts.host.offset(block.start), facts.host.offset(block.end));
            if start >= end || end > facts.sent {
                continue;
            }
            if index == 0 {
                delivered.dsack = start < ack;
            } else if let Some(first) = previous.take() {
                delivered.dsack |= start <= first.0 && first.1 <= end;
            }
            if index == 0 {
                previous = Some((start, end));
            }
            // A block of an ack that others have overtaken may begin with what they acknowledge: none that is to be
            // kept does (RFC 2018 section 3), so hosts may take it for nonsense.
            if certain && start >= floor {
                self.note_sure(start, end);
            }
            self.take_block(seen.time, start.max(floor), end, delivered);
        }
    }

    /// Takes note of the records that lie within a block.
    fn note_sure(&mut self, start: Offset, end: Offset) {
        let first = self.records.partition_point(|record| record.start < start);
        let after = self.records.partition_point(|record| record.end <= end);
        let ends = [first, after.wrapping_sub(1)].map(|at| self.records.get(at));
        if let [Some(first), Some(last)] = ends {
            self.surely_sacked.insert(first.start, last.end);
        }
    }

    fn take_block(&mut self, now: Instant, start: Offset, end: Offset, delivered: &mut Delivered) {
        let mut at = self.sacked.reach(start);
        while at < end {
            let until = self.sacked.next_start(at).min(end);
            delivered.bytes += until - at;
            self.sacked.insert(at, until);
            let first = self.records.partition_point(|record| record.end <= at);
            let mut index = first;
            while let Some(&record) = self.records.get(index) {
                if record.start >= until {
                    break;
                }
                self.newest = self.newest.max(record.mark - (record.end - until).max(0));
                if !record.sacked && self.sacked.covers(record.start, record.text_end) {
                    if let Some(record) = self.records.get_mut(index) {
                        record.sacked = true;
                    }
                    self.measure(now, &record, true, delivered);
                }
                index += 1;
            }
            at = self.sacked.reach(until);
        }
    }

    /// Whether something was sent again since a record was sent.
    fn was_before_again(&self, record: &Record) -> bool {
        self.again.is_some_and(|again| again > record.first)
    }

    /// Takes a measurement that every host makes.
    fn note_certain(&mut self, rtt: Duration) {
        self.is_doubtful = false;
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        self.certain = self.certain.max(rtt);
    }

    /// Measures a round trip with a record that was sent once, if all or part of it is acknowledged. Returns
    /// whether every host has measured it.
    fn measure_original(&mut self, now: Instant, record: &Record, is_certain: bool) -> bool {
        let is_echoed = self.echo.is_some() && self.echo == record.stamp;
        let is_told = is_certain || is_echoed || !self.was_before_again(record);
        let measures = record.sends == 1 && is_told;
        if measures {
            self.note_certain(now.saturating_since(record.first));
        }
        measures
    }

    /// Measures a round trip with a record that has arrived. Returns whether every host has measured it.
    fn measure(
        &mut self,
        now: Instant,
        record: &Record,
        is_certain: bool,
        delivered: &mut Delivered,
    ) -> bool {
        delivered.segments += 1;
        let since = |then: Instant| now.saturating_since(then);
        self.possible = self.possible.max(since(record.first));
        if record.sends == 1 {
            delivered.original |= self.was_before_again(record);
            return self.measure_original(now, record, is_certain);
        }
        // A timestamp tells which transmission is answered (RFC 7323 section 4).
        if let (Some(echo), Some(stamp)) = (self.echo, record.stamp)
            && echo.at_or_after(stamp)
        {
            self.note_certain(since(record.last));
            return true;
        }
        // What comes sooner than any round trip answers the transmission before.
        let soon = self.least.is_some_and(|least| since(record.last) < least);
        delivered.original |= soon;
        let rtt = since(if soon { record.before } else { record.last });
        self.certain = self.certain.max(rtt);
        if self.least.is_none() {
            (self.least, self.is_doubtful) = (Some(since(record.last)), true);
        }
        false
    }
}
