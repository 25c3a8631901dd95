//! Errors of settings.

use core::fmt;

/// Reason why a setting is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The MSS is 0 or above 65,495.
    Mss,
    /// A buffer or the window clamp is 0, or a buffer is above 1 GiB.
    Buffer,
    /// The number of flight records is 0, with which nothing could be sent.
    FlightRecords,
    /// The delayed-ack timeout is above 500 ms, or the time between heartbeats above 499 ms.
    AckTimeout,
    /// A bound of the RTO is zero, or `min` or `initial` is above `max`.
    Rto,
    /// The keepalive count, idle time or interval is 0.
    Keepalive,
    /// The hop limit is 0.
    HopLimit,
    /// The DSCP is above 63.
    Dscp,
    /// The initial window is above 1 GiB.
    InitialWindow,
    /// The link's MTU is below 68 bytes (RFC 791 section 3.2).
    Mtu,
    /// A connection was lent no send queue ([`Buffers::send`](crate::tcp::Buffers::send)).
    NoSendBuffer,
    /// A connection was lent no receive queue ([`Buffers::receive`](crate::tcp::Buffers::receive)).
    NoReceiveBuffer,
    /// A connection was lent no flight record ([`Buffers::flight`](crate::tcp::Buffers::flight)), in a profile
    /// whose flight keeps records.
    NoFlightBuffer,
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
            ConfigError::NoSendBuffer => "the field send of Buffers must be lent at least one byte",
            ConfigError::NoReceiveBuffer => {
                "the field receive of Buffers must be lent at least one byte"
            }
            ConfigError::NoFlightBuffer => {
                "the field flight of Buffers must be lent at least one record"
            }
            ConfigError::InitialWindow => "the initial window must be at most 1 GiB",
        })
    }
}

impl core::error::Error for ConfigError {}
