//! Addresses of hosts and routers.
//!
//! Hosts and routers are numbered from 1 in the order in which they were added to the topology.
//! Host n is 10.0.0.0 + n and fd00::n, router n is 172.16.0.0 + n and fd01::n. One network of each
//! family holds all hosts (10.0.0.0/8, fd00::/64).

use crate::ids::{HostId, NodeId, RouterId};
use ackclock::stack::Cidr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most hosts: one for each address of 10.0.0.0/8 but the first and the last, its broadcast
/// address.
pub(crate) const MAX_HOSTS: usize = (1 << 24) - 2;
/// Most routers: one for each address of 172.16.0.0/12 but the first and the last.
pub(crate) const MAX_ROUTERS: usize = (1 << 20) - 2;

const HOSTS_V4: u32 = 10 << 24;
const ROUTERS_V4: u32 = 172 << 24 | 16 << 16;
const HOSTS_V6: u128 = 0xfd00 << 112;
const ROUTERS_V6: u128 = 0xfd01 << 112;

/// IPv4 and IPv6 address of a host.
pub(crate) fn host_addresses(host: HostId) -> [IpAddr; 2] {
    numbered(HOSTS_V4, HOSTS_V6, host.0)
}

/// IPv4 and IPv6 address of a router.
pub(crate) fn router_addresses(router: RouterId) -> [IpAddr; 2] {
    numbered(ROUTERS_V4, ROUTERS_V6, router.0)
}

/// A host's addresses with the prefixes of their networks.
pub(crate) fn host_cidrs(host: HostId) -> Vec<Cidr> {
    let with_prefix = |(address, prefix)| Cidr { address, prefix };
    host_addresses(host).into_iter().zip([8, 64]).map(with_prefix).collect()
}

fn numbered(v4: u32, v6: u128, index: usize) -> [IpAddr; 2] {
    let number = index as u32 + 1;
    [Ipv4Addr::from_bits(v4 + number).into(), Ipv6Addr::from_bits(v6 + u128::from(number)).into()]
}

/// The node that has this address, provided that there are so many hosts and routers.
pub(crate) fn node_of(address: IpAddr) -> Option<NodeId> {
    let (hosts, routers) = match address {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            (bits.checked_sub(HOSTS_V4), bits.checked_sub(ROUTERS_V4))
        }
        IpAddr::V6(address) => {
            let number = |base| {
                let offset = address.to_bits().checked_sub(base);
                offset.and_then(|offset| u32::try_from(offset).ok())
            };
            (number(HOSTS_V6), number(ROUTERS_V6))
        }
    };
    let index = |number: Option<u32>, most| {
        let index = (number? as usize).checked_sub(1)?;
        (index < most).then_some(index)
    };
    let host = index(hosts, MAX_HOSTS).map(|index| NodeId::Host(HostId(index)));
    host.or_else(|| index(routers, MAX_ROUTERS).map(|index| NodeId::Router(RouterId(index))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_whose_it_is() {
        for index in [0, 1, 254, 255, 65_535, MAX_HOSTS - 1] {
            for address in host_addresses(HostId(index)) {
                assert_eq!(node_of(address), Some(NodeId::Host(HostId(index))), "{address}");
            }
        }
        for index in [0, 1, 254, 255, 65_535, MAX_ROUTERS - 1] {
            for address in router_addresses(RouterId(index)) {
                assert_eq!(node_of(address), Some(NodeId::Router(RouterId(index))), "{address}");
            }
        }
    }

    #[test]
    fn the_scheme_is_the_documented_one() {
        let text = |addresses: [IpAddr; 2]| addresses.map(|address| address.to_string());
        assert_eq!(text(host_addresses(HostId(0))), ["10.0.0.1", "fd00::1"]);
        assert_eq!(text(host_addresses(HostId(255))), ["10.0.1.0", "fd00::100"]);
        assert_eq!(text(router_addresses(RouterId(2))), ["172.16.0.3", "fd01::3"]);
    }

    #[test]
    fn other_addresses_are_nobodys() {
        for text in ["10.0.0.0", "10.255.255.255", "11.0.0.1", "172.16.0.0", "192.0.2.1", "fd00::"]
        {
            assert_eq!(node_of(text.parse().unwrap()), None, "{text}");
        }
        assert_eq!(node_of("fd00::1:0:0:1".parse().unwrap()), None);
    }
}
