//! Congestion window validation: a window that nothing fills says little of the path (RFC 7661).

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::tcp::{RestartAfterIdle, Settings};
use crate::time::Instant;

/// A point in time in units of 2^30 ns, a little more than a second, modulo 2^16: in 19 hours it
/// comes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct CoarseInstant(u16);

/// The non-validated period (RFC 7661 section 4.4.3): five minutes, in units of 2^30 ns.
const NONVALIDATED_PERIOD: u64 = 280;
/// So many periods leave nothing more to give up: 2^30 / 2^30.
const MOST_PERIODS: u64 = 30;

impl CoarseInstant {
    fn units(now: Instant) -> u64 {
        now.as_nanos() >> 30
    }

    fn new(now: Instant) -> Self {
        CoarseInstant(Self::units(now) as u16)
    }

    /// Units from then to `now`, less than 19 hours later.
    fn elapsed(self, now: Instant) -> u64 {
        CoarseInstant::new(now).0.wrapping_sub(self.0).into()
    }
}

/// How far the window can be trusted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Validation {
    /// When acks last came out of a flight of half the window.
    validated_at: CoarseInstant,
    /// The loss that is being repaired met a window that was not validated.
    loss_pending: bool,
}

impl Validation {
    pub(super) fn new(now: Instant) -> Self {
        Validation { validated_at: CoarseInstant::new(now), loss_pending: false }
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// A loss was found with so much in flight, and the window is about to be reduced.
    pub(super) fn note_unvalidated_loss(&mut self, flight_size: u32) {
        if let Some(validation) = self.round.validation.get_mut() {
            validation.loss_pending = flight_size.saturating_mul(2) < self.controller.window();
        }
    }

    /// The loss was none, or a timeout has made other rules apply.
    pub(super) fn forget_unvalidated_loss(&mut self) {
        if let Some(validation) = self.round.validation.get_mut() {
            validation.loss_pending = false;
        }
    }

    /// The loss was repaired (RFC 7661 section 4.4.1): (LossFlightSize - R) / 2, of which the law has
    /// made the first part, as it does of every loss.
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

    /// RFC 7661 section 4.3: an ack out of a flight of half the window shows that the path bears it.
    pub(super) fn validate_window(&mut self, now: Instant, flight: u32, window: u32) {
        if let Some(validation) = self.round.validation.get_mut()
            && flight.saturating_mul(2) >= window
        {
            validation.validated_at = CoarseInstant::new(now);
        }
    }

    /// RFC 7661 section 4.4.3, once for each period since the window was validated.
    pub(super) fn give_up_unvalidated(&mut self, now: Instant, settings: &Settings<P>) {
        let Some(validation) = self.round.validation.get_mut() else {
            return;
        };
        // What was not sent was not validated either, however long ago.
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
