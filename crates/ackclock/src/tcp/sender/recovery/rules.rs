//! What one recovery decides, and the episode that it decides about.

use super::*;

/// What every recovery keeps of the episode that is going on.
#[derive(Debug)]
pub(in crate::tcp) struct Episode {
    pub(super) phase: Phase,
    /// RecoveryPoint (RFC 6675), `recover` (RFC 6582): SND.NXT when the episode began.
    pub(in crate::tcp) point: SeqNumber,
    /// Duplicate acks since the last ack of new data.
    pub(super) duplicate_acks: u32,
    /// SND.NXT when the first of them arrived.
    pub(super) flight_end: SeqNumber,
    /// Segments found lost in it; one that is lost more than once counts each time.
    pub(super) segments_lost: u16,
    /// One retransmission may go out whatever the pipe says (RFC 6675 section 5 step 4.3, BSD's
    /// fast retransmit, RFC 6298 rule 5.4).
    pub(super) owes_retransmission: bool,
}

impl Episode {
    /// Counts duplicate acks.
    pub(super) fn count(&mut self, ack: &AckFacts<'_>) {
        if ack.acked > 0 {
            self.duplicate_acks = 0;
        }
        if self.duplicate_acks == 0 {
            self.flight_end = ack.nxt;
        }
        // Nobody sends 2^32 of them.
        self.duplicate_acks = self.duplicate_acks.wrapping_add(u32::from(ack.duplicate));
    }

    /// An episode begins; its first retransmission goes at once.
    pub(super) fn begin(&mut self, phase: Phase, nxt: SeqNumber, outcome: &mut Outcome) {
        self.phase = phase;
        self.point = nxt;
        self.segments_lost = 0;
        self.owes_retransmission = true;
        outcome.entered = true;
    }

    /// The episode, if there is one, is over.
    pub(super) fn end(&mut self, outcome: &mut Outcome) {
        outcome.left |= self.phase == Phase::Fast;
        self.phase = Phase::Open;
    }

    /// Whether the ack covers everything that was sent before the episode began.
    pub(super) fn is_completed_by(&self, ack: &AckFacts<'_>) -> bool {
        self.phase != Phase::Open && ack.una.at_or_after(self.point)
    }
}

/// What one recovery decides. Its state begins as its default with each connection.
pub(super) trait Rules {
    /// An ack was applied to the flight, and counted if it is a duplicate: whether it begins or
    /// ends an episode, and what is lost.
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome;

    /// The retransmission timer fired: marks what is lost. The episode has become
    /// [`Phase::Loss`].
    fn on_timeout<F: Flight>(
        &mut self,
        _episode: &Episode,
        flight: &mut F,
        now: Instant,
        _rtt: &MeasuredRtt,
    ) {
        self.forget(now);
        flight.mark_all_lost();
    }

    /// Whether an episode that turns out to be a false alarm is taken back (RFC 4015). Those that
    /// are older than that idea do not.
    fn may_undo(&self) -> bool {
        false
    }

    /// Everything is sent anew, for the sake of a timeout or because no segment of the flight can
    /// arrive any more: what was known of single segments means nothing now.
    fn forget(&mut self, _now: Instant) {}

    /// By how many steps the reordering window has grown (RFC 8985 section 6.2 step 4), if segments were
    /// seen to arrive in another order than they were sent in.
    fn reordering(&self) -> Option<u8> {
        None
    }

    /// An earlier connection has [seen](Self::reordering) so much reordering.
    fn expect_reordering(&mut self, _steps: u8) {}

    /// What was taken for lost had only been overtaken.
    fn on_reordering(&mut self) {}

    /// Bytes thought to be in the network, which the law's window bounds. A recovery that inflates
    /// the window takes the same amount off here, so that the law's window stays the law's.
    fn pipe<F: Flight>(&self, _episode: &Episode, flight: &F) -> u32 {
        flight.pipe()
    }

    /// The window that bounds the pipe; the law has `window`.
    fn window(&self, _episode: &Episode, window: u32) -> u32 {
        window
    }

    /// The law has heard of what an ack, or the reordering timer, has found.
    fn regulate<F: Flight>(
        &mut self,
        _episode: &Episode,
        _flight: &F,
        _outcome: &Outcome,
        _limits: &Limits,
    ) {
    }

    /// The piece that must be sent again before anything new goes, with `allowance` bytes of window
    /// left beyond the pipe. With nothing in the pipe one may always go: with its FIN a full
    /// segment is longer than a window of one segment, and no ack would come to open that.
    fn next_retransmission<F: Flight>(
        &self,
        episode: &Episode,
        flight: &mut F,
        allowance: u32,
    ) -> Option<SeqRange> {
        let lost = flight.first_lost()?;
        let free = episode.owes_retransmission || flight.pipe() == 0;
        (free || lost.len() <= allowance).then_some(lost)
    }

    /// The piece to send again when nothing is lost and no new data can be sent.
    fn next_speculation<F: Flight>(&self, _episode: &Episode, _flight: &F) -> Option<SeqRange> {
        None
    }

    /// `range` was sent, for the first time or again, and is recorded in the flight.
    fn on_sent<F: Flight>(
        &mut self,
        _episode: &Episode,
        _flight: &F,
        _range: SeqRange,
        _new: bool,
    ) {
    }

    /// Whether outside an episode the law's window alone bounds what is in flight, and nothing is sent
    /// again that was not found lost.
    fn is_plain(&self) -> bool {
        false
    }

    /// `run` was acknowledged outside an episode, at `now` in microseconds, and nothing but the time
    /// that it took can be learned of it: notes that. False, without any effect, if there may be more.
    fn take_run(&mut self, _now: u64, _una: SeqNumber, _run: &Run) -> bool {
        false
    }

    /// Its own timer, and when that fires.
    fn early_timer(&self) -> (EarlyTimer, Instant) {
        (EarlyTimer::Off, Instant::FAR_FUTURE)
    }

    /// [`EarlyTimer::Reordering`] has fired.
    fn on_reordering_timeout<F: Flight>(
        &mut self,
        _episode: &mut Episode,
        _flight: &mut F,
        _now_and_nxt: (Instant, SeqNumber),
        _rtt: &MeasuredRtt,
    ) -> Outcome {
        Outcome::default()
    }

    /// New data was sent, or something was acknowledged: starts or stops [`EarlyTimer::Probe`].
    fn schedule_probe<F: Flight>(&mut self, _episode: &Episode, _flight: &F, _facts: &ProbeFacts) {}

    /// The retransmission timer does not run.
    fn cancel_early_timer(&mut self) {}

    /// `range` was sent as a tail loss probe; SND.NXT is `nxt` then.
    fn on_probe_sent(&mut self, _nxt: SeqNumber, _range: SeqRange, _new: bool) {}

    /// What a probe has sent again.
    fn superfluous(&self) -> SeqRange {
        SeqRange::EMPTY
    }
}
