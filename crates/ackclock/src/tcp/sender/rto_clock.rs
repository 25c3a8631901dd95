//! The clock of older retransmission timers: it may tick, and time one segment at a time
//! (4.3BSD-Tahoe and before).

use crate::seq::SeqNumber;
use crate::tcp::{RtoConfig, RttSampling, TickingClock, Ticks};
use crate::time::{Duration, Instant};

/// The clock by which round trips are timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RtoClock {
    ticks: Option<Ticks>,
    /// The host's random word for the phase of the ticks.
    phase: u32,
    sampling: RttSampling,
    /// Where one segment at a time is timed: whether one is, where it begins, and what the clock
    /// showed when it was sent.
    timing: bool,
    timed: SeqNumber,
    timed_at: u32,
}

impl RtoClock {
    pub(super) fn new(config: &RtoConfig, phase: u32) -> Self {
        RtoClock {
            ticks: config.ticks,
            phase,
            sampling: config.sampling,
            timing: false,
            timed: SeqNumber(0),
            timed_at: 0,
        }
    }

    /// The least timeout by a clock that ticks.
    pub(super) fn least(config: &RtoConfig) -> Option<Duration> {
        config.ticks.map(|Ticks { millis, least }| {
            Duration::from_millis(u64::from(millis.get()) * u64::from(least.max(1)))
        })
    }

    pub(super) fn ticking(&self) -> Option<TickingClock> {
        self.ticks.map(|ticks| TickingClock::new(ticks.millis, self.phase))
    }

    pub(super) fn times_each_ack(&self) -> bool {
        self.sampling == RttSampling::EachAck
    }

    pub(super) fn on_new_data_sent(&mut self, now: Instant, seq: SeqNumber) {
        if self.sampling == RttSampling::OnePerWindow && !self.timing {
            (self.timing, self.timed, self.timed_at) = (true, seq, self.shown(now));
        }
    }

    pub(super) fn on_resent(&mut self) {
        self.timing = false;
    }

    /// What the clock shows, the upper bits left out: microseconds or ticks.
    fn shown(&self, now: Instant) -> u32 {
        let reading = self.ticking().map(|clock| clock.reading(now));
        reading.unwrap_or(now.as_nanos() / 1_000) as u32
    }

    /// Everything before `una` is acknowledged: the round-trip time of the segment that was timed, if it
    /// is among that, in ticks or nanoseconds.
    pub(super) fn passed(&mut self, now: Instant, una: SeqNumber) -> Option<u64> {
        if !self.timing || una.at_or_before(self.timed) {
            return None;
        }
        self.timing = false;
        let passed = u64::from(self.shown(now).wrapping_sub(self.timed_at));
        Some(if self.ticks.is_some() { passed } else { passed * 1_000 })
    }
}
