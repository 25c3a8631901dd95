//! One connection: RFC 9293 section 3, event by event.

mod config;
mod connection;
mod error;
mod info;
mod receiver;
mod sender;
mod state;

pub use config::{AckPolicy, Config, ConfigError, Keepalive, RestartAfterIdle, RtoConfig};
pub use connection::{Buffers, Connection, Open, Outgoing, Verdict};
pub use error::{Error, ReceiveError, SendError};
pub use info::{Info, PendingTimers};
pub use sender::FlightRecord;
pub use state::State;
