//! The congestion window while the sender is idle or does not use all of it (jacobson88 appendix C, RFC 5681
//! section 4.1, RFC 7661).

use super::Sender;
use super::flight::Flight;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{RestartAfterIdle, Settings};
use crate::time::Instant;

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Reduces the window after an idle period, before data is sent: the ack clock may have stopped, so that
    /// the old window would be sent in one burst.
    pub(super) fn restart_after_idle(&mut self, now: Instant, settings: &Settings<P>) {
        if self.hears_nothing() || self.queue.is_empty() {
            return;
        }
        if self.flight.is_empty() {
            self.round.forget_flights();
        } else if settings.restart_after_idle() != RestartAfterIdle::Validation {
            return;
        }
        let idle = now.saturating_since(self.last_sent_at);
        let measured = self.rto.smoothed_rtt();
        let limit = match settings.restart_after_idle() {
            RestartAfterIdle::Never => return,
            RestartAfterIdle::Validation => return self.give_up_unvalidated(now, settings),
            RestartAfterIdle::OneSegmentAfterRtt if P::HISTORIC && !measured.is_zero() => measured,
            _ => self.rto.timeout(),
        };
        if idle > limit {
            let window = match settings.restart_after_idle() {
                RestartAfterIdle::RestartWindow => settings.initial_window(self.mss()),
                _ => self.mss(),
            };
            let restart_window = window.min(self.controller.window());
            self.controller.on_restart_after_idle(now, restart_window);
        }
    }
}
