//! Captures of the packets of a run, in pcap or pcapng.

mod emulated;
#[cfg(target_os = "linux")]
mod link;

pub(crate) use emulated::Capture;
#[cfg(target_os = "linux")]
pub(crate) use link::Captured;

use std::ffi::OsStr;
use std::path::Path;

/// Whether a file's name selects pcapng; otherwise its capture is in pcap.
fn is_pcapng(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|end| end.eq_ignore_ascii_case("pcapng"))
}
