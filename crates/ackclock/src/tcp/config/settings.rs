//! The part of a [`Config`] that an open connection stores. It is small: most settings have done their work
//! once a connection was created.

use super::{Config, Keepalive, Pacing, RestartAfterIdle};
use crate::congestion::InitialWindow;
use crate::profile::{Kept, Part, Profile};
use crate::tcp::RecoveryAlgorithm;
use crate::time::Duration;
use core::num::NonZeroU16;

/// Settings that are used after a connection was created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<P: Profile> {
    pub(crate) recovery: RecoveryAlgorithm,
    restart_after_idle: RestartAfterIdle,
    pacing: <P::Pacing as Part>::Keeps<PacingSettings>,
    rare: <P::RareSettings as Part>::Keeps<RareSettings>,
    give_up: Duration,
    keepalive_idle: Duration,
    keepalive_interval: Duration,
    /// Number of keepalive probes; 0: no keepalive.
    keepalive_count: u16,
}

/// Settings for pacing.
#[derive(Clone, Copy, Debug)]
struct PacingSettings {
    mode: Pacing,
    burst_limit: Option<NonZeroU16>,
    /// See [`Settings::sends_freely`].
    sends_freely: bool,
}

/// Settings that nearly all connections leave at their defaults.
#[derive(Clone, Copy, Debug)]
struct RareSettings {
    /// Largest segment to send, in payload bytes without options.
    mss: Option<u16>,
    initial_window: InitialWindow,
    syn_give_up: CompactDuration,
    user_timeout: CompactDuration,
    linger: CompactDuration,
    msl: CompactDuration,
    fin_wait_2_timeout: CompactDuration,
}

impl RareSettings {
    #[inline(always)]
    fn new(config: &Config) -> Self {
        let or_infinite =
            |time: Option<Duration>| time.map_or(CompactDuration::INFINITE, CompactDuration::new);
        RareSettings {
            mss: config.mss,
            initial_window: config.initial_window,
            syn_give_up: CompactDuration::new(config.syn_give_up),
            user_timeout: or_infinite(config.user_timeout),
            linger: or_infinite(config.linger),
            msl: CompactDuration::new(config.msl),
            fin_wait_2_timeout: CompactDuration::new(config.fin_wait_2_timeout),
        }
    }
}

impl<P: Profile> Settings<P> {
    #[inline(always)]
    pub(crate) fn new(config: &Config) -> Self {
        let mut settings = Settings {
            recovery: config.recovery,
            restart_after_idle: config.restart_after_idle,
            pacing: Kept::new(PacingSettings {
                mode: config.pacing,
                burst_limit: config.burst_limit,
                sends_freely: config.burst_limit.is_none()
                    && reduces_after_rto_or_never(config.restart_after_idle),
            }),
            rare: Kept::new_with(|| RareSettings::new(config)),
            give_up: config.give_up,
            keepalive_idle: Duration::MAX,
            keepalive_interval: Duration::MAX,
            keepalive_count: 0,
        };
        settings.set_keepalive(config.keepalive);
        settings
    }

    #[inline(always)]
    pub(crate) fn restart_after_idle(&self) -> RestartAfterIdle {
        self.restart_after_idle
    }

    /// Whether there is no burst limit, and [the window is reduced](Self::restart_after_idle) only after an
    /// idle time of one RTO, or never.
    #[inline(always)]
    pub(crate) fn sends_freely(&self) -> bool {
        match self.pacing.get() {
            Some(pacing) => pacing.sends_freely,
            None => reduces_after_rto_or_never(self.restart_after_idle),
        }
    }

    #[inline(always)]
    pub(crate) fn pacing(&self) -> Pacing {
        self.pacing.get().map_or(Pacing::Off, |pacing| pacing.mode)
    }

    #[inline(always)]
    pub(crate) fn burst_limit(&self) -> Option<NonZeroU16> {
        self.pacing.get().and_then(|pacing| pacing.burst_limit)
    }

    pub(crate) fn give_up(&self) -> Duration {
        self.give_up
    }

    /// Waits at least `timeout`, the user timeout in force, before the connection is given up, and longer
    /// before the first keepalive probe (RFC 5482 section 4.2).
    pub(crate) fn wait_at_least(&mut self, timeout: Duration) {
        self.give_up = self.give_up.max(timeout);
        if self.has_keepalive() {
            self.keepalive_idle = self.keepalive_idle.max(timeout + Duration::from_secs(1));
        }
    }

    pub(crate) fn has_keepalive(&self) -> bool {
        self.keepalive_count > 0
    }

    /// Keepalive settings; of no meaning unless [`has_keepalive`](Self::has_keepalive).
    pub(crate) fn keepalive(&self) -> Keepalive {
        Keepalive {
            idle: self.keepalive_idle,
            interval: self.keepalive_interval,
            count: self.keepalive_count,
        }
    }

    pub(crate) fn set_keepalive(&mut self, keepalive: Option<Keepalive>) {
        self.keepalive_count = keepalive.map_or(0, |keepalive| keepalive.count);
        if let Some(Keepalive { idle, interval, .. }) = keepalive {
            (self.keepalive_idle, self.keepalive_interval) = (idle, interval);
        }
    }
}

/// The rare settings; their defaults in images without [`RareSettings`](Profile::RareSettings).
impl<P: Profile> Settings<P> {
    pub(crate) fn mss(&self) -> Option<u16> {
        self.rare.get().and_then(|rare| rare.mss)
    }

