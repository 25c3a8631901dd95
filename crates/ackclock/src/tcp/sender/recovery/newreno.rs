//! Loss recovery without SACK: NewReno (RFC 6582), with limited transmit (RFC 3042).
//!
//! RFC 6582 inflates the congestion window by a segment for each duplicate ack. Here the same amount is
//! deducted from the pipe as a credit, which leaves the congestion window to congestion control.

use super::{AckFacts, DUPLICATE_THRESHOLD, Episode, Flight, Outcome, Phase, Rules};
use crate::seq::SeqNumber;
use crate::tcp::sender::flight::Run;
use crate::time::Instant;

/// NewReno (RFC 6582).
#[derive(Clone, Copy, Debug, Default)]
pub struct NewReno {
    /// Bytes that have left the network by the number of duplicate acks. In RFC 6582's terms this is the
    /// inflation of the window, and for the first two of them limited transmit.
    credit: u32,
    /// Whether a partial ack was seen in this episode.
    partial_seen: bool,
}

impl NewReno {
    pub(super) const NAME: &'static str = "newreno";
    pub(super) const NEEDS_SACK: bool = false;

    /// Handles a partial ack (section 3.2, step 3): the next hole is lost as well; the credit shrinks by what
    /// was acknowledged, less one segment.
    fn on_partial_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
        outcome: &mut Outcome,
    ) {
        self.credit = self.credit.saturating_sub(ack.acked);
        if ack.acked >= ack.mss {
            self.credit += ack.mss;
        }
        self.credit = self.credit.min(flight.outstanding());
        outcome.lost = flight.mark_first_lost();
        episode.owes_retransmission = true;
        outcome.keep_timer = self.partial_seen;
        self.partial_seen = true;
    }
}

impl Rules for NewReno {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if episode.is_completed_by(ack) {
            episode.end(&mut outcome);
            self.credit = 0;
        }
        if ack.acked > 0 {
            if episode.phase == Phase::Fast {
                self.on_partial_ack(episode, flight, ack, &mut outcome);
            } else {
                self.credit = 0;
            }
        } else if ack.duplicate && episode.phase != Phase::Loss {
            self.credit = (self.credit + ack.mss).min(flight.outstanding());
            let began = episode.phase == Phase::Fast;
            // Section 3.2, step 2: only if the cumulative ack covers more than `recover`; else the duplicate
            // acks are caused by retransmissions after a timeout. `recover` is never beyond SND.NXT; if it
            // seems to be, 2 GiB were acknowledged since.
            let is_past = ack.una.after(episode.point) || episode.point.after(ack.nxt);
            let fresh = episode.phase == Phase::Open && is_past;
            if fresh && episode.duplicate_acks == DUPLICATE_THRESHOLD {
                outcome.lost = flight.mark_first_lost();
                episode.begin(Phase::Fast, ack.nxt, &mut outcome);
                self.partial_seen = false;
            } else if !began {
                // Limited transmit allows two segments (RFC 3042 section 2).
                let limit = (DUPLICATE_THRESHOLD - 1) * ack.mss;
                self.credit = self.credit.min(limit);
            }
        }
        outcome
    }

    fn is_plain(&self) -> bool {
        self.credit == 0
    }

    /// An ack of new data changes nothing outside an episode and without a duplicate ack before it.
    fn take_run(&mut self, _now: u64, _una: SeqNumber, _run: &Run) -> bool {
        true
    }

    fn forget(&mut self, _now: Instant) {
        self.credit = 0;
    }

    fn pipe<F: Flight>(&self, _episode: &Episode, flight: &F) -> u32 {
        flight.pipe().saturating_sub(self.credit)
    }

    fn may_undo(&self) -> bool {
        true
    }
}
