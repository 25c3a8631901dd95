//! Loss recovery by the retransmission timer alone.
//!
//! Duplicate acks mean nothing. A timeout goes back to SND.UNA and sends everything from there
//! again, as fast as the window law lets it; an ack that covers more than was sent again saves the
//! rest. Two recoveries do this: the one of 4.3BSD before Tahoe, where no law but the peer's window
//! holds it back, and the one of jacobson88 figures 9 to 12, which shows slow start and congestion
//! avoidance without fast retransmit.

use super::{AckFacts, Episode, Flight, Outcome, Rules};

/// The sender of 4.3BSD before Tahoe.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoBackN;

/// Window laws without fast retransmit.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeoutOnly;

impl GoBackN {
    pub(super) const NAME: &'static str = "go-back-n";
    pub(super) const NEEDS_SACK: bool = false;
}

impl TimeoutOnly {
    pub(super) const NAME: &'static str = "timeout-only";
    pub(super) const NEEDS_SACK: bool = false;
}

/// All that an ack can do is to end what a timeout began.
fn wait_for_the_timer(episode: &mut Episode, ack: &AckFacts<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    if episode.is_completed_by(ack) {
        episode.end(&mut outcome);
    }
    outcome
}

impl Rules for GoBackN {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        _: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        wait_for_the_timer(episode, ack)
    }
}

impl Rules for TimeoutOnly {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        _: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        wait_for_the_timer(episode, ack)
    }
}
