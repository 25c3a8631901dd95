//! What stands in for older timers' clock where they were left out: an exact one, by which each ack is
//! timed.

use crate::seq::SeqNumber;
use crate::tcp::RtoConfig;
use crate::tcp::ticks::TickingClock;
use crate::time::{Duration, Instant};

/// A clock that does not tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RtoClock;

impl RtoClock {
    pub(super) fn new(_config: &RtoConfig, _phase: u32) -> Self {
        RtoClock
    }

    pub(super) fn least(_config: &RtoConfig) -> Option<Duration> {
        None
    }

    pub(super) fn ticking(&self) -> Option<TickingClock> {
        None
    }

    pub(super) fn times_each_ack(&self) -> bool {
        true
    }

    pub(super) fn on_new_data_sent(&mut self, _now: Instant, _seq: SeqNumber) {}

    pub(super) fn on_resent(&mut self) {}

    pub(super) fn passed(&mut self, _now: Instant, _una: SeqNumber) -> Option<u64> {
        None
    }
}
