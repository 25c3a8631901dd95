//! Errors of a connection: why it ended, and why a call on it failed.

use core::fmt;

/// Why a connection is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The peer sent RST on an established connection.
    Reset,
    /// The peer answered the SYN with RST.
    Refused,
    /// An ICMP error said that the destination cannot be reached, while the connection was being
    /// opened (RFC 5927 section 4).
    Unreachable,
    /// The peer acknowledged nothing for the give-up time (R2, RFC 9293 section 3.8.3).
    TimedOut,
    /// The peer acknowledged nothing for the user timeout (RFC 5482).
    UserTimeout,
    /// The peer answered no keepalive probe (RFC 9293 section 3.8.4).
    KeepaliveTimeout,
    /// The application aborted the connection, or closed it with data unread.
    Aborted,
    /// The local address of the connection was removed.
    AddressRemoved,
    /// The key that signed its segments was removed (RFC 2385).
    KeyRemoved,
    /// The application moved no data for too long: its idle timeout passed, or the memory was needed for
    /// others.
    Idle,
    /// Too few resources to establish the connection.
    NoResources,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Reset => "connection reset by peer",
            Error::Refused => {
                "connection refused: nothing listens on that port; check the port or start the \
                 service"
            }
            Error::Unreachable => {
                "host unreachable: a router on the path has no route; check address and routing"
            }
            Error::TimedOut => {
                "connection timed out: the peer does not answer; check that it is up and \
                 reachable"
            }
            Error::UserTimeout => "user timeout: the peer acknowledged nothing within it",
            Error::KeepaliveTimeout => "keepalive timeout: the peer answered no probe",
            Error::Aborted => "connection aborted by this side",
            Error::AddressRemoved => {
                "the connection's local address was removed; connect again from another"
            }
            Error::KeyRemoved => {
                "the key that signed the connection was removed: set it again first"
            }
            Error::Idle => "connection ended by this side: it was idle for too long",
            Error::NoResources => {
                "no free connection slot or memory; raise the limits or close other connections"
            }
        })
    }
}

impl core::error::Error for Error {}

/// Why data could not be taken for sending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SendError {
    /// This side has shut down its sending direction.
    Finished,
    /// The connection is over.
    Closed(Error),
    /// The handle names no connection (it was closed).
    InvalidHandle,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::Finished => f.write_str("cannot send: this side has been shut down"),
            SendError::Closed(error) => error.fmt(f),
            SendError::InvalidHandle => f.write_str("the handle names no open connection"),
        }
    }
}

impl core::error::Error for SendError {}

/// Why no data can be received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReceiveError {
    /// All data that has arrived was read; more may come.
    WouldBlock,
    /// End of data: the peer has sent its FIN, and all data before it was read.
    Finished,
    /// The connection is over.
    Closed(Error),
    /// The handle names no connection (it was closed).
    InvalidHandle,
}

impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReceiveError::WouldBlock => {
                f.write_str("nothing to read yet: ask again after an event")
            }
            ReceiveError::Finished => f.write_str("end of the peer's data"),
            ReceiveError::Closed(error) => error.fmt(f),
            ReceiveError::InvalidHandle => f.write_str("the handle names no open connection"),
        }
    }
}

impl core::error::Error for ReceiveError {}
