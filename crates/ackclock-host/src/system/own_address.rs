//! The host's own addresses, their interfaces, and the address that the kernel would use.

use super::interface::InterfaceName;
use ackclock::stack::Cidr;
use pnet::datalink::interfaces;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

/// An address of the host and its interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnAddress {
    /// The address with the prefix of its network.
    pub cidr: Cidr,
    /// The interface that has it.
    pub interface: InterfaceName,
}

/// All addresses of the host on interfaces that are up, other than loopback.
pub fn own_addresses() -> Vec<OwnAddress> {
    let up = interfaces().into_iter().filter(|each| each.is_up() && !each.is_loopback());
    up.filter_map(|each| {
        let name: InterfaceName = each.name.parse().ok()?;
        Some(each.ips.into_iter().map(move |ip| OwnAddress {
            cidr: Cidr { address: ip.ip(), prefix: ip.prefix() },
            interface: name.clone(),
        }))
    })
    .flatten()
    .collect()
}

/// The source address that the kernel would use for packets to `remote`.
///
/// # Errors
/// The kernel has no route to `remote`.
pub fn address_towards(remote: IpAddr) -> Result<IpAddr, NoWay> {
    let ask = || {
        let any = if remote.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        let socket = UdpSocket::bind(any)?;
        // Connecting a UDP socket sends nothing: the kernel looks for a route and chooses the
        // source address.
        socket.connect(SocketAddr::new(remote, 9))?;
        socket.local_addr()
    };
    ask().map(|local| local.ip()).map_err(|error| NoWay { remote, error })
}

/// The host's IPv4 address, if it has exactly one on interfaces that are up, other than loopback.
pub fn only_address() -> Option<Ipv4Addr> {
    let mut all = own_addresses().into_iter().filter_map(|own| match own.cidr.address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    });
    all.next().filter(|_| all.next().is_none())
}

/// The error if the kernel has no route.
#[derive(Debug)]
pub struct NoWay {
    remote: IpAddr,
    error: io::Error,
}

impl fmt::Display for NoWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoWay { remote, error } = self;
        write!(f, "there is no way to {remote}: {error}; 'ip route get {remote}' shows why")
    }
}

impl std::error::Error for NoWay {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_reached_from_loopback_and_is_none_of_the_addresses() {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert_eq!(address_towards(loopback).unwrap(), loopback);
        assert!(own_addresses().iter().all(|own| own.cidr.address != loopback));
    }
}
