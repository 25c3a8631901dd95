//! What is asked of the operating system and changed about it: clock, random bits, interfaces,
//! addresses, namespaces.

#[cfg(target_os = "linux")]
pub mod changes;
pub mod clock;
#[cfg(target_os = "linux")]
pub mod command;
#[cfg(target_os = "linux")]
pub mod counters;
#[cfg(target_os = "linux")]
pub mod interface;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
pub mod own_address;
#[cfg(target_os = "linux")]
pub mod secret;
#[cfg(target_os = "linux")]
pub mod setup;
