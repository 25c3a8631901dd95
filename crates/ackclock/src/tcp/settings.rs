//! What an open connection keeps of its [`Config`]: a connection is small, and most settings have
//! done their work once it is made.

use super::tuned::Tuned;
use super::{Config, Keepalive, Pacing, RecoveryAlgorithm, RestartAfterIdle};
use crate::time::Duration;
use core::num::NonZeroU16;

/// The settings that matter for longer than the moment a connection is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) recovery: RecoveryAlgorithm,
    #[cfg(any(feature = "historic", feature = "tuning", feature = "window-validation"))]
    restart_after_idle: RestartAfterIdle,
    #[cfg(feature = "pacing")]
    pub(crate) pacing: Pacing,
    #[cfg(feature = "pacing")]
    burst_limit: Option<NonZeroU16>,
    pub(super) tuned: Tuned,
    give_up: CompactDuration,
    keepalive_idle: CompactDuration,
    keepalive_interval: CompactDuration,
    /// 0: no keepalive.
    keepalive_count: u16,
}

impl Settings {
    #[inline(always)]
    pub(crate) fn new(config: &Config) -> Self {
        let mut settings = Settings {
            recovery: config.recovery,
            #[cfg(any(feature = "historic", feature = "tuning", feature = "window-validation"))]
            restart_after_idle: config.restart_after_idle,
            #[cfg(feature = "pacing")]
            pacing: config.pacing,
            #[cfg(feature = "pacing")]
            burst_limit: config.burst_limit,
            tuned: Tuned::new(config),
            give_up: CompactDuration::new(config.give_up),
            keepalive_idle: CompactDuration::FOR_EVER,
            keepalive_interval: CompactDuration::FOR_EVER,
            keepalive_count: 0,
        };
        settings.set_keepalive(config.keepalive);
        settings
    }

    pub(crate) fn restart_after_idle(&self) -> RestartAfterIdle {
        #[cfg(any(feature = "historic", feature = "tuning", feature = "window-validation"))]
        return self.restart_after_idle;
        #[cfg(not(any(feature = "historic", feature = "tuning", feature = "window-validation")))]
        RestartAfterIdle::RestartWindow
    }

    pub(crate) fn burst_limit(&self) -> Option<NonZeroU16> {
        #[cfg(feature = "pacing")]
        return self.burst_limit;
        #[cfg(not(feature = "pacing"))]
        None
    }

    pub(crate) fn give_up(&self) -> Duration {
        self.give_up.get()
    }

    pub(crate) fn has_keepalive(&self) -> bool {
        self.keepalive_count > 0
    }

    pub(crate) fn keepalive(&self) -> Option<Keepalive> {
        self.has_keepalive().then(|| Keepalive {
            idle: self.keepalive_idle.get(),
            interval: self.keepalive_interval.get(),
            count: self.keepalive_count,
        })
    }

    pub(crate) fn set_keepalive(&mut self, keepalive: Option<Keepalive>) {
        self.keepalive_count = keepalive.map_or(0, |keepalive| keepalive.count);
        if let Some(Keepalive { idle, interval, .. }) = keepalive {
            self.keepalive_idle = CompactDuration::new(idle);
            self.keepalive_interval = CompactDuration::new(interval);
        }
    }
}

/// A time in four bytes: the two upper bits say whether the others count microseconds (up to 17
/// minutes), milliseconds (up to 12 days) or seconds (up to 34 years). What the unit does not
/// express is rounded up; what is longer is for ever.
#[cfg(feature = "tuning")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CompactDuration(u32);

/// Where only three times are kept they stay as they are: that takes less text.
#[cfg(not(feature = "tuning"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CompactDuration(Duration);

#[cfg(not(feature = "tuning"))]
impl CompactDuration {
    pub(super) const FOR_EVER: CompactDuration = CompactDuration(Duration::MAX);

    pub(super) fn new(time: Duration) -> Self {
        CompactDuration(time)
    }

    pub(super) fn get(self) -> Duration {
        self.0
    }
}

/// The units in nanoseconds.
const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

#[cfg(feature = "tuning")]
impl CompactDuration {
    pub(super) const FOR_EVER: CompactDuration = CompactDuration(u32::MAX);
    const VALUE: u32 = (1 << 30) - 1;

    #[inline]
    pub(super) fn new(time: Duration) -> Self {
        let micros = time.as_micros_rounded_up();
        if micros <= u64::from(Self::VALUE) {
            CompactDuration(micros as u32)
        } else {
            Self::long(micros)
        }
    }

    #[cold]
    #[inline(never)]
    fn long(micros: u64) -> Self {
        let mut value = micros;
        for unit in 1..3 {
            // In the next unit each is as long as a thousand here.
            value = value.div_ceil(1_000);
            if value <= u64::from(Self::VALUE) {
                return CompactDuration(unit << 30 | value as u32);
            }
        }
        Self::FOR_EVER
    }

    pub(super) fn get(self) -> Duration {
        let nanos = match self.0 >> 30 {
            0 => MICRO,
            1 => MILLI,
            2 => SECOND,
            _ => return Duration::MAX,
        };
        // Below 2^60.
        Duration::from_nanos(nanos * u64::from(self.0 & Self::VALUE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(time: Duration) -> Duration {
        CompactDuration::new(time).get()
    }

    #[test]
    fn usual_times_are_kept_exactly() {
        for time in [
            Duration::ZERO,
            Duration::from_micros(1),
            Duration::from_micros((1 << 30) - 1),
            Duration::from_secs(924),
            Duration::from_millis((1 << 30) - 1),
            Duration::from_secs((1 << 30) - 1),
            Duration::MAX,
        ] {
            assert_eq!(kept(time), time);
        }
    }

    #[test]
    #[cfg(feature = "tuning")]
    fn what_the_unit_does_not_express_is_rounded_up() {
        assert_eq!(kept(Duration::from_nanos(1)), Duration::from_micros(1));
        let (more_than_17_minutes, ms) = (Duration::from_secs(1_100), Duration::from_millis(1));
        assert_eq!(kept(more_than_17_minutes + Duration::from_nanos(1)), more_than_17_minutes + ms);
        assert_eq!(kept(Duration::from_secs(1 << 30)), Duration::MAX);
    }

    #[test]
    fn settings_come_back_as_they_were_given() {
        let keepalive = Keepalive { count: 3, ..Keepalive::default() };
        let config = Config { keepalive: Some(keepalive), ..Config::default() };
        let mut settings = Settings::new(&config);
        assert_eq!(settings.keepalive(), Some(keepalive));
        settings.set_keepalive(None);
        assert_eq!(settings.keepalive(), None);
    }
}
