//! What changed, for applications.

use super::{Handle, Listener};

/// A change that an application may want to act on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Something changed on a connection; `readiness` says what it can do now.
    Connection {
        /// The connection.
        handle: Handle,
        /// What it can do now.
        readiness: Readiness,
    },
    /// A listener has a connection to accept.
    Acceptable(Listener),
}

/// What a connection can do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Readiness {
    /// The handshake is finished (and the connection is not over).
    pub established: bool,
    /// Data can be received, or the end of data or an error can be learned.
    pub readable: bool,
    /// Data can be queued for sending, or an error can be learned.
    pub writable: bool,
    /// Urgent data is ahead (RFC 9293 section 3.8.5, MUST-32).
    pub urgent: bool,
    /// The peer has sent FIN and all its data was read.
    pub finished: bool,
    /// Everything sent, FIN included, was acknowledged.
    pub flushed: bool,
    /// The connection is over; `Info::error` says why, if there was an error.
    pub closed: bool,
}
