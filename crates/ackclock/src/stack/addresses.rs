//! Local addresses, and the choice of a connection's source address.

use super::limits;
use super::tuple::NOBODY;
use super::{AddressError, Cidr};
use crate::storage::Buffer;
use crate::wire::{Address, IPV4_EXISTS, Ipv6Address, is_unicast};
use core::net::{IpAddr, Ipv4Addr};

/// Length in bits of the prefix of IPv6 link-local addresses (RFC 4291 section 2.4).
const LINK_LOCAL_PREFIX: u8 = 10;

/// An address with the length of its network prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Network {
    pub(crate) address: Address,
    pub(crate) prefix: u8,
}

/// Storage for one address; empty if it is all zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddressPlace {
    network: Network,
    taken: bool,
}

impl AddressPlace {
    /// An empty place.
    pub(super) const EMPTY: Self =
        AddressPlace { network: Network { address: NOBODY, prefix: 0 }, taken: false };

    fn new(network: Network) -> Self {
        AddressPlace { network, taken: true }
    }

    fn network(&self) -> Option<Network> {
        self.taken.then_some(self.network)
    }
}

/// The stack's local addresses.
#[derive(Debug)]
pub(crate) struct Addresses<'a> {
    places: Buffer<'a, AddressPlace>,
    /// A number that changes with each address that is added.
    additions: u16,
}

impl<'a> Addresses<'a> {
    /// An empty set of addresses.
    pub(super) const fn new(places: Buffer<'a, AddressPlace>) -> Self {
        Addresses { places, additions: 0 }
    }

    /// Replaces the memory by an empty one. `additions` stays, so that addresses added later are noticed.
    pub(super) fn renew(&mut self, places: Buffer<'a, AddressPlace>) {
        self.places = places;
    }

    /// Adds an address.
    pub(super) fn add(&mut self, new: Cidr) -> Result<(), AddressError> {
        let new = Network::of(new).ok_or(left_out(new.address))?;
        let is_broadcast = broadcast_of(&new) == Some(new.address);
        if new.prefix > bits(new.address) || !is_unicast(new.address) || is_broadcast {
            return Err(AddressError::Invalid);
        }
        if self.contains(new.address) {
            return Err(AddressError::Duplicate);
        }
        let new = AddressPlace::new(new);
        if let Some(place) = self.places.iter_mut().find(|place| !place.taken) {
            *place = new;
        } else if self.places.len() >= limits::ADDRESSES || self.places.push(new).is_err() {
            return Err(AddressError::NoResources);
        }
        self.additions = self.additions.wrapping_add(1);
        Ok(())
    }

    /// A number that changes with each address that is added.
    pub(crate) const fn additions(&self) -> u16 {
        self.additions
    }

    /// The prefix length, in bits, of the network that we share with a destination; `None` if it is not
    /// on-link. IPv6 link-local addresses always are (RFC 4861 section 5.1).
    pub(crate) fn on_link(&self, destination: Address) -> Option<u8> {
        let shared = self.iter().filter(|own| own.contains(destination)).map(|own| own.prefix);
        let is_local = !destination.is_ipv4() && is_link_local(destination);
        shared.chain(is_local.then_some(LINK_LOCAL_PREFIX)).max()
    }

    /// The source address for resolving a neighbour's hardware address: one in the same network, or else any
    /// of the same family.
    pub(crate) fn asking(&self, neighbour: Address) -> Option<Address> {
        let of_family = |own: &Network| own.address.is_ipv4() == neighbour.is_ipv4();
        let shared = self.iter().find(|own| own.contains(neighbour));
        shared.or_else(|| self.iter().find(of_family)).map(|own| own.address)
    }

    /// Removes an address; the prefix must be the one it was added with.
    pub(super) fn remove(&mut self, old: Cidr) -> Result<(), AddressError> {
        let old = Network::of(old).ok_or(AddressError::Unknown)?;
        let mut places = self.places.iter_mut();
        let place = places.find(|place| place.network() == Some(old));
        *place.ok_or(AddressError::Unknown)? = AddressPlace::EMPTY;
        Ok(())
    }

    /// Whether the address is one of ours.
    pub(crate) fn contains(&self, address: Address) -> bool {
        self.iter().any(|own| own.address == address)
    }

    /// Whether it is the broadcast address of one of our networks (RFC 1122 section 3.2.1.3).
    pub(super) fn is_broadcast(&self, address: Address) -> bool {
        self.iter().any(|own| broadcast_of(&own) == Some(address))
    }

