//! Why a call failed, in the kernel's numbers.

use ackclock::stack::{AddressError, ConnectError, ListenError};
use ackclock::tcp::Error;

/// A value of `errno`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Errno(pub(crate) i32);

/// The call would have to wait.
pub(crate) const WOULD_BLOCK: Errno = Errno(libc::EAGAIN);

impl From<Error> for Errno {
    /// What SO_ERROR or the next call says of a connection that ended so.
    fn from(error: Error) -> Self {
        Errno(match error {
            Error::Reset => libc::ECONNRESET,
            Error::Refused => libc::ECONNREFUSED,
            Error::Unreachable => libc::EHOSTUNREACH,
            Error::TimedOut | Error::UserTimeout | Error::KeepaliveTimeout => libc::ETIMEDOUT,
            Error::AddressRemoved => libc::ENETDOWN,
            Error::NoResources => libc::ENOBUFS,
            _ => libc::ECONNABORTED,
        })
    }
}

impl From<ConnectError> for Errno {
    fn from(error: ConnectError) -> Self {
        Errno(match error {
            ConnectError::NoSourceAddress | ConnectError::InvalidRemote => libc::ENETUNREACH,
            ConnectError::AddressInUse | ConnectError::NoPort => libc::EADDRNOTAVAIL,
            ConnectError::NoResources => libc::ENOBUFS,
            _ => libc::EINVAL,
        })
    }
}

impl From<ListenError> for Errno {
    fn from(error: ListenError) -> Self {
        Errno(match error {
            ListenError::AddressInUse => libc::EADDRINUSE,
            ListenError::NoSuchAddress => libc::EADDRNOTAVAIL,
            ListenError::NoResources => libc::ENOBUFS,
            _ => libc::EINVAL,
        })
    }
}

impl From<AddressError> for Errno {
    fn from(_: AddressError) -> Self {
        Errno(libc::EADDRNOTAVAIL)
    }
}
