//! How TCP behaves.

use crate::failure::Failure;
use crate::values::{Window, parse_bytes, parse_positive_duration, parse_window};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::{AckPolicy, Config, EcnMode, RecoveryAlgorithm};
use ackclock::time::Duration;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// How TCP behaves, on both ends if both are ours.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConnectionOptions {
    /// Congestion control
    #[arg(long, value_name = "NAME", default_value = BuiltIn::NAMES[0],
          value_parser = PossibleValuesParser::new(BuiltIn::NAMES))]
    pub(crate) cc: String,
    /// How losses are found and repaired
    #[arg(long, value_name = "NAME", default_value = RecoveryAlgorithm::NAMES[0],
          value_parser = PossibleValuesParser::new(RecoveryAlgorithm::NAMES)
              .try_map(|name| name.parse::<RecoveryAlgorithm>()))]
    pub(crate) recovery: RecoveryAlgorithm,
    /// Explicit congestion notification: off, accept (if the peer asks) or request
    #[arg(long, value_name = "MODE", default_value_t)]
    pub(crate) ecn: EcnMode,
    /// Initial window: 10 is segments; with a suffix, as in 14600B or 14k, it is bytes
    #[arg(long, value_name = "SEGMENTS|BYTES", value_parser = parse_window)]
    pub(crate) iw: Option<Window>,
    /// Largest segment in payload bytes [default: what the MTU allows]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(1..=65_495))]
    pub(crate) mss: Option<u16>,
    /// When to acknowledge: every, delayed, delayed=TIME or bsd43
    #[arg(long, value_name = "POLICY", default_value = "delayed=40ms")]
    pub(crate) ack_policy: AckPolicy,
    /// Send buffer and receive buffer, each
    #[arg(long, value_name = "BYTES", default_value = "256k", value_parser = parse_bytes)]
    pub(crate) buffer: u64,
    /// Give up opening a connection that nobody answers after so long
    #[arg(long, value_name = "TIME", default_value = "30s",
          value_parser = parse_positive_duration)]
    pub(crate) connect_timeout: Duration,
}

impl ConnectionOptions {
    /// The settings of each connection.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let mut config = Config::default();
        config.mss = self.mss;
        if let Some(window) = self.iw {
            config.initial_window = window.into();
        }
        config.recovery = self.recovery;
        config.ecn = self.ecn;
        config.ack_policy = self.ack_policy;
        config.syn_give_up = self.connect_timeout;
        let buffer = u32::try_from(self.buffer).unwrap_or(u32::MAX);
        config.send_buffer = buffer;
        config.receive_buffer = buffer;
        // A large buffer is of use only if all of it can be in flight.
        config.flight_records = config.flight_records.max(buffer / 1024);
        match config.validate() {
            Ok(()) => Ok(config),
            Err(error) => Err(Failure::Usage(error.to_string())),
        }
    }

    /// What each connection's congestion controller is cloned from.
    pub(crate) fn controller(&self) -> Result<BuiltIn, Failure> {
        let unknown = || Failure::Usage(format!("unknown congestion control '{}'", self.cc));
        BuiltIn::by_name(&self.cc).ok_or_else(unknown)
    }
}
