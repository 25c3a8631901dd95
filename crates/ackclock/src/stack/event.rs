//! What changed, for applications.

use super::{Handle, Listener};
use crate::tcp::Readiness;

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
