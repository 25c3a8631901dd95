//! What stands in for window validation where it was left out: a window stays what it is.

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::settings::Settings;
use crate::time::Instant;

/// Nothing is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Validation;

impl Validation {
    pub(super) fn new(_now: Instant) -> Self {
        Validation
    }

    pub(super) fn forget_loss(&mut self) {}
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    pub(super) fn note_unvalidated_loss(&mut self, _flight_size: u32) {}

    pub(super) fn deduct_retransmitted(&mut self, _now: Instant, _settings: &Settings) {}

    pub(super) fn validate_window(&mut self, _now: Instant, _flight: u32, _window: u32) {}

    pub(super) fn give_up_unvalidated(&mut self, _now: Instant, _settings: &Settings) {}
}
