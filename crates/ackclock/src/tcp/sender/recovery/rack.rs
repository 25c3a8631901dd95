//! RACK-TLP (RFC 8985): a segment is lost if one sent after it, and long enough after it, has arrived; a
//! probe at the tail of a flight provokes the ack that shows a loss there.
//!
//! Section numbers are those of RFC 8985. During fast recovery proportional rate reduction decides how much
//! is sent, if congestion control wants it.

use super::prr::Prr;
use super::{
    AckFacts, DUPLICATE_THRESHOLD, EarlyTimer, Episode, Flight, Limits, MeasuredRtt, Outcome,
    Phase, ProbeFacts, Rules,
};
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::sender::flight::{Run, Transmission, micros};
use crate::time::{Duration, Instant};

/// Number of recoveries without D-SACK for which a widened reordering window is kept (section 6.2 step 4).
const PERSIST_RECOVERIES: u8 = 16;
/// TLP.max_ack_delay (section 7.2): the longest that common receivers delay an ack.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);
/// PTO before a round-trip time was measured (section 7.2).
const UNMEASURED_PTO: Duration = Duration::from_secs(1);

/// The tail loss probe in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Probe {
    /// No probe: TLP.end_seq is unset.
    #[default]
    None,
    /// New data.
    New,
    /// A retransmission of the last segment: TLP.is_retrans.
    Resent,
}

/// State of RACK-TLP (RFC 8985) and PRR (RFC 9937).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rack {
    /// RACK.xmit_ts in microseconds.
    newest_at: u64,
    /// When the reordering or probe timer expires.
    deadline: Instant,
    /// RACK.end_seq.
    newest_end: SeqNumber,
    /// RACK.rtt in microseconds.
    rtt: u32,
    /// RACK.fack.
    fack: SeqNumber,
    /// RACK.dsack_round.
    dsack_round: SeqNumber,
    /// When the window was last reduced, in microseconds modulo 2^32.
    reduced_at: u32,
    /// TLP.end_seq.
    probe_end: SeqNumber,
    /// Number of sequence numbers that the probe has retransmitted.
    probe_len: u32,
    prr: Prr,
    /// The window that PRR allows in fast recovery, in bytes.
    prr_window: u32,
    /// RACK.reo_wnd_mult less 1.
    reo_wnd_growth: u8,
    reo_wnd_persist: u8,
    reordering_seen: bool,
    /// Whether RACK.segment is a retransmission.
    newest_again: bool,
    /// Whether RACK.dsack_round is set.
    in_dsack_round: bool,
    /// Whether RACK.segment is set.
    measured: bool,
    probe: Probe,
    timer: EarlyTimer,
    /// Whether no round-trip time was measured since the last probe (section 7.3).
    probed: bool,
    /// Whether PRR limits this episode.
    regulated: bool,
}

fn to_micros(span: Duration) -> u32 {
    u32::try_from(span.as_nanos() / 1_000).unwrap_or(u32::MAX)
}

impl Rack {
    pub(super) const NAME: &'static str = "rack";
    pub(super) const NEEDS_SACK: bool = true;

    /// RACK.segment.
    fn newest(&self) -> Transmission {
        Transmission { at: self.newest_at, end: self.newest_end, again: self.newest_again }
    }

    /// Updates RACK.segment, RACK.rtt, RACK.fack and whether reordering was seen (section 6.2, steps 1 to 3).
    fn take_delivery<F: Flight>(&mut self, flight: &F, ack: &AckFacts<'_>) {
        if let Some(newest) = ack.delivered.newest {
            self.take_newest(ack.now, ack.una, newest, ack.delivered.lowest_original);
        }
        let highest = flight.highest_sacked().unwrap_or(ack.una);
        self.fack = self.fack.max(ack.una).max(highest);
    }

    #[inline(always)]
    fn take_newest(
        &mut self,
        now: u64,
        una: SeqNumber,
        newest: Transmission,
        lowest: Option<SeqNumber>,
    ) {
        self.rtt = u32::try_from(now.saturating_sub(newest.at)).unwrap_or(u32::MAX);
        self.probed = false;
        if !self.measured {
            self.fack = una;
        }
        if !self.measured || newest.is_after(self.newest()) {
            (self.newest_at, self.newest_end) = (newest.at, newest.end);
            self.newest_again = newest.again;
        }
        self.reordering_seen |= self.measured && lowest.is_some_and(|end| end.before(self.fack));
        self.measured = true;
    }

