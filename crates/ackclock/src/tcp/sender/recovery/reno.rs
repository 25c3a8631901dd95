//! Fast retransmit and fast recovery: 4.3BSD-Reno (RFC 2581 section 3.2).
//!
//! From the third duplicate ack on the window is inflated by a segment for each one, because each shows that
//! a segment has left the network. The first ack of new data deflates it and ends the episode, even if more
//! is missing: the second of two losses in a window needs three duplicate acks of its own, and another
//! halving, or the timer. Here the inflation is deducted from the pipe, which leaves the congestion window to
//! congestion control.

use super::{AckFacts, DUPLICATE_THRESHOLD, Episode, Flight, Outcome, Phase, Rules};
use crate::time::Instant;

/// The recovery of 4.3BSD-Reno.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno {
    /// Bytes by which the window is inflated.
    inflation: u32,
}

impl Reno {
    pub(super) const NAME: &'static str = "reno";
    pub(super) const NEEDS_SACK: bool = false;
}

impl Rules for Reno {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if episode.is_completed_by(ack) || (ack.acked > 0 && episode.phase == Phase::Fast) {
            episode.end(&mut outcome);
            self.inflation = 0;
        }
        if ack.duplicate && episode.phase == Phase::Fast {
            self.inflation = self.inflation.saturating_add(ack.mss).min(flight.outstanding());
        } else if ack.duplicate && episode.duplicate_acks == DUPLICATE_THRESHOLD {
            outcome.lost = flight.mark_first_lost_again();
            episode.begin(Phase::Fast, ack.nxt, &mut outcome);
            self.inflation = DUPLICATE_THRESHOLD.saturating_mul(ack.mss);
        }
        outcome
    }

    fn forget(&mut self, _now: Instant) {
        self.inflation = 0;
    }

    fn pipe<F: Flight>(&self, _episode: &Episode, flight: &F) -> u32 {
        flight.pipe().saturating_sub(self.inflation)
    }
}
