//! One connection: RFC 9293 section 3, event by event.

mod arrival;
mod buffer_tuning;
mod calls;
pub(crate) mod challenge;
mod config;
mod congestion_control;
mod connection;
#[cfg_attr(not(feature = "counters"), path = "no_count.rs")]
mod count;
mod ecn_mode;
mod error;
mod give_up;
pub(crate) mod handshake;
mod info;
mod initial;
#[cfg(any(all(test, feature = "alloc"), feature = "invariants"))]
mod invariants;
mod keepalive;
#[cfg_attr(
    any(
        feature = "alloc",
        feature = "ecn",
        feature = "historic",
        feature = "pacing",
        feature = "tuning",
        feature = "window-validation",
    ),
    path = "whole_config.rs"
)]
mod kept_config;
mod output;
mod pacing_mode;
mod predicted;
mod readiness;
mod receiver;
mod rto_config;
mod sender;
mod settings;
mod state;
mod syn_retries;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod ticks;
mod timeout;
pub(crate) mod timestamps;
#[cfg_attr(not(feature = "tuning"), path = "no_tuned.rs")]
mod tuned;
#[cfg_attr(not(feature = "urgent"), path = "no_urgent.rs")]
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
pub(crate) use initial::Initial;
pub(crate) use kept_config::KeptConfig;
pub use output::Outgoing;
pub use pacing_mode::Pacing;
pub(crate) use predicted::Turn;
pub use readiness::Readiness;
pub(crate) use receiver::ranges;
pub use rto_config::{RtoBackoff, RtoConfig, RtoEstimator, RttSampling};
pub(crate) use sender::PieceChoice;
pub use sender::flight_choice as flight;
pub use sender::recovery_choice as recovery;
pub use sender::{
    DeliveryRecord, FlightRecord, RecoveryAlgorithm, RestartAfterIdle, UnknownRecovery,
};
pub use state::State;
pub use ticks::{AckTimer, Ticks};
pub use words::UnknownWord;
