//! Links: devices and sockets of the system that carry a stack's packets, and links around other
//! links.

#[cfg(target_os = "linux")]
pub mod any_link;
#[cfg(target_os = "linux")]
pub mod guard;
pub mod impaired;
#[cfg(target_os = "linux")]
pub mod packet;
#[cfg(target_os = "linux")]
pub mod patient;
#[cfg(target_os = "linux")]
mod port_range;
#[cfg(target_os = "linux")]
pub mod raw;
#[cfg(target_os = "linux")]
pub mod tap;
#[cfg(target_os = "linux")]
pub mod tun;
#[cfg(target_os = "linux")]
pub mod unfinished;
#[cfg(target_os = "linux")]
mod vnet;
