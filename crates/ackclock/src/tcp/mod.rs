//! One TCP connection: RFC 9293 section 3, event by event.

mod accurate_ecn;
pub(crate) mod challenge;
mod config;
mod connection;
mod count;
mod error;
mod fast_open;
mod give_up;
pub(crate) mod handshake;
mod icmp_errors;
mod info;
mod initial;
mod invariants;
mod keepalive;
mod lessons;
mod limit_times;
mod output;
mod path_mtu;
mod path_probing;
mod path_search;
mod path_verification;
mod predicted;
mod readiness;
mod receiver;
mod segment_arrives;
mod seldom;
mod sender;
mod state;
mod syn_retries;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod timeout;
pub(crate) mod timestamps;
mod urgent;
mod user_calls;
mod user_timeout;

pub use accurate_ecn::AccurateEcnCounts;
pub(crate) use accurate_ecn::{Again, LastFeedback, RequestFate};
pub use config::{
    AckPolicy, AckTimer, BufferTuning, Config, ConfigError, CongestionControl, EcnMode,
    FastOpenMode, Keepalive, LostRetransmission, MtuProbing, Nagle, Pacing, RestartAfterIdle,
    RtoBackoff, RtoConfig, RtoEstimator, RttSampling, Ticks,
};
pub(crate) use config::{Settings, TickingClock};
pub(crate) use connection::Accepted;
pub use connection::{Buffers, Connection, Open, TimeWait};
pub use error::{Error, ReceiveError, SendError};
pub(crate) use fast_open::CookieOption;
pub(crate) use handshake::Agreement;
pub use handshake::SynOptions;
pub use info::{AoInfo, Info, PendingTimers};
pub(crate) use initial::Initial;
pub(crate) use lessons::Lessons;
pub use limit_times::LimitTimes;
pub use output::Outgoing;
pub use path_search::{PathSearch, SearchStage};
pub(crate) use predicted::Turn;
pub use readiness::Readiness;
pub(crate) use receiver::ranges;
pub use segment_arrives::Verdict;
pub use sender::flight_choice as flight;
pub use sender::recovery_choice as recovery;
pub use sender::{DeliveryRecord, FlightRecord, RecoveryAlgorithm};
pub(crate) use sender::{PieceChoice, UnitChoice};
pub use state::State;
