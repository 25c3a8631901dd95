//! Our own addresses, and which of them a connection starts from.

use super::tuple::Host;
use super::{AddressError, Cidr};
use crate::storage::Buffer;
use crate::wire::is_unicast;
use core::net::{IpAddr, Ipv4Addr};

/// Most local addresses where storage grows; they are looked through one after another.
const MAX_ADDRESSES: usize = 256;

/// IPv6 link-local addresses share ten bits (RFC 4291 section 2.4).
#[cfg(feature = "ethernet")]
const LINK_LOCAL_PREFIX: u8 = 10;

/// A place for an address. All zeros: nothing is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddressPlace {
    host: Host,
    prefix: u8,
    taken: bool,
}

impl AddressPlace {
    /// Nothing is in it.
    pub(super) const EMPTY: Self = AddressPlace { host: Host::NOBODY, prefix: 0, taken: false };

    fn new(Cidr { address, prefix }: Cidr) -> Self {
        AddressPlace { host: Host::new(address), prefix, taken: true }
    }

    fn cidr(&self) -> Option<Cidr> {
        self.taken.then(|| Cidr { address: self.host.ip(), prefix: self.prefix })
    }
}

/// The local addresses.
#[derive(Debug)]
pub(crate) struct Addresses<'a> {
    places: Buffer<'a, AddressPlace>,
    /// Changes with each address that is added.
    #[cfg(feature = "ethernet")]
    additions: u16,
}

impl<'a> Addresses<'a> {
    /// No address yet.
    pub(super) const fn new(places: Buffer<'a, AddressPlace>) -> Self {
        Addresses {
            places,
            #[cfg(feature = "ethernet")]
            additions: 0,
        }
    }

    /// Adds an address.
    pub(super) fn add(&mut self, new: Cidr) -> Result<(), AddressError> {
        let is_broadcast = broadcast_of(&new) == Some(new.address);
        let left_out = match new.address {
            IpAddr::V4(_) => cfg!(not(feature = "ipv4")),
            IpAddr::V6(_) => cfg!(not(feature = "ipv6")),
        };
        if left_out || new.prefix > bits(new.address) || !is_unicast(new.address) || is_broadcast {
            return Err(AddressError::Invalid);
        }
        if self.contains(new.address) {
            return Err(AddressError::Duplicate);
        }
        let new = AddressPlace::new(new);
        if let Some(place) = self.places.iter_mut().find(|place| !place.taken) {
            *place = new;
        } else if self.places.len() >= MAX_ADDRESSES || self.places.push(new).is_err() {
            return Err(AddressError::NoResources);
        }
        #[cfg(feature = "ethernet")]
        {
            self.additions = self.additions.wrapping_add(1);
        }
        Ok(())
    }

    /// A number that changes with each address that is added.
    #[cfg(feature = "ethernet")]
    pub(crate) const fn additions(&self) -> u16 {
        self.additions
    }

    /// The prefix of the network that we share with a destination, in bits; `None` if it is on no link
    /// of ours. IPv6 link-local addresses are on the link always (RFC 4861 section 5.1).
    #[cfg(feature = "ethernet")]
    pub(crate) fn on_link(&self, destination: IpAddr) -> Option<u8> {
        let shared = self.iter().filter(|cidr| cidr.contains(destination)).map(|cidr| cidr.prefix);
        let is_local = matches!(destination, IpAddr::V6(ip) if ip.is_unicast_link_local());
        shared.chain(is_local.then_some(LINK_LOCAL_PREFIX)).max()
    }

    /// Removes an address; the prefix must be the one it was added with.
    pub(super) fn remove(&mut self, old: Cidr) -> Result<(), AddressError> {
        let mut places = self.places.iter_mut();
        let place = places.find(|place| place.cidr() == Some(old)).ok_or(AddressError::Unknown)?;
        *place = AddressPlace::EMPTY;
        Ok(())
    }

    /// Whether the address is one of ours.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.iter().any(|cidr| cidr.address == address)
    }

    /// Whether it is the broadcast address of a network that we are in (RFC 1122 section 3.2.1.3).
    pub(super) fn is_broadcast(&self, address: IpAddr) -> bool {
        self.iter().any(|cidr| broadcast_of(&cidr) == Some(address))
    }

    /// The source address for a destination: the same address if it is ours, else one of the same
    /// scope (link-local or not), else the one whose network has most leading bits in common with
    /// it (RFC 6724 section 5, rules 1, 2 and 8); the one added first if several are as good.
    pub(crate) fn source_for(&self, destination: IpAddr) -> Option<IpAddr> {
        let fitness = |cidr: &Cidr| {
            (
                cidr.address == destination,
                is_link_local(cidr.address) == is_link_local(destination),
                common_bits(cidr.address, destination).min(cidr.prefix),
            )
        };
        let same_family = self.iter().filter(|c| c.address.is_ipv4() == destination.is_ipv4());
        let best = same_family.reduce(|a, b| if fitness(&b) > fitness(&a) { b } else { a });
        Some(best?.address)
    }

    /// Each address with its prefix.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Cidr> {
        self.places.iter().filter_map(AddressPlace::cidr)
    }
}

/// The address of all hosts of a network; IPv6 and links between two hosts (RFC 3021) have none.
fn broadcast_of(cidr: &Cidr) -> Option<IpAddr> {
    let IpAddr::V4(address) = cidr.address else {
        return None;
    };
    let hosts = u32::MAX.checked_shr(cidr.prefix.into()).unwrap_or(0);
    (cidr.prefix <= 30).then(|| Ipv4Addr::from_bits(address.to_bits() | hosts).into())
}

pub(crate) const fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

pub(super) fn common_bits(a: IpAddr, b: IpAddr) -> u8 {
    let bits = match (a, b) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
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

    fn ip(address: &str) -> IpAddr {
        address.parse().unwrap()
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
