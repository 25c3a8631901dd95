//! Ways out of this machine, a file each: everything particular to one of them. The code that drives a
//! stack over a way out sees only the contract.

#[cfg(target_os = "linux")]
mod contract;
#[cfg(target_os = "linux")]
mod packet;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod raw;
mod settings;
#[cfg(target_os = "linux")]
mod tun;

#[cfg(target_os = "linux")]
pub(crate) use contract::{Opened, Purpose, Way};
#[cfg(target_os = "linux")]
pub(crate) use plan::{choose, plan, resolve};
pub(crate) use settings::{Offload, Via, WaySettings};
#[cfg(target_os = "linux")]
pub(crate) use tun::{exists, open_or_make};
