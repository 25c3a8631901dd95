//! Addresses with their prefix, such as `10.7.0.2/24`.

use ackclock::stack::Cidr;
use std::net::IpAddr;

/// The address of a host, and the length of its network prefix.
pub(crate) fn parse_cidr(text: &str) -> Result<Cidr, String> {
    let Cidr { address, prefix } = parse(text)?;
    if !is_usable(address, prefix) {
        return Err("no host can have this address: give one such as 10.7.0.2/24".into());
    }
    Ok(Cidr { address, prefix })
}

/// A network, or one address.
pub(crate) fn parse_network(text: &str) -> Result<Cidr, String> {
    match text.parse() {
        Ok(address @ IpAddr::V4(_)) => Ok(Cidr { address, prefix: 32 }),
        Ok(address @ IpAddr::V6(_)) => Ok(Cidr { address, prefix: 128 }),
        Err(_) => parse(text),
    }
}

/// An address with a prefix that it can have.
fn parse(text: &str) -> Result<Cidr, String> {
    let usage = || "not an address with a prefix such as 10.7.0.2/24 or fd07::2/64".to_owned();
    let (address, prefix) = text.split_once('/').ok_or_else(usage)?;
    let address: IpAddr = address.parse().map_err(|_| usage())?;
    let prefix: u8 = prefix.parse().map_err(|_| usage())?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    if prefix > bits {
        return Err(format!("the prefix has at most {bits} bits"));
    }
    Ok(Cidr { address, prefix })
}

/// Whether an address is in a network.
pub(crate) fn contains(network: &Cidr, address: IpAddr) -> bool {
    match (network.address, address) {
        (IpAddr::V4(network_address), IpAddr::V4(address)) => {
            let differ = network_address.to_bits() ^ address.to_bits();
            differ.leading_zeros() >= network.prefix.into()
        }
        (IpAddr::V6(network_address), IpAddr::V6(address)) => {
            let differ = network_address.to_bits() ^ address.to_bits();
            differ.leading_zeros() >= network.prefix.into()
        }
        _ => false,
    }
}

/// Whether an interface can be given the address, for others to talk to (RFC 1122 section 3.2.1.3).
fn is_usable(address: IpAddr, prefix: u8) -> bool {
    if address.is_unspecified() || address.is_multicast() || address.is_loopback() {
        return false;
    }
    let IpAddr::V4(address) = address else {
        return true;
    };
    // The first and the last address of a network are its own, unless it has only two (RFC 3021).
    let host_bits = u32::MAX.checked_shr(prefix.into()).unwrap_or(0);
    let host = address.to_bits() & host_bits;
    !address.is_broadcast() && (prefix >= 31 || (host != 0 && host != host_bits))
}

/// The address and its prefix, as they are read.
pub(crate) fn cidr_text(cidr: &Cidr) -> String {
    format!("{}/{}", cidr.address, cidr.prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_families_are_read() {
        let cidr = |address: &str, prefix| Cidr { address: address.parse().unwrap(), prefix };
        assert_eq!(parse_cidr("10.7.0.2/24"), Ok(cidr("10.7.0.2", 24)));
        assert_eq!(parse_cidr("fd07::2/128"), Ok(cidr("fd07::2", 128)));
        assert_eq!(cidr_text(&cidr("fd07::2", 64)), "fd07::2/64");
    }

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
    fn a_missing_or_long_prefix_is_refused() {
        for text in ["10.7.0.2", "10.7.0.2/33", "fd07::2/129", "10.7.0/24", "10.7.0.2/"] {
            assert!(parse_cidr(text).is_err(), "{text}");
        }
    }
}
