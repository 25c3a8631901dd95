//! What becomes of the congestion window while nothing fills it (jacobson88 appendix C, RFC 5681
//! section 4.1, RFC 7661).

use super::Sender;
use crate::congestion::CongestionController;
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

/// A point in time in units of 2^30 ns, a little more than a second, modulo 2^16: in 19 hours it
/// comes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CoarseInstant(u16);

/// The non-validated period (RFC 7661 section 4.4.3): five minutes, in units of 2^30 ns.
const NONVALIDATED_PERIOD: u64 = 280;
/// So many periods leave nothing more to give up: 2^30 / 2^30.
const MOST_PERIODS: u64 = 30;

impl CoarseInstant {
    fn units(now: Instant) -> u64 {
        now.as_nanos() >> 30
    }

    pub(super) fn new(now: Instant) -> Self {
        CoarseInstant(Self::units(now) as u16)
    }

    /// Units from then to `now`, less than 19 hours later.
    fn elapsed(self, now: Instant) -> u64 {
        CoarseInstant::new(now).0.wrapping_sub(self.0).into()
    }
}

impl<C: CongestionController> Sender<'_, C> {
    /// A loss was found with so much in flight, and the window is about to be reduced.
    pub(super) fn note_unvalidated_loss(&mut self, flight_size: u32) {
        self.round.lost_unvalidated = flight_size.saturating_mul(2) < self.controller.window();
    }

    /// The loss was repaired (RFC 7661 section 4.4.1): (LossFlightSize - R) / 2, of which the law has
    /// made the first part, as it does of every loss.
    pub(super) fn deduct_retransmitted(&mut self, now: Instant, settings: &Settings) {
        let unvalidated = core::mem::take(&mut self.round.lost_unvalidated);
        if unvalidated && settings.restart_after_idle == RestartAfterIdle::Validation {
            let lost = self.mss.saturating_mul(self.recovery.segments_lost().into());
            let window = self.controller.window().saturating_sub(lost / 2);
            self.controller.on_unvalidated_loss(now, window);
        }
    }

    /// RFC 7661 section 4.3: an ack out of a flight of half the window shows that the path bears it.
    pub(super) fn validate_window(&mut self, now: Instant, flight: u32) {
        if flight.saturating_mul(2) >= self.controller.window() {
            self.round.validated_at = CoarseInstant::new(now);
        }
    }

    /// Before something is sent: the ack clock may have stopped, and then the old window would go
    /// out in one burst.
    pub(super) fn restart_after_idle(&mut self, now: Instant, settings: &Settings) {
        if self.queue.is_empty() {
            return;
        }
        if self.flight.is_empty() {
            self.round.forget_flights();
        } else if settings.restart_after_idle != RestartAfterIdle::Validation {
            return;
        }
        let idle = now.saturating_since(self.last_sent_at);
        let measured = self.rto.smoothed_rtt();
        let limit = match settings.restart_after_idle {
            RestartAfterIdle::Never => return,
            RestartAfterIdle::Validation => return self.give_up_unvalidated(now, settings),
            RestartAfterIdle::OneSegmentAfterRtt if !measured.is_zero() => measured,
            _ => self.rto.timeout(),
        };
        if idle > limit {
            let window = match settings.restart_after_idle {
                RestartAfterIdle::RestartWindow => settings.initial_window.window(self.mss),
                _ => self.mss,
            };
            let restart_window = window.min(self.controller.window());
            self.controller.on_restart_after_idle(now, restart_window);
        }
    }

    /// RFC 7661 section 4.4.3, once for each period since the window was validated.
    fn give_up_unvalidated(&mut self, now: Instant, settings: &Settings) {
        // What was not sent was not validated either, however long ago.
        let idle =
            CoarseInstant::units(now).saturating_sub(CoarseInstant::units(self.last_sent_at));
        let unvalidated = idle.max(self.round.validated_at.elapsed(now));
        if unvalidated <= NONVALIDATED_PERIOD {
            return;
        }
        let least = settings.initial_window.window(self.mss);
        for _ in 0..(unvalidated / NONVALIDATED_PERIOD).min(MOST_PERIODS) {
            self.controller.on_unvalidated_window(now, least);
        }
        self.round.validated_at = CoarseInstant::new(now);
    }
}
