//! Why a call on a socket failed.

use crate::ended::Ended;
use ackclock::stack::{ConnectError, ListenError, SettingError};
use ackclock::tcp::Error;
use std::fmt;
use std::io::{self, ErrorKind};

/// Why a call on a socket failed: the source of each [`io::Error`] of this crate.
///
/// ```
/// # use ackclock_net::SocketError;
/// fn was_shut_down(error: &std::io::Error) -> bool {
///     let source = error.get_ref().and_then(|source| source.downcast_ref());
///     matches!(source, Some(SocketError::Network(_)))
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SocketError {
    /// The connection has ended.
    Closed(Error),
    /// It could not be opened.
    Connect(ConnectError),
    /// The address cannot be listened on.
    Listen(ListenError),
    /// A setting cannot be used.
    Setting(SettingError),
    /// Every port of the dynamic range is in use.
    NoPort,
    /// This side has shut down its sending direction, or the connection has ended.
    Finished,
    /// There is no connection any more.
    NotConnected,
    /// The socket's timeout has expired, or the socket is non-blocking and the call would block.
    WouldBlock,
    /// The timeout for connecting has expired.
    ConnectTimedOut,
    /// A timeout of zero, which would mean no timeout.
    ZeroTimeout,
    /// No address was given.
    NoAddress,
    /// The peer has given up, or its request was discarded for a newer one.
    RequestGone,
    /// A blocking call in virtual time, which would stop the clock that it waits for.
    VirtualTime,
    /// The network has ended.
    Network(Ended),
}

impl SocketError {
    /// The kind of the [`io::Error`], as sockets of the operating system have it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            SocketError::Closed(error) => match error {
                Error::Reset => ErrorKind::ConnectionReset,
                Error::Refused => ErrorKind::ConnectionRefused,
                Error::Unreachable => ErrorKind::HostUnreachable,
                Error::TimedOut | Error::UserTimeout | Error::KeepaliveTimeout => {
                    ErrorKind::TimedOut
                }
                Error::AddressRemoved => ErrorKind::AddrNotAvailable,
                Error::NoResources => ErrorKind::OutOfMemory,
                // Aborted or idle.
                _ => ErrorKind::ConnectionAborted,
            },
            SocketError::Connect(error) => match error {
                ConnectError::NoSourceAddress => ErrorKind::AddrNotAvailable,
                ConnectError::InvalidRemote | ConnectError::Config(_) => ErrorKind::InvalidInput,
                ConnectError::AddressInUse | ConnectError::NoPort => ErrorKind::AddrInUse,
                ConnectError::NoResources => ErrorKind::OutOfMemory,
                _ => ErrorKind::Unsupported,
            },
            SocketError::Listen(error) => match error {
                ListenError::AddressInUse => ErrorKind::AddrInUse,
                ListenError::NoSuchAddress => ErrorKind::AddrNotAvailable,
                ListenError::NoResources => ErrorKind::OutOfMemory,
                ListenError::InvalidListener => ErrorKind::NotConnected,
                _ => ErrorKind::InvalidInput,
            },
            SocketError::Setting(SettingError::InvalidHandle) | SocketError::NotConnected => {
                ErrorKind::NotConnected
            }
            SocketError::NoPort => ErrorKind::AddrInUse,
            SocketError::Finished => ErrorKind::BrokenPipe,
            SocketError::WouldBlock => ErrorKind::WouldBlock,
            SocketError::ConnectTimedOut => ErrorKind::TimedOut,
            SocketError::Setting(_) | SocketError::ZeroTimeout | SocketError::NoAddress => {
                ErrorKind::InvalidInput
            }
            SocketError::RequestGone => ErrorKind::ConnectionAborted,
            SocketError::VirtualTime => ErrorKind::Unsupported,
            SocketError::Network(_) => ErrorKind::NetworkDown,
        }
    }
}

impl From<SocketError> for io::Error {
    fn from(error: SocketError) -> Self {
        io::Error::new(error.kind(), error)
    }
}

impl fmt::Display for SocketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SocketError::Closed(error) => return error.fmt(f),
            SocketError::Connect(error) => return error.fmt(f),
            SocketError::Listen(error) => return error.fmt(f),
            SocketError::Setting(error) => return error.fmt(f),
            SocketError::Network(ended) => return ended.fmt(f),
            SocketError::NoPort => "every dynamic port of that address is in use: name a port",
            SocketError::Finished => {
                "cannot send: this side has been shut down, or the connection is over"
            }
            SocketError::NotConnected => "the connection is over",
            SocketError::WouldBlock => {
                "nothing happened within the socket's timeout; try again, or set a longer one"
            }
            SocketError::ConnectTimedOut => {
                "no answer within the time given: check the address, or give more time"
            }
            SocketError::ZeroTimeout => "a timeout must not be zero: None waits without one",
            SocketError::NoAddress => "the list of addresses is empty",
            SocketError::RequestGone => {
                "the peer has given up, or others needed the place of its request: go on with the next"
            }
            SocketError::VirtualTime => {
                "a blocking call would stop virtual time: use the asynchronous sockets there"
            }
        })
    }
}

impl std::error::Error for SocketError {}
