//! The data in flight as a record for each transmission, with the scoreboard.
//!
//! A record covers up to 64 pieces of one segment each (one piece without segmentation),
//! with one bit per piece for each state: SACKed, lost, resent. It is split only where a piece goes again in
//! shorter segments (`split.rs`). Edges of SACK blocks are rounded inward to
//! whole pieces, so that nothing counts as received that may not be. If all records are in use no new data is
//! sent; no SACK is ever forgotten.

use super::record::{ByTime, PiecesOf};
use super::*;
use crate::profile::{Full, Kept, Part};
use crate::storage::{CAN_GROW, Deque};
use crate::tcp::count::Count;
use crate::tcp::sender::delivery::DeliveryColumn;

/// The records of a connection in order of sequence numbers, and totals over them.
#[derive(Debug)]
pub struct RecordedFlight<'a, P: Profile = Full> {
    pub(super) records: Deque<'a, FlightRecord<P>>,
    /// Delivery records beside the records, if delivery rates are measured.
    pub(super) delivery: DeliveryColumn<'a, P>,
    pub(super) outstanding: u32,
    pub(super) sacked: u32,
    pub(super) lost: u32,
    pub(super) resent: u32,
    /// End of the highest SACKed piece, if any is SACKed.
    pub(super) highest_sacked: SeqNumber,
    /// Everything below this that was not SACKed has been marked lost.
    pub(super) lost_below: SeqNumber,
    /// No piece before this one waits for retransmission.
    pub(super) resend_from: SeqNumber,
    /// How often the peer was found to have reneged.
    pub(super) renegings: Count<P>,
    /// A lower bound of the times, in microseconds, at which pieces in `resent` were retransmitted.
    pub(super) oldest_resent: <ByTime<P> as Part>::Keeps<u64>,
}

impl<'a, P: Profile> Flight for RecordedFlight<'a, P> {
    type Memory = FlightMemory<'a, P>;

    fn new(start: SeqNumber, (records, delivery): Self::Memory, limit: usize) -> Self {
        let records = Deque::new(records, limit);
        RecordedFlight {
            delivery: DeliveryColumn::new(delivery, &records),
            records,
            outstanding: 0,
            sacked: 0,
            lost: 0,
            resent: 0,
            highest_sacked: start,
            lost_below: start,
            resend_from: start,
            renegings: Count::default(),
            oldest_resent: Kept::new(0),
        }
    }

    fn into_memory(self) -> Self::Memory {
        (self.records.into_buffer(), self.delivery.into_buffer())
    }

    fn is_measuring(&self) -> bool {
        self.delivery.is_usable()
    }

    fn release(&mut self) {
        if self.is_empty() {
            self.records.clear();
            self.delivery.clear();
        }
    }

    fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    fn len(&self) -> usize {
        self.records.len()
    }

    fn has_place(&self) -> bool {
        self.records.has_place()
    }

    #[inline]
    fn has_room(&mut self) -> bool {
        self.records.has_place() || self.make_room()
    }

    fn is_one_piece(&self) -> bool {
        self.records.len() == 1 && self.records.front().is_some_and(|front| front.pieces() == 1)
    }

    fn last_contains(&self, seq: SeqNumber) -> bool {
        self.records.back().is_some_and(|record| {
            let last = record.piece_range(record.pieces().saturating_sub(1));
            last.contains(seq) && last.start.before(seq)
        })
    }

    fn outstanding(&self) -> u32 {
        self.outstanding
    }

    fn sacked(&self) -> u32 {
        if P::SACK { self.sacked } else { 0 }
    }

    fn lost(&self) -> u32 {
        self.lost
    }

    fn renegings(&self) -> u64 {
        self.renegings.get()
    }

    fn unrepaired(&self) -> u32 {
        self.lost - self.resent
    }

    fn pipe(&self) -> u32 {
        (self.outstanding - self.sacked() - self.lost).saturating_add(self.resent)
    }

    fn highest_sacked(&self) -> Option<SeqNumber> {
        (self.sacked() > 0).then_some(self.highest_sacked)
    }

