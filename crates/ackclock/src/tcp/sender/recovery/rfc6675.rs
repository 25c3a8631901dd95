//! Loss recovery with SACK (RFC 6675): the scoreboard says what is lost, the pipe what may be sent.

use super::{AckFacts, DUPLICATE_THRESHOLD, Flight, Outcome, Phase, Recovery};
use crate::seq::SeqRange;

impl Recovery {
    /// Section 5: IsLost, or the third duplicate ack, begins an episode.
    pub(super) fn detect_by_sack(
        &mut self,
        flight: &mut Flight<'_>,
        ack: &AckFacts,
        outcome: &mut Outcome,
    ) {
        if ack.sacked > 0 || ack.acked > 0 {
            outcome.lost = flight.detect_losses(DUPLICATE_THRESHOLD, ack.mss);
        }
        if self.phase != Phase::Open {
            return;
        }
        if self.duplicate_acks >= DUPLICATE_THRESHOLD && flight.lost() == 0 {
            outcome.lost = flight.mark_first_lost();
        }
        if flight.lost() > 0 {
            self.enter_fast(ack.nxt);
            outcome.entered = true;
        }
    }

    /// NextSeg rules 3 and 4 (section 4): what is neither SACKed nor known to be lost, below the
    /// highest SACKed piece; then once in an episode the last piece, so that the tail gives acks.
    pub(super) fn speculate(&self, flight: &Flight<'_>) -> Option<SeqRange> {
        let rescue = || {
            if self.rescued { None } else { flight.last_unsacked() }
        };
        flight.first_unsacked_hole().or_else(rescue)
    }
}
