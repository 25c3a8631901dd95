//! Congestion window validation (RFC 7661): a congestion window that is not used tells little about the path.

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::tcp::{RestartAfterIdle, Settings};
use crate::time::Instant;

/// A point in time in units of 2^30 ns, a little more than a second, modulo 2^16 units (19 hours).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct CoarseInstant(u16);

/// The non-validated period (RFC 7661 section 4.4.3): five minutes, in units of 2^30 ns.
const NONVALIDATED_PERIOD: u64 = 280;
/// Most periods to account for: halving the window 30 times leaves nothing more to give up.
const MOST_PERIODS: u64 = 30;

impl CoarseInstant {
    fn units(now: Instant) -> u64 {
        now.as_nanos() >> 30
    }

    fn new(now: Instant) -> Self {
        CoarseInstant(Self::units(now) as u16)
    }

    /// Units from this time to `now`, which is less than 19 hours later.
    fn elapsed(self, now: Instant) -> u64 {
        CoarseInstant::new(now).0.wrapping_sub(self.0).into()
    }
}

/// State of congestion window validation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Validation {
    /// When an ack last arrived while at least half the window was in flight.
    validated_at: CoarseInstant,
    /// Whether the loss being repaired met a window that was not validated.
    loss_pending: bool,
}

impl Validation {
    pub(super) fn new(now: Instant) -> Self {
        Validation { validated_at: CoarseInstant::new(now), loss_pending: false }
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Notes a loss found with `flight_size` bytes in flight, before the window is reduced.
    pub(super) fn note_unvalidated_loss(&mut self, flight_size: u32) {
        if let Some(validation) = self.round.validation.get_mut() {
            validation.loss_pending = flight_size.saturating_mul(2) < self.controller.window();
        }
    }

    /// Forgets the loss, because it was spurious, or because a timeout has made other rules apply.
    pub(super) fn forget_unvalidated_loss(&mut self) {
        if let Some(validation) = self.round.validation.get_mut() {
            validation.loss_pending = false;
        }
    }

    /// Reduces the window once the loss is repaired, to (LossFlightSize - R) / 2 (RFC 7661 section 4.4.1).
    /// Congestion control has already halved it, as after every loss; here R / 2 is deducted.
    pub(super) fn deduct_retransmitted(&mut self, now: Instant, settings: &Settings<P>) {
        let Some(validation) = self.round.validation.get_mut() else {
            return;
        };
        let unvalidated = core::mem::take(&mut validation.loss_pending);
        if unvalidated && settings.restart_after_idle() == RestartAfterIdle::Validation {
            let lost = self.mss().saturating_mul(self.recovery.segments_lost().into());
            let window = self.controller.window().saturating_sub(lost / 2);
            self.controller.on_unvalidated_loss(now, window);
        }
    }

    /// Validates the window by an ack that arrived while `flight` bytes were in flight: half the window or
    /// more shows that the path bears it (RFC 7661 section 4.3).
    pub(super) fn validate_window(&mut self, now: Instant, flight: u32, window: u32) {
        if let Some(validation) = self.round.validation.get_mut()
            && flight.saturating_mul(2) >= window
        {
            validation.validated_at = CoarseInstant::new(now);
        }
    }

    /// Reduces a window that was not validated, once for each period passed (RFC 7661 section 4.4.3).
    pub(super) fn give_up_unvalidated(&mut self, now: Instant, settings: &Settings<P>) {
        let Some(validation) = self.round.validation.get_mut() else {
            return;
        };
        // Idle time counts as well, however long ago the last transmission was.
        let idle =
            CoarseInstant::units(now).saturating_sub(CoarseInstant::units(self.last_sent_at));
        let unvalidated = idle.max(validation.validated_at.elapsed(now));
        if unvalidated <= NONVALIDATED_PERIOD {
            return;
        }
        validation.validated_at = CoarseInstant::new(now);
        let least = settings.initial_window(self.mss());
        for _ in 0..(unvalidated / NONVALIDATED_PERIOD).min(MOST_PERIODS) {
            self.controller.on_unvalidated_window(now, least);
        }
    }
}
