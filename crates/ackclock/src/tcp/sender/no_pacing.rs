//! What stands in for pacing and the burst limit where they were left out: what the windows allow
//! goes at once.

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::settings::Settings;
use crate::time::Instant;

/// Nothing waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer;

impl Pacer {
    pub(super) fn new() -> Self {
        Pacer
    }

    pub(super) fn deadline(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    pub(super) fn on_timeout(&mut self, _now: Instant) {}
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// No rate.
    pub(crate) fn pacing_rate(&self, _settings: &Settings) -> Option<u64> {
        None
    }

    /// Everything.
    pub(super) fn released(&self, _now: Instant, _settings: &Settings) -> u32 {
        u32::MAX
    }

    pub(super) fn wait_for_pacing(&mut self, _now: Instant) {}

    pub(super) fn allow_burst(&mut self, _settings: &Settings) {}

    pub(super) fn pace(&mut self, _now: Instant, _settings: &Settings, _bytes: u32, _idle: bool) {}
}
