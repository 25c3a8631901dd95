//! Settings of an emulation. In arrays the left end, or the direction away from it, comes first.

use super::end::End;
use ackclock::time::Duration;
use ackclock_emulator::Path;
use std::path::PathBuf;

/// Settings of an emulation.
#[derive(Clone, Debug)]
pub(crate) struct EmulateSettings {
    /// Interfaces at the two ends of the path.
    pub(crate) ends: [End; 2],
    pub(crate) paths: [Path; 2],
    /// Seed of everything random on the path.
    pub(crate) seed: u64,
    /// Length of the emulation; `None`: until the user ends it.
    pub(crate) time: Option<Duration>,
    /// Time between two samples; `None`: no samples.
    pub(crate) interval: Option<Duration>,
    /// File in which the packets of the left interface are captured.
    pub(crate) pcap: Option<PathBuf>,
    /// Whether the report is a JSON object.
    pub(crate) json: bool,
}