    /// Whether a packet may have this source address: that of a single host, and none of ours (RFC 1122
    /// sections 3.2.1.3 and 4.2.3.10, RFC 4291 section 2.5, MUST-63). If we have a loopback address the link
    /// returns what we send, so our own addresses are valid too.
    pub(super) fn may_be_source(&self, source: Address) -> bool {
        if self.iter().any(|own| is_loopback(own.address)) && self.contains(source) {
            return true;
        }
        let is_of_a_host = match source {
            // Excludes "this" network (0/8), loopback (127/8), and from 224 on multicast, reserved and
            // broadcast addresses.
            Address::V4(ip) => matches!(ip.octets(), [1..=126 | 128..=223, ..]),
            Address::V6(ip) => {
                let is_mapped = ip.to_ipv4_mapped().is_some();
                !(ip.is_unspecified() || ip.is_loopback() || ip.is_multicast() || is_mapped)
            }
        };
        is_of_a_host && !self.iter().any(|own| own.address == source || own.is_named_by(source))
    }

    /// The source address for a destination (RFC 6724 section 5, rules 1, 2 and 8): the destination itself if
    /// it is ours, else one of the same scope (link-local or not), else the one whose network prefix matches
    /// the most leading bits; of equal ones the first that was added.
    pub(crate) fn source_for(&self, destination: Address) -> Option<Address> {
        let mut best = None;
        for own in self.iter().filter(|own| own.address.is_ipv4() == destination.is_ipv4()) {
            let same = u16::from(own.address == destination);
            let scope = u16::from(is_link_local(own.address) == is_link_local(destination));
            let common = u16::from(common_bits(own.address, destination).min(own.prefix));
            let fitness = same << 9 | scope << 8 | common;
            if best.is_none_or(|(known, _)| fitness > known) {
                best = Some((fitness, own.address));
            }
        }
        best.map(|(_, address)| address)
    }

    /// Each address with its prefix.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Network> {
        self.places.iter().filter_map(AddressPlace::network)
    }
}

impl Network {
    /// The address and prefix; `None` if the build lacks the address family.
    pub(crate) fn of(cidr: Cidr) -> Option<Self> {
        let is_there = match cidr.address {
            IpAddr::V4(_) => IPV4_EXISTS,
            IpAddr::V6(_) => Ipv6Address::EXISTS,
        };
        is_there.then(|| Network { address: cidr.address.into(), prefix: cidr.prefix })
    }

    /// Whether the address is this network's broadcast address or its all-zeros form. IPv6 and point-to-point
    /// links (RFC 3021) have neither.
    fn is_named_by(&self, address: Address) -> bool {
        let (Address::V4(own), Address::V4(address)) = (self.address, address) else {
            return false;
        };
        let hosts = hosts_mask(self.prefix);
        let differs = own.to_bits() ^ address.to_bits();
        let host = address.to_bits() & hosts;
        self.prefix <= 30 && differs & !hosts == 0 && (host == 0 || host == hosts)
    }

    /// Whether the address is in this network.
    pub(crate) fn contains(&self, address: Address) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && common_bits(self.address, address) >= self.prefix
    }
}

impl From<Network> for Cidr {
    fn from(Network { address, prefix }: Network) -> Self {
        Cidr { address: address.into(), prefix }
    }
}

/// The broadcast address of a network; IPv6 and point-to-point links (RFC 3021) have none.
fn broadcast_of(network: &Network) -> Option<Address> {
    let address = match network.address {
        Address::V4(address) => address,
        Address::V6(_) => return None,
    };
    let all = address.to_bits() | hosts_mask(network.prefix);
    (network.prefix <= 30).then(|| Ipv4Addr::from_bits(all).into())
}

/// A mask of the host bits after an IPv4 prefix.
fn hosts_mask(prefix: u8) -> u32 {
    u32::MAX.checked_shr(prefix.into()).unwrap_or(0)
}

/// The error for an address of a family that the build lacks.
const fn left_out(address: IpAddr) -> AddressError {
    match address {
        IpAddr::V4(_) => AddressError::Ipv4LeftOut,
        IpAddr::V6(_) => AddressError::Ipv6LeftOut,
    }
}

/// Length of an address of this family in bits.
pub(crate) const fn bits(address: Address) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn is_link_local(address: Address) -> bool {
    match address {
        Address::V4(ip) => ip.is_link_local(),
        Address::V6(ip) => ip.is_unicast_link_local(),
    }
}

fn is_loopback(address: Address) -> bool {
    match address {
        Address::V4(ip) => ip.is_loopback(),
        Address::V6(ip) => ip.is_loopback(),
    }
}

