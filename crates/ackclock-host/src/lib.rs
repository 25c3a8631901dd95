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

#[cfg(unix)]
pub mod kernel_services;
mod links;
#[cfg(target_os = "linux")]
mod loops;
mod system;

pub use links::impaired;
#[cfg(target_os = "linux")]
pub use links::{any_link, guard, packet, raw, tap, tun, unfinished};
#[cfg(target_os = "linux")]
pub use loops::{bridge, queues, run_loop};
pub use system::clock;
#[cfg(target_os = "linux")]
pub use system::{changes, command, counters, interface, namespace, own_address, secret, setup};
