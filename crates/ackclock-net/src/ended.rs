//! Why a network has ended.

use std::fmt;

/// Why a network has ended: the error that each of its sockets returns from then on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ended {
    /// The last [`Net`](crate::Net) was dropped, or [`Net::shut_down`](crate::Net::shut_down) was called.
    ShutDown,
    /// The driver is gone: its task was dropped, such as with the runtime that ran it.
    DriverDropped,
    /// The device failed with this error.
    Device(String),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::ShutDown => f.write_str(
                "the network was shut down: keep a Net for as long as its sockets are in use",
            ),
            Ended::DriverDropped => f.write_str(
                "the network's driver is gone: keep the task or runtime that runs it for as long as \
                 sockets are in use",
            ),
            Ended::Device(error) => write!(f, "the network's device failed: {error}"),
        }
    }
}

impl std::error::Error for Ended {}
