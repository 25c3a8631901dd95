//! Addresses of IPv4, where IPv6 was left out: what stands in for [`IpAddr`] inside, a quarter as large
//! and with nothing to be told apart.

use core::net::{IpAddr, Ipv4Addr};

/// An address of a family that is in use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Address {
    V4(Ipv4Addr),
}

impl Address {
    pub(crate) const fn is_ipv4(self) -> bool {
        true
    }

    pub(crate) const fn is_unspecified(self) -> bool {
        let Address::V4(address) = self;
        address.is_unspecified()
    }

    pub(crate) const fn is_multicast(self) -> bool {
        let Address::V4(address) = self;
        address.is_multicast()
    }
}

impl From<Ipv4Addr> for Address {
    fn from(address: Ipv4Addr) -> Self {
        Address::V4(address)
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
