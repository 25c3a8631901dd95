//! Makes an emulator of a topology.

use super::Emulator;
use crate::host::Host;
use crate::ids::{HostId, LinkId, NodeId};
use crate::link::Link;
use crate::network::Network;
use crate::network::routing_table::Routes;
use crate::observer::Observer;
use crate::random::{Random, Streams};
use crate::topology::Topology;
use crate::topology::addressing::{MAX_HOSTS, MAX_ROUTERS};
use ackclock::congestion::CongestionController;
use ackclock::stack::{AddressError, Capabilities, Segmentation, Stack, StackConfig, Storage};
use ackclock::tcp::ConfigError;
use ackclock::wire::WriteChecksum;
use std::collections::BTreeSet;
use std::fmt;

impl<C: CongestionController + Clone + 'static, O: Observer> Emulator<C, O> {
    /// An emulator of this topology. `controller` is called once for each host, whose connections
    /// use clones of the controller that it returns. `observer` receives the events; `()` ignores
    /// them.
    ///
    /// Everything random follows from `seed`: losses and other impairments (independent streams for
    /// each link), initial sequence numbers and ports. The same topology, seed and applications give
    /// the same packets.
    ///
    /// # Errors
    /// Describes the error in the topology, or the setting that a stack does not accept.
    pub fn new(
        topology: &Topology,
        seed: u64,
        mut controller: impl FnMut(HostId) -> C,
        observer: O,
    ) -> Result<Self, BuildError> {
        check_names(topology)?;
        let (hosts, routers) = (topology.hosts.len(), topology.routers.len());
        if hosts > MAX_HOSTS || routers > MAX_ROUTERS {
            return Err(BuildError::TooMany);
        }
        let ends: Vec<_> = topology.links.iter().map(|link| (link.from, link.to)).collect();
        let mut network = Network::new(Routes::new(hosts, routers, &ends), observer);
        let mut streams = Streams::new(seed);
        for edge in &topology.links {
            let link = Link::new(&edge.path, streams.take_stream());
            network.add_link(link, edge.from, edge.to);
        }
        let mut built = Vec::with_capacity(hosts);
        for (id, node) in topology.hosts().zip(&topology.hosts) {
            let outgoing = only_link(topology, id)?;
            let mut device = Capabilities::with_mtu(topology.path(outgoing).mtu);
            if node.segmentation {
                device.segmentation = Segmentation::both(Capabilities::LARGEST_PAYLOAD);
                device.checksum = WriteChecksum::PseudoHeader;
            }
            let mut stack = stack(device, &mut streams.take_stream(), controller(id))?;
            for &address in &node.addresses {
                stack.add_address(address)?;
            }
            built.push(Host::new(stack, outgoing, node.processing, node.poll_interval));
        }
        Ok(Emulator::assemble(built, network))
    }
}

/// Fails if two nodes have the same name.
fn check_names(topology: &Topology) -> Result<(), BuildError> {
    let mut seen = BTreeSet::new();
    let hosts = topology.hosts.iter().map(|host| &host.name);
    match hosts.chain(&topology.routers).find(|name| !seen.insert(*name)) {
        Some(name) => Err(BuildError::Name(name.clone())),
        None => Ok(()),
    }
}

/// The link by which a host's packets leave.
fn only_link(topology: &Topology, host: HostId) -> Result<LinkId, BuildError> {
    let leaves = |link: &LinkId| topology.ends(*link)[0] == NodeId::Host(host);
    let mut links = topology.links().filter(leaves);
    match (links.next(), links.next()) {
        (Some(link), None) => Ok(link),
        _ => Err(BuildError::HostLinks(topology.name(host).to_owned())),
    }
}

/// A stack without addresses whose secret comes from `random`.
fn stack<C: CongestionController + Clone>(
    device: Capabilities,
    random: &mut Random,
    controller: C,
) -> Result<Stack<'static, C>, ConfigError> {
    let secret = [random.next_u64(), random.next_u64()];
    let mut config = StackConfig::new(device, secret);
    // No limit, so that experiments can have buffers of any size; memory is taken only for what is
    // in them.
    config.memory = u64::MAX;
    Stack::new(config, controller, Storage::growing())
}

/// Why an emulator could not be built.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A stack did not accept its settings.
    Stack(ConfigError),
    /// A stack did not accept an address.
    Address(AddressError),
    /// Two hosts or routers have this name.
    Name(String),
    /// The host of this name does not have one link.
    HostLinks(String),
    /// More hosts or routers than addresses.
    TooMany,
}

impl From<ConfigError> for BuildError {
    fn from(error: ConfigError) -> Self {
        BuildError::Stack(error)
    }
}

impl From<AddressError> for BuildError {
    fn from(error: AddressError) -> Self {
        BuildError::Address(error)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Stack(error) => error.fmt(f),
            BuildError::Address(error) => error.fmt(f),
            BuildError::Name(name) => {
                write!(f, "'{name}' is the name of two nodes: give each another")
            }
            BuildError::HostLinks(name) => {
                write!(f, "host '{name}' must have one link: join it to one host or router")
            }
            BuildError::TooMany => {
                write!(f, "at most {MAX_HOSTS} hosts and {MAX_ROUTERS} routers have an address")
            }
        }
    }
}

impl std::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::path::Path;
    use ackclock::congestion::BuiltIn;

    fn error(topology: &Topology) -> String {
        let built = Emulator::new(topology, 0, |_| BuiltIn::default(), ());
        built.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_topology_that_is_no_network_is_refused_with_the_name() {
        let paths = || [Path::default(), Path::default()];
        let mut topology = Topology::new();
        let [one, two] = ["one", "two"].map(|name| topology.host(name));
        assert_eq!(
            error(&topology),
            "host 'one' must have one link: join it to one host or router"
        );
        topology.link(one, two, paths());
        assert_eq!(error(&topology), "");
        let router = topology.router("router");
        topology.link(two, router, paths());
        assert_eq!(
            error(&topology),
            "host 'two' must have one link: join it to one host or router"
        );
        topology.host("router");
        assert_eq!(error(&topology), "'router' is the name of two nodes: give each another");
    }

    #[test]
    fn an_mtu_that_the_stack_refuses_is_refused() {
        let mut topology = Topology::new();
        let [one, two] = ["one", "two"].map(|name| topology.host(name));
        let path = Path { mtu: 67, ..Path::default() };
        topology.link(one, two, [Path::default(), path]);
        assert_eq!(error(&topology), "the link's mtu must be at least 68 bytes");
    }
}
