//! Settings of a connection, validated once.

use super::ticks::LONGEST_HEARTBEAT;
use super::{
    AckTimer, BufferTuning, EcnMode, Pacing, RecoveryAlgorithm, RestartAfterIdle, RtoConfig,
    UnknownWord,
};
use crate::congestion::InitialWindow;
use crate::time::Duration;
use core::fmt;
use core::num::NonZeroU16;
use core::str::FromStr;

/// Settings of one connection, or of all connections that a listener accepts.
///
/// Change fields of the default and hand it over; it is validated when it is used. An image without
/// [`RareSettings`](crate::profile::Profile::RareSettings) has the default of `mss`, `window_clamp`,
/// `initial_window`, `syn_give_up`, `user_timeout`, `linger`, `msl`, `fin_wait_2_timeout`, `hop_limit`
/// and `dscp`, whatever they are set to; an image with them keeps the times among these in whole
/// microseconds, above 17 minutes in milliseconds and above 12 days in seconds, rounded up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Largest segment to announce and to send, in payload bytes without options, 1 to 65,495;
    /// `None`: what the link's MTU allows (RFC 9293 section 3.7.1).
    pub mss: Option<u16>,
    /// Most bytes queued for sending, unacknowledged ones included, at most 1 GiB. With lent storage the slot's
    /// memory decides.
    pub send_buffer: u32,
    /// Most bytes received and not read; the largest receive window. With lent storage the slot's
    /// memory decides. At most 1 GiB can be advertised (RFC 7323 section 2.3).
    pub receive_buffer: u32,
    /// Largest window to advertise, in bytes, at least 1; `None`: what `receive_buffer` holds.
    pub window_clamp: Option<u32>,
    /// Whether the two have these sizes from the start.
    pub buffer_tuning: BufferTuning,
    /// Most transmissions in flight (records of what was sent). With lent storage the slot's
    /// memory decides, and where no feature asks for records there are none, and no bound.
    pub flight_records: u32,
    /// Most separate ranges of out-of-order data, of which 65,534 count. With lent storage the slot's
    /// memory decides, and without the features `sack` and `many-connections` there is one.
    pub reassembly_ranges: u32,
    /// Offer and accept window scaling (RFC 7323 section 2).
    pub window_scaling: bool,
    /// Offer and accept timestamps (RFC 7323 section 3).
    pub timestamps: bool,
    /// Offer and accept selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Ask for explicit congestion notification, or accept it (RFC 3168).
    pub ecn: EcnMode,
    /// How losses are found and repaired. One that needs SACK is replaced by NewReno when SACK was
    /// not agreed on.
    pub recovery: RecoveryAlgorithm,
    /// When to acknowledge.
    pub ack_policy: AckPolicy,
    /// When an ack that the policy delays goes out.
    pub ack_timer: AckTimer,
    /// Initial congestion window.
    pub initial_window: InitialWindow,
    /// What happens to the congestion window when the connection was idle.
    pub restart_after_idle: RestartAfterIdle,
    /// Whether transmissions are spread over the round trip.
    pub pacing: Pacing,
    /// Most segments sent at once, in answer to one ack or timer: what the windows allow beyond that
    /// waits for the next one. Where transmissions are paced it bounds the quantum. `None`: no limit.
    pub burst_limit: Option<NonZeroU16>,
    /// Nagle's algorithm (RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// R2: how long to retransmit data without any ack before giving up (RFC 9293 section 3.8.3:
    /// at least 100 s).
    pub give_up: Duration,
    /// R2 for SYN segments (RFC 9293 section 3.8.3: at least 3 minutes).
    pub syn_give_up: Duration,
    /// How long data may stay unacknowledged before the connection is aborted (RFC 5482); `None`:
    /// `give_up` alone decides.
    pub user_timeout: Option<Duration>,
    /// Probe an idle peer (RFC 9293 section 3.8.4); off by default.
    pub keepalive: Option<Keepalive>,
    /// After `close`: how long to try to deliver what is queued before aborting; `None`: for ever
    /// (the give-up time still applies), zero: abort at once with RST.
    pub linger: Option<Duration>,
    /// Maximum segment lifetime; TIME-WAIT lasts twice as long (RFC 9293 section 3.4.2), and no less
    /// than that of connections of the stack that came to it before, if theirs is longer.
    pub msl: Duration,
    /// How long a connection that the application has closed waits in FIN-WAIT-2 for the peer's
    /// FIN.
    pub fin_wait_2_timeout: Duration,
    /// TTL or hop limit of segments sent, 1 to 255.
    pub hop_limit: u8,
    /// Differentiated services codepoint of segments sent, 0 to 63.
    pub dscp: u8,
}

