//! Settings of the search.

use crate::way::WaySettings;
use ackclock::apps::Service;
use ackclock::time::Duration;
use std::path::PathBuf;

/// Settings of the search.
#[derive(Clone, Debug)]
pub(crate) struct HostsSettings {
    /// File with the list of hosts; `-` for standard input.
    pub(crate) list: PathBuf,
    /// Service that hosts should have.
    pub(crate) service: Service,
    /// Least receive window that a host must advertise, in bytes; `None`: any.
    pub(crate) least_window: Option<u64>,
    /// File with the hosts that are never tried.
    pub(crate) stop_list: Option<PathBuf>,
    pub(crate) manner: Manner,
    /// Way out for this program's TCP; `None`: the kernel's TCP.
    pub(crate) way: Option<WaySettings>,
    /// Whether the report is a JSON object.
    pub(crate) json: bool,
}

/// Manner of trying hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Hosts tried at a time.
    pub(crate) parallel: usize,
    /// Time between the beginnings of two attempts.
    pub(crate) interval: Duration,
    /// Time after which a host that does not answer is given up.
    pub(crate) timeout: Duration,
}
