//! Fast retransmit without fast recovery: 4.3BSD-Tahoe (jacobson88; zhang91 section 2.1).
//!
//! The third duplicate ack sends the segment at SND.UNA again, and the law falls into slow start.
//! BSD then goes on from the SND.NXT it had: nothing more is sent again until acks or the timer say
//! so, and nothing new until the window has outgrown what is in flight. There is no memory of the
//! episode: another three duplicates, also within what was sent before the first retransmission,
//! are another loss (the second loss of zhang91 figure 5).

use super::{AckFacts, DUPLICATE_THRESHOLD, Episode, Flight, Outcome, Phase, Rules};

/// What 4.3BSD-Tahoe did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tahoe;

/// What descriptions of Tahoe often say: the third duplicate ack is treated as a timeout, and
/// sending goes back to SND.UNA. zhang91's utilisation depends on which of the two it is.
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

/// Ends what the ack completes. If it is the third duplicate, an episode begins (in slow start, so
/// the law keeps growing): then the caller marks what is lost.
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
