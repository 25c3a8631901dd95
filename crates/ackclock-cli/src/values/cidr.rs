//! Addresses with their prefix, such as `10.7.0.2/24`.

use ackclock::stack::{Cidr, CidrError};
use std::net::IpAddr;

/// Reads the address of a host with the length of its network prefix.
pub(crate) fn parse_cidr(text: &str) -> Result<Cidr, String> {
    let cidr: Cidr = text.parse().map_err(|error: CidrError| error.to_string())?;
    match is_usable(cidr.address, cidr.prefix) {
        true => Ok(cidr),
        false => Err("no host can have this address: give one such as 10.7.0.2/24".into()),
    }
}

/// Whether a host can have the address on an interface (RFC 1122 section 3.2.1.3).
fn is_usable(address: IpAddr, prefix: u8) -> bool {
    if address.is_unspecified() || address.is_multicast() || address.is_loopback() {
        return false;
    }
    let IpAddr::V4(address) = address else {
        return true;
    };
    // The first and the last address of a network are reserved, unless it has only two (RFC 3021).
    let host_bits = u32::MAX.checked_shr(prefix.into()).unwrap_or(0);
    let host = address.to_bits() & host_bits;
    !address.is_broadcast() && (prefix >= 31 || (host != 0 && host != host_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_no_host_can_have_are_refused() {
        for text in [
            "10.7.0.0/24",
            "10.7.0.255/24",
            "255.255.255.255/32",
            "224.0.0.1/8",
            "127.0.0.2/8",
            "0.0.0.0/31",
            "::1/128",
            "::/64",
            "ff02::1/64",
        ] {
            assert!(parse_cidr(text).is_err(), "{text}");
        }
        for text in ["10.7.0.0/31", "10.7.0.255/31", "10.7.0.0/32", "10.7.0.255/16"] {
            assert!(parse_cidr(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_with_a_prefix_is_refused() {
        assert_eq!(parse_cidr("10.7.0.2/33"), Err("the prefix has at most 32 bits".into()));
        assert!(parse_cidr("10.7.0.2").is_err());
    }
}
