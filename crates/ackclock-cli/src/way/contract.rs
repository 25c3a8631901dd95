//! Contract between a way out and the code that drives a stack over it.

use crate::failure::Failure;
use ackclock::stack::Cidr;
use ackclock_host::any_link::AnyLink;
use ackclock_host::interface::InterfaceName;
use ackclock_host::patient::{Change, Interruptible, Patient};
use ackclock_host::raw::Ports;
use ackclock_host::run_loop::HostEthernet;
use std::error::Error;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::fd::AsFd;

/// Purpose of a way out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose<'p> {
    /// To connect to one of these addresses.
    Reach(&'p [SocketAddr]),
    /// To listen on this port.
    Serve(u16),
}

impl Purpose<'_> {
    /// Whether to wait while the interface is down: a service goes on for its clients, and whoever
    /// started a transfer wants to know.
    pub(super) fn outlasts_outages(self) -> bool {
        matches!(self, Purpose::Serve(_))
    }
}

/// The links of an interface's queues. If they wait while the interface is down, the user is told on
/// standard error.
pub(super) fn links<L>(queues: Vec<L>, interface: &InterfaceName, waits: bool) -> Vec<AnyLink>
where
    L: Interruptible<Error: Error + Send + Sync + 'static> + AsFd + Send + 'static,
{
    if !waits {
        return queues.into_iter().map(AnyLink::new).collect();
    }
    let name = interface.clone();
    let tell = move |change| {
        let text = match change {
            Change::Down => format!(
                "{name} is down, and connections wait: 'sudo ip link set dev {name} up' takes it up"
            ),
            Change::Up => format!("{name} is up again"),
        };
        // The service goes on even if the line cannot be written.
        let _ = writeln!(io::stderr(), "note: {text}");
    };
    Patient::queues(queues, tell).into_iter().map(AnyLink::new).collect()
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
    /// Returns a note for the user at the end of the run, if there is one.
    pub(crate) note: Box<dyn Fn() -> Option<String>>,
}
