//! USER TIMEOUT, RETRANSMISSION TIMEOUT and the other timers of a connection (RFC 9293 section
//! 3.10.8). TIME-WAIT's is the stack's.

use super::connection::Connection;
use super::sender::Flight as _;
use super::{Error, Keepalive, State};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::{Duration, Instant};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// The earliest deadline; [`Instant::FAR_FUTURE`] if no timer is pending.
    pub fn poll_timeout(&self) -> Instant {
        match self.state {
            State::Closed | State::Listen | State::TimeWait => Instant::FAR_FUTURE,
            state if state.is_opening() => self.syn_deadline().min(self.close_deadline),
            _ => self
                .sender
                .deadline(&self.settings)
                .min(self.receiver.ack_deadline())
                .min(self.keepalive_deadline())
                .min(self.close_deadline),
        }
    }

    /// How long to wait for the answer to the last SYN.
    fn syn_timeout(&self) -> Duration {
        self.sender.rto().syn_timeout(self.inquiry.syn_retransmits())
    }

    /// When the SYN goes again, or the attempt to open is given up.
    pub(super) fn syn_deadline(&self) -> Instant {
        self.inquiry.syn_deadline(self.syn_timeout(), self.settings.syn_give_up())
    }

    /// Keepalive runs while nothing is in flight: otherwise retransmission finds out.
    pub(super) fn probes_when_idle(&self) -> bool {
        self.settings.has_keepalive() && self.sender.flight().is_empty()
    }

    fn keepalive_settings(&self) -> Option<Keepalive> {
        if self.probes_when_idle() { self.settings.keepalive() } else { None }
    }

    pub(super) fn keepalive_deadline(&self) -> Instant {
        self.keepalive_settings()
            .map_or(Instant::FAR_FUTURE, |settings| self.inquiry.keepalive_deadline(&settings))
    }

    /// Fires every timer that is due.
    pub fn on_timeout(&mut self, now: Instant) {
        if matches!(self.state, State::Closed | State::Listen | State::TimeWait) {
            return;
        }
        if self.close_deadline <= now {
            self.close_deadline = Instant::FAR_FUTURE;
            self.on_close_timeout();
            return;
        }
        if self.state.is_opening() {
            let (timeout, give_up) = (self.syn_timeout(), self.settings.syn_give_up());
            if !self.inquiry.on_syn_timeout(now, timeout, give_up) {
                // A soft error that explains the silence is worth more than "timed out".
                let error = self.soft_error.map_or(Error::TimedOut, |_| Error::Unreachable);
                self.fail(error);
            }
            return;
        }
        if let Err(error) = self.sender.on_timeout(now, &self.settings) {
            self.fail_with_reset(error);
            return;
        }
        if self.receiver.ack_deadline() <= now {
            self.receiver.force_ack();
        }
        if let Some(settings) = self.keepalive_settings()
            && !self.inquiry.on_keepalive_timeout(now, &settings)
        {
            self.fail_with_reset(Error::KeepaliveTimeout);
        }
    }

    /// The linger time is over, or the peer has not sent its FIN for so long that nobody waits for
    /// it any more.
    fn on_close_timeout(&mut self) {
        if self.state == State::FinWait2 {
            self.state = State::Closed;
        } else {
            self.fail_with_reset(Error::Aborted);
        }
    }
}
