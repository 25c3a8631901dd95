//! The smallest topology: two hosts, and one link in each direction between them.

use crate::emulator::Emulator;
use crate::host::Host;
use crate::link::Link;
use crate::network::Network;
use crate::observer::{HostId, Observer};
use crate::path::Path;
use crate::random::{Random, Streams};
use ackclock::congestion::CongestionController;
use ackclock::stack::{AddressError, Capabilities, Cidr, Stack, StackConfig, Storage};
use ackclock::tcp::ConfigError;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The first host of a pair.
pub const LEFT: HostId = HostId(0);
/// The second host of a pair.
pub const RIGHT: HostId = HostId(1);

/// Settings of a pair of hosts. In arrays, the left host and what leaves it come first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PairConfig {
    /// The links: left to right, and right to left.
    pub paths: [Path; 2],
    /// Largest IP packet in bytes, in both directions.
    pub mtu: u32,
    /// Everything random follows from it: losses and other impairments (independent streams for
    /// each link), initial sequence numbers and ports. The same seed and the same applications
    /// give the same packets.
    pub seed: u64,
    /// The hosts' addresses.
    pub addresses: [Vec<Cidr>; 2],
}

impl PairConfig {
    /// Two hosts joined by `path` in each direction: MTU 1500, seed 0, 10.0.0.1/24 and fd00::1/64
    /// on the left, 10.0.0.2/24 and fd00::2/64 on the right.
    pub fn new(path: Path) -> Self {
        PairConfig {
            paths: [path.clone(), path],
            mtu: 1500,
            seed: 0,
            addresses: [host_addresses(1), host_addresses(2)],
        }
    }
}

fn host_addresses(host: u8) -> Vec<Cidr> {
    let ipv4 = Ipv4Addr::new(10, 0, 0, host);
    let ipv6 = Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, host.into());
    vec![
        Cidr { address: IpAddr::V4(ipv4), prefix: 24 },
        Cidr { address: IpAddr::V6(ipv6), prefix: 64 },
    ]
}

impl<C: CongestionController + Clone + 'static, O: Observer> Emulator<C, O> {
    /// The hosts [`LEFT`] and [`RIGHT`] with a link in each direction. Each host's connections
    /// use clones of its `controllers` element. `observer` watches; `()` for nobody.
    ///
    /// # Errors
    /// Names the setting that a stack does not accept.
    pub fn pair(config: &PairConfig, controllers: [C; 2], observer: O) -> Result<Self, BuildError> {
        let mut streams = Streams::new(config.seed);
        let mut network = Network::new(observer);
        let mut hosts = Vec::new();
        let directions = [(LEFT, RIGHT), (RIGHT, LEFT)];
        for ((from, to), controller) in directions.into_iter().zip(controllers) {
            let link = Link::new(&config.paths[from.0], streams.take_stream());
            let outgoing = network.add_link(link, from, to);
            let mut stack = stack(config.mtu, &mut streams.take_stream(), controller)?;
            for &address in &config.addresses[from.0] {
                stack.add_address(address)?;
            }
            hosts.push(Host::new(stack, outgoing));
        }
        Ok(Emulator::new(hosts, network))
    }
}

/// A stack without addresses whose secret comes from `random`.
fn stack<C: CongestionController + Clone>(
    mtu: u32,
    random: &mut Random,
    controller: C,
) -> Result<Stack<'static, C>, ConfigError> {
    let secret = [random.next_u64(), random.next_u64()];
    let config = StackConfig::new(Capabilities::with_mtu(mtu), secret);
    Stack::new(config, controller, Storage::growing())
}

/// Why an emulator could not be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A stack did not accept its settings.
    Stack(ConfigError),
    /// A stack did not accept an address.
    Address(AddressError),
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
        }
    }
}

impl std::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_have_an_address_of_each_family_by_default() {
        let config = PairConfig::new(Path::default());
        let texts = config.addresses.map(|addresses| {
            let text = |cidr: &Cidr| format!("{}/{}", cidr.address, cidr.prefix);
            addresses.iter().map(text).collect::<Vec<_>>()
        });
        assert_eq!(texts[0], ["10.0.0.1/24", "fd00::1/64"]);
        assert_eq!(texts[1], ["10.0.0.2/24", "fd00::2/64"]);
    }
}
