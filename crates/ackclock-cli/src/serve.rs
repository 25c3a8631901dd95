//! The passive side: a service on a stack of our own, or on the kernel's sockets.

#[cfg(unix)]
mod kernel;
#[cfg(target_os = "linux")]
mod ours;
mod summary;

#[cfg(unix)]
pub(crate) use kernel::over_kernel;
#[cfg(target_os = "linux")]
pub(crate) use ours::{Serving, over_a_stack};

use ackclock::apps::Service;
use std::io::{self, Write};

/// What is to be served.
pub(crate) struct Order {
    pub(crate) service: Service,
    /// The port to listen on.
    pub(crate) port: u16,
    /// Whether to end after the first connection.
    pub(crate) once: bool,
    /// Whether the summary is a JSON object.
    pub(crate) json: bool,
}

/// Says on standard error that clients may come now.
fn announce(order: &Order, place: &str) {
    // The service does not depend on anybody's reading this.
    let _ = writeln!(io::stderr(), "serving {} on {place}; Ctrl-C ends", order.service.name());
}