impl Config {
    /// The default settings, for a `static` too.
    pub const fn new() -> Self {
        Config {
            mss: None,
            send_buffer: 256 * 1024,
            receive_buffer: 256 * 1024,
            window_clamp: None,
            buffer_tuning: BufferTuning::Fixed,
            flight_records: 4096,
            reassembly_ranges: 64,
            window_scaling: true,
            timestamps: true,
            sack: true,
            ecn: EcnMode::Accept,
            recovery: RecoveryAlgorithm::STANDARD,
            ack_policy: AckPolicy::STANDARD,
            ack_timer: AckTimer::PerSegment,
            initial_window: InitialWindow::Rfc6928,
            restart_after_idle: RestartAfterIdle::RestartWindow,
            pacing: Pacing::Law,
            burst_limit: None,
            nagle: true,
            rto: RtoConfig::STANDARD,
            give_up: Duration::from_secs(924),
            syn_give_up: Self::SYN_GIVE_UP,
            user_timeout: None,
            keepalive: None,
            linger: None,
            msl: Self::MSL,
            fin_wait_2_timeout: Self::FIN_WAIT_2_TIMEOUT,
            hop_limit: 64,
            dscp: 0,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

/// When the receiver acknowledges (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).
///
/// Under every policy out-of-order segments, segments that fill a hole, and duplicates are
/// acknowledged at once.
///
/// As a word: `every`, `delayed`, `delayed=40ms`, `delayed=40ms/0` (so many quick acks) or `bsd43`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AckPolicy {
    /// An ack for each segment.
    EverySegment,
    /// An ack for every second full-sized segment, or after a timeout.
    Delayed {
        /// Longest delay, at most 500 ms, of which 499 are used (MUST-40); 40 ms by default.
        timeout: Duration,
        /// So many segments from the start of the connection are acknowledged one by one.
        quick_acks: u16,
    },
    /// 4.3BSD before Tahoe: an ack when 35 % of the window has been filled or after 200 ms
    /// (jacobson88 section 3, footnote on the receivers of figure 9).
    Bsd43,
}

impl Default for AckPolicy {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl fmt::Display for AckPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AckPolicy::EverySegment => f.write_str("every"),
            AckPolicy::Delayed { timeout, quick_acks } => match *quick_acks {
                Self::QUICK_ACKS => write!(f, "delayed={timeout}"),
                count => write!(f, "delayed={timeout}/{count}"),
            },
            AckPolicy::Bsd43 => f.write_str("bsd43"),
        }
    }
}

impl AckPolicy {
    /// The default.
    const STANDARD: Self =
        AckPolicy::Delayed { timeout: Self::TIMEOUT, quick_acks: Self::QUICK_ACKS };

    /// How long an ack is delayed unless it is set.
    pub(super) const TIMEOUT: Duration = Duration::from_millis(40);
    /// How many segments are acknowledged one by one unless it is set.
    pub(super) const QUICK_ACKS: u16 = 16;

    /// The words there are, as help and errors tell them.
    pub const WORDS: &'static str =
        "every, delayed, delayed=40ms, delayed=40ms/0 (without quick acks at the start) or bsd43";
}

impl FromStr for AckPolicy {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text.split_once('=') {
            None if text == "every" => Some(AckPolicy::EverySegment),
            None if text == "delayed" => Some(AckPolicy::default()),
            None if text == "bsd43" => Some(AckPolicy::Bsd43),
            Some(("delayed", values)) => {
                let (time, count) = values.split_once('/').unzip();
                let timeout = time.unwrap_or(values).parse().ok();
                let quick_acks = count.map_or(Some(Self::QUICK_ACKS), |count| count.parse().ok());
                timeout
                    .zip(quick_acks)
                    .map(|(timeout, quick_acks)| AckPolicy::Delayed { timeout, quick_acks })
            }
            _ => None,
        }
        .ok_or(UnknownWord { wanted: Self::WORDS })
    }
}

/// Keepalive probes (RFC 9293 section 3.8.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keepalive {
    /// Idle time before the first probe.
    pub idle: Duration,
    /// Time between probes.
    pub interval: Duration,
    /// The connection is over after so many probes without any answer, at least 1.
    pub count: u16,
}

impl Default for Keepalive {
    /// Two hours (MUST-28), then 9 probes 75 s apart.
    fn default() -> Self {
        Keepalive { idle: Duration::from_secs(7200), interval: Duration::from_secs(75), count: 9 }
    }
}

impl Keepalive {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`ConfigError::Keepalive`] if one of them is zero.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let usable = !self.idle.is_zero() && !self.interval.is_zero() && self.count > 0;
        if usable { Ok(()) } else { Err(ConfigError::Keepalive) }
    }
}

