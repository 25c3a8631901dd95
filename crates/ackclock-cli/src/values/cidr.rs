//! Addresses with their prefix, such as `10.7.0.2/24`.

use ackclock::stack::Cidr;
use std::net::IpAddr;

/// An address and the length of its network prefix.
pub(crate) fn parse_cidr(text: &str) -> Result<Cidr, String> {
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
    fn a_missing_or_long_prefix_is_refused() {
        for text in ["10.7.0.2", "10.7.0.2/33", "fd07::2/129", "10.7.0/24", "10.7.0.2/"] {
            assert!(parse_cidr(text).is_err(), "{text}");
        }
    }
}
