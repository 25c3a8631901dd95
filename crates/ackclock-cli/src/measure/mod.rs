//! Measurements of real networks: routes, bursts, and campaigns of transfers.

#[cfg(target_os = "linux")]
pub(crate) mod bprobe;
pub(crate) mod campaign;
#[cfg(target_os = "linux")]
pub(crate) mod path;
#[cfg(target_os = "linux")]
mod probing;