    #[inline(always)]
    fn push(&mut self, now: Instant, range: SeqRange, piece: u32) -> bool {
        let record = FlightRecord {
            seq: range.start,
            len: range.len(),
            piece: piece.max(1),
            in_flight: if times_matter::<P>() {
                self.pipe().saturating_add(range.len())
            } else {
                0
            },
            sent_at: now,
            ..FlightRecord::default()
        };
        if self.records.is_empty() {
            (self.lost_below, self.resend_from) = (range.start, range.start);
        }
        let pushed = record.len > 0
            && (self.records.push_in_place(record)
                || CAN_GROW && self.has_room() && self.records.push_in_place(record));
        if pushed {
            self.outstanding += range.len();
            if self.is_measuring() {
                let position = self.records.len() - 1;
                self.delivery.set(&self.records, position, DeliveryRecord::default());
            }
        }
        pushed
    }

    fn remember(&mut self, start: SeqNumber, sent: DeliveryRecord) {
        if !self.is_measuring() {
            return;
        }
        let position = self.locate(start);
        let in_flight = self.pipe();
        self.delivery.set(&self.records, position, sent.with_flight(in_flight));
    }

    fn last_lost(&self, losses: &Losses) -> Option<DeliveryRecord> {
        self.remembered(losses.position).filter(|_| losses.bytes > 0)
    }

