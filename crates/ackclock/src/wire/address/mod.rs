//! IP addresses of either family.
//!
//! Without the feature `ipv6` an [`Ipv6Address`] cannot exist, so an [`Address`] is as small as an IPv4
//! address, and code for IPv6 compiles to nothing.

#[cfg_attr(not(feature = "ipv6"), path = "absent.rs")]
mod ipv6;

/// The replacement of `ipv6`, compiled for its own tests.
#[cfg(test)]
#[expect(unreachable_pub, reason = "only its tests use it where IPv6 is in use")]
#[allow(clippy::duplicate_mod, reason = "where it stands in, it is there twice")]
mod absent;

use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
pub use ipv6::Ipv6Address;

/// Whether the build has IPv4, as [`Ipv6Address::EXISTS`] says for IPv6.
pub(crate) const IPV4_EXISTS: bool = cfg!(feature = "ipv4");

/// An IP address of a family that the build has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Address {
    /// An IPv4 address.
    V4(Ipv4Addr),
    /// An IPv6 address; it cannot exist without the feature `ipv6`.
    V6(Ipv6Address),
}

impl Address {
    /// Whether it is an IPv4 address.
    #[inline]
    pub const fn is_ipv4(&self) -> bool {
        matches!(self, Address::V4(_))
    }

    /// Whether it is the unspecified address, `0.0.0.0` or `::`.
    #[inline]
    pub fn is_unspecified(&self) -> bool {
        match self {
            Address::V4(address) => address.is_unspecified(),
            Address::V6(address) => address.is_unspecified(),
        }
    }

    /// Whether it is a multicast address.
    #[inline]
    pub fn is_multicast(&self) -> bool {
        match self {
            Address::V4(address) => address.is_multicast(),
            Address::V6(address) => address.is_multicast(),
        }
    }
}

impl From<Ipv4Addr> for Address {
    #[inline]
    fn from(address: Ipv4Addr) -> Self {
        Address::V4(address)
    }
}

/// Without the feature `ipv6` the result is `0.0.0.0`, which no host has.
impl From<Ipv6Addr> for Address {
    #[inline]
    fn from(address: Ipv6Addr) -> Self {
        Ipv6Address::new(address).map_or(Address::V4(Ipv4Addr::UNSPECIFIED), Address::V6)
    }
}

/// An IPv6 address without the feature `ipv6` becomes `0.0.0.0`, which no host has.
impl From<IpAddr> for Address {
    #[inline]
    fn from(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => address.into(),
        }
    }
}

impl From<[u8; 4]> for Address {
    fn from(octets: [u8; 4]) -> Self {
        Address::V4(octets.into())
    }
}

impl From<Address> for IpAddr {
    #[inline]
    fn from(address: Address) -> Self {
        match address {
            Address::V4(address) => IpAddr::V4(address),
            Address::V6(address) => IpAddr::V6(*address),
        }
    }
}

impl PartialEq<IpAddr> for Address {
    fn eq(&self, other: &IpAddr) -> bool {
        IpAddr::from(*self) == *other
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::V4(address) => address.fmt(f),
            Address::V6(address) => address.fmt(f),
        }
    }
}
