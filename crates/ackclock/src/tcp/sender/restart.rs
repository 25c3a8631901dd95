//! What becomes of the congestion window while nothing fills it (jacobson88 appendix C, RFC 5681
//! section 4.1, RFC 7661).

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::settings::Settings;
use crate::tcp::words::words;
use crate::time::Instant;

/// What happens to the congestion window when a connection was idle, or sent less than the window
/// allowed, before it sends again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RestartAfterIdle {
    /// `never`: nothing; the old window may be sent in one burst.
    Never,
    /// `jacobson88:rto`: one segment after an idle time of one RTO (jacobson88 appendix C).
    OneSegmentAfterRto,
    /// `jacobson88:rtt`: one segment after an idle time of one round trip (jacobson88 appendix C).
    OneSegmentAfterRtt,
    /// `rfc5681`: the restart window min(IW, cwnd) after an idle time of one RTO (RFC 5681 section
    /// 4.1).
    #[default]
    RestartWindow,
    /// `rfc7661`: the window stays, but neither grows nor lasts. For each five minutes in which no
    /// flight has reached half of it, half of it is given up, down to the initial window, and three
    /// quarters are kept as threshold (RFC 7661 sections 4.3 and 4.4.3). What the RFC calls pipeACK
    /// is the flight out of which acks come; a loss reduces the window from FlightSize, and when it
    /// is repaired, by what had to be sent again for it (section 4.4.1).
    Validation,
}

words! {
    RestartAfterIdle: "never, jacobson88:rto, jacobson88:rtt, rfc5681 or rfc7661",
    "never" = Never,
    "jacobson88:rto" = OneSegmentAfterRto,
    "jacobson88:rtt" = OneSegmentAfterRtt,
    "rfc5681" = RestartWindow,
    "rfc7661" = Validation,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Before something is sent: the ack clock may have stopped, and then the old window would go
    /// out in one burst.
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
                RestartAfterIdle::RestartWindow => settings.initial_window(self.mss),
                _ => self.mss,
            };
            let restart_window = window.min(self.controller.window());
            self.controller.on_restart_after_idle(now, restart_window);
        }
    }
}
