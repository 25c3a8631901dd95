//! One connection: RFC 9293 section 3, event by event.

mod arrival;
mod buffer_tuning;
mod calls;
pub(crate) mod challenge;
mod config;
mod congestion_control;
mod connection;
mod count;
mod ecn_mode;
mod error;
pub(crate) mod handshake;
mod info;
mod inquiry;
#[cfg(any(all(test, feature = "alloc"), feature = "invariants"))]
mod invariants;
mod output;
mod pacing_mode;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
mod plain_output;
mod readiness;
mod receiver;
mod rto_config;
mod sender;
mod settings;
mod state;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod ticks;
mod timeout;
#[cfg_attr(not(feature = "timestamps"), path = "no_timestamps.rs")]
pub(crate) mod timestamps;
mod urgent;
mod words;

pub use arrival::Verdict;
pub use buffer_tuning::BufferTuning;
pub use config::{AckPolicy, Config, ConfigError, Keepalive};
pub use congestion_control::CongestionControl;
pub(crate) use connection::Accepted;
pub use connection::{Buffers, Connection, Open, TimeWait};
pub use ecn_mode::EcnMode;
pub use error::{Error, ReceiveError, SendError};
pub(crate) use handshake::Agreement;
pub use handshake::SynOptions;
pub use info::{Info, PendingTimers};
pub use output::Outgoing;
pub use pacing_mode::Pacing;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
pub(crate) use plain_output::Turn;
pub use readiness::Readiness;
pub use rto_config::{RtoBackoff, RtoConfig, RtoEstimator, RttSampling};
pub use sender::{
    DeliveryRecord, FlightRecord, RecoveryAlgorithm, RestartAfterIdle, UnknownRecovery,
};
pub use state::State;
pub use ticks::{AckTimer, Ticks};
pub use words::UnknownWord;
