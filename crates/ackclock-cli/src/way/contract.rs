//! Contract between a way out and the code that drives a stack over it.

use crate::failure::Failure;
use ackclock::stack::Cidr;
use ackclock_host::any_link::AnyLink;
use ackclock_host::raw::Ports;
use ackclock_host::run_loop::HostEthernet;
use std::net::SocketAddr;

/// Purpose of a way out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose<'p> {
    /// To connect to one of these addresses.
    Reach(&'p [SocketAddr]),
    /// To listen on this port.
    Serve(u16),
}

/// A planned way out: its settings make sense, and the system has not been touched yet.
pub(crate) trait Way {
    /// Addresses of the stack on this way out.
    fn addresses(&self) -> &[Cidr];

    /// Error text for a peer all of whose addresses are this machine's own.
    fn not_elsewhere(&self) -> String;

    /// Advice for reaching a peer whose address family (IPv6 or IPv4) the stack has no address of.
    fn of_the_other_family(&self, is_ipv6: bool) -> String;

    /// Opens the way out.
    fn open(&self) -> Result<Opened, Failure>;
}

/// An open way out.
pub(crate) struct Opened {
    /// Links that carry the packets: one for each queue, at least one.
    pub(crate) links: Vec<AnyLink>,
    /// Ethernet layer between link and stack, if the link carries frames.
    pub(crate) ethernet: Option<HostEthernet>,
    /// Name of the interface.
    pub(crate) interface: String,
    /// Whether the kernel segments and computes checksums in the stack's place.
    pub(crate) offloading: bool,
    /// Ports to connect from, if only some can be used.
    pub(crate) ports: Option<Ports>,
    /// Error text for the case that the device goes away.
    pub(crate) gone: String,
    /// Returns a note for the user at the end of the run, if there is something to tell.
    pub(crate) note: Box<dyn Fn() -> Option<String>>,
}
