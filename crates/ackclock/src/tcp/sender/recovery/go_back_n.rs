//! Loss recovery by the retransmission timer alone (go-back-N).
//!
//! Duplicate acks are ignored. A timeout goes back to SND.UNA and retransmits everything from there, as fast
//! as the congestion window allows, except for what an ack covers meanwhile. Two algorithms do this: that of
//! 4.3BSD before Tahoe, where only the peer's window limits the sender, and that of jacobson88 figures 9 to
//! 12, which shows slow start and congestion avoidance without fast retransmit.

use super::{AckFacts, Episode, Flight, Outcome, Rules};

/// The sender of 4.3BSD before Tahoe.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoBackN;

/// Congestion control without fast retransmit.
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

/// Processes an ack: it can only end an episode that a timeout began.
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
