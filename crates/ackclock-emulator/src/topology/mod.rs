//! The topology of a network: hosts, routers, and the links between them.

pub(crate) mod addressing;
pub(crate) mod shapes;

use crate::ids::{HostId, LinkId, NodeId, RouterId};
use crate::link::path::Path;
use ackclock::stack::Cidr;
use ackclock::time::Duration;
use addressing::{host_addresses, host_cidrs, router_addresses};
use std::net::IpAddr;

/// A topology: hosts, routers and links, from which [`Emulator::new`](crate::Emulator::new) makes a
/// network.
///
/// - A host has one link, to a router or to another host. Its stack's MTU is the link's.
/// - A router forwards by static routes: of all ways to the destination it takes one with the
///   fewest links, and of several such the one whose first link was added first. Packets that it
///   cannot forward it answers with ICMP as real routers do: time exceeded, fragmentation needed or
///   packet too big, network unreachable. It cuts IPv4 packets that may be cut; hosts put fragments
///   together. It has no services of its own.
/// - Addresses follow from the order in which hosts and routers were added, counted from 1: host n
///   is 10.0.0.0 + n (in 10.0.0.0/8) and fd00::n, router n is 172.16.0.0 + n and fd01::n.
///
/// The methods that take an id panic if it belongs to another topology that has more nodes.
///
/// ```
/// use ackclock_emulator::{Path, Topology};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut topology = Topology::new();
/// let [near, far] = ["near", "far"].map(|name| topology.host(name));
/// let router = topology.router("router");
/// let access: Path = "rate=10mbit,delay=1ms,loss=0".parse()?;
/// topology.link(near, router, [access.clone(), access]);
/// let [slow, back] = ["rate=1mbit,delay=20ms,loss=0", "rate=64kbit,delay=20ms,loss=0"];
/// topology.link(router, far, [slow.parse()?, back.parse()?]);
/// assert_eq!(topology.addresses(far)[0].to_string(), "10.0.0.2");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Topology {
    pub(crate) hosts: Vec<HostNode>,
    pub(crate) routers: Vec<String>,
    pub(crate) links: Vec<LinkEdge>,
}

/// A host of a topology.
#[derive(Clone, Debug)]
pub(crate) struct HostNode {
    pub(crate) name: String,
    pub(crate) addresses: Vec<Cidr>,
    pub(crate) processing: Duration,
    pub(crate) segmentation: bool,
    pub(crate) poll_interval: Duration,
}

/// A link of a topology.
#[derive(Clone, Debug)]
pub(crate) struct LinkEdge {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) path: Path,
}

impl Topology {
    /// A topology without nodes.
    pub fn new() -> Self {
        Topology::default()
    }

    /// Adds a host. Names identify nodes in results and captures; no two nodes may have the same.
    pub fn host(&mut self, name: impl Into<String>) -> HostId {
        let id = HostId(self.hosts.len());
        self.hosts.push(HostNode {
            name: name.into(),
            addresses: host_cidrs(id),
            processing: Duration::ZERO,
            segmentation: false,
            poll_interval: Duration::ZERO,
        });
        id
    }

    /// Adds a router.
    pub fn router(&mut self, name: impl Into<String>) -> RouterId {
        self.routers.push(name.into());
        RouterId(self.routers.len() - 1)
    }

    /// Joins two nodes by a link in each direction: from `a` to `b`, and back.
    pub fn link(
        &mut self,
        a: impl Into<NodeId>,
        b: impl Into<NodeId>,
        paths: [Path; 2],
    ) -> [LinkId; 2] {
        let (a, b) = (a.into(), b.into());
        let first = self.links.len();
        let [there, back] = paths;
        self.links.push(LinkEdge { from: a, to: b, path: there });
        self.links.push(LinkEdge { from: b, to: a, path: back });
        [LinkId(first), LinkId(first + 1)]
    }

    /// Sets how long a host is busy with each packet that it receives; zero by default. The host
    /// takes one packet after another, in the order in which they arrive, and any number may wait.
    /// The stack acts on a packet, sending included, when the packet's time is over.
    pub fn set_processing(&mut self, host: HostId, time: Duration) {
        self.hosts[host.0].processing = time;
    }

    /// Sets whether a host's device cuts large transmissions into segments and completes checksums,
    /// so that its stack decides on up to 64 KiB at once; off by default.
    pub fn set_segmentation(&mut self, host: HostId, on: bool) {
        self.hosts[host.0].segmentation = on;
    }

    /// Sets how often a host looks at its packets and timers: at the multiples of this time, as a
    /// main loop without interrupts does. It then takes all packets that have come before it sends
    /// any. Zero by default: the host acts on everything at once.
    pub fn set_poll_interval(&mut self, host: HostId, interval: Duration) {
        self.hosts[host.0].poll_interval = interval;
    }

    /// All hosts, in the order in which they were added.
    pub fn hosts(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.hosts.len()).map(HostId)
    }

    /// All links, in the order in which they were added.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + use<> {
        (0..self.links.len()).map(LinkId)
    }

    /// The IPv4 and the IPv6 address of a host or router.
    pub fn addresses(&self, node: impl Into<NodeId>) -> [IpAddr; 2] {
        match node.into() {
            NodeId::Host(host) => host_addresses(host),
            NodeId::Router(router) => router_addresses(router),
        }
    }

    /// The name of a host or router.
    pub fn name(&self, node: impl Into<NodeId>) -> &str {
        match node.into() {
            NodeId::Host(host) => &self.hosts[host.0].name,
            NodeId::Router(router) => &self.routers[router.0],
        }
    }

    /// The nodes from which and to which a link leads.
    pub fn ends(&self, link: LinkId) -> [NodeId; 2] {
        let LinkEdge { from, to, .. } = self.links[link.0];
        [from, to]
    }

    /// A link's parameters.
    pub fn path(&self, link: LinkId) -> &Path {
        &self.links[link.0].path
    }

    /// Gives a link other parameters.
    pub fn set_path(&mut self, link: LinkId, path: Path) {
        self.links[link.0].path = path;
    }
}
