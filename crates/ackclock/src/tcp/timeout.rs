//! All timers of a connection together (RFC 9293 section 3.10.8). The TIME-WAIT timer is the stack's.

use super::State;
use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::Instant;

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// The earliest deadline; [`Instant::FAR_FUTURE`] if no timer is pending.
    pub fn poll_timeout(&self) -> Instant {
        match self.state {
            State::Closed | State::Listen | State::TimeWait => Instant::FAR_FUTURE,
            _ if self.is_opening() => self.syn_deadline().min(self.close_deadline),
            _ => self
                .sender
                .deadline(&self.settings)
                .min(self.receiver.ack_deadline())
                .min(self.keepalive_deadline())
                .min(self.close_deadline),
        }
    }

    /// Handles every timer that has expired.
    pub fn on_timeout(&mut self, now: Instant) {
        if matches!(self.state, State::Closed | State::Listen | State::TimeWait) {
            return;
        }
        if self.close_deadline <= now {
            self.close_deadline = Instant::FAR_FUTURE;
            self.on_close_timeout();
            return;
        }
        if self.is_opening() {
            self.on_syn_timeout(now);
            return;
        }
        let timeouts = self.sender.timeouts_in_a_row();
        if let Err(error) = self.sender.on_timeout(now, &self.settings) {
            self.fail_with_reset(error);
            return;
        }
        if P::PATH_PROBING && self.sender.timeouts_in_a_row() > timeouts {
            self.suspect_black_hole(now);
        }
        if self.receiver.ack_deadline() <= now {
            self.receiver.force_ack();
        }
        self.on_keepalive_timeout(now);
    }
}
