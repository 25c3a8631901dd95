//! Settings of connections: what a user may set, the textual forms, and the part that a connection stores.

mod ack_policy;
mod choices;
mod congestion_control;
mod error;
mod rto;
mod settings;
mod ticks;

pub use ack_policy::AckPolicy;
pub use choices::{
    BufferTuning, EcnMode, FastOpenMode, LostRetransmission, MtuProbing, Nagle, Pacing,
    RestartAfterIdle,
};
pub use congestion_control::CongestionControl;
pub use error::ConfigError;
pub use rto::{RtoBackoff, RtoConfig, RtoEstimator, RttSampling};
pub(crate) use settings::Settings;
pub(crate) use ticks::TickingClock;
pub use ticks::{AckTimer, Ticks};

use super::RecoveryAlgorithm;
use crate::congestion::InitialWindow;
use crate::time::Duration;
use core::num::NonZeroU16;
use ticks::LONGEST_HEARTBEAT;

/// Settings of one connection, or of all connections that a listener accepts.
///
/// Begin with the default and change fields. The settings are validated when they are used.
///
/// An image without the part [`RareSettings`](crate::profile::Profile::RareSettings) ignores `mss`,
/// `window_clamp`, `initial_window`, `syn_give_up`, `user_timeout`, `linger`, `msl`, `fin_wait_2_timeout`,
/// `hop_limit`, `dscp` and the times of `rto`, and uses their defaults; it also ignores `ack_policy`, and
/// acknowledges every second segment. With that part, the times in this list except those of `rto` are rounded
/// up: to whole microseconds up to 17 minutes, milliseconds up to 12 days, and seconds above that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Largest segment to announce and to send, in payload bytes without options, 1 to 65,495; `None`: as large
    /// as the link's MTU allows (RFC 9293 section 3.7.1).
    pub mss: Option<u16>,
    /// Path MTU discovery by probes (RFC 4821). An image without the part
    /// [`PathProbing`](crate::profile::Profile::PathProbing) never probes.
    pub mtu_probing: MtuProbing,
    /// Size of the segments with which the search for the path's MTU begins, in payload bytes without options:
    /// a size that nearly all paths carry (RFC 4821 section 7.2). It is raised to at least 1,220 bytes over
    /// IPv6 and 512 over IPv4, and limited to what the link and the peer accept.
    pub base_mss: u16,
    /// Size of the send queue in bytes, including unacknowledged data, 1 to 1 GiB. Lent storage has its own size
    /// instead.
    pub send_buffer: u32,
    /// Size of the receive queue in bytes, 1 to 1 GiB: the most data received and not read, and so the largest
    /// receive window (at most 1 GiB by RFC 7323 section 2.3). Lent storage has its own size instead.
    pub receive_buffer: u32,
    /// Largest window to advertise, in bytes, at least 1; `None`: the size of the receive queue.
    pub window_clamp: Option<u32>,
    /// Whether both queues have these sizes from the start, or grow.
    pub buffer_tuning: BufferTuning,
    /// Largest number of transmissions in flight, each with a record, at least 1. Lent storage has its own number
    /// instead. A profile whose flight is kept [in bulk](super::flight::InBulk) has no records, and no limit.
    pub flight_records: u32,
    /// Largest number of separate ranges of out-of-order data; more than 65,534 count as that. Lent storage has
    /// its own number instead, and a profile may [keep fewer](crate::profile::Profile::Ranges).
    pub reassembly_ranges: u32,
    /// Whether to offer and accept window scaling (RFC 7323 section 2).
    pub window_scaling: bool,
    /// Whether to offer and accept timestamps (RFC 7323 section 3).
    pub timestamps: bool,
    /// Whether to offer and accept selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Use of explicit congestion notification (RFC 3168, RFC 9768).
    pub ecn: EcnMode,
    /// Use of Fast Open as a client: requests for cookies, and data with SYNs (RFC 7413).
    pub fast_open: FastOpenMode,
    /// Whether to begin with the path metrics of earlier connections to the same host (slow-start threshold,
    /// round-trip time and reordering), and to update them at the end (RFC 9040; see
    /// [`Stack::host_metrics`](crate::stack::Stack::host_metrics)).
    pub reuse_metrics: bool,
    /// Loss recovery algorithm. One that needs SACK is replaced by NewReno if SACK is not in use.
    pub recovery: RecoveryAlgorithm,
    /// Response of the congestion window to the loss of a retransmission.
    pub lost_retransmission: LostRetransmission,
    /// Policy for delayed acks.
    pub ack_policy: AckPolicy,
    /// Timer of delayed acks.
    pub ack_timer: AckTimer,
    /// Initial congestion window.
    pub initial_window: InitialWindow,
    /// Change of the congestion window after idle time.
    pub restart_after_idle: RestartAfterIdle,
    /// Pacing of transmissions.
    pub pacing: Pacing,
    /// Largest number of segments sent at once, in response to one ack or timer; more data waits for the next
    /// one. With pacing it limits the quantum. `None`: no limit.
    pub burst_limit: Option<NonZeroU16>,
    /// Nagle's algorithm: when a small segment waits for an ack (RFC 9293 section 3.7.4).
    pub nagle: Nagle,
    /// Retransmission timer.
    pub rto: RtoConfig,
    /// R2: time for which data is retransmitted without any ack before the connection is given up; 924 s by
    /// default (RFC 9293 section 3.8.3: at least 100 s).
    pub give_up: Duration,
    /// R2 for SYN segments; 3 minutes by default (RFC 9293 section 3.8.3: at least that).
    pub syn_give_up: Duration,
    /// User timeout: time for which data may stay unacknowledged before the connection is aborted (RFC 5482);
    /// `None`: only `give_up` applies.
    pub user_timeout: Option<Duration>,
    /// User timeout to advertise to the peer, rounded up to whole seconds, or to minutes above 9 hours (RFC
    /// 5482: ADV_UTO). The peer's option is then used too: instead of `give_up`, the longer of both user
    /// timeouts applies, at least 100 s, and at most an hour or the advertised one if that is longer. If
    /// `user_timeout` is set, it applies instead. `None`, the default: the option is neither sent nor used.
    pub advertised_user_timeout: Option<Duration>,
    /// Keepalive probes to an idle peer (RFC 9293 section 3.8.4); off by default.
    pub keepalive: Option<Keepalive>,
    /// Time after `close` to deliver queued data before the connection is aborted. `None`: as long as acks of
    /// more data arrive, at most 100 s (or `give_up`, if that is less) apart. Zero: `close` aborts at once with
    /// a RST.
    pub linger: Option<Duration>,
    /// Maximum segment lifetime. TIME-WAIT lasts twice as long (RFC 9293 section 3.4.2), and ends no earlier
    /// than that of connections of the stack that have entered it before.
    pub msl: Duration,
    /// Time that a connection closed by the application waits in FIN-WAIT-2 for the peer's FIN.
    pub fin_wait_2_timeout: Duration,
    /// TTL or hop limit of segments sent, 1 to 255.
    pub hop_limit: u8,
    /// Differentiated services codepoint of segments sent, 0 to 63.
    pub dscp: u8,
}