/// A setting that cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The MSS is 0 or above 65,495.
    Mss,
    /// A buffer or the window clamp is 0, or a buffer is above 1 GiB.
    Buffer,
    /// No flight record: nothing could be sent.
    FlightRecords,
    /// The delayed-ack timeout is above 500 ms, or the time between heartbeats not below it.
    AckTimeout,
    /// The RTO bounds are zero or out of order (min <= max, initial <= max).
    Rto,
    /// A keepalive count of 0, or an idle time or interval of 0.
    Keepalive,
    /// A hop limit of 0.
    HopLimit,
    /// A DSCP above 63.
    Dscp,
    /// The initial window is above 1 GiB.
    InitialWindow,
    /// The link's MTU is below 68 bytes (RFC 791 section 3.2).
    Mtu,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConfigError::Mss => "mss must be 1 to 65495 bytes",
            ConfigError::Buffer => {
                "buffers and window_clamp must be at least one byte, buffers at most 1 GiB"
            }
            ConfigError::FlightRecords => "flight_records must be at least 1",
            ConfigError::AckTimeout => {
                "the delayed-ack timeout must be at most 500 ms, the heartbeat at most 499 ms"
            }
            ConfigError::Rto => "rto bounds must satisfy 0 < min <= max and 0 < initial <= max",
            ConfigError::Keepalive => "keepalive idle, interval and count must not be zero",
            ConfigError::HopLimit => "hop_limit must be 1 to 255",
            ConfigError::Dscp => "dscp must be 0 to 63",
            ConfigError::Mtu => "the link's mtu must be at least 68 bytes",
            ConfigError::InitialWindow => "the initial window must be at most 1 GiB",
        })
    }
}

impl core::error::Error for ConfigError {}

/// Times that are what they are unless they are set.
impl Config {
    pub(crate) const SYN_GIVE_UP: Duration = Duration::from_secs(180);
    pub(super) const MSL: Duration = Duration::from_secs(30);
    pub(super) const FIN_WAIT_2_TIMEOUT: Duration = Duration::from_secs(60);
}

impl Config {
    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting that cannot be used.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check = |ok: bool, error| if ok { Ok(()) } else { Err(error) };
        check(self.mss.is_none_or(|mss| (1..=65_495).contains(&mss)), ConfigError::Mss)?;
        let fits = |size: u32| (1..=1 << 30).contains(&size);
        check(fits(self.send_buffer) && fits(self.receive_buffer), ConfigError::Buffer)?;
        check(self.window_clamp != Some(0), ConfigError::Buffer)?;
        check(self.flight_records >= 1, ConfigError::FlightRecords)?;
        if let AckPolicy::Delayed { timeout, .. } = self.ack_policy {
            check(timeout <= Duration::from_millis(500), ConfigError::AckTimeout)?;
        }
        if let AckTimer::Heartbeat(millis) = self.ack_timer {
            check(millis.get() <= LONGEST_HEARTBEAT, ConfigError::AckTimeout)?;
        }
        let RtoConfig { initial, min, max, .. } = self.rto;
        let ordered = !min.is_zero() && !initial.is_zero() && min <= max && initial <= max;
        check(ordered, ConfigError::Rto)?;
        self.keepalive.map_or(Ok(()), |keepalive| keepalive.validate())?;
        check(self.hop_limit > 0, ConfigError::HopLimit)?;
        check(self.dscp <= 63, ConfigError::Dscp)?;
        check(self.initial_window.is_usable(), ConfigError::InitialWindow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "alloc")]
    fn each_ack_policy_has_a_word_that_is_read_back() {
        use std::string::ToString;
        for word in ["every", "delayed=40ms", "delayed=499.5ms", "delayed=200ms/0", "bsd43"] {
            assert_eq!(word.parse::<AckPolicy>().unwrap().to_string(), word);
        }
        assert_eq!("delayed".parse(), Ok(AckPolicy::default()));
    }

    #[test]
    fn the_constant_settings_are_the_defaults_of_their_types() {
        const CONFIG: Config = Config::new();
        let Config { buffer_tuning, ecn, recovery, ack_policy, ack_timer, .. } = CONFIG;
        let ours = (buffer_tuning, ecn, recovery, ack_policy, ack_timer);
        assert_eq!(ours, Default::default());
        let Config { initial_window, restart_after_idle, pacing, rto, .. } = CONFIG;
        assert_eq!((initial_window, restart_after_idle, pacing, rto), Default::default());
    }

    #[test]
    fn a_delay_changes_nothing_but_the_delay() {
        let AckPolicy::Delayed { quick_acks, .. } = AckPolicy::default() else {
            panic!("the default is not a delayed policy");
        };
        let timeout = Duration::from_millis(100);
        assert_eq!("delayed=100ms".parse(), Ok(AckPolicy::Delayed { timeout, quick_acks }));
    }

    #[test]
    fn what_is_no_ack_policy_is_refused() {
        for word in ["", "always", "every=1ms", "delayed=", "delayed=40", "delayed=1ms/", "bsd43="]
        {
            assert!(word.parse::<AckPolicy>().is_err(), "{word}");
        }
    }
}
