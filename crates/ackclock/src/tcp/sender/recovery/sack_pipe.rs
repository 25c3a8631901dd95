//! SACK with a variable `pipe` (Fall & Floyd 1996, as paper veno uses it).
//!
//! At the third duplicate ack `pipe` is the window less three segments. It grows with each segment sent,
//! shrinks by one segment with each duplicate ack, and by two with each partial ack: for the retransmission
//! that arrived, and for the lost segment itself. While it is below the window, which congestion control has
//! reduced by then, the next hole of the scoreboard is sent, or new data if there is none. A retransmission
//! that is lost waits for the timer, which clears the scoreboard.

use super::{AckFacts, DUPLICATE_THRESHOLD, Episode, Flight, MeasuredRtt, Outcome, Phase, Rules};
use crate::seq::SeqRange;
use crate::time::Instant;

/// State of Fall and Floyd's SACK sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct SackPipe {
    /// Bytes considered to be in the network during fast recovery.
    pipe: u32,
}

/// Fall and Floyd's sender as the simulator ns had it in 1997: the slow start after a timeout ignores SACK
/// blocks, and sends everything from SND.UNA on again until an ack covers it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SackPipeGoBackN {
    rules: SackPipe,
    /// Whether that slow start is under way.
    goes_back: bool,
}

impl SackPipeGoBackN {
    pub(super) const NAME: &'static str = "sack-pipe:go-back-n";
    pub(super) const NEEDS_SACK: bool = true;

    /// Whether SACK blocks are ignored for now.
    pub(super) fn ignores_sack(&self) -> bool {
        self.goes_back
    }
}

impl SackPipe {
    pub(super) const NAME: &'static str = "sack-pipe";
    pub(super) const NEEDS_SACK: bool = true;
}

impl Rules for SackPipe {
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
        let left = if episode.phase == Phase::Fast {
            // A partial ack, or a duplicate one.
            if ack.acked > 0 { 2 } else { u32::from(ack.duplicate) }
        } else if episode.phase == Phase::Open && episode.duplicate_acks == DUPLICATE_THRESHOLD {
            episode.begin(Phase::Fast, ack.nxt, &mut outcome);
            // A sender limited by the peer's window or by the application has less than its window in flight.
            self.pipe = ack.window.min(flight.outstanding());
            DUPLICATE_THRESHOLD
        } else {
            return outcome;
        };
        self.pipe = self.pipe.saturating_sub(left.saturating_mul(ack.mss));
        outcome.lost = flight.mark_first_lost();
        outcome.lost += flight.mark_holes_lost();
        outcome
    }

    fn on_timeout<F: Flight>(
        &mut self,
        _episode: &Episode,
        flight: &mut F,
        _now: Instant,
        _rtt: &MeasuredRtt,
    ) {
        flight.discard_sacks();
        flight.mark_all_lost();
    }

    /// Outside fast recovery the scoreboard does not count: the pipe is the whole flight, or after a timeout
    /// all that was retransmitted.
    fn pipe<F: Flight>(&self, episode: &Episode, flight: &F) -> u32 {
        match episode.phase {
            Phase::Fast => self.pipe,
            Phase::Open => flight.pipe().saturating_add(flight.sacked()),
            Phase::Loss => flight.pipe(),
        }
    }

    fn on_sent<F: Flight>(&mut self, episode: &Episode, _flight: &F, range: SeqRange, _new: bool) {
        if episode.phase == Phase::Fast {
            self.pipe = self.pipe.saturating_add(range.len());
        }
    }
}

impl Rules for SackPipeGoBackN {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        let outcome = self.rules.on_ack(episode, flight, ack);
        self.goes_back &= episode.phase == Phase::Loss;
        outcome
    }

    fn on_timeout<F: Flight>(
        &mut self,
        episode: &Episode,
        flight: &mut F,
        now: Instant,
        rtt: &MeasuredRtt,
    ) {
        self.goes_back = true;
        self.rules.on_timeout(episode, flight, now, rtt);
    }

    fn pipe<F: Flight>(&self, episode: &Episode, flight: &F) -> u32 {
        self.rules.pipe(episode, flight)
    }

    fn on_sent<F: Flight>(&mut self, episode: &Episode, flight: &F, range: SeqRange, new: bool) {
        self.rules.on_sent(episode, flight, range, new);
    }
}
