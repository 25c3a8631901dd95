//! One connection: RFC 9293 section 3, event by event.

mod arrival;
mod calls;
pub(crate) mod challenge;
mod config;
mod connection;
mod count;
mod error;
pub(crate) mod handshake;
mod info;
mod inquiry;
#[cfg(any(all(test, feature = "alloc"), feature = "invariants"))]
mod invariants;
mod output;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
mod plain_output;
mod readiness;
mod receiver;
mod sender;
mod state;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod timeout;
#[cfg_attr(not(feature = "timestamps"), path = "no_timestamps.rs")]
pub(crate) mod timestamps;
mod urgent;

pub use arrival::Verdict;
pub use config::{
    AckPolicy, AckTimer, BufferTuning, Config, ConfigError, CongestionControl, EcnMode, Keepalive,
    Pacing, RestartAfterIdle, RtoBackoff, RtoConfig, RtoEstimator, RttSampling, Ticks, UnknownWord,
};
pub(crate) use config::{Settings, TickingClock};
pub(crate) use connection::Accepted;
pub use connection::{Buffers, Connection, Open, TimeWait};
pub use error::{Error, ReceiveError, SendError};
pub(crate) use handshake::Agreement;
pub use handshake::SynOptions;
pub use info::{Info, PendingTimers};
pub use output::Outgoing;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
pub(crate) use plain_output::Turn;
pub use readiness::Readiness;
pub use sender::{DeliveryRecord, FlightRecord, RecoveryAlgorithm, UnknownRecovery};
pub use state::State;
