//! Settings of a service on any TCP.

use ackclock::apps::Service;
use std::io::{self, Write};

/// Settings of a service on any TCP.
#[derive(Clone, Debug)]
pub(crate) struct ServeSettings {
    pub(crate) service: Service,
    /// Port to listen on.
    pub(crate) port: u16,
    /// Whether to end after the first connection.
    pub(crate) once: bool,
    /// Whether the summary is a JSON object.
    pub(crate) json: bool,
}

impl ServeSettings {
    /// Writes to standard error that clients may connect now, at `place`.
    pub(super) fn announce(&self, place: &str) {
        // The service works even if the line cannot be written.
        let _ = writeln!(io::stderr(), "serving {} on {place}; Ctrl-C ends", self.service.name());
    }
}
