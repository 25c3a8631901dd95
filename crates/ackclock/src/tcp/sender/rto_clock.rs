//! How a retransmission timer measures time: exactly, or with the clocks of older stacks, which tick or time one
//! segment at a time (4.3BSD-Tahoe and before).

use super::linux_deviation::LinuxDeviation;
use crate::seq::SeqNumber;
use crate::tcp::{RtoConfig, RtoEstimator, RttSampling, TickingClock, Ticks};
use crate::time::{Duration, Instant};

/// Measurement of round trips.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RtoClock {
    /// Every ack, by an exact clock.
    Exact,
    /// By a clock of an older stack.
    Older(OlderClock),
    /// Every ack, by an exact clock; the deviation is smoothed as in Linux.
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

    /// Least timeout, if the clock ticks.
    pub(super) fn min_timeout(config: &RtoConfig) -> Option<Duration> {
        let ticks = config.ticks.filter(|_| !config.estimator.has_exact_clock());
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

/// Clock of an older stack: it may tick, and may time one segment at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OlderClock {
    ticks: Option<Ticks>,
    /// Random number of the host from which the phase of the ticks follows.
    phase: u32,
    sampling: RttSampling,
    /// With one segment timed at a time: whether one is being timed, its first sequence number, and the clock's
    /// reading when it was sent.
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
            (self.timing, self.timed, self.timed_at) = (true, seq, self.reading(now));
        }
    }

    /// Karn's rule, where it is kept.
    fn on_resent(&mut self) {
        self.timing &= self.sampling == RttSampling::OneWithoutKarn;
    }

    /// The clock's reading, in ticks or microseconds, modulo 2^32.
    fn reading(&self, now: Instant) -> u32 {
        let reading = self.ticking().map(|clock| clock.reading(now));
        reading.unwrap_or(now.as_nanos() / 1_000) as u32
    }

    /// The round-trip time of the timed segment, in ticks or nanoseconds, if an ack of everything before `una`
    /// covers its start. The measurement then ends.
    pub(super) fn take_timed_rtt(&mut self, now: Instant, una: SeqNumber) -> Option<u64> {
        if !self.timing || una.at_or_before(self.timed) {
            return None;
        }
        self.timing = false;
        let rtt = u64::from(self.reading(now).wrapping_sub(self.timed_at));
        Some(if self.ticks.is_some() { rtt } else { rtt * 1_000 })
    }
}
