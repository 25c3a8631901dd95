//! What an open connection keeps of its [`Config`]: a connection is small, and most settings have
//! done their work once it is made.

use super::{Config, Keepalive, Pacing, RecoveryAlgorithm, RestartAfterIdle};
use crate::congestion::InitialWindow;
use crate::time::Duration;
use core::num::NonZeroU16;

/// Whether there are settings of single connections that few need.
const TUNING: bool = cfg!(feature = "tuning");

/// The settings that matter for longer than the moment a connection is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Largest segment to send, in payload bytes without options.
    mss: Option<u16>,
    initial_window: InitialWindow,
    pub(crate) recovery: RecoveryAlgorithm,
    restart_after_idle: RestartAfterIdle,
    pub(crate) pacing: Pacing,
    pub(crate) burst_limit: Option<NonZeroU16>,
    give_up: CompactDuration,
    syn_give_up: CompactDuration,
    user_timeout: CompactDuration,
    linger: CompactDuration,
    msl: CompactDuration,
    fin_wait_2_timeout: CompactDuration,
    keepalive_idle: CompactDuration,
    keepalive_interval: CompactDuration,
    /// 0: no keepalive.
    keepalive_count: u16,
}

impl Settings {
    pub(crate) fn new(config: &Config) -> Self {
        let mut settings = Settings {
            mss: config.mss,
            initial_window: config.initial_window,
            recovery: config.recovery,
            restart_after_idle: config.restart_after_idle,
            pacing: config.pacing,
            burst_limit: config.burst_limit,
            give_up: CompactDuration::new(config.give_up),
            syn_give_up: CompactDuration::new(config.syn_give_up),
            user_timeout: CompactDuration::FOR_EVER,
            linger: CompactDuration::new(config.linger.unwrap_or(Duration::MAX)),
            msl: CompactDuration::new(config.msl),
            fin_wait_2_timeout: CompactDuration::new(config.fin_wait_2_timeout),
            keepalive_idle: CompactDuration::FOR_EVER,
            keepalive_interval: CompactDuration::FOR_EVER,
            keepalive_count: 0,
        };
        settings.set_user_timeout(config.user_timeout);
        settings.set_keepalive(config.keepalive);
        settings
    }

    pub(crate) fn mss(&self) -> Option<u16> {
        self.mss.filter(|_| TUNING)
    }

    pub(crate) fn initial_window(&self) -> InitialWindow {
        if TUNING { self.initial_window } else { InitialWindow::Rfc6928 }
    }

    pub(crate) fn restart_after_idle(&self) -> RestartAfterIdle {
        if TUNING || cfg!(any(feature = "historic", feature = "window-validation")) {
            self.restart_after_idle
        } else {
            RestartAfterIdle::RestartWindow
        }
    }

    pub(crate) fn give_up(&self) -> Duration {
        self.give_up.get()
    }

    pub(crate) fn syn_give_up(&self) -> Duration {
        self.syn_give_up.get()
    }

    pub(crate) fn set_syn_give_up(&mut self, give_up: Duration) {
        self.syn_give_up = CompactDuration::new(give_up);
    }

    /// [`Duration::MAX`] if there is none.
    pub(crate) fn user_timeout(&self) -> Duration {
        if TUNING { self.user_timeout.get() } else { Duration::MAX }
    }

    pub(crate) fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        self.user_timeout = CompactDuration::new(timeout.unwrap_or(Duration::MAX));
    }

    /// [`Duration::MAX`]: for ever.
    pub(crate) fn linger(&self) -> Duration {
        if TUNING { self.linger.get() } else { Duration::MAX }
    }

    pub(crate) fn msl(&self) -> Duration {
        self.msl.get()
    }

    pub(crate) fn fin_wait_2_timeout(&self) -> Duration {
        self.fin_wait_2_timeout.get()
    }

    pub(crate) fn keepalive(&self) -> Option<Keepalive> {
        (self.keepalive_count > 0).then(|| Keepalive {
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct CompactDuration(u32);

/// The units in nanoseconds.
const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

impl CompactDuration {
    const FOR_EVER: CompactDuration = CompactDuration(u32::MAX);
    const VALUE: u32 = (1 << 30) - 1;

    fn new(time: Duration) -> Self {
        let mut value = time;
        for unit in 0..3 {
            // In the next unit each is as long as a thousand here.
            let rounded_up = value.as_micros_rounded_up();
            if rounded_up <= u64::from(Self::VALUE) {
                return CompactDuration(unit << 30 | rounded_up as u32);
            }
            value = Duration::from_nanos(rounded_up);
        }
        Self::FOR_EVER
    }

    fn get(self) -> Duration {
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
