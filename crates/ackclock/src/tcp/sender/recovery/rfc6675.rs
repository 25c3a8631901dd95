//! Loss recovery with SACK (RFC 6675): losses are detected on the scoreboard, sending is limited by the pipe.

use super::{AckFacts, DUPLICATE_THRESHOLD, Episode, Flight, Outcome, Phase, Rules};
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::sender::flight::Run;

/// State of RFC 6675's recovery.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rfc6675 {
    /// Whether the rescue retransmission of this episode was sent (NextSeg rule 4).
    rescued: bool,
}

impl Rfc6675 {
    pub(super) const NAME: &'static str = "rfc6675";
    pub(super) const NEEDS_SACK: bool = true;
}

impl Rules for Rfc6675 {
    /// Begins an episode by IsLost or at the third duplicate ack (section 5).
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if episode.is_completed_by(ack) {
            episode.end(&mut outcome);
        }
        if ack.sacked > 0 || ack.acked > 0 {
            outcome.lost = flight.detect_losses(DUPLICATE_THRESHOLD, ack.mss);
        }
        if episode.phase != Phase::Open {
            return outcome;
        }
        if episode.duplicate_acks >= DUPLICATE_THRESHOLD && flight.lost() == 0 {
            outcome.lost = flight.mark_first_lost();
        }
        if flight.unrepaired() > 0 {
            episode.begin(Phase::Fast, ack.nxt, &mut outcome);
            self.rescued = false;
        }
        outcome
    }

    /// NextSeg rules 3 and 4 (section 4): first a piece below the highest SACKed one that is neither SACKed
    /// nor known to be lost; then, once in an episode, the last piece, so that the tail causes acks.
    fn next_speculation<F: Flight>(&self, episode: &Episode, flight: &F) -> Option<SeqRange> {
        if episode.phase != Phase::Fast {
            return None;
        }
        let rescue = || if self.rescued { None } else { flight.last_unsacked() };
        flight.first_unsacked_hole().or_else(rescue)
    }

    fn on_sent<F: Flight>(&mut self, episode: &Episode, flight: &F, range: SeqRange, new: bool) {
        let above = flight.highest_sacked().is_none_or(|high| range.start.at_or_after(high));
        self.rescued |= !new && episode.phase == Phase::Fast && above;
    }

    fn is_plain(&self) -> bool {
        true
    }

    /// An ack of new data shows no loss outside an episode with nothing SACKed.
    fn take_run(&mut self, _now: u64, _una: SeqNumber, _run: &Run) -> bool {
        true
    }

    fn may_undo(&self) -> bool {
        true
    }
}