    fn acknowledge(&mut self, una: SeqNumber, delivered: &mut Delivered) -> Acked {
        let mut acked = Acked::default();
        if P::PREDICTION
            && let Some(run) = self.untouched(una)
        {
            acked.sent_at = Some(run.sent_at);
            delivered.add_run(&run, self.remembered(run.records - 1));
            self.acknowledge_run(&run);
        }
        let mut resent = false;
        while let Some(record) = self.records.front() {
            let record = *record;
            let gone = record.pieces_before(una);
            if !gone.any() {
                break;
            }
            // A piece SACKed before has been delivered by an earlier ack, so it gives no sample.
            let news = gone & !record.sacked();
            delivered.add(&record, news, self.remembered(0));
            let again = (record.ever_resent & news).any();
            resent |= again;
            if times_matter::<P>() && again {
                acked.resent_at = acked.resent_at.max(record.last_resent());
            }
            if news.any() {
                acked.sent_at = Some(record.sent_at);
            }
            self.outstanding -= record.bytes(gone);
            if P::SACK {
                self.sacked -= record.bytes(gone & record.sacked);
            }
            self.lost -= record.bytes(gone & record.lost);
            self.resent -= record.bytes(gone & record.resent);
            if record.end().at_or_before(una) {
                self.records.pop_front();
                continue;
            }
            if let Some(record) = self.records.front_mut() {
                record.take_off_front(gone.count());
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

    fn go_on_within_piece(&mut self, una: SeqNumber) {
        let is_begun = |record: &&mut FlightRecord<P>| record.seq.before(una);
        let Some(record) = self.records.front_mut().filter(is_begun) else {
            return;
        };
        let again = PiecesOf::<P>::bit(0) & record.resent;
        record.resent &= !again;
        self.resent -= record.bytes(again);
        if again.any() {
            self.resend_from = record.seq;
        }
    }

    #[inline(always)]
    fn untouched(&self, una: SeqNumber) -> Option<Run> {
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

    fn segments_before(&self, una: SeqNumber) -> Option<u32> {
        let mut segments = 0;
        for record in self.records.iter().take_while(|record| record.seq.before(una)) {
            if !record.is_untouched() {
                return None;
            }
            segments += record.pieces();
        }
        Some(segments)
    }

    #[inline(always)]
    fn acknowledge_run(&mut self, run: &Run) {
        self.outstanding -= run.bytes;
        self.records.pop_many(run.records);
        self.lost_below = self.lost_below.max(run.end);
        self.resend_from = self.resend_from.max(run.end);
    }

    fn mark_first_lost(&mut self) -> Losses {
        let mut newly = Losses::default();
        if let Some(record) = self.records.front_mut() {
            let mask = PiecesOf::<P>::bit(0) & !record.sacked() & !record.lost & !record.resent;
            newly.add(0, record, mask);
            record.lost |= mask;
            if mask.any() {
                self.resend_from = record.seq;
            }
        }
        self.lost += newly.bytes;
        newly
    }

    fn mark_first_lost_again(&mut self) -> Losses {
        if let Some(record) = self.records.front_mut() {
            let again = PiecesOf::<P>::bit(0) & record.resent;
            self.resent -= record.bytes(again);
            self.lost -= record.bytes(again);
            record.resent &= !again;
            record.lost &= !again;
        }
        self.mark_first_lost()
    }

    fn mark_all_lost(&mut self) {
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
            record.resent = PiecesOf::<P>::NONE;
            lost += record.bytes(record.lost);
            position += 1;
        }
        self.lost = lost;
        self.resent = 0;
        if let (Some(front), Some(back)) = (self.records.front(), self.records.back()) {
            (self.resend_from, self.lost_below) = (front.seq, back.end());
        }
    }

    fn first_lost(&mut self) -> Option<SeqRange> {
        if self.unrepaired() == 0 {
            return None;
        }
        let found = self.find(self.resend_from, None, |record| record.lost & !record.resent);
        self.resend_from = found.map_or(self.resend_from, |range| range.start);
        found
    }

    fn first_unsacked_hole(&self) -> Option<SeqRange> {
        let highest = self.highest_sacked()?;
        self.find(self.lost_below, Some(highest), |record| {
            record.all() & !record.sacked() & !record.lost & !record.resent
        })
    }

    fn last_unsacked(&self) -> Option<SeqRange> {
        let record = self.records.back()?;
        let last = record.pieces().saturating_sub(1);
        (!(record.sacked() & PiecesOf::<P>::bit(last)).any()).then(|| record.piece_range(last))
    }

    fn first(&self) -> Option<SeqRange> {
        self.records.front().map(|record| record.piece_range(0))
    }

    fn begins_with(&self, seq: SeqNumber) -> bool {
        self.records.front().is_some_and(|record| seq.before(record.piece_range(0).end))
    }

    fn mark_probed(&mut self, start: SeqNumber) {
        let position = self.locate(start);
        if let Some(record) = self.records.get_mut(position) {
            record.ever_resent |= record.piece_at(start);
        }
    }

    fn part(&self, seq: SeqNumber) -> Option<SeqRange> {
        let record = self.records.get(self.locate(seq)).filter(|record| record.pieces() > 1)?;
        Some(record.piece_range(seq.since(record.seq) / record.piece.max(1)))
    }

    fn mark_resent(&mut self, now: Instant, range: SeqRange) -> bool {
        let start = range.start;
        let is_cut = P::PATH_PROBING && self.is_shorter(range);
        let position = if is_cut { self.cut_piece(range) } else { self.locate(start) };
        let Some(record) = self.records.get_mut(position) else {
            return false;
        };
        let mask = record.piece_at(start) & !record.sacked();
        if !mask.any() {
            return is_cut;
        }
        if self.resent == 0
            && let Some(oldest) = self.oldest_resent.get_mut()
        {
            *oldest = micros(now);
        }
        self.lost += record.bytes(mask & !record.lost);
        self.resent += record.bytes(mask & !record.resent);
        record.resend(now, mask);
        is_cut
    }

    fn take_back(&mut self) {
        self.records.pop_many(usize::MAX);
        (self.outstanding, self.sacked, self.lost, self.resent) = (0, 0, 0, 0);
    }

    fn cut_anew(&mut self, now: Instant, una: SeqNumber, piece: u32) {
        let (Some(front), Some(back)) = (self.records.front(), self.records.back()) else {
            return;
        };
        // Of the first piece a part may be acknowledged, which could fill whole new ones.
        let (mut start, end) = (front.seq.max(una), back.end());
        self.take_back();
        while start.before(end) {
            let rest = end.since(start);
            let len = rest.min(piece.max(1).saturating_mul(max_pieces::<P>()));
            let pushed = self.push(now, SeqRange::from_len(start, len), piece);
            let Some(record) = self.records.back_mut() else {
                break;
            };
            record.ever_resent = PiecesOf::<P>::ALL;
            if !pushed {
                // The last record for which there is memory takes all that is left, in longer pieces.
                record.len += rest;
                record.piece = record.piece.max(record.len.div_ceil(max_pieces::<P>()));
                self.outstanding += rest;
                break;
            }
            start += len;
        }
    }

    fn unmark_lost(&mut self) {
        for position in 0..self.records.len() {
            if let Some(record) = self.records.get_mut(position) {
                (record.lost, record.resent) = (PiecesOf::<P>::NONE, PiecesOf::<P>::NONE);
            }
        }
        (self.lost, self.resent) = (0, 0);
        if let Some(front) = self.records.front() {
            (self.lost_below, self.resend_from) = (front.seq, front.seq);
        }
    }

    fn mark_only_first_lost(&mut self, piece: u32) {
        self.unmark_lost();
        if let Some(record) = self.records.front_mut() {
            record.cut(piece);
            record.lost = record.all() & !record.sacked();
            self.lost = record.bytes(record.lost);
        }
    }

    fn sack(&mut self, block: SeqRange, delivered: &mut Delivered) {
        if P::SACK {
            self.mark_sacked(block, delivered);
        }
    }

    fn has_sacked_pieces(&self, count: u32) -> bool {
        self.counts_sacked_pieces(count)
    }

    fn has_reneged(&self) -> bool {
        P::SACK
            && self
                .records
                .front()
                .is_some_and(|front| (front.sacked & PiecesOf::<P>::bit(0)).any())
    }

    fn detect_losses(&mut self, threshold: u32, mss: u32) -> Losses {
        let edge = self.lost_edge(threshold, mss);
        edge.map_or(Losses::default(), |edge| self.mark_lost_below(edge))
    }

    fn mark_holes_lost(&mut self) -> Losses {
        self.highest_sacked().map_or(Losses::default(), |edge| self.mark_lost_below(edge))
    }

    fn discard_sacks(&mut self) {
        self.forget_sacks();
    }

    fn detect_overdue(&mut self, newest: Transmission, until: u64) -> Overdue {
        self.mark_overdue(newest, until)
    }

    fn mark_timed_out(&mut self, until: u64) {
        self.mark_first_and_overdue(until);
    }

    fn broken_invariant(&self, una: SeqNumber, nxt: SeqNumber) -> Option<&'static str> {
        self.recount(una, nxt)
    }
}

impl<P: Profile> RecordedFlight<'_, P> {
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn make_room(&mut self) -> bool {
        self.delivery.reserve(&mut self.records)
    }

    /// The delivery record of the record at `position`.
    pub(super) fn remembered(&self, position: usize) -> Option<DeliveryRecord> {
        let sent = self.delivery.get(&self.records, position)?;
        sent.is_known().then_some(sent)
    }

    /// The first piece at or after `from`, and before `to`, that `bits` selects in its record.
    fn find(
        &self,
        from: SeqNumber,
        to: Option<SeqNumber>,
        bits: impl Fn(&FlightRecord<P>) -> PiecesOf<P>,
    ) -> Option<SeqRange> {
        let mut position = self.locate(from);
        while let Some(record) = self.records.get(position) {
            if to.is_some_and(|to| record.seq.at_or_after(to)) {
                return None;
            }
            let candidates = bits(record);
            if candidates.any() {
                let range = record.piece_range(candidates.first());
                return (to.is_none_or(|to| range.start.before(to))).then_some(range);
            }
            position += record.sacked_run().max(1);
        }
        None
    }

    /// Position of the record that holds `seq`, or else of the first one after it.
    pub(super) fn locate(&self, seq: SeqNumber) -> usize {
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
