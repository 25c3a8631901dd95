//! What the peer says it holds, and what that makes of the rest (RFC 2018, RFC 6675).

use super::record::{Pieces, RUNS_ARE_KNOWN, bit};
use super::{Delivered, Flight, Losses};
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};

impl<P: Profile> Flight<'_, P> {
    /// Takes a block of a SACK option: marks the pieces that lie wholly in it, and adds what is newly
    /// SACKed to `delivered`. Blocks that do not lie between `una` and the end of the flight must not
    /// be given.
    pub(crate) fn sack(&mut self, block: SeqRange, delivered: &mut Delivered) {
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
            if mask != 0 {
                let first = self.sacked == 0;
                delivered.add(record, mask, sent);
                self.sacked += record.bytes(mask);
                self.lost -= record.bytes(mask & record.lost);
                self.resent -= record.bytes(mask & record.resent);
                record.sacked |= mask;
                record.lost &= !mask;
                record.resent &= !mask;
                if RUNS_ARE_KNOWN && record.is_sacked() {
                    record.first_resent = 1;
                }
                let last = Pieces::BITS - 1 - mask.leading_zeros();
                let end = record.piece_range(last).end;
                self.highest_sacked = if first { end } else { self.highest_sacked.max(end) };
            }
            position += 1;
        }
    }

    /// The first record from `position` on of which the peer lacks something.
    pub(super) fn after_sacked(&mut self, position: usize) -> usize {
        let run = |next| self.records.get(next).map_or(0, |record| record.sacked_run());
        let mut next = position;
        while run(next) > 0 {
            next += run(next);
        }
        // The next one who comes by has a single step to do.
        if RUNS_ARE_KNOWN
            && next > position + 1
            && let Some(first) = self.records.get_mut(position)
        {
            first.first_resent = u32::try_from(next - position).unwrap_or(u32::MAX);
        }
        next
    }

    /// RFC 6675's IsLost for everything: a piece is lost once `threshold` separate SACKed ranges,
    /// or more than `threshold - 1` segments' worth of bytes, lie above it. Marks what is newly
    /// lost.
    pub(crate) fn detect_losses(&mut self, threshold: u32, mss: u32) -> Losses {
        let edge = self.lost_edge(threshold, mss);
        edge.map_or(Losses::default(), |edge| self.mark_lost_below(edge))
    }

    /// The sequence number below which everything not SACKed is lost.
    fn lost_edge(&self, threshold: u32, mss: u32) -> Option<SeqNumber> {
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
                let sacked = record.sacked & bit(index) != 0;
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

    /// Marks everything below `edge` lost that was neither SACKed nor marked before.
    fn mark_lost_below(&mut self, edge: SeqNumber) -> Losses {
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

    /// Marks everything below the highest SACKed piece lost that was neither SACKed nor marked
    /// before.
    pub(crate) fn mark_holes_lost(&mut self) -> Losses {
        self.highest_sacked().map_or(Losses::default(), |edge| self.mark_lost_below(edge))
    }

    /// Forgets what was SACKed.
    pub(crate) fn discard_sacks(&mut self) {
        for position in 0..self.records.len() {
            if let Some(record) = self.records.get_mut(position) {
                record.discard_sacks();
            }
        }
        self.sacked = 0;
    }
}
