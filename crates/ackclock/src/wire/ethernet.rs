//! Ethernet frames (RFC 894, RFC 2464): a header of fourteen bytes, and a payload of the type in it.

use core::fmt;
use core::net::Ipv6Addr;

/// Bytes of an Ethernet header.
pub const ETHERNET_HEADER: usize = 14;

/// The 48-bit address of an Ethernet interface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct EthernetAddress(pub [u8; 6]);

impl EthernetAddress {
    /// The broadcast address: all interfaces of a link.
    pub const BROADCAST: EthernetAddress = EthernetAddress([0xff; 6]);

    /// The group address for packets to an IPv6 multicast address (RFC 2464 section 7).
    pub const fn multicast(group: Ipv6Addr) -> Self {
        let [.., a, b, c, d] = group.octets();
        EthernetAddress([0x33, 0x33, a, b, c, d])
    }

    /// Whether this is a group address; the broadcast address is one.
    pub const fn is_group(self) -> bool {
        let EthernetAddress([first, ..]) = self;
        first & 1 != 0
    }

    /// Whether this can be the address of one interface: neither a group address nor all zeros.
    pub fn is_station(self) -> bool {
        !self.is_group() && self != EthernetAddress::default()
    }
}

impl fmt::Display for EthernetAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EthernetAddress([a, b, c, d, e, g]) = self;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// The protocol that a frame carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EtherType {
    /// An IPv4 packet (RFC 894).
    Ipv4,
    /// An ARP packet (RFC 826).
    Arp,
    /// An IPv6 packet (RFC 2464).
    Ipv6,
}

impl EtherType {
    const fn of(octets: [u8; 2]) -> Option<Self> {
        Some(match octets {
            [0x08, 0x00] => EtherType::Ipv4,
            [0x08, 0x06] => EtherType::Arp,
            [0x86, 0xdd] => EtherType::Ipv6,
            _ => return None,
        })
    }

    const fn octets(self) -> [u8; 2] {
        match self {
            EtherType::Ipv4 => [0x08, 0x00],
            EtherType::Arp => [0x08, 0x06],
            EtherType::Ipv6 => [0x86, 0xdd],
        }
    }
}

/// A received frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) destination: EthernetAddress,
    pub(crate) source: EthernetAddress,
    /// The type of the payload; `None` for a protocol that is not implemented.
    pub(crate) kind: Option<EtherType>,
    /// The payload; short frames include padding.
    pub(crate) payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Reads a frame; `None` if it is shorter than its header.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        // Copied as arrays; read byte by byte they would be reassembled each time.
        let (header, payload) = bytes.split_first_chunk::<ETHERNET_HEADER>()?;
        let (destination, header) = header.split_first_chunk()?;
        let (source, kind) = header.split_first_chunk()?;
        Some(Frame {
            destination: EthernetAddress(*destination),
            source: EthernetAddress(*source),
            kind: EtherType::of(*kind.first_chunk()?),
            payload,
        })
    }
}

/// Makes the header of a frame.
#[inline(never)]
pub(crate) const fn ethernet_header(
    destination: EthernetAddress,
    source: EthernetAddress,
    kind: EtherType,
) -> [u8; ETHERNET_HEADER] {
    let EthernetAddress([a, b, c, d, e, f]) = destination;
    let EthernetAddress([g, h, i, j, k, l]) = source;
    let [high, low] = kind.octets();
    [a, b, c, d, e, f, g, h, i, j, k, l, high, low]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_header_reads_as_it_was_written() {
        let (to, from) = (EthernetAddress([1, 2, 3, 4, 5, 6]), EthernetAddress([2, 0, 0, 0, 0, 9]));
        for kind in [EtherType::Ipv4, EtherType::Arp, EtherType::Ipv6] {
            let header = ethernet_header(to, from, kind);
            let frame = Frame { destination: to, source: from, kind: Some(kind), payload: &[] };
            assert_eq!(Frame::parse(&header), Some(frame));
        }
        let unknown = [0; 15];
        let frame = Frame::parse(&unknown).unwrap();
        assert_eq!((frame.kind, frame.payload), (None, &[0][..]));
        assert_eq!(Frame::parse(&unknown[..13]), None);
    }

    #[test]
    fn groups_are_told_from_stations() {
        assert!(EthernetAddress::BROADCAST.is_group());
        let group = EthernetAddress::multicast("ff02::1:ff03:405".parse().unwrap());
        assert_eq!(group.to_string(), "33:33:ff:03:04:05");
        assert!(group.is_group() && !group.is_station());
        assert!(EthernetAddress([2, 0, 0, 0, 0, 1]).is_station());
        assert!(!EthernetAddress::default().is_station());
    }
}
