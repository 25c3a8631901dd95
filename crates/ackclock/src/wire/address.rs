//! Addresses of IPv4, where IPv6 was left out: what stands in for [`IpAddr`], a quarter as large
//! and with nothing to be told apart.

use core::fmt;
use core::net::{IpAddr, Ipv4Addr};

/// An address of a family that is in use; with the feature `ipv6` it is [`IpAddr`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Address {
    /// Of IPv4.
    V4(Ipv4Addr),
}

impl Address {
    /// Whether it is of IPv4.
    pub const fn is_ipv4(self) -> bool {
        true
    }

    /// Whether it is nobody's.
    pub const fn is_unspecified(self) -> bool {
        let Address::V4(address) = self;
        address.is_unspecified()
    }

    /// Whether it means a group.
    pub const fn is_multicast(self) -> bool {
        let Address::V4(address) = self;
        address.is_multicast()
    }
}

impl From<Ipv4Addr> for Address {
    fn from(address: Ipv4Addr) -> Self {
        Address::V4(address)
    }
}

impl From<[u8; 4]> for Address {
    fn from(octets: [u8; 4]) -> Self {
        Address::V4(octets.into())
    }
}

/// One of the other family is nobody's.
impl From<IpAddr> for Address {
    fn from(address: IpAddr) -> Self {
        Address::V4(match address {
            IpAddr::V4(address) => address,
            IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
        })
    }
}

impl From<Address> for IpAddr {
    fn from(Address::V4(address): Address) -> Self {
        IpAddr::V4(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address::V4(address) = self;
        address.fmt(f)
    }
}
