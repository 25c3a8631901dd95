//! Options for the behaviour of TCP.

use crate::failure::Failure;
use crate::transfer::ConnectionSettings;
use crate::values::{Laws, parse_bytes, parse_positive_duration};
use ackclock::congestion::{BuiltIn, Growth, InitialWindow};
use ackclock::tcp::{
    AckPolicy, AckTimer, BufferTuning, Config, CongestionControl, EcnMode, FastOpenMode,
    MtuProbing, Pacing, RecoveryAlgorithm, RestartAfterIdle, RtoBackoff, RtoConfig,
};
use ackclock::time::Duration;
use clap::Args;
use std::num::NonZeroU16;

/// Bytes of each buffer.
const BUFFER: u64 = 256 << 10;
/// Most bytes of each on an emulated path: as Linux has it for receive buffers.
const EMULATED_BUFFER: u64 = 6 << 20;

/// Options for the behaviour of TCP, at both ends if this program is at both.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConnectionOptions {
    #[arg(long, value_name = "LAW", help = format!(
        "Congestion control algorithm: {}, or newreno (reno with --recovery newreno); \
         parameters follow a colon, as in fixed:20 or veno:threshold=3; several, separated by \
         commas, are compared on an emulated path [default: {}]",
        BuiltIn::NAMES.join(", "),
        CongestionControl::default()
    ))]
    cc: Option<Laws>,
    #[arg(long, value_name = "RULE", help = format!(
        "By how much an ack increases the congestion window: {} [default: that of the algorithm]",
        Growth::WORDS
    ))]
    growth: Option<Growth>,
    #[arg(long, value_name = "NAME", help = format!(
        "Loss recovery, how losses are detected and repaired: {} [default: that of --cc for tahoe, \
         none and newreno, otherwise rack]",
        RecoveryAlgorithm::NAMES.join(", ")
    ))]
    recovery: Option<RecoveryAlgorithm>,
    #[arg(long, value_name = "WINDOW", default_value_t, help = format!(
        "Initial window: {}",
        InitialWindow::WORDS
    ))]
    iw: InitialWindow,
    #[arg(long, value_name = "POLICY", default_value_t, help = format!(
        "Congestion window after an idle time: {}",
        RestartAfterIdle::WORDS
    ))]
    restart: RestartAfterIdle,
    #[arg(long, value_name = "WHEN", default_value_t, help = format!(
        "Pacing, which spreads transmissions over the round trip; law means only if the congestion \
         control algorithm sets a rate: {}",
        Pacing::WORDS
    ))]
    pacing: Pacing,
    /// Maximum number of segments sent at once, after one ack or timer [default: what the windows allow]
    #[arg(long, value_name = "SEGMENTS")]
    burst_limit: Option<NonZeroU16>,
    /// Largest segment in payload bytes [default: what the MTU allows]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(1..=65_495))]
    mss: Option<u16>,
    #[arg(long, value_name = "MODE", default_value_t, help = format!(
        "Find the path MTU by probes, for paths whose routers send no ICMP errors: {}",
        MtuProbing::WORDS
    ))]
    mtu_probing: MtuProbing,
    /// First segment size of that search, in payload bytes
    #[arg(long, value_name = "BYTES", default_value = "1024",
          value_parser = clap::value_parser!(u16).range(1..=65_495))]
    base_mss: u16,
    #[arg(long, value_name = "POLICY", default_value_t, help = format!(
        "When to acknowledge: {}",
        AckPolicy::WORDS
    ))]
    ack_policy: AckPolicy,
    #[arg(long, value_name = "TIMER", default_value_t, help = format!(
        "When a delayed ack is sent, after the time of the policy or at the next tick of a clock: \
         {}",
        AckTimer::WORDS
    ))]
    ack_timer: AckTimer,
    #[arg(long, value_name = "TIMER", default_value_t, help = format!(
        "Retransmission timer, how it is computed from round-trip times: {}",
        RtoConfig::WORDS
    ))]
    rto: RtoConfig,
    #[arg(long, value_name = "GROWTH", default_value_t, help = format!(
        "Backoff, how the retransmission timer grows each time it expires again: {}",
        RtoBackoff::WORDS
    ))]
    backoff: RtoBackoff,
    #[arg(long, value_name = "MODE", default_value_t, help = format!(
        "Explicit congestion notification, by which queues mark packets instead of dropping them: \
         {}; accept means only if the peer requests it",
        EcnMode::WORDS
    ))]
    ecn: EcnMode,
    #[arg(long, value_name = "MODE", default_value_t, help = format!(
        "TCP Fast Open, data in the SYN: {}; with `on` an extra connection first requests a cookie; \
         serve issues and accepts cookies; the data of a SYN may reach the service twice",
        FastOpenMode::WORDS
    ))]
    fast_open: FastOpenMode,
    /// Start with the slow-start threshold, the round-trip time and the reordering that earlier connections to
    /// the same host have measured
    #[arg(long)]
    reuse_metrics: bool,
    /// Abort a connection when the peer has acknowledged nothing for this time, and advertise it to the peer with
    /// the user timeout option (RFC 5482) [default: what the peer advertises, or 924s; not advertised]
    #[arg(long, value_name = "TIME", value_parser = parse_positive_duration)]
    user_timeout: Option<Duration>,
    /// Size of the send buffer and of the receive buffer
    /// [default: 256k; on an emulated path buffers grow up to 6M as needed]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    buffer: Option<u64>,
    #[arg(long, value_name = "TUNING", help = format!(
        "Whether buffers have that size from the start or grow up to it as needed: {} [default: \
         fixed; of serve, and on an emulated path without --buffer: auto]",
        BufferTuning::WORDS
    ))]
    buffers: Option<BufferTuning>,
    /// Give up a connection attempt that gets no answer for this time
    #[arg(long, value_name = "TIME", default_value = "30s",
          value_parser = parse_positive_duration)]
    connect_timeout: Duration,
}