    /// Initial window in bytes, for segments of `mss` bytes.
    pub(crate) fn initial_window(&self, mss: u32) -> u32 {
        match self.rare.get() {
            Some(rare) => rare.initial_window.window(mss),
            None => InitialWindow::rfc6928(mss.max(1)),
        }
    }

    pub(crate) fn syn_give_up(&self) -> Duration {
        self.rare.get().map_or(Config::SYN_GIVE_UP, |rare| rare.syn_give_up.get())
    }

    pub(crate) fn set_syn_give_up(&mut self, give_up: Duration) {
        if let Some(rare) = self.rare.get_mut() {
            rare.syn_give_up = CompactDuration::new(give_up);
        }
    }

    /// User timeout; [`Duration::MAX`] if there is none.
    #[inline(always)]
    pub(crate) fn user_timeout(&self) -> Duration {
        self.rare.get().map_or(Duration::MAX, |rare| rare.user_timeout.get())
    }

    pub(crate) fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        if let Some(rare) = self.rare.get_mut() {
            rare.user_timeout = CompactDuration::new(timeout.unwrap_or(Duration::MAX));
        }
    }

    /// Time after `close` to deliver data; [`Duration::MAX`] if it was not set.
    pub(crate) fn linger(&self) -> Duration {
        self.rare.get().map_or(Duration::MAX, |rare| rare.linger.get())
    }

    pub(crate) fn msl(&self) -> Duration {
        self.rare.get().map_or(Config::MSL, |rare| rare.msl.get())
    }

    pub(crate) fn fin_wait_2_timeout(&self) -> Duration {
        self.rare.get().map_or(Config::FIN_WAIT_2_TIMEOUT, |rare| rare.fin_wait_2_timeout.get())
    }
}

/// Whether the window is reduced only after an idle time of one RTO, or never, which is all that the predicted
/// road checks. (`jacobson88:rto` takes the general road.)
fn reduces_after_rto_or_never(restart: RestartAfterIdle) -> bool {
    matches!(restart, RestartAfterIdle::RestartWindow | RestartAfterIdle::Never)
}

/// Duration in four bytes. The two upper bits select the unit of the others: microseconds (up to 17 minutes),
/// milliseconds (up to 12 days) or seconds (up to 34 years). Fractions of the unit are rounded up; a longer time
/// counts as infinite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct CompactDuration(u32);

/// The units, in nanoseconds.
const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

impl CompactDuration {
    const INFINITE: CompactDuration = CompactDuration(u32::MAX);
    const VALUE: u32 = (1 << 30) - 1;

    #[inline]
    fn new(time: Duration) -> Self {
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
            // The next unit is a thousand times as long.
            value = value.div_ceil(1_000);
            if value <= u64::from(Self::VALUE) {
                return CompactDuration(unit << 30 | value as u32);
            }
        }
        Self::INFINITE
    }

    fn get(self) -> Duration {
        let nanos = match self.0 >> 30 {
            0 => MICRO,
            1 => MILLI,
            2 => SECOND,
            _ => return Duration::MAX,
        };
        // Below 2^60, so it does not overflow.
        Duration::from_nanos(nanos * u64::from(self.0 & Self::VALUE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};

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
    fn fractions_of_the_unit_are_rounded_up() {
        assert_eq!(kept(Duration::from_nanos(1)), Duration::from_micros(1));
        let (more_than_17_minutes, ms) = (Duration::from_secs(1_100), Duration::from_millis(1));
        assert_eq!(kept(more_than_17_minutes + Duration::from_nanos(1)), more_than_17_minutes + ms);
        assert_eq!(kept(Duration::from_secs(1 << 30)), Duration::MAX);
    }

    #[test]
    fn settings_come_back_as_they_were_given() {
        let keepalive = Keepalive { count: 3, ..Keepalive::default() };
        let config = Config { keepalive: Some(keepalive), ..Config::default() };
        let mut settings = Settings::<Full>::new(&config);
        assert_eq!((settings.has_keepalive(), settings.keepalive()), (true, keepalive));
        settings.set_keepalive(None);
        assert!(!settings.has_keepalive());
    }

    /// The rare settings and those of pacing, as stored by a connection with a value for each.
    fn rare<P: Profile>() -> (Option<u16>, [Duration; 5], Pacing, Option<NonZeroU16>) {
        let seconds = Duration::from_secs;
        let mut settings = Settings::<P>::new(&Config {
            mss: Some(1_000),
            msl: seconds(1),
            linger: Some(seconds(2)),
            fin_wait_2_timeout: seconds(3),
            pacing: Pacing::Always,
            burst_limit: NonZeroU16::new(6),
            ..Config::default()
        });
        settings.set_syn_give_up(seconds(4));
        settings.set_user_timeout(Some(seconds(5)));
        let times = [
            settings.msl(),
            settings.linger(),
            settings.fin_wait_2_timeout(),
            settings.syn_give_up(),
            settings.user_timeout(),
        ];
        (settings.mss(), times, settings.pacing(), settings.burst_limit())
    }

    #[test]
    fn rare_settings_are_what_they_were_set_to() {
        let times = [1, 2, 3, 4, 5].map(Duration::from_secs);
        let expected = (Some(1_000), times, Pacing::Always, NonZeroU16::new(6));
        assert_eq!(rare::<Full>(), expected);
    }

    #[test]
    fn an_image_without_rare_settings_has_their_defaults() {
        let seconds = Duration::from_secs;
        let times = [seconds(30), Duration::MAX, seconds(60), seconds(180), Duration::MAX];
        assert_eq!(rare::<Least>(), (None, times, Pacing::Off, None));
    }
}
