//! The settings of a connection: what a user may set, the words for it, and what a connection
//! keeps of it.

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
/// Change fields of the default and hand it over; it is validated when it is used. An image without
/// [`RareSettings`](crate::profile::Profile::RareSettings) has the default of `mss`, `window_clamp`,
/// `initial_window`, `syn_give_up`, `user_timeout`, `linger`, `msl`, `fin_wait_2_timeout`, `hop_limit`,
/// `dscp` and the times of `rto`, whatever they are set to, and acknowledges every second segment
/// whatever `ack_policy` is. An image with them keeps the times among these, but for those of `rto` and
/// `ack_policy`, in whole microseconds, above 17 minutes in milliseconds and above 12 days in seconds,
/// rounded up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Largest segment to announce and to send, in payload bytes without options, 1 to 65,495;
    /// `None`: what the link's MTU allows (RFC 9293 section 3.7.1).
    pub mss: Option<u16>,
    /// Whether probes find out the path's MTU (RFC 4821). An image without
    /// [`PathProbing`](crate::profile::Profile::PathProbing) never probes.
    pub mtu_probing: MtuProbing,
    /// Segment with which the search for the path's MTU begins, in payload bytes without options: one that
    /// nearly all paths carry (RFC 4821 section 7.2). Over IPv6 it is 1,220 bytes at least, over IPv4 512,
    /// and at most what the link and the peer take.
    pub base_mss: u16,
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
    /// Ask for Fast Open cookies, and send data with SYNs (RFC 7413).
    pub fast_open: FastOpenMode,
    /// Begin with what earlier connections to the same host have learned, the slow-start threshold, the
    /// round-trip time and reordering, and add to it at the end (RFC 9040; see
    /// [`Stack::host_metrics`](crate::stack::Stack::host_metrics)).
    pub reuse_metrics: bool,
    /// How losses are found and repaired. One that needs SACK is replaced by NewReno when SACK was
    /// not agreed on.
    pub recovery: RecoveryAlgorithm,
    /// What the loss of a retransmission means for the window.
    pub lost_retransmission: LostRetransmission,
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
    /// When less than a full segment waits for an ack (RFC 9293 section 3.7.4).
    pub nagle: Nagle,
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
    /// User timeout to advertise to the peer, rounded up to whole seconds, or to minutes beyond 9 hours
    /// (RFC 5482: ADV_UTO). With one we listen to the peer's too, and both ends use the longer of the two,
    /// at least 100 s and at most an hour (or what we advertise, if that is longer), in the place of
    /// `give_up`; unless `user_timeout` is set, which nobody changes then. `None`, the default: the option is
    /// neither sent nor heard.
    pub advertised_user_timeout: Option<Duration>,
    /// Probe an idle peer (RFC 9293 section 3.8.4); off by default.
    pub keepalive: Option<Keepalive>,
    /// After `close`: how long to try to deliver what is queued before aborting; `None`: as long as the
    /// peer acknowledges more of it, with at most 100 s (or `give_up`, if that is less) between; zero:
    /// abort at once with RST.
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
    /// Names the first setting that cannot be used.
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

/// Times that are what they are unless they are set.
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