    /// Adapts the reordering window to D-SACKs (section 6.2 step 4): it grows once in each round with a
    /// D-SACK, and is reset after 16 recoveries without one.
    fn adapt_window(&mut self, ack: &AckFacts<'_>, recovered: bool) {
        self.in_dsack_round &= ack.una.before(self.dsack_round);
        if !self.in_dsack_round && ack.dsack.is_some() {
            (self.in_dsack_round, self.dsack_round) = (true, ack.nxt);
            self.reo_wnd_growth = self.reo_wnd_growth.saturating_add(1);
            self.reo_wnd_persist = PERSIST_RECOVERIES;
        } else if recovered {
            self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
            if self.reo_wnd_persist == 0 {
                self.reo_wnd_growth = 0;
            }
        }
    }

    /// Section 6.2 step 4: RACK.reo_wnd in microseconds.
    fn reordering_window<F: Flight>(
        &self,
        episode: &Episode,
        flight: &F,
        rtt: &MeasuredRtt,
    ) -> u32 {
        let settled = !self.reordering_seen
            && (episode.phase != Phase::Open || flight.has_sacked_pieces(DUPLICATE_THRESHOLD));
        if settled {
            return 0;
        }
        let steps = u32::from(self.reo_wnd_growth) + 1;
        (to_micros(rtt.min) / 4).saturating_mul(steps).min(to_micros(rtt.smoothed))
    }

    /// Time after its transmission at which a piece is overdue, in microseconds.
    fn patience<F: Flight>(&self, episode: &Episode, flight: &F, rtt: &MeasuredRtt) -> u64 {
        let round_trip = if self.measured { self.rtt } else { to_micros(rtt.smoothed) };
        u64::from(round_trip) + u64::from(self.reordering_window(episode, flight, rtt))
    }

    /// RACK_detect_loss_and_arm_timer (section 6.2 step 5).
    fn detect<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        (now, nxt): (u64, SeqNumber),
        rtt: &MeasuredRtt,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if self.timer == EarlyTimer::Reordering {
            self.timer = EarlyTimer::Off;
        }
        if !self.measured {
            return outcome;
        }
        let patience = self.patience(episode, flight, rtt);
        let found = flight.detect_overdue(self.newest(), now.saturating_sub(patience));
        outcome.lost = found.lost;
        if let Some(sent_at) = found.waiting {
            self.timer = EarlyTimer::Reordering;
            self.deadline = Instant::from_micros(sent_at.saturating_add(patience));
        }
        if episode.phase == Phase::Open {
            if flight.unrepaired() > 0 {
                episode.begin(Phase::Fast, nxt, &mut outcome);
                self.probe = Probe::None;
                self.reduced_at = now as u32;
            }
        } else if let Some(resent_at) = found.resent_at
            && (resent_at as u32).wrapping_sub(self.reduced_at) as i32 >= 0
        {
            // Section 9.3 and RFC 5681 section 4.3: the loss of retransmissions is another sign of
            // congestion, once for each window of them.
            outcome.reduce_again = true;
            self.reduced_at = now as u32;
        }
        outcome
    }

    /// TLP_process_ack (section 7.4.2). Returns whether the probe has repaired a loss that nothing else
    /// shows.
    fn take_probe_ack(&mut self, ack: &AckFacts<'_>) -> bool {
        if self.probe == Probe::None || ack.una.before(self.probe_end) {
            return false;
        }
        if self.probe == Probe::New {
            self.probe = Probe::None;
            return false;
        }
        let arrived_twice = ack.dsack.is_some_and(|duplicate| duplicate.end == self.probe_end);
        let repaired = !arrived_twice && ack.una.after(self.probe_end);
        if arrived_twice || repaired || ack.bare_duplicate {
            self.probe = Probe::None;
        }
        repaired
    }
}

