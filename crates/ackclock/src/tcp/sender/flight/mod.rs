//! What is in the network: one record per transmission, and the scoreboard kept on them.
//!
//! A record is never split. It covers up to 64 pieces of one segment each (one piece where the link
//! does not segment), with one bit per piece for each fact that matters: SACKed, lost, resent.
//! SACK edges round inward to whole pieces, so that nothing counts as received that may not be.
//! When all records are in use sending stops; no SACK is ever forgotten.

#[cfg(any(all(test, feature = "alloc"), feature = "invariants"))]
mod invariants;
mod record;
#[cfg_attr(not(feature = "sack"), path = "not_sacked.rs")]
mod sacked;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod time;

pub use record::FlightRecord;
pub(crate) use record::{MAX_PIECES, TIMES_MATTER, micros};
pub(crate) use time::{Delivered, Transmission};

use super::DeliveryRecord;
use super::delivery::DeliveryColumn;
use crate::profile::{Full, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::{Buffer, Deque};
use crate::tcp::count::Count;
use crate::time::Instant;
use core::marker::PhantomData;
use record::{Pieces, bit, low_bits};

/// What a cumulative ack took out of the flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acked {
    /// When the most recently sent of the acknowledged pieces was sent, if that and every other one
    /// was sent only once.
    pub(crate) sent_at: Option<Instant>,
}

/// Whole records at the beginning of the flight that were sent one after the other, and to which
/// nothing has happened since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// How many.
    records: usize,
    /// Sequence numbers.
    pub(crate) bytes: u32,
    /// Where the first of their pieces ends, ...
    pub(crate) first_end: SeqNumber,
    /// ... and the last.
    pub(crate) end: SeqNumber,
    /// When the last was sent.
    pub(crate) sent_at: Instant,
}

impl Run {
    /// The last transmission.
    pub(crate) fn newest(&self) -> Transmission {
        Transmission { at: micros(self.sent_at), end: self.end, again: false }
    }
}

/// What was newly found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Sequence numbers.
    pub(crate) bytes: u32,
    /// Bytes in flight when the last of them was sent first; 0 if nothing was lost.
    pub(crate) in_flight_when_sent: u32,
    /// The record that holds the last of them.
    pub(super) position: usize,
}

impl Losses {
    fn add(&mut self, position: usize, record: &FlightRecord, mask: Pieces) {
        if mask != 0 {
            self.bytes += record.bytes(mask);
            if TIMES_MATTER {
                self.in_flight_when_sent = record.in_flight;
                self.position = position;
            }
        }
    }
}

impl core::ops::AddAssign for Losses {
    fn add_assign(&mut self, later: Self) {
        self.bytes += later.bytes;
        if later.bytes > 0 {
            self.in_flight_when_sent = later.in_flight_when_sent;
            self.position = later.position;
        }
    }
}

/// The records of a connection in order of sequence numbers, and sums over them.
#[derive(Debug)]
pub(crate) struct Flight<'a, P: Profile = Full> {
    records: Deque<'a, FlightRecord>,
    /// Beside the records, where delivery rates are measured.
    delivery: DeliveryColumn<'a>,
    profile: PhantomData<P>,
    outstanding: u32,
    sacked: u32,
    lost: u32,
    resent: u32,
    /// End of the highest SACKed piece, if any is SACKed.
    highest_sacked: SeqNumber,
    /// Everything below that was not SACKed has been marked lost.
    lost_below: SeqNumber,
    /// No piece before this one waits for retransmission.
    resend_from: SeqNumber,
    /// How often the peer was found to have thrown away what it had SACKed.
    renegings: Count<P>,
    /// No record has pieces that were sent again and not since this time, in microseconds.
    #[cfg(feature = "recovery-rack")]
    oldest_resent: u64,
}

