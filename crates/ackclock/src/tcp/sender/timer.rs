//! The retransmission timer (RFC 6298 section 5), and which timers of the sender run: either it or the
//! [persist timer](super::persist), and besides those of recovery and of pacing.

use super::flight::{Flight, Losses};
use super::recovery::ProbeFacts;
use super::{EarlyTimer, Sender};
use crate::FOR_SPEED;
use crate::congestion::{CongestionController, CongestionKind};
use crate::profile::{Kept, Profile};
use crate::tcp::{Error, Settings};
use crate::time::{Duration, Instant};

/// Least time to wait for a better ack from a peer that seems to have reneged on its SACKs. Linux waits this
/// long too, or half the smoothed round-trip time.
const LEAST_PATIENCE: Duration = Duration::from_millis(10);

/// The main timer of the sending half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Timer {
    /// Off: there is nothing to wait for.
    Off,
    /// Data is in flight: retransmit at this time.
    Retransmit(Instant),
    /// The peer's window holds all data back: probe at this time.
    Persist(Instant),
}

/// What the sender waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Waiting {
    /// An ack of the data in flight; or nothing, if there is none.
    ForAck,
    /// The link, to take a tail loss probe, and then its ack (RFC 8985 section 7.3).
    TailProbeDue,
    /// The peer's window, which holds all data back.
    ForWindow,
    /// The link, to take a window probe.
    WindowProbeDue,
}

impl Waiting {
    /// Whether the peer's window holds all data back, so that the persist timer runs.
    #[inline(always)]
    pub(super) fn is_for_window(self) -> bool {
        matches!(self, Waiting::ForWindow | Waiting::WindowProbeDue)
    }

