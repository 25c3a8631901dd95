//! The smallest topology: two hosts, and one link in each direction between them.

use super::Emulator;
use super::build::BuildError;
use crate::ids::HostId;
use crate::link::path::Path;
use crate::observer::Observer;
use crate::topology::Topology;
use crate::topology::addressing::host_addresses;
use ackclock::congestion::CongestionController;
use ackclock::stack::Cidr;

/// The first host of a pair.
pub const LEFT: HostId = HostId(0);
/// The second host of a pair.
pub const RIGHT: HostId = HostId(1);

/// Settings of a pair of hosts. In arrays, the left host and what leaves it come first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PairConfig {
    /// The links: left to right, and right to left. The MTU of a host's stack is that of the link
    /// that leaves it.
    pub paths: [Path; 2],
    /// The seed of everything random: losses and other impairments (independent streams for each
    /// link), initial sequence numbers and ports. The same seed and the same applications give the
    /// same packets.
    pub seed: u64,
    /// The hosts' addresses.
    pub addresses: [Vec<Cidr>; 2],
}

impl PairConfig {
    /// Two hosts joined by `path` in each direction: seed 0, 10.0.0.1/24 and fd00::1/64 on the left,
    /// 10.0.0.2/24 and fd00::2/64 on the right.
    pub fn new(path: Path) -> Self {
        let addresses = |host| {
            let with_prefix = |(address, prefix)| Cidr { address, prefix };
            host_addresses(host).into_iter().zip([24, 64]).map(with_prefix).collect()
        };
        PairConfig {
            paths: [path.clone(), path],
            seed: 0,
            addresses: [addresses(LEFT), addresses(RIGHT)],
        }
    }
}

impl<C: CongestionController + Clone + 'static, O: Observer> Emulator<C, O> {
    /// The hosts [`LEFT`] and [`RIGHT`] with a link in each direction. Each host's connections use
    /// clones of its `controllers` element. `observer` receives the events; `()` ignores them.
    ///
    /// # Errors
    /// Names the setting that a stack does not accept.
    pub fn pair(config: &PairConfig, controllers: [C; 2], observer: O) -> Result<Self, BuildError> {
        let mut topology = Topology::pair(config.paths.clone());
        for (host, addresses) in topology.hosts.iter_mut().zip(&config.addresses) {
            host.addresses.clone_from(addresses);
        }
        let [left, right] = controllers;
        let controller = |host| if host == LEFT { left.clone() } else { right.clone() };
        Emulator::new(&topology, config.seed, controller, observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::apps::{Source, SourceConfig};
    use ackclock::congestion::BuiltIn;
    use ackclock::time::Instant;

    #[test]
    fn the_next_event_is_told_before_it_happens() {
        let config = PairConfig::new("rate=10mbit,delay=20ms,loss=0".parse().unwrap());
        let mut emulator = Emulator::pair(&config, [BuiltIn::default(); 2], ()).unwrap();
        assert_eq!(emulator.next_event_at(), None);
        let source = Source::new(SourceConfig::new("10.0.0.2:9".parse().unwrap()));
        emulator.add_application(LEFT, source).unwrap();
        // The last bit of a SYN of 60 bytes leaves the line.
        assert_eq!(emulator.next_event_at(), Some(Instant::from_micros(48)));
        emulator.run_until(Instant::from_micros(48));
        assert_eq!(emulator.next_event_at(), Some(Instant::from_micros(20_048)));
    }

    #[test]
    fn the_hosts_have_an_address_of_each_family_by_default() {
        let config = PairConfig::new(Path::default());
        let texts = config
            .addresses
            .map(|addresses| addresses.iter().map(Cidr::to_string).collect::<Vec<_>>());
        assert_eq!(texts[0], ["10.0.0.1/24", "fd00::1/64"]);
        assert_eq!(texts[1], ["10.0.0.2/24", "fd00::2/64"]);
    }
}
