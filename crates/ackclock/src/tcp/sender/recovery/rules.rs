//! The interface of a loss recovery algorithm, and the state of its recovery episode.

use super::*;

/// State of a recovery episode, common to all algorithms.
#[derive(Debug)]
pub(in crate::tcp) struct Episode {
    pub(super) phase: Phase,
    /// RecoveryPoint (RFC 6675), `recover` (RFC 6582): SND.NXT when the episode began.
    pub(in crate::tcp) point: SeqNumber,
    /// Duplicate acks since the last ack of new data.
    pub(super) duplicate_acks: u32,
    /// SND.NXT when the first of these duplicate acks arrived.
    pub(super) flight_end: SeqNumber,
    /// Segments found lost in this episode; a segment lost more than once counts each time.
    pub(super) segments_lost: u16,
    /// Whether one retransmission may be sent whatever the pipe is (RFC 6675 section 5 step 4.3, BSD's fast
    /// retransmit, RFC 6298 rule 5.4).
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
        // Wraps around only after 2^32 of them.
        self.duplicate_acks = self.duplicate_acks.wrapping_add(u32::from(ack.duplicate));
    }

    /// Begins an episode; its first retransmission is sent at once.
    pub(super) fn begin(&mut self, phase: Phase, nxt: SeqNumber, outcome: &mut Outcome) {
        self.phase = phase;
        self.point = nxt;
        self.segments_lost = 0;
        self.owes_retransmission = true;
        outcome.entered = true;
    }

    /// Ends the episode, if there is one.
    pub(super) fn end(&mut self, outcome: &mut Outcome) {
        outcome.left |= self.phase == Phase::Fast;
        self.phase = Phase::Open;
    }

    /// Whether the ack covers everything sent before the episode began.
    pub(super) fn is_completed_by(&self, ack: &AckFacts<'_>) -> bool {
        self.phase != Phase::Open && ack.una.at_or_after(self.point)
    }
}

/// The rules of a loss recovery algorithm. Its state is the default at the start of each connection.
pub(super) trait Rules {
    /// Processes an ack that was applied to the flight, and counted if it is a duplicate: decides whether it
    /// begins or ends an episode, and what is lost.
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome;

    /// Marks what is lost by a retransmission timeout. The episode is already in [`Phase::Loss`].
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

    /// Whether a reduction is undone if it turns out to be spurious (RFC 4015). Algorithms older than that do
    /// not.
    fn may_undo(&self) -> bool {
        false
    }

    /// Forgets what was known of single segments, because everything is sent anew: after a timeout, or
    /// because no segment in flight can arrive any more.
    fn forget(&mut self, _now: Instant) {}

    /// How many steps the reordering window has grown by (RFC 8985 section 6.2 step 4); `None` if no
    /// reordering was seen.
    fn reordering(&self) -> Option<u8> {
        None
    }

    /// Begins with the [reordering](Self::reordering) that an earlier connection has seen.
    fn expect_reordering(&mut self, _steps: u8) {}

    /// Notes that what was considered lost had only been reordered.
    fn on_reordering(&mut self) {}

    /// Bytes considered to be in the network, which the congestion window limits. An algorithm that inflates
    /// the window deducts the same amount here, which leaves the congestion window to congestion control.
    fn pipe<F: Flight>(&self, _episode: &Episode, flight: &F) -> u32 {
        flight.pipe()
    }

    /// The window that limits the pipe, in bytes; `window` is the congestion window.
    fn window(&self, _episode: &Episode, window: u32) -> u32 {
        window
    }

    /// Updates limits of recovery itself, after congestion control was told of what an ack or the reordering
    /// timer has found.
    fn regulate<F: Flight>(
        &mut self,
        _episode: &Episode,
        _flight: &F,
        _outcome: &Outcome,
        _limits: &Limits,
    ) {
    }

    /// The piece to retransmit before any new data, with `allowance` bytes of window left beyond the pipe. If
    /// the pipe is empty one may always be sent: a full segment with a FIN is longer than a window of one
    /// segment, and no ack would come to open that.
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

    /// A piece to retransmit if nothing is lost and no new data can be sent.
    fn next_speculation<F: Flight>(&self, _episode: &Episode, _flight: &F) -> Option<SeqRange> {
        None
    }

    /// Notes that `range` was sent or retransmitted, and is recorded in the flight.
    fn on_sent<F: Flight>(
        &mut self,
        _episode: &Episode,
        _flight: &F,
        _range: SeqRange,
        _new: bool,
    ) {
    }

    /// Whether, outside an episode, only the congestion window limits the flight, and nothing is
    /// retransmitted that was not found lost.
    fn is_plain(&self) -> bool {
        false
    }

    /// Notes that `run` was acknowledged outside an episode, at `now` in microseconds, if nothing but its
    /// round-trip time can be learned from that. Returns false, without any effect, if there may be more.
    fn take_run(&mut self, _now: u64, _una: SeqNumber, _run: &Run) -> bool {
        false
    }

    /// The additional timer, and when it expires.
    fn early_timer(&self) -> (EarlyTimer, Instant) {
        (EarlyTimer::Off, Instant::FAR_FUTURE)
    }

    /// Handles [`EarlyTimer::Reordering`], which has expired.
    fn on_reordering_timeout<F: Flight>(
        &mut self,
        _episode: &mut Episode,
        _flight: &mut F,
        _now_and_nxt: (Instant, SeqNumber),
        _rtt: &MeasuredRtt,
    ) -> Outcome {
        Outcome::default()
    }

    /// Starts or stops [`EarlyTimer::Probe`], because new data was sent or acknowledged.
    fn schedule_probe<F: Flight>(&mut self, _episode: &Episode, _flight: &F, _facts: &ProbeFacts) {}

    /// Stops the additional timer, because the retransmission timer is off or a probe is due.
    fn cancel_early_timer(&mut self) {}

    /// Notes that `range` was sent as a tail loss probe, after which SND.NXT is `nxt`.
    fn on_probe_sent(&mut self, _nxt: SeqNumber, _range: SeqRange, _new: bool) {}

    /// The data that a tail loss probe has retransmitted, perhaps unnecessarily.
    fn superfluous(&self) -> SeqRange {
        SeqRange::EMPTY
    }
}