impl Config {
    /// The default settings, as a constant function for use in a `static`.
    pub const fn new() -> Self {
        Config {
            mss: None,
            mtu_probing: MtuProbing::Off,
            base_mss: 1_024,
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
            fast_open: FastOpenMode::Off,
            reuse_metrics: false,
            recovery: RecoveryAlgorithm::STANDARD,
            lost_retransmission: LostRetransmission::Reduce,
            ack_policy: AckPolicy::STANDARD,
            ack_timer: AckTimer::PerSegment,
            initial_window: InitialWindow::Rfc6928,
            restart_after_idle: RestartAfterIdle::RestartWindow,
            pacing: Pacing::Law,
            burst_limit: None,
            nagle: Nagle::Minshall,
            rto: RtoConfig::STANDARD,
            give_up: Duration::from_secs(924),
            syn_give_up: Self::SYN_GIVE_UP,
            user_timeout: None,
            advertised_user_timeout: None,
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

impl Config {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`ConfigError`] for the first setting that cannot be used.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check = |ok: bool, error| if ok { Ok(()) } else { Err(error) };
        check(self.mss.is_none_or(|mss| (1..=65_495).contains(&mss)), ConfigError::Mss)?;
        let fits = |size: u32| (1..=1 << 30).contains(&size);
        check(fits(self.send_buffer) && fits(self.receive_buffer), ConfigError::Buffer)?;
        check(self.window_clamp != Some(0), ConfigError::Buffer)?;
        check(self.flight_records >= 1, ConfigError::FlightRecords)?;
        if let AckPolicy::Delayed { timeout, .. } | AckPolicy::EverySecond { timeout } =
            self.ack_policy
        {
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

/// Default times.
impl Config {
    pub(crate) const SYN_GIVE_UP: Duration = Duration::from_secs(180);
    pub(super) const MSL: Duration = Duration::from_secs(30);
    pub(super) const FIN_WAIT_2_TIMEOUT: Duration = Duration::from_secs(60);
}

/// Keepalive probes (RFC 9293 section 3.8.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keepalive {
    /// Idle time before the first probe.
    pub idle: Duration,
    /// Time between probes.
    pub interval: Duration,
    /// Number of unanswered probes after which the connection is aborted, at least 1.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_settings_are_the_defaults_of_their_types() {
        const CONFIG: Config = Config::new();
        assert_eq!(CONFIG.fast_open, FastOpenMode::default());
        assert_eq!(CONFIG.mtu_probing, MtuProbing::default());
        let Config { buffer_tuning, ecn, recovery, ack_policy, ack_timer, .. } = CONFIG;
        let ours = (buffer_tuning, ecn, recovery, ack_policy, ack_timer);
        assert_eq!(ours, Default::default());
        let Config { initial_window, restart_after_idle, pacing, rto, .. } = CONFIG;
        assert_eq!((initial_window, restart_after_idle, pacing, rto), Default::default());
    }
}
