//! `ackclock` on an operating system: everything that does I/O, reads a clock or asks for
//! privileges, around the pure state machine of the core.
//!
//! | module | holds |
//! | --- | --- |
//! | [`bridge`] | joins two devices by wires that take their time |
//! | [`clock`] | the monotonic clock as the core's instants |
//! | [`counters`] | what the kernel counts on an interface |
//! | [`impaired`] | a link that loses, doubles, delays and damages packets, for tests |
//! | [`kernel_services`] | discard, echo and chargen on the kernel's own sockets |
//! | [`interface`] | names of network interfaces, and what the kernel says about one |
//! | [`namespace`] | network namespaces with a name, and work in them |
//! | [`setup`] | the commands that make a TUN interface and route it |
//! | [`tun`] | a TUN device as a [`Link`](ackclock::link::Link) |
//! | [`run_loop`] | drives a stack and its applications over a link |
//! | [`secret`] | the random bits that a stack is keyed with |
//!
//! What only Linux has is compiled on Linux only.

#[cfg(target_os = "linux")]
pub mod bridge;
pub mod clock;
#[cfg(target_os = "linux")]
pub mod counters;
pub mod impaired;
#[cfg(target_os = "linux")]
pub mod interface;
#[cfg(unix)]
pub mod kernel_services;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
pub mod run_loop;
#[cfg(target_os = "linux")]
pub mod secret;
#[cfg(target_os = "linux")]
pub mod setup;
#[cfg(target_os = "linux")]
mod strays;
#[cfg(target_os = "linux")]
pub mod tun;
#[cfg(target_os = "linux")]
mod vnet;
#[cfg(target_os = "linux")]
mod wait;