fn common_bits(a: Address, b: Address) -> u8 {
    let bits = match (a, b) {
        (Address::V4(a), Address::V4(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
        (Address::V6(a), Address::V6(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
        _ => 0,
    };
    bits as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cidr(address: &str, prefix: u8) -> Cidr {
        Cidr { address: address.parse().unwrap(), prefix }
    }

    fn ip(address: &str) -> Address {
        address.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn the_source_shares_the_longest_prefix_with_the_destination() {
        let mut places = [AddressPlace::EMPTY; 6];
        let mut addresses = Addresses::new(Buffer::lent(&mut places));
        let source = |addresses: &Addresses<'_>, to| addresses.source_for(ip(to));
        assert_eq!(source(&addresses, "10.0.0.9"), None);
        for (address, prefix) in [
            ("192.0.2.1", 24),
            ("10.0.0.1", 8),
            ("10.7.0.1", 24),
            ("10.7.0.2", 24),
            ("fe80::1", 64),
            ("2001:db8::1", 64),
        ] {
            assert_eq!(addresses.add(cidr(address, prefix)), Ok(()));
        }
        assert_eq!(source(&addresses, "10.7.0.9"), Some(ip("10.7.0.1")), "added first");
        assert_eq!(source(&addresses, "10.7.0.2"), Some(ip("10.7.0.2")), "our own");
        assert_eq!(source(&addresses, "10.200.0.1"), Some(ip("10.0.0.1")));
        assert_eq!(source(&addresses, "198.51.100.1"), Some(ip("192.0.2.1")));
        assert_eq!(source(&addresses, "fd00::1"), Some(ip("2001:db8::1")), "scope first");
        assert_eq!(source(&addresses, "fe80::2"), Some(ip("fe80::1")));
    }

    #[test]
    fn a_neighbour_is_asked_for_from_the_network_that_it_is_in() {
        let mut places = [AddressPlace::EMPTY; 3];
        let mut addresses = Addresses::new(Buffer::lent(&mut places));
        let asking = |addresses: &Addresses<'_>, to| addresses.asking(ip(to));
        assert_eq!(asking(&addresses, "10.0.0.9"), None);
        for (address, prefix) in [("192.0.2.1", 24), ("10.0.0.1", 8), ("fe80::1", 64)] {
            assert_eq!(addresses.add(cidr(address, prefix)), Ok(()));
        }
        assert_eq!(asking(&addresses, "10.9.9.9"), Some(ip("10.0.0.1")));
        assert_eq!(asking(&addresses, "fe80::2"), Some(ip("fe80::1")));
        assert_eq!(asking(&addresses, "198.51.100.1"), Some(ip("192.0.2.1")), "any");
        assert_eq!(asking(&addresses, "2001:db8::1"), Some(ip("fe80::1")), "any");
    }

    #[test]
    fn a_family_that_was_left_out_is_named() {
        for (new, error, feature) in [
            (cidr("10.0.0.1", 8), AddressError::Ipv4LeftOut, "ipv4"),
            (cidr("2001:db8::1", 64), AddressError::Ipv6LeftOut, "ipv6"),
        ] {
            let mut places = [AddressPlace::EMPTY; 1];
            let mut addresses = Addresses::new(Buffer::lent(&mut places));
            let is_there = Network::of(new).is_some();
            assert_eq!(addresses.add(new), if is_there { Ok(()) } else { Err(error) });
            assert_eq!(left_out(new.address), error);
            assert!(std::format!("{error}").contains(feature));
        }
    }

    #[test]
    fn addresses_come_and_go() {
        let mut places = [AddressPlace::EMPTY; 1];
        let mut addresses = Addresses::new(Buffer::lent(&mut places));
        assert_eq!(addresses.add(cidr("10.0.0.1", 33)), Err(AddressError::Invalid));
        assert_eq!(addresses.add(cidr("224.0.0.1", 4)), Err(AddressError::Invalid));
        assert_eq!(addresses.add(cidr("::", 0)), Err(AddressError::Invalid));
        assert_eq!(addresses.add(cidr("10.0.0.255", 24)), Err(AddressError::Invalid), "broadcast");
        assert_eq!(addresses.add(cidr("10.0.0.1", 24)), Ok(()));
        assert_eq!(addresses.add(cidr("10.0.0.1", 8)), Err(AddressError::Duplicate));
        assert_eq!(addresses.add(cidr("10.0.0.2", 24)), Err(AddressError::NoResources));
        assert!(addresses.contains(ip("10.0.0.1")) && !addresses.contains(ip("10.0.0.2")));
        assert!(
            addresses.is_broadcast(ip("10.0.0.255")) && !addresses.is_broadcast(ip("10.0.0.1"))
        );
        assert_eq!(addresses.remove(cidr("10.0.0.1", 8)), Err(AddressError::Unknown));
        assert_eq!(addresses.remove(cidr("10.0.0.1", 24)), Ok(()));
        assert!(!addresses.contains(ip("10.0.0.1")));
    }
}
