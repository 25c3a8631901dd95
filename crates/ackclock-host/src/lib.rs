//! `ackclock` on an operating system: everything that does I/O, reads a clock or asks for
//! privileges, around the pure state machine of the core.
//!
//! | module | holds |
//! | --- | --- |
//! | [`any_link`] | links of different kinds behind one type |
//! | [`bridge`] | joins two devices by wires that take their time |
//! | [`changes`] | changes to the system that can be undone |
//! | [`clock`] | the monotonic clock as the core's instants |
//! | [`command`] | commands that change the system, to be shown or run |
//! | [`counters`] | what the kernel counts on an interface |
//! | [`guard`] | the rule that drops the kernel's RSTs to our peers |
//! | [`impaired`] | a link that loses, doubles, delays and damages packets, for tests |
//! | [`kernel_services`] | discard, echo and chargen on the kernel's own sockets |
//! | [`interface`] | names of network interfaces, and what the kernel says about one |
//! | [`namespace`] | network namespaces with a name, and work in them |
//! | [`own_address`] | the host's own addresses |
//! | [`packet`] | packet sockets on an Ethernet interface as a [`Link`](ackclock::link::Link) |
//! | [`raw`] | raw IP sockets on the host's own address as a [`Link`](ackclock::link::Link) |
//! | [`setup`] | the commands that make a TUN interface and route it |
//! | [`tap`] | a TAP device, whose frames go through the core's Ethernet layer |
//! | [`tun`] | a TUN device as a [`Link`](ackclock::link::Link) |
//! | [`queues`] | drives the queues of a device together |
//! | [`run_loop`] | drives a stack and its applications over a link |
//! | [`secret`] | the random bits that a stack is keyed with |
//! | [`unfinished`] | packets in a form in which no network carries them |
//!
//! What only Linux has is compiled on Linux only.

#![deny(unsafe_code)]

#[cfg(target_os = "linux")]
pub mod any_link;
#[cfg(target_os = "linux")]
pub mod bridge;
#[cfg(target_os = "linux")]
pub mod changes;
pub mod clock;
#[cfg(target_os = "linux")]
pub mod command;
#[cfg(target_os = "linux")]
pub mod counters;
#[cfg(target_os = "linux")]
pub mod guard;
pub mod impaired;
#[cfg(target_os = "linux")]
pub mod interface;
#[cfg(unix)]
pub mod kernel_services;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
pub mod own_address;
#[cfg(target_os = "linux")]
pub mod packet;
#[cfg(target_os = "linux")]
pub mod queues;
#[cfg(target_os = "linux")]
pub mod raw;
#[cfg(target_os = "linux")]
pub mod run_loop;
#[cfg(target_os = "linux")]
pub mod secret;
#[cfg(target_os = "linux")]
pub mod setup;
#[cfg(target_os = "linux")]
mod sleeper;
#[cfg(target_os = "linux")]
mod strays;
#[cfg(target_os = "linux")]
pub mod tap;
#[cfg(target_os = "linux")]
pub mod tun;
#[cfg(target_os = "linux")]
pub mod unfinished;
#[cfg(target_os = "linux")]
mod vnet;
#[cfg(target_os = "linux")]
mod wait;
#[cfg(target_os = "linux")]
mod wake_ups;