impl ConnectionOptions {
    /// Settings of the connections of a transfer.
    pub(crate) fn settings(&self) -> Result<ConnectionSettings, Failure> {
        Ok(ConnectionSettings {
            config: self.config()?,
            controller: self.controller()?,
            congestion_control: self.law()?,
            growth: self.growth,
        })
    }

    /// Configuration of each connection.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let mut config = Config::default();
        config.mss = self.mss;
        config.mtu_probing = self.mtu_probing;
        config.base_mss = self.base_mss;
        config.initial_window = self.iw;
        config.recovery = self.recovery.or(self.law()?.recovery).unwrap_or_default();
        config.restart_after_idle = self.restart;
        config.pacing = self.pacing;
        config.burst_limit = self.burst_limit;
        config.ack_policy = self.ack_policy;
        config.ack_timer = self.ack_timer;
        config.rto = self.rto();
        config.ecn = self.ecn;
        config.fast_open = self.fast_open;
        config.reuse_metrics = self.reuse_metrics;
        config.user_timeout = self.user_timeout;
        config.advertised_user_timeout = self.user_timeout;
        config.syn_give_up = self.connect_timeout;
        let buffer = u32::try_from(self.buffer.unwrap_or(BUFFER)).unwrap_or(u32::MAX);
        config.send_buffer = buffer;
        config.receive_buffer = buffer;
        config.buffer_tuning = self.buffers.unwrap_or_default();
        // A large buffer is of use only if all of it can be in flight.
        config.flight_records = config.flight_records.max(buffer / 1024);
        // The more is in flight, the more of it may be missing at a time.
        config.reassembly_ranges = config.reassembly_ranges.max(buffer / (16 * 1024));
        match config.validate() {
            Ok(()) => Ok(config),
            Err(error) => Err(Failure::Usage(error.to_string())),
        }
    }

    /// The same for a service, whose buffers grow as needed unless the options say otherwise.
    #[cfg(target_os = "linux")]
    pub(crate) fn config_of_service(&self) -> Result<Config, Failure> {
        let mut config = self.config()?;
        config.buffer_tuning = self.buffers.unwrap_or(BufferTuning::Automatic);
        Ok(config)
    }

    /// The same for an emulated path, whose buffers grow with the need, far beyond what most paths take,
    /// unless the options say otherwise: such runs are to show the congestion control algorithm.
    pub(crate) fn on_emulated_path(&self) -> Self {
        let mut options = self.clone();
        if self.buffer.is_none() {
            options.buffer = Some(EMULATED_BUFFER);
            options.buffers = self.buffers.or(Some(BufferTuning::Automatic));
        }
        options
    }

    /// The congestion control algorithms of the options; empty for the default.
    pub(crate) fn laws(&self) -> &[CongestionControl] {
        self.cc.as_ref().map_or(&[], |laws| &laws.0)
    }

    /// The same options with one of the algorithms.
    pub(crate) fn with_law(&self, law: CongestionControl) -> Self {
        ConnectionOptions { cc: Some(Laws(vec![law])), ..self.clone() }
    }

    /// The only algorithm.
    fn law(&self) -> Result<CongestionControl, Failure> {
        match self.laws() {
            [] => Ok(CongestionControl::default()),
            [law] => Ok(*law),
            _ => Err(Failure::Usage(
                "several algorithms of --cc are compared on an emulated path only: give one".into(),
            )),
        }
    }

    /// Retransmission timer with its backoff.
    fn rto(&self) -> RtoConfig {
        let mut rto = self.rto;
        rto.backoff = self.backoff;
        rto
    }

    /// Congestion controller that each connection gets a clone of.
    pub(crate) fn controller(&self) -> Result<BuiltIn, Failure> {
        match self.growth {
            None => Ok(self.law()?.law),
            Some(growth) => self
                .law()?
                .law
                .with_parameter("growth", &growth.to_string())
                .map_err(|error| Failure::Usage(format!("--growth {growth}: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: ConnectionOptions,
    }

    fn law(arguments: &[&str]) -> Result<String, String> {
        let line = Line::try_parse_from(["discard"].iter().chain(arguments)).unwrap();
        let law = line.options.controller();
        law.map(|law| law.to_string()).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_growth_becomes_a_parameter_of_the_law() {
        assert_eq!(law(&[]), Ok("cubic".into()));
        let growth = law(&["--cc=veno:threshold=3", "--growth=abc"]);
        assert_eq!(growth, Ok("veno:threshold=3,growth=abc".into()));
    }

    #[test]
    fn a_user_timeout_is_kept_and_advertised() {
        let config = |arguments: &[&str]| {
            let line = Line::try_parse_from(["discard"].iter().chain(arguments)).unwrap();
            line.options.config().unwrap()
        };
        let time = Some(Duration::from_secs(90));
        let set = config(&["--user-timeout=90s", "--reuse-metrics"]);
        assert_eq!((set.user_timeout, set.advertised_user_timeout), (time, time));
        assert!(set.reuse_metrics);
        let unset = config(&[]);
        assert_eq!((unset.user_timeout, unset.advertised_user_timeout), (None, None));
        assert!(!unset.reuse_metrics);
    }

    #[test]
    fn a_law_that_counts_no_acks_takes_no_growth() {
        let error = law(&["--cc=none", "--growth=abc"]);
        assert_eq!(error, Err("--growth abc: none takes no such parameter".into()));
    }
}
