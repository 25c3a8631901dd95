//! `ackclock` on an operating system: everything that does I/O, reads a clock or asks for
//! privileges, around the pure state machine of the core.
//!
//! Links, which carry a stack's packets:
//!
//! | module | holds |
//! | --- | --- |
//! | [`any_link`] | any kind of link behind one type |
//! | [`tun`] | a TUN device as a [`Link`](ackclock::link::Link) |
//! | [`tap`] | a TAP device, whose frames go through the core's Ethernet layer |
//! | [`packet`] | packet sockets on an Ethernet interface as a [`Link`](ackclock::link::Link) |
//! | [`raw`] | raw IP sockets on the host's own address as a [`Link`](ackclock::link::Link) |
//! | [`guard`] | the firewall rule that drops the kernel's RSTs to our peers |
//! | [`unfinished`] | packets whose checksums or segmentation the kernel has left to a device |
//! | [`patient`] | a link that waits while its interface is down |
//! | [`impaired`] | a link that loses, duplicates, reorders and damages packets, for tests |
//!
//! Loops, which drive stacks over links:
//!
//! | module | holds |
//! | --- | --- |
//! | [`run_loop`] | the loop of a stack and its applications over a link |
//! | [`queues`] | the loops of a device's queues, driven together |
//! | [`bridge`] | the loop that joins two devices by wires that take their time |
//!
//! The operating system:
//!
//! | module | holds |
//! | --- | --- |
//! | [`clock`] | the monotonic clock as the core's instants |
//! | [`secret`] | the random bits that a stack is keyed with |
//! | [`interface`] | names of network interfaces, and their state in the kernel |
//! | [`counters`] | the kernel's counters of an interface |
//! | [`own_address`] | the host's own addresses |
//! | [`namespace`] | named network namespaces, and how to work in them |
//! | [`command`] | commands that change the system, to be shown or run |
//! | [`changes`] | changes to the system that can be undone |
//! | [`setup`] | the commands that make a TUN interface and route it |
//! | [`standard_output`] | whether standard output was open when the program started |
//! | [`kernel_services`] | discard, echo and chargen on the kernel's own sockets |
//!
//! Modules that need Linux are compiled on Linux only.

#![deny(unsafe_code)]

#[cfg(unix)]
pub mod kernel_services;
mod links;
#[cfg(target_os = "linux")]
mod loops;
mod system;

pub use links::impaired;
#[cfg(target_os = "linux")]
pub use links::{any_link, guard, packet, patient, raw, tap, tun, unfinished};
#[cfg(target_os = "linux")]
pub use loops::{bridge, queues, run_loop};
pub use system::clock;
#[cfg(target_os = "linux")]
pub use system::{
    changes, command, counters, interface, namespace, own_address, secret, setup, standard_output,
};