    /// Whether a tail loss probe or a window probe is due.
    #[inline(always)]
    pub(super) fn is_for_probe(self) -> bool {
        matches!(self, Waiting::TailProbeDue | Waiting::WindowProbeDue)
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    pub(crate) fn timer(&self) -> Timer {
        match self.deadline {
            Instant::FAR_FUTURE => Timer::Off,
            at if self.waiting.is_for_window() => Timer::Persist(at),
            at => Timer::Retransmit(at),
        }
    }

    /// Sets the retransmission timer to `deadline` (never: [`Instant::FAR_FUTURE`]), with no probe due.
    #[inline(always)]
    pub(super) fn wait_for_ack(&mut self, deadline: Instant) {
        (self.deadline, self.waiting) = (deadline, Waiting::ForAck);
    }

    /// Starts, keeps or stops the timer according to what is in flight and queued.
    pub(super) fn rearm(&mut self, now: Instant) {
        if FOR_SPEED
            && self.deadline.is_never()
            && !self.waits_for_ack()
            && (self.usable_window() >= self.mss() || self.unsent() == 0 && !self.fin_pending())
            && !self.is_corked()
        {
            // Nothing is queued, or it can be sent.
            self.no_progress_since = now;
            return;
        }
        self.rearm_anew(now);
    }

    #[inline(never)]
    fn rearm_anew(&mut self, now: Instant) {
        let is_off = self.deadline.is_never();
        let goes_on = !is_off && !self.waiting.is_for_window() && !self.flight.is_empty();
        if goes_on && self.window.size > 0 {
            return;
        }
        let corked = self.is_held_by_cork();
        let blocked = corked || self.is_blocked_by_window();
        if is_off {
            self.no_progress_since = now;
        }
        if !blocked && !self.waits_for_ack() {
            self.deadline = Instant::FAR_FUTURE;
        } else if is_off || self.waiting.is_for_window() != blocked {
            let deadline = if corked { Self::cork_deadline(now) } else { self.rto.deadline(now) };
            self.deadline = deadline;
        }
        if self.waiting.is_for_window() != blocked {
            self.waiting = if blocked { Waiting::ForWindow } else { Waiting::ForAck };
        }
        if blocked || self.deadline.is_never() {
            self.recovery.cancel_early_timer();
            if self.waiting == Waiting::TailProbeDue {
                self.waiting = Waiting::ForAck;
            }
        }
    }

    /// Stops the timers. Does the same as [`rearm`](Self::rearm) if nothing is in flight and the window holds
    /// nothing back.
    pub(super) fn rest_timers(&mut self) {
        self.wait_for_ack(Instant::FAR_FUTURE);
        self.recovery.cancel_early_timer();
    }

    /// Schedules a tail loss probe, because new data was sent or acknowledged (RFC 8985 section 7.2).
    pub(super) fn schedule_probe(&mut self, now: Instant) {
        if let Timer::Retransmit(retransmission) = self.timer() {
            let facts = ProbeFacts { now, retransmission, rtt: self.measured_rtt() };
            self.recovery.schedule_probe(&self.flight, &facts);
        }
    }

    /// The additional timer of recovery, and when it expires.
    pub(crate) fn early_timer(&self) -> (EarlyTimer, Instant) {
        match self.recovery.early_timer() {
            (EarlyTimer::Off, _) => (EarlyTimer::Off, Instant::FAR_FUTURE),
            running => running,
        }
    }

    /// Handles the reordering timer or the tail loss probe timer, which has expired (RFC 8985 sections 6.2
    /// and 7.3).
    fn early_timeout(&mut self, now: Instant, timer: EarlyTimer) {
        match timer {
            EarlyTimer::Off => {}
            EarlyTimer::Reordering => {
                let ends = (self.snd_una, self.snd_nxt);
                let (rtt, unrepaired) = (self.measured_rtt(), self.flight.unrepaired());
                let was = self.recovery.phase();
                let mut outcome =
                    self.recovery.on_reordering_timeout(&mut self.flight, now, ends, &rtt);
                self.leave_window(was, &mut outcome);
                self.judge_path_probe(now, &mut outcome);
                self.tell_events(now, &outcome, self.flight.outstanding(), unrepaired);
                self.tell_losses(now, &outcome.lost);
                self.regulate(&outcome, 0, false);
            }
            EarlyTimer::Probe => {
                self.recovery.cancel_early_timer();
                self.waiting = Waiting::TailProbeDue;
                self.restart_timer(now);
            }
        }
    }

    /// Restarts the retransmission timer (RFC 6298 rule 5.3).
    pub(super) fn restart_timer(&mut self, now: Instant) {
        if let Timer::Retransmit(_) = self.timer() {
            self.deadline = self.rto.deadline(now);
        }
    }

    /// Shortens the retransmission timeout, because the peer has SACKed data at SND.UNA without acknowledging
    /// it. Unless acks were only reordered, the peer has reneged, and all SACKed data must be retransmitted;
    /// there is no need to wait a whole timeout.
    pub(super) fn hasten_timer(&mut self, now: Instant) {
        if let Timer::Retransmit(at) = self.timer() {
            let patience = (self.rto.smoothed_rtt() / 2).max(LEAST_PATIENCE);
            self.deadline = at.min(now + patience);
        }
    }

    /// Whether the retransmission timer is needed: for data in flight, or for data that ECN holds back.
    pub(crate) fn waits_for_ack(&self) -> bool {
        !self.flight.is_empty() || self.ecn.is_holding()
    }

    /// Handles the timers that have expired.
    ///
    /// # Errors
    /// The peer has acknowledged nothing for too long: the connection is over.
    pub(crate) fn on_timeout(&mut self, now: Instant, settings: &Settings<P>) -> Result<(), Error> {
        if let Some(pacer) = self.pacer.get_mut() {
            pacer.on_timeout(now);
        }
        if self.timer() == Timer::Off {
            return Ok(());
        }
        self.check_progress(now, settings)?;
        self.note_app_limited();
        let (timer, due) = self.early_timer();
        if due <= now {
            self.allow_burst(settings);
            self.early_timeout(now, timer);
        }
        if self.deadline > now {
            return Ok(());
        }
        self.allow_burst(settings);
        if self.ecn.release() && self.flight.is_empty() {
            self.deadline = Instant::FAR_FUTURE;
            self.rearm_anew(now);
        } else if let Timer::Retransmit(_) = self.timer() {
            self.retransmission_timeout(now);
        } else if self.is_held_by_cork() {
            self.push(now);
        } else {
            self.persist_timeout(now);
        }
        Ok(())
    }

    /// When [`on_timeout`](Self::on_timeout) has to be called.
    pub(crate) fn deadline(&self, settings: &Settings<P>) -> Instant {
        let paced = self.pacer.get().map_or(Instant::FAR_FUTURE, |pacer| pacer.deadline());
        if self.timer() == Timer::Off {
            return paced;
        }
        let (_, early) = self.early_timer();
        self.deadline.min(early).min(paced).min(self.user_timeout_deadline(settings))
    }

    /// Handles a retransmission timeout (RFC 6298 rules 5.4 to 5.6, RFC 5681 section 3.1 equation 4).
    fn retransmission_timeout(&mut self, now: Instant) {
        if P::PATH_PROBING && self.repairs_path_probe_on_timeout(now) {
            return;
        }
        let repeated = self.timeouts_in_a_row > 0;
        let kind = if repeated { CongestionKind::RepeatedTimeout } else { CongestionKind::Timeout };
        self.timeouts_in_a_row = self.timeouts_in_a_row.saturating_add(1);
        self.counters.timeouts.add(1);
        let flight_size = self.flight.outstanding();
        let ends = (self.snd_una, self.snd_nxt);
        let rtt = self.measured_rtt();
        let unrepaired = self.flight.unrepaired();
        self.recovery.on_timeout(&mut self.flight, now, ends, &rtt, repeated);
        self.forget_unvalidated_loss();
        self.reduce(now, kind, flight_size);
        let bytes = self.flight.unrepaired().saturating_sub(unrepaired);
        self.tell_losses(now, &Losses { bytes, ..Losses::default() });
        self.rto.back_off();
        self.wait_for_ack(self.rto.deadline(now));
    }
}
