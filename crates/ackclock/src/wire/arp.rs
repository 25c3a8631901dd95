//! The Address Resolution Protocol for IPv4 over Ethernet (RFC 826).

use super::EthernetAddress;
use core::net::Ipv4Addr;

/// Length of an ARP packet, in bytes.
const ARP_PACKET: usize = 28;

/// The first six bytes of a packet: hardware type Ethernet, protocol IPv4, and the lengths of their
/// addresses.
const KIND: [u8; 6] = [0, 1, 8, 0, 6, 4];

/// Operations `ares_op$REQUEST` and `ares_op$REPLY` (RFC 826).
const REQUEST: u8 = 1;
const REPLY: u8 = 2;

/// An ARP request or reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arp {
    /// Whether it is a request, for the target's hardware address; otherwise it is a reply.
    pub(crate) is_request: bool,
    pub(crate) sender_hardware: EthernetAddress,
    pub(crate) sender: Ipv4Addr,
    pub(crate) target_hardware: EthernetAddress,
    pub(crate) target: Ipv4Addr,
}

impl Arp {
    /// Reads a packet; `None` if it is truncated, or not for IPv4 over Ethernet.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let packet = bytes.first_chunk::<ARP_PACKET>()?;
        let (kind, packet) = packet.split_first_chunk()?;
        let (&[0, operation @ (REQUEST | REPLY)], packet) = packet.split_first_chunk()? else {
            return None;
        };
        let (sender_hardware, packet) = packet.split_first_chunk()?;
        let (sender, packet) = packet.split_first_chunk::<4>()?;
        let (target_hardware, target) = packet.split_first_chunk()?;
        (*kind == KIND).then_some(Arp {
            is_request: operation == REQUEST,
            sender_hardware: EthernetAddress(*sender_hardware),
            sender: Ipv4Addr::from_octets(*sender),
            target_hardware: EthernetAddress(*target_hardware),
            target: Ipv4Addr::from_octets(*target.first_chunk()?),
        })
    }

    /// The packet's bytes.
    pub(crate) const fn octets(&self) -> [u8; ARP_PACKET] {
        let operation = if self.is_request { REQUEST } else { REPLY };
        let EthernetAddress([h0, h1, h2, h3, h4, h5]) = self.sender_hardware;
        let EthernetAddress([t0, t1, t2, t3, t4, t5]) = self.target_hardware;
        let [a, b, c, d] = self.sender.octets();
        let [e, f, g, h] = self.target.octets();
        #[rustfmt::skip]
        return [
            0, 1, 8, 0, 6, 4, 0, operation,
            h0, h1, h2, h3, h4, h5, a, b, c, d,
            t0, t1, t2, t3, t4, t5, e, f, g, h,
        ];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: Arp = Arp {
        is_request: true,
        sender_hardware: EthernetAddress([2, 0, 0, 0, 0, 1]),
        sender: Ipv4Addr::new(10, 0, 0, 1),
        target_hardware: EthernetAddress([3, 4, 5, 6, 7, 8]),
        target: Ipv4Addr::new(10, 0, 0, 2),
    };

    #[test]
    fn a_packet_has_the_bytes_of_rfc_826() {
        let bytes =
            [0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 3, 4, 5, 6, 7, 8, 10, 0, 0, 2];
        assert_eq!(PACKET.octets(), bytes);
        assert_eq!(Arp::parse(&bytes), Some(PACKET));
        let reply = Arp { is_request: false, ..PACKET };
        assert_eq!(Arp::parse(&reply.octets()), Some(reply));
    }

    #[test]
    fn what_is_not_ipv4_over_ethernet_is_no_packet() {
        let bytes = PACKET.octets();
        assert_eq!(Arp::parse(&bytes[..27]), None);
        for at in 0..8 {
            let mut other = bytes;
            other[at] ^= 0x40;
            assert_eq!(Arp::parse(&other), None, "{at}");
        }
    }
}