impl Rules for Rack {
    fn on_ack<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        ack: &AckFacts<'_>,
    ) -> Outcome {
        let repaired = self.take_probe_ack(ack) && episode.phase == Phase::Open;
        let recovered = episode.is_completed_by(ack);
        let mut ended = Outcome::default();
        if recovered {
            episode.end(&mut ended);
        }
        self.take_delivery(flight, ack);
        self.adapt_window(ack, recovered);
        let mut outcome = self.detect(episode, flight, (ack.now, ack.nxt), &ack.rtt);
        outcome.left = ended.left;
        // A new episode already reports the loss.
        outcome.reduce_again |= repaired && !outcome.entered;
        outcome
    }

    /// Marks losses after a retransmission timeout (section 6.3).
    fn on_timeout<F: Flight>(
        &mut self,
        episode: &Episode,
        flight: &mut F,
        now: Instant,
        rtt: &MeasuredRtt,
    ) {
        self.forget(now);
        let patience = self.patience(episode, flight, rtt);
        flight.mark_timed_out(micros(now).saturating_sub(patience));
    }

    fn forget(&mut self, now: Instant) {
        // A loss of what is sent from now on is a sign of congestion.
        self.reduced_at = micros(now) as u32;
        self.probe = Probe::None;
        self.timer = EarlyTimer::Off;
        self.regulated = false;
    }

    fn may_undo(&self) -> bool {
        true
    }

    /// Notes that reordering was seen: a retransmission was unnecessary because the original arrived late.
    /// The rule of section 6.2 step 3 does not find this, since it ignores segments that were ever
    /// retransmitted.
    fn on_reordering(&mut self) {
        self.reordering_seen = true;
    }

    fn window(&self, episode: &Episode, window: u32) -> u32 {
        if self.regulated && episode.phase == Phase::Fast { self.prr_window } else { window }
    }

    fn regulate<F: Flight>(
        &mut self,
        episode: &Episode,
        flight: &F,
        outcome: &Outcome,
        limits: &Limits,
    ) {
        self.regulated = limits.wants_prr && episode.phase == Phase::Fast;
        if !self.regulated {
            return;
        }
        let begins = outcome.entered || outcome.reduce_again;
        if begins {
            let in_flight = flight.outstanding().saturating_sub(flight.sacked());
            self.prr = Prr::begin(in_flight, limits.delivered);
        }
        if begins || limits.delivered > 0 {
            let pipe = flight.pipe();
            let safe = limits.advanced && outcome.lost.bytes == 0;
            let count = self.prr.on_ack(limits.delivered, pipe, limits.window, limits.mss, safe);
            self.prr_window = pipe.saturating_add(count);
        } else {
            // The bytes sent between two acks are at most sndcnt (RFC 6937 section 3), whatever leaves the
            // pipe as lost.
            self.prr_window = self.prr_window.saturating_sub(outcome.lost.bytes);
        }
    }

    fn on_sent<F: Flight>(&mut self, episode: &Episode, _flight: &F, range: SeqRange, _new: bool) {
        if self.regulated && episode.phase == Phase::Fast {
            self.prr.on_sent(range.len());
        }
    }

    fn is_plain(&self) -> bool {
        true
    }

    /// Handles an ack of new data outside an episode. Segments sent after the newest one delivered are not
    /// overdue, so none is, unless a retransmission was the newest.
    #[inline(always)]
    fn take_run(&mut self, now: u64, una: SeqNumber, run: &Run) -> bool {
        let newest = run.newest();
        let is_newest = !self.measured || newest.is_after(self.newest());
        if !is_newest || self.probe != Probe::None || self.timer == EarlyTimer::Reordering {
            return false;
        }
        self.take_newest(now, una, newest, Some(run.first_end));
        self.fack = self.fack.max(una);
        self.in_dsack_round &= una.before(self.dsack_round);
        true
    }

    fn early_timer(&self) -> (EarlyTimer, Instant) {
        (self.timer, self.deadline)
    }

    fn on_reordering_timeout<F: Flight>(
        &mut self,
        episode: &mut Episode,
        flight: &mut F,
        (now, nxt): (Instant, SeqNumber),
        rtt: &MeasuredRtt,
    ) -> Outcome {
        self.detect(episode, flight, (micros(now), nxt), rtt)
    }

    /// Starts or stops the tail loss probe timer (section 7.2).
    #[inline]
    fn schedule_probe<F: Flight>(&mut self, episode: &Episode, flight: &F, facts: &ProbeFacts) {
        if self.timer == EarlyTimer::Reordering {
            return;
        }
        self.timer = EarlyTimer::Off;
        let idle = episode.phase == Phase::Open && flight.sacked() == 0 && !flight.is_empty();
        // Section 7.3: at most one probe at a time, and a round-trip sample between two of them.
        if !idle || self.probe != Probe::None || self.probed {
            return;
        }
        let mut timeout = facts.rtt.smoothed.saturating_mul(2);
        if timeout.is_zero() {
            timeout = UNMEASURED_PTO;
        } else if flight.is_one_piece() {
            timeout += MAX_ACK_DELAY;
        }
        self.timer = EarlyTimer::Probe;
        self.deadline = (facts.now + timeout).min(facts.retransmission);
    }

    fn reordering(&self) -> Option<u8> {
        self.reordering_seen.then_some(self.reo_wnd_growth)
    }

    fn expect_reordering(&mut self, steps: u8) {
        self.reordering_seen = true;
        (self.reo_wnd_growth, self.reo_wnd_persist) = (steps, PERSIST_RECOVERIES);
    }

    fn cancel_early_timer(&mut self) {
        self.timer = EarlyTimer::Off;
    }

    /// TLP_send_probe (section 7.3).
    fn on_probe_sent(&mut self, nxt: SeqNumber, range: SeqRange, new: bool) {
        self.probe = if new { Probe::New } else { Probe::Resent };
        (self.probe_end, self.probe_len) = (nxt, range.len());
        self.probed = true;
        self.timer = EarlyTimer::Off;
    }

    fn superfluous(&self) -> SeqRange {
        let len = if self.probe == Probe::Resent { self.probe_len } else { 0 };
        SeqRange::new(self.probe_end - len, self.probe_end)
    }
}
