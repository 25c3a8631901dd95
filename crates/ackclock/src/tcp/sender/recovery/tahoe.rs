//! Fast retransmit without fast recovery: 4.3BSD-Tahoe (jacobson88; zhang91 section 2.1).
//!
//! The third duplicate ack retransmits the segment at SND.UNA, and congestion control enters slow start. BSD
//! then continues from the old SND.NXT: nothing more is retransmitted until acks or the timer ask for it, and
//! no new data is sent until the window exceeds the flight. The episode leaves no state: another three
//! duplicate acks, even for data sent before the first retransmission, are another loss (the second loss of
//! zhang91 figure 5).

use super::{AckFacts, DUPLICATE_THRESHOLD, Episode, Flight, Outcome, Phase, Rules};

/// The recovery of 4.3BSD-Tahoe.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tahoe;

/// Tahoe as often described: the third duplicate ack is treated as a timeout, and sending goes back to
/// SND.UNA. The utilisation in zhang91 depends on which of the two is used.
#[derive(Clone, Copy, Debug, Default)]
pub struct TahoeGoBackN;

impl Tahoe {
    pub(super) const NAME: &'static str = "tahoe";
    pub(super) const NEEDS_SACK: bool = false;
}

impl TahoeGoBackN {
    pub(super) const NAME: &'static str = "tahoe-go-back-n";
    pub(super) const NEEDS_SACK: bool = false;
}

/// Ends an episode that the ack completes. At the third duplicate ack it begins an episode (in slow start, so
/// that the window keeps growing); the caller then marks what is lost.
fn begin_at_third_duplicate(
    episode: &mut Episode,
    ack: &AckFacts<'_>,
    outcome: &mut Outcome,
) -> bool {
    if episode.is_completed_by(ack) {
        episode.end(outcome);
    }
    let begins = ack.duplicate && episode.duplicate_acks == DUPLICATE_THRESHOLD;
    if begins {
        episode.begin(Phase::Loss, ack.nxt, outcome);
    }
    begins
}

impl Rules for Tahoe {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if begin_at_third_duplicate(episode, ack, &mut outcome) {
            outcome.lost = flight.mark_first_lost_again();
        }
        outcome
    }
}

impl Rules for TahoeGoBackN {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if begin_at_third_duplicate(episode, ack, &mut outcome) {
            outcome.lost = flight.mark_first_lost_again();
            flight.mark_all_lost();
        }
        outcome
    }
}
