//! SACKs on the scoreboard, and the losses that follow from them (RFC 2018, RFC 6675).

use super::pieces::PieceSet;
use super::record::PiecesOf;
use super::records::RecordedFlight;
use super::{Delivered, Flight, Losses};
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};

impl<P: Profile> RecordedFlight<'_, P> {
    /// Implements [`Flight::sack`].
    pub(super) fn mark_sacked(&mut self, block: SeqRange, delivered: &mut Delivered) {
        let mut position = self.locate(block.start);
        loop {
            position = self.after_sacked(position);
            let sent = self.remembered(position);
            let Some(record) = self.records.get_mut(position) else {
                break;
            };
            if record.seq.at_or_after(block.end) {
                break;
            }
            let mask = record.pieces_within(block) & !record.sacked;
            if mask.any() {
                let first = self.sacked == 0;
                delivered.add(record, mask, sent);
                self.sacked += record.bytes(mask);
                self.lost -= record.bytes(mask & record.lost);
                self.resent -= record.bytes(mask & record.resent);
                record.sacked |= mask;
                record.lost &= !mask;
                record.resent &= !mask;
                if record.is_sacked() {
                    record.first_resent = 1;
                }
                let end = record.piece_range(mask.last()).end;
                self.highest_sacked = if first { end } else { self.highest_sacked.max(end) };
            }
            position += 1;
        }
    }

    /// Position of the first record from `position` on that is not wholly SACKed.
    pub(super) fn after_sacked(&mut self, position: usize) -> usize {
        let run = |next| self.records.get(next).map_or(0, |record| record.sacked_run());
        let mut next = position;
        while run(next) > 0 {
            next += run(next);
        }
        // Remember the distance, so that the next search takes a single step.
        if next > position + 1
            && let Some(first) = self.records.get_mut(position)
        {
            first.first_resent = u32::try_from(next - position).unwrap_or(u32::MAX);
        }
        next
    }

    /// The sequence number below which everything not SACKed is lost.
    pub(super) fn lost_edge(&self, threshold: u32, mss: u32) -> Option<SeqNumber> {
        let bytes_needed = threshold.saturating_sub(1).saturating_mul(mss);
        let mut bytes = 0u32;
        let mut ranges = 0u32;
        let mut in_range = false;
        let mut position = self.locate(self.highest_sacked()? - 1);
        loop {
            let record = self.records.get(position)?;
            if record.end().at_or_before(self.lost_below) {
                return None;
            }
            for index in (0..record.pieces()).rev() {
                let sacked = (record.sacked & PiecesOf::<P>::bit(index)).any();
                ranges += u32::from(sacked && !in_range);
                in_range = sacked;
                if sacked {
                    let range = record.piece_range(index);
                    bytes = bytes.saturating_add(range.len());
                    if bytes > bytes_needed || ranges >= threshold {
                        return Some(range.start);
                    }
                }
            }
            position = position.checked_sub(1)?;
        }
    }

    /// Marks everything below `edge` lost, unless it is SACKed or was marked before.
    pub(super) fn mark_lost_below(&mut self, edge: SeqNumber) -> Losses {
        let range = SeqRange::new(self.lost_below, edge);
        let mut newly = Losses::default();
        if range.is_empty() {
            return newly;
        }
        let mut position = self.locate(range.start);
        while let Some(record) = self.records.get_mut(position) {
            if record.seq.at_or_after(edge) {
                break;
            }
            let mask = record.pieces_within(range) & !record.sacked & !record.lost & !record.resent;
            newly.add(position, record, mask);
            record.lost |= mask;
            position += 1;
        }
        self.lost += newly.bytes;
        self.resend_from = self.resend_from.min(range.start);
        self.lost_below = edge;
        newly
    }

    /// Forgets all SACKs.
    pub(super) fn forget_sacks(&mut self) {
        for position in 0..self.records.len() {
            if let Some(record) = self.records.get_mut(position) {
                record.discard_sacks();
            }
        }
        self.sacked = 0;
    }

    /// Whether at least `count` pieces are SACKed.
    pub(super) fn counts_sacked_pieces(&self, count: u32) -> bool {
        let mut sacked = 0u32;
        self.sacked > 0
            && self.records.iter().any(|record| {
                sacked = sacked.saturating_add(record.sacked.count());
                sacked >= count
            })
    }

    /// Forgets all SACKs if the peer has reneged: SACKed the first piece without acknowledging it.
    pub(super) fn forget_reneged(&mut self) {
        if !self.has_reneged() {
            return;
        }
        self.forget_sacks();
        if let Some(front) = self.records.front() {
            (self.lost_below, self.resend_from) = (front.seq, front.seq);
        }
        self.renegings.add(1);
    }
}
