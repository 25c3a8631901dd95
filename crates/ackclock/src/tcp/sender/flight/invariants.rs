//! Invariants of a flight between two events, recounted piece by piece.

use super::Flight;
use super::pieces::PieceSet;
use super::record::{FlightRecord, PiecesOf};
use super::records::RecordedFlight;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;

impl<P: Profile> RecordedFlight<'_, P> {
    /// Implements [`Flight::broken_invariant`]: the invariant that does not hold, if any.
    pub(super) fn recount(&self, una: SeqNumber, nxt: SeqNumber) -> Option<&'static str> {
        let Some(front) = self.records.front() else {
            let sums = [self.outstanding, self.sacked, self.lost, self.resent];
            return (sums != [0; 4] || una != nxt).then_some("nothing in flight counts nothing");
        };
        if una.before(front.seq) || front.piece_range(0).end.at_or_before(una) {
            return Some("the first piece holds SND.UNA");
        }
        let mut end = front.seq;
        let (mut outstanding, mut sacked, mut lost, mut resent) = (0u32, 0u32, 0u32, 0u32);
        let mut highest = None;
        for position in 0..self.records.len() {
            let record = self.records.get(position)?;
            if record.seq != end || record.len == 0 {
                return Some("records follow each other without a gap");
            }
            end = record.end();
            let stray = (record.sacked | record.lost | record.resent) & !record.all();
            let twice = record.sacked & record.lost | record.resent & !record.lost;
            if (stray | twice).any() {
                return Some("a piece is SACKed, or lost and perhaps sent again");
            }
            let is_sacked = |at| self.records.get(at).is_some_and(FlightRecord::is_sacked);
            if !(position..position + record.sacked_run()).all(is_sacked) {
                return Some("a run of SACKed records holds nothing else");
            }
            let oldest = self.oldest_resent.get();
            if record.resent.any() && oldest.is_some_and(|oldest| record.last_resent() < *oldest) {
                return Some("nothing was sent again before the oldest retransmission");
            }
            for index in 0..record.pieces() {
                let range = record.piece_range(index);
                let is = |mask: PiecesOf<P>| (mask & PiecesOf::<P>::bit(index)).any();
                outstanding += range.len();
                sacked += if is(record.sacked) { range.len() } else { 0 };
                lost += if is(record.lost) { range.len() } else { 0 };
                resent += if is(record.resent) { range.len() } else { 0 };
                if is(record.sacked) {
                    highest = Some(range.end);
                }
                if is(record.lost) && !is(record.resent) && range.start.before(self.resend_from) {
                    return Some("nothing before the next retransmission waits for one");
                }
            }
        }
        let counted = [outstanding, sacked, lost, resent];
        if counted != [self.outstanding, self.sacked, self.lost, self.resent] {
            return Some("the sums are those of the pieces");
        }
        if self.pipe() != outstanding - sacked - (lost - resent) {
            return Some("the pipe holds what is neither SACKed nor lost for good");
        }
        if highest != self.highest_sacked() {
            return Some("the highest SACKed piece is known");
        }
        (end != nxt).then_some("the last record ends at SND.NXT")
    }
}
