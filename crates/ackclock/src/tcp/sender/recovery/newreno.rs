//! Loss recovery without SACK: NewReno (RFC 6582).
//!
//! The RFC inflates the congestion window by a segment per duplicate ack; here the same amount is
//! taken out of the pipe as a credit, so that the law's window stays the law's.

use super::{AckFacts, DUPLICATE_THRESHOLD, Flight, Outcome, Phase, Recovery};

impl Recovery {
    pub(super) fn detect_by_duplicates(
        &mut self,
        flight: &mut Flight<'_>,
        ack: &AckFacts,
        outcome: &mut Outcome,
    ) {
        if ack.acked > 0 {
            self.on_progress(flight, ack, outcome);
        } else if ack.duplicate && self.phase != Phase::Loss {
            self.credit = self.credit.saturating_add(ack.mss).min(flight.outstanding());
            let began = self.phase == Phase::Fast;
            // Step 2: only if the cumulative ack covers more than `recover`; else the duplicates
            // come of what was retransmitted after a timeout.
            let fresh = self.phase == Phase::Open && ack.una.after(self.point);
            if fresh && self.duplicate_acks == DUPLICATE_THRESHOLD {
                outcome.lost = flight.mark_first_lost();
                self.enter_fast(ack.nxt);
                outcome.entered = true;
            } else if !began {
                // Limited transmit is for two segments (RFC 3042 section 2).
                let limit = (DUPLICATE_THRESHOLD - 1).saturating_mul(ack.mss);
                self.credit = self.credit.min(limit);
            }
        }
    }

    /// Section 3.2, step 3, partial ack: the next hole is lost as well; the credit shrinks by what
    /// was acknowledged, less one segment.
    fn on_progress(&mut self, flight: &mut Flight<'_>, ack: &AckFacts, outcome: &mut Outcome) {
        if self.phase != Phase::Fast {
            self.credit = 0;
            return;
        }
        self.credit = self.credit.saturating_sub(ack.acked);
        if ack.acked >= ack.mss {
            self.credit = self.credit.saturating_add(ack.mss);
        }
        self.credit = self.credit.min(flight.outstanding());
        outcome.lost = flight.mark_first_lost();
        self.owes_retransmission = true;
        outcome.keep_timer = self.partial_seen;
        self.partial_seen = true;
    }
}