impl<'a, P: Profile> Flight<'a, P> {
    /// Nothing is in flight; the number of what is sent first is `start`. `delivery` is for what each
    /// transmission remembers of deliveries.
    pub(crate) fn new(
        start: SeqNumber,
        records: Buffer<'a, FlightRecord>,
        limit: usize,
        delivery: Buffer<'a, DeliveryRecord>,
    ) -> Self {
        let records = Deque::new(records, limit);
        Flight {
            delivery: DeliveryColumn::new(delivery, &records),
            profile: PhantomData,
            records,
            outstanding: 0,
            sacked: 0,
            lost: 0,
            resent: 0,
            highest_sacked: start,
            lost_below: start,
            resend_from: start,
            renegings: Count::default(),
            #[cfg(feature = "recovery-rack")]
            oldest_resent: 0,
        }
    }

    pub(crate) fn into_buffers(self) -> (Buffer<'a, FlightRecord>, Buffer<'a, DeliveryRecord>) {
        (self.records.into_buffer(), self.delivery.into_buffer())
    }

    /// Whether delivery rates are measured.
    pub(crate) fn is_measuring(&self) -> bool {
        self.delivery.is_usable()
    }

    /// Gives memory of its own back if nothing is in flight.
    pub(crate) fn release(&mut self) {
        if self.is_empty() {
            self.records.clear();
            self.delivery.clear();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many transmissions are in flight.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether another transmission can be recorded in the memory that there is.
    pub(crate) fn has_place(&self) -> bool {
        self.records.has_place()
    }

    /// Whether another transmission can be recorded. Memory that grows is taken now, so that what
    /// is sent is surely recorded.
    #[inline]
    pub(crate) fn has_room(&mut self) -> bool {
        self.records.has_place() || self.make_room()
    }

    #[inline(never)]
    fn make_room(&mut self) -> bool {
        self.delivery.reserve(&mut self.records)
    }

    /// Whether a single segment is in flight.
    pub(crate) fn is_one_piece(&self) -> bool {
        self.records.len() == 1 && self.records.front().is_some_and(|front| front.pieces() == 1)
    }

    /// Whether the last segment carries this sequence number, and not it alone.
    pub(crate) fn last_contains(&self, seq: SeqNumber) -> bool {
        self.records.back().is_some_and(|record| {
            let last = record.piece_range(record.pieces().saturating_sub(1));
            last.contains(seq) && last.start.before(seq)
        })
    }

    /// FlightSize (RFC 5681): sent and not cumulatively acknowledged.
    pub(crate) fn outstanding(&self) -> u32 {
        self.outstanding
    }

    pub(crate) fn sacked(&self) -> u32 {
        if cfg!(feature = "sack") { self.sacked } else { 0 }
    }

    pub(crate) fn lost(&self) -> u32 {
        self.lost
    }

    /// How often the peer was found to have thrown away what it had SACKed.
    pub(crate) fn renegings(&self) -> u64 {
        self.renegings.get()
    }

    /// Of what is lost, what was not sent again.
    pub(crate) fn unrepaired(&self) -> u32 {
        self.lost - self.resent
    }

    /// RFC 6675's pipe: what is thought to be in the network.
    pub(crate) fn pipe(&self) -> u32 {
        (self.outstanding - self.sacked() - self.lost).saturating_add(self.resent)
    }

    /// End of the highest SACKed piece.
    pub(crate) fn highest_sacked(&self) -> Option<SeqNumber> {
        (self.sacked() > 0).then_some(self.highest_sacked)
    }

    /// New data was sent, at most [`MAX_PIECES`] pieces; `piece` is the segment size. False if all
    /// records are in use.
    #[inline(always)]
    pub(crate) fn push(&mut self, now: Instant, range: SeqRange, piece: u32) -> bool {
        let record = FlightRecord {
            seq: range.start,
            len: range.len(),
            piece: piece.max(1),
            in_flight: if TIMES_MATTER { self.pipe().saturating_add(range.len()) } else { 0 },
            sent_at: now,
            ..FlightRecord::default()
        };
        if self.records.is_empty() {
            (self.lost_below, self.resend_from) = (range.start, range.start);
        }
        let pushed = record.len > 0
            && (self.records.push_in_place(record)
                || cfg!(feature = "alloc")
                    && self.has_room()
                    && self.records.push_in_place(record));
        if pushed {
            self.outstanding += range.len();
            if self.is_measuring() {
                let position = self.records.len() - 1;
                self.delivery.set(&self.records, position, DeliveryRecord::default());
            }
        }
        pushed
    }

    /// What the transmission that begins at `start`, sent just now, remembers of deliveries.
    pub(crate) fn remember(&mut self, start: SeqNumber, sent: DeliveryRecord) {
        if !self.is_measuring() {
            return;
        }
        let position = self.locate(start);
        let in_flight = self.pipe();
        self.delivery.set(&self.records, position, sent.with_flight(in_flight));
    }

    /// The same of the record at `position`.
    fn remembered(&self, position: usize) -> Option<DeliveryRecord> {
        let sent = self.delivery.get(&self.records, position)?;
        sent.is_known().then_some(sent)
    }

    /// The same of the last transmission in `losses`, which were found just now.
    pub(crate) fn last_lost(&self, losses: &Losses) -> Option<DeliveryRecord> {
        self.remembered(losses.position).filter(|_| losses.bytes > 0)
    }

    /// Everything before `una` was acknowledged; what had not been SACKed before is added to
    /// `delivered`.
    pub(crate) fn acknowledge(&mut self, una: SeqNumber, delivered: &mut Delivered) -> Acked {
        let mut acked = Acked::default();
        if cfg!(feature = "fast-path")
            && let Some(run) = self.untouched(una)
        {
            acked.sent_at = Some(run.sent_at);
            delivered.add_run(&run, self.remembered(run.records - 1));
            self.acknowledge_run(&run);
        }
        let mut resent = false;
        while let Some(record) = self.records.front() {
            let whole = record.end().at_or_before(una);
            let record = *record;
            let gone = if whole {
                record.all()
            } else if MAX_PIECES == 1 {
                0
            } else {
                low_bits(una.since(record.seq) / record.piece.max(1)) & record.all()
            };
            if gone == 0 {
                break;
            }
            // A piece that was SACKed before arrived earlier than this ack: it measures nothing.
            let news = gone & !record.sacked();
            delivered.add(&record, news, self.remembered(0));
            resent |= record.ever_resent & news != 0;
            if news != 0 {
                acked.sent_at = Some(record.sent_at);
            }
            self.outstanding -= record.bytes(gone);
            if cfg!(feature = "sack") {
                self.sacked -= record.bytes(gone & record.sacked());
            }
            self.lost -= record.bytes(gone & record.lost);
            self.resent -= record.bytes(gone & record.resent);
            if whole {
                self.records.pop_front();
                continue;
            }
            if MAX_PIECES > 1
                && let Some(record) = self.records.front_mut()
            {
                let count = gone.count_ones();
                let cut = count * record.piece;
                record.seq += cut;
                record.len -= cut;
                record.sacked >>= count;
                record.lost >>= count;
                record.resent >>= count;
                record.ever_resent >>= count;
                if record.is_sacked() {
                    record.first_resent = 1;
                }
            }
            break;
        }
        if resent {
            acked.sent_at = None;
        }
        let start = self.records.front().map_or(una, |record| record.seq);
        self.lost_below = self.lost_below.max(start);
        self.resend_from = self.resend_from.max(start);
        acked
    }

    /// SND.UNA has moved to `una`. Of a piece that is longer than a segment of `mss` bytes
    /// ([`cut_anew`](Self::cut_anew)) only the beginning was sent again; what follows it is due when
    /// that was acknowledged.
    pub(crate) fn go_on_within_piece(&mut self, una: SeqNumber, mss: u32) {
        let is_begun = |record: &&mut FlightRecord| record.piece > mss && record.seq.before(una);
        let Some(record) = self.records.front_mut().filter(is_begun) else {
            return;
        };
        let again = bit(0) & record.resent;
        record.resent &= !again;
        self.resent -= record.bytes(again);
        if again != 0 {
            self.resend_from = record.seq;
        }
    }

    /// The records before `una`, up to the first that is not wholly before it or to which something
    /// has happened; `None` if there are none.
    #[cfg_attr(feature = "fast-path", inline(always))]
    pub(crate) fn untouched(&self, una: SeqNumber) -> Option<Run> {
        let first = self.records.front()?;
        let mut run = Run {
            records: 0,
            bytes: 0,
            first_end: first.seq + first.piece.min(first.len),
            end: first.seq,
            sent_at: first.sent_at,
        };
        let mut next = Some(first);
        while let Some(record) = next
            && record.end().at_or_before(una)
            && record.is_untouched()
        {
            run.records += 1;
            run.bytes += record.len;
            run.end = record.end();
            run.sent_at = record.sent_at;
            next = self.records.get(run.records);
        }
        (run.records > 0).then_some(run)
    }

    /// Whether there is a single record, and nothing has happened to it.
    pub(crate) fn is_single(&self) -> bool {
        self.len() == 1 && self.records.front().is_some_and(FlightRecord::is_untouched)
    }

    /// That one was acknowledged, up to `end`.
    pub(crate) fn acknowledge_single(&mut self, end: SeqNumber) {
        self.outstanding = 0;
        self.records.pop_many(1);
        self.lost_below = self.lost_below.max(end);
        self.resend_from = self.resend_from.max(end);
    }

    /// They were acknowledged.
    #[cfg_attr(feature = "fast-path", inline(always))]
    pub(crate) fn acknowledge_run(&mut self, run: &Run) {
        self.outstanding -= run.bytes;
        self.records.pop_many(run.records);
        self.lost_below = self.lost_below.max(run.end);
        self.resend_from = self.resend_from.max(run.end);
    }

    /// Marks the first piece lost, whatever the scoreboard says (three duplicate acks, or a partial
    /// ack in NewReno).
    pub(crate) fn mark_first_lost(&mut self) -> Losses {
        let mut newly = Losses::default();
        if let Some(record) = self.records.front_mut() {
            let mask = bit(0) & !record.sacked() & !record.lost & !record.resent;
            newly.add(0, record, mask);
            record.lost |= mask;
            if mask != 0 {
                self.resend_from = record.seq;
            }
        }
        self.lost += newly.bytes;
        newly
    }

    /// Marks the first piece lost, also if it was sent again already.
    pub(crate) fn mark_first_lost_again(&mut self) -> Losses {
        if let Some(record) = self.records.front_mut() {
            let again = bit(0) & record.resent;
            self.resent -= record.bytes(again);
            self.lost -= record.bytes(again);
            record.resent &= !again;
            record.lost &= !again;
        }
        self.mark_first_lost()
    }

    /// Everything that was not SACKed is lost, also what was sent again. A peer that SACKed the first
    /// piece and does not acknowledge it has thrown data away: then no SACK counts any more
    /// (RFC 2018 section 8).
    pub(crate) fn mark_all_lost(&mut self) {
        let reneged = self.has_reneged();
        if reneged {
            self.sacked = 0;
            self.renegings.add(1);
        }
        let (mut lost, mut position) = (0, 0);
        while let Some(record) = self.records.get_mut(position) {
            if reneged {
                record.discard_sacks();
            }
            record.lost = record.all() & !record.sacked();
            record.resent = 0;
            lost += record.bytes(record.lost);
            position += 1;
        }
        self.lost = lost;
        self.resent = 0;
        if let (Some(front), Some(back)) = (self.records.front(), self.records.back()) {
            (self.resend_from, self.lost_below) = (front.seq, back.end());
        }
    }

    /// The first piece that is lost and was not sent again.
    pub(crate) fn first_lost(&mut self) -> Option<SeqRange> {
        if self.unrepaired() == 0 {
            return None;
        }
        let found = self.find(self.resend_from, None, |record| record.lost & !record.resent);
        self.resend_from = found.map_or(self.resend_from, |range| range.start);
        found
    }

    /// The first piece that is neither SACKed nor lost nor sent again, below the highest SACKed one
    /// (RFC 6675 NextSeg rule 3).
    pub(crate) fn first_unsacked_hole(&self) -> Option<SeqRange> {
        self.find(self.lost_below, self.highest_sacked(), |record| {
            record.all() & !record.sacked() & !record.lost & !record.resent
        })
    }

    /// The last piece, if it was not SACKed (RFC 6675 NextSeg rule 4).
    pub(crate) fn last_unsacked(&self) -> Option<SeqRange> {
        let record = self.records.back()?;
        let last = record.pieces().saturating_sub(1);
        (record.sacked() & bit(last) == 0).then(|| record.piece_range(last))
    }

    /// The first piece, whatever its state.
    pub(crate) fn first(&self) -> Option<SeqRange> {
        self.records.front().map(|record| record.piece_range(0))
    }

    /// Whether `seq`, which is in flight, lies in the first piece.
    pub(crate) fn begins_with(&self, seq: SeqNumber) -> bool {
        self.records.front().is_some_and(|record| seq.before(record.piece_range(0).end))
    }

    /// The first piece from `from` on, and before `to`, that `bits` selects in its record.
    fn find(
        &self,
        from: SeqNumber,
        to: Option<SeqNumber>,
        bits: impl Fn(&FlightRecord) -> Pieces,
    ) -> Option<SeqRange> {
        let mut position = self.locate(from);
        while let Some(record) = self.records.get(position) {
            if to.is_some_and(|to| record.seq.at_or_after(to)) {
                return None;
            }
            let candidates = bits(record);
            if candidates != 0 {
                let range = record.piece_range(candidates.trailing_zeros());
                return (to.is_none_or(|to| range.start.before(to))).then_some(range);
            }
            position += record.sacked_run().max(1);
        }
        None
    }

    /// A closed window was probed with the piece that begins at `start`: that it may have been
    /// discarded there says nothing of losses, but no round-trip sample comes of it.
    pub(crate) fn mark_probed(&mut self, start: SeqNumber) {
        let position = self.locate(start);
        if let Some(record) = self.records.get_mut(position) {
            record.ever_resent |= record.piece_at(start);
        }
    }

    /// The piece that begins at `start` was sent again. A piece that was not marked lost (NextSeg
    /// rules 3 and 4) is marked: it counts once in the pipe either way.
    pub(crate) fn mark_resent(&mut self, now: Instant, range: SeqRange) {
        let start = range.start;
        let position = self.locate(start);
        let Some(record) = self.records.get_mut(position) else {
            return;
        };
        let mask = record.piece_at(start) & !record.sacked();
        if mask == 0 {
            return;
        }
        #[cfg(feature = "recovery-rack")]
        if self.resent == 0 {
            self.oldest_resent = micros(now);
        }
        self.lost += record.bytes(mask & !record.lost);
        self.resent += record.bytes(mask & !record.resent);
        record.resend(now, mask);
    }

    /// Cuts the flight anew in pieces of `piece` (the path takes smaller packets than before): all
    /// of it is lost, which the caller marks; what was SACKed is forgotten (the peer's next acks
    /// repeat what matters).
    pub(crate) fn cut_anew(&mut self, now: Instant, piece: u32) {
        let (Some(front), Some(back)) = (self.records.front(), self.records.back()) else {
            return;
        };
        let (mut start, end) = (front.seq, back.end());
        while self.records.pop_front().is_some() {}
        (self.outstanding, self.sacked, self.lost, self.resent) = (0, 0, 0, 0);
        while start.before(end) {
            let rest = end.since(start);
            // The last free record takes all that is left, in larger pieces if need be.
            let last = self.records.len() + 1 >= self.records.limit();
            let piece = if last { piece.max(rest.div_ceil(MAX_PIECES)) } else { piece.max(1) };
            let len = rest.min(piece.saturating_mul(MAX_PIECES));
            if !self.push(now, SeqRange::from_len(start, len), piece) {
                break;
            }
            if let Some(record) = self.records.back_mut() {
                record.ever_resent = Pieces::MAX;
            }
            start += len;
        }
    }

    /// Position of the record that holds `seq` (or of the first one after it).
    fn locate(&self, seq: SeqNumber) -> usize {
        let (mut low, mut high) = (0, self.records.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.records.get(middle) {
                Some(record) if record.end().at_or_before(seq) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }
}
