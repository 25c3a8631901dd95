//! The clock of older retransmission timers: it may tick, and time one segment at a time
//! (4.3BSD-Tahoe and before).

use super::linux_deviation::LinuxDeviation;
use crate::seq::SeqNumber;
use crate::tcp::{RtoConfig, RtoEstimator, RttSampling, TickingClock, Ticks};
use crate::time::{Duration, Instant};

/// How round trips are timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RtoClock {
    /// Each ack is timed exactly.
    Exact,
    /// By an older clock.
    Older(OlderClock),
    /// Each ack is timed exactly, and the deviation smoothed in Linux's way.
    Linux(LinuxDeviation),
}

impl RtoClock {
    pub(super) fn new(config: &RtoConfig, phase: u32) -> Self {
        match config {
            RtoConfig { estimator: RtoEstimator::Linux, .. } => {
                RtoClock::Linux(LinuxDeviation::default())
            }
            RtoConfig { estimator: RtoEstimator::FreeBsd, .. } => RtoClock::Exact,
            RtoConfig { ticks: None, sampling: RttSampling::EachAck, .. } => RtoClock::Exact,
            _ => RtoClock::Older(OlderClock::new(config, phase)),
        }
    }

    /// The least timeout by a clock that ticks.
    pub(super) fn least(config: &RtoConfig) -> Option<Duration> {
        let ticks = config.ticks.filter(|_| !config.estimator.is_a_hosts());
        ticks.map(|Ticks { millis, least }| {
            Duration::from_millis(u64::from(millis.get()) * u64::from(least.max(1)))
        })
    }

    #[inline(always)]
    pub(super) fn ticking(&self) -> Option<TickingClock> {
        match self {
            RtoClock::Older(clock) => clock.ticking(),
            RtoClock::Exact | RtoClock::Linux(_) => None,
        }
    }

    #[inline(always)]
    pub(super) fn on_new_data_sent(&mut self, now: Instant, seq: SeqNumber) {
        match self {
            RtoClock::Exact => {}
            RtoClock::Older(clock) => clock.on_new_data_sent(now, seq),
            RtoClock::Linux(deviation) => deviation.on_new_data_sent(seq),
        }
    }

    pub(super) fn on_resent(&mut self) {
        if let RtoClock::Older(clock) = self {
            clock.on_resent();
        }
    }
}

/// A clock that may tick, and may time one segment at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OlderClock {
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

impl OlderClock {
    fn new(config: &RtoConfig, phase: u32) -> Self {
        OlderClock {
            ticks: config.ticks,
            phase,
            sampling: config.sampling,
            timing: false,
            timed: SeqNumber(0),
            timed_at: 0,
        }
    }

    fn ticking(&self) -> Option<TickingClock> {
        self.ticks.map(|ticks| TickingClock::new(ticks.millis, self.phase))
    }

    pub(super) fn times_each_ack(&self) -> bool {
        self.sampling == RttSampling::EachAck
    }

    fn on_new_data_sent(&mut self, now: Instant, seq: SeqNumber) {
        if !self.times_each_ack() && !self.timing {
            (self.timing, self.timed, self.timed_at) = (true, seq, self.shown(now));
        }
    }

    /// Karn's rule, where it is kept.
    fn on_resent(&mut self) {
        self.timing &= self.sampling == RttSampling::OneWithoutKarn;
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
