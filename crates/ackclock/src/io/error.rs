//! Errors of streams.

use crate::stack::ConnectError;
use crate::tcp::{Error, ReceiveError, SendError};
use core::fmt;
use embedded_io::ErrorKind;

/// Why a stream failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IoError {
    /// The connection is over.
    Closed(Error),
    /// The connection could not be opened.
    Connect(ConnectError),
    /// This side has shut down its sending direction.
    Finished,
    /// The handle names no connection.
    InvalidHandle,
}

impl From<SendError> for IoError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Finished => IoError::Finished,
            SendError::Closed(error) => IoError::Closed(error),
            SendError::InvalidHandle => IoError::InvalidHandle,
        }
    }
}

/// The result of a read; `None` if it has to wait. In these traits the end of data is not an error.
pub(super) fn read_result(result: Result<usize, ReceiveError>) -> Option<Result<usize, IoError>> {
    Some(match result {
        Ok(n) => Ok(n),
        Err(ReceiveError::WouldBlock) => return None,
        Err(ReceiveError::Finished) => Ok(0),
        Err(ReceiveError::Closed(error)) => Err(IoError::Closed(error)),
        Err(ReceiveError::InvalidHandle) => Err(IoError::InvalidHandle),
    })
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IoError::Closed(error) => error.fmt(f),
            IoError::Connect(error) => error.fmt(f),
            IoError::Finished => SendError::Finished.fmt(f),
            IoError::InvalidHandle => SendError::InvalidHandle.fmt(f),
        }
    }
}

impl core::error::Error for IoError {}

impl embedded_io::Error for IoError {
    fn kind(&self) -> ErrorKind {
        match self {
            IoError::Closed(error) => match error {
                Error::Reset => ErrorKind::ConnectionReset,
                Error::Refused => ErrorKind::ConnectionRefused,
                Error::TimedOut | Error::UserTimeout | Error::KeepaliveTimeout => {
                    ErrorKind::TimedOut
                }
                Error::Aborted | Error::Idle => ErrorKind::ConnectionAborted,
                Error::AddressRemoved | Error::KeyRemoved => ErrorKind::AddrNotAvailable,
                Error::NoResources => ErrorKind::OutOfMemory,
                Error::Unreachable => ErrorKind::Other,
            },
            IoError::Connect(error) => match error {
                ConnectError::NoSourceAddress => ErrorKind::AddrNotAvailable,
                ConnectError::InvalidRemote | ConnectError::Config(_) => ErrorKind::InvalidInput,
                ConnectError::AddressInUse | ConnectError::NoPort => ErrorKind::AddrInUse,
                ConnectError::NoResources => ErrorKind::OutOfMemory,
                ConnectError::LeftOut => ErrorKind::Unsupported,
            },
            IoError::Finished => ErrorKind::BrokenPipe,
            IoError::InvalidHandle => ErrorKind::NotConnected,
        }
    }
}
