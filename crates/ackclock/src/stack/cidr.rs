//! Addresses with a network prefix (CIDR notation).

use super::addresses::Network;
use core::fmt;
use core::net::IpAddr;
use core::str::FromStr;

/// An address with the length of its network prefix, as in `10.7.0.2/24`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cidr {
    /// The address.
    pub address: IpAddr,
    /// Length of the network prefix in bits: 0 to 32 or 0 to 128.
    pub prefix: u8,
}

impl Cidr {
    /// Whether the address is in this network; always false for a family that the build lacks.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && Network::of(*self).is_some_and(|network| network.contains(address.into()))
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, CidrError> {
        let (address, prefix) = text.split_once('/').ok_or(CidrError::Form)?;
        let address: IpAddr = address.parse().map_err(|_| CidrError::Form)?;
        let prefix = prefix.parse().map_err(|_| CidrError::Form)?;
        match address {
            IpAddr::V4(_) if prefix > 32 => Err(CidrError::LongerThanIpv4),
            IpAddr::V6(_) if prefix > 128 => Err(CidrError::LongerThanIpv6),
            _ => Ok(Cidr { address, prefix }),
        }
    }
}

/// Why a text is not an address with a prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CidrError {
    /// It does not have the form of one.
    Form,
    /// The prefix is longer than an IPv4 address.
    LongerThanIpv4,
    /// The prefix is longer than an IPv6 address.
    LongerThanIpv6,
}

impl fmt::Display for CidrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CidrError::Form => "not an address with a prefix such as 10.7.0.2/24 or fd07::2/64",
            CidrError::LongerThanIpv4 => "the prefix has at most 32 bits",
            CidrError::LongerThanIpv6 => "the prefix has at most 128 bits",
        })
    }
}

impl core::error::Error for CidrError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "alloc")]
    fn what_is_written_is_read_again() {
        use std::string::ToString;
        for text in ["10.7.0.2/24", "0.0.0.0/0", "fd07::2/128"] {
            assert_eq!(text.parse::<Cidr>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_missing_or_long_prefix_is_refused() {
        let read = |text: &str| text.parse::<Cidr>().unwrap_err();
        for text in ["10.7.0.2", "10.7.0/24", "10.7.0.2/", "10.7.0.2/256", "/24"] {
            assert_eq!(read(text), CidrError::Form, "{text}");
        }
        assert_eq!(read("10.7.0.2/33"), CidrError::LongerThanIpv4);
        assert_eq!(read("fd07::2/129"), CidrError::LongerThanIpv6);
    }

    #[test]
    fn a_network_has_the_addresses_that_share_its_prefix() {
        let network: Cidr = "192.0.2.77/24".parse().unwrap();
        let has = |address: &str| network.contains(address.parse().unwrap());
        assert!(has("192.0.2.0") && has("192.0.2.255"));
        assert!(!has("192.0.3.0") && !has("::ffff:192.0.2.1"));
        assert!("::/0".parse::<Cidr>().unwrap().contains([1; 16].into()));
    }
}
