//! The four-tuple that identifies a connection: two addresses and two ports (RFC 9293 section 3.3.1).

use crate::wire::{Address, Segment};
use core::fmt;
use core::net::{Ipv4Addr, SocketAddr};

/// The unspecified address, for empty records. All zeros.
pub(super) const NOBODY: Address = Address::V4(Ipv4Addr::UNSPECIFIED);

/// One end of a connection: address and port. It takes less memory than a [`SocketAddr`], which also has flow
/// label and scope of IPv6.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct End {
    address: Address,
    port: u16,
}

impl End {
    /// The empty value, all zeros, so that zeroed memory is valid.
    pub(super) const NOBODY: Self = End { address: NOBODY, port: 0 };

    pub(super) const fn new(address: Address, port: u16) -> Self {
        End { address, port }
    }

    pub(super) const fn ip(&self) -> Address {
        self.address
    }

    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn set_port(&mut self, port: u16) {
        self.port = port;
    }
}

impl From<SocketAddr> for End {
    fn from(end: SocketAddr) -> Self {
        End::new(end.ip().into(), end.port())
    }
}

impl From<End> for SocketAddr {
    fn from(end: End) -> Self {
        SocketAddr::new(end.ip().into(), end.port())
    }
}

/// The two ends of a connection, both of one address family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FourTuple {
    /// Our end.
    pub(super) local: End,
    /// The peer's end.
    pub(super) remote: End,
}

impl FourTuple {
    /// The four-tuple of the connection that a received segment belongs to.
    pub(super) fn of(segment: &Segment<'_>) -> Self {
        FourTuple {
            local: End::new(segment.ip.destination, segment.header.destination_port),
            remote: End::new(segment.ip.source, segment.header.source_port),
        }
    }

    /// Whether the addresses are IPv4 ones.
    pub(super) const fn is_ipv4(&self) -> bool {
        self.local.ip().is_ipv4()
    }

    /// Length in bytes of an IP header with these addresses.
    pub(super) const fn ip_header(&self) -> u8 {
        match self.local.ip() {
            Address::V4(_) => 20,
            Address::V6(_) => 40,
        }
    }

    /// The tuple as words for [`Key::hash`](super::siphash::Key::hash); different tuples always give
    /// different words.
    pub(super) fn with_words<R>(&self, use_words: impl FnOnce(&[u64]) -> R) -> R {
        let port = |end: End| u64::from(u16::from_le_bytes(end.port().to_be_bytes()));
        match (self.local.ip(), self.remote.ip()) {
            (Address::V4(local), Address::V4(remote)) => {
                // Four bytes of address and two of port, for each end.
                let address = |ip: Ipv4Addr| u64::from(u32::from_le_bytes(ip.octets()));
                let remote = address(remote);
                use_words(&[
                    address(local) | port(self.local) << 32 | remote << 48,
                    remote >> 16 | port(self.remote) << 16 | 12 << 56,
                ])
            }
            (local, remote) => {
                let [local, remote] = [local, remote].map(octets).map(u128::from_le_bytes);
                use_words(&[
                    local as u64,
                    (local >> 64) as u64,
                    port(self.local) | (remote as u64) << 16,
                    (remote >> 48) as u64,
                    (remote >> 112) as u64 | port(self.remote) << 16 | 36 << 56,
                ])
            }
        }
    }
}

fn octets(address: Address) -> [u8; 16] {
    match address {
        Address::V4(address) => address.to_ipv6_mapped().octets(),
        Address::V6(address) => address.octets(),
    }
}

impl fmt::Display for FourTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [local, remote] = [self.local, self.remote].map(SocketAddr::from);
        write!(f, "{local} to {remote}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_the_bytes_of_both_ends_and_their_number() {
        let bytes = |local: &str, remote: &str| {
            let [local, remote] =
                [local, remote].map(|text| End::from(text.parse::<SocketAddr>().unwrap()));
            FourTuple { local, remote }.with_words(|words| {
                let bytes = words.iter().flat_map(|word| word.to_le_bytes());
                bytes.collect::<std::vec::Vec<u8>>()
            })
        };
        let expected = [10, 1, 2, 3, 0, 80, 10, 4, 5, 6, 1, 2, 0, 0, 0, 12];
        assert_eq!(bytes("10.1.2.3:80", "10.4.5.6:258"), expected);
        let bytes = bytes("[::1]:80", "[::2]:258");
        assert_eq!(bytes.len(), 40);
        assert_eq!(bytes[15..18], [1, 0, 80]);
        assert_eq!(bytes[33..], [2, 1, 2, 0, 0, 0, 36]);
    }
}
