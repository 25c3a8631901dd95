//! The flow that a packet belongs to (RFC 8290 section 4.1).

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// Protocol numbers whose header begins with the ports.
const TCP: u8 = 6;
const UDP: u8 = 17;

/// A keyed hash of a packet's addresses, protocol and, for TCP and UDP, ports; the same on every
/// platform. Fragments are hashed without ports, packets that are neither IPv4 nor IPv6 by all
/// their bytes.
pub(super) fn hash(key: [u64; 2], packet: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(key[0], key[1]);
    let (protocol, addresses, transport) = parts(packet).unwrap_or((0, packet, &[]));
    hasher.write(&[protocol]);
    hasher.write(addresses);
    if let (TCP | UDP, Some(ports)) = (protocol, transport.get(..4)) {
        hasher.write(ports);
    }
    hasher.finish()
}

/// A packet's protocol, both addresses, and the bytes after the IP header, which are left out for a
/// fragment.
fn parts(packet: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let first = packet.first()?;
    match first >> 4 {
        4 => {
            let header = packet.get(..20)?;
            let fragmented = u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0;
            let length = usize::from(first & 0xf) * 4;
            let transport = if fragmented { &[][..] } else { packet.get(length..)? };
            Some((header[9], &header[12..20], transport))
        }
        6 => {
            let header = packet.get(..40)?;
            Some((header[6], &header[8..40], &packet[40..]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::ip_packet;
    use ackclock::wire::Ecn;

    #[test]
    fn a_flow_is_its_addresses_protocol_and_ports() {
        for v6 in [false, true] {
            let flow = |port, length| hash([1, 2], &ip_packet(v6, port, Ecn::NotEct, length));
            assert_eq!(flow(1, 100), flow(1, 1000));
            assert_ne!(flow(1, 100), flow(2, 100));
            let mut other = ip_packet(v6, 1, Ecn::NotEct, 100);
            other[16] ^= 1;
            assert_ne!(flow(1, 100), hash([1, 2], &other));
        }
    }

    #[test]
    fn another_key_gives_another_hash() {
        let packet = ip_packet(false, 1, Ecn::NotEct, 100);
        assert_ne!(hash([1, 2], &packet), hash([1, 3], &packet));
    }

    #[test]
    fn fragments_of_one_packet_stay_together() {
        let fragment = |offset: u8, port| {
            let mut packet = ip_packet(false, port, Ecn::NotEct, 100);
            (packet[6], packet[7]) = (0x20, offset);
            hash([1, 2], &packet)
        };
        assert_eq!(fragment(0, 1), fragment(9, 2));
    }

    #[test]
    fn bytes_that_are_no_packet_have_a_flow_too() {
        for bytes in [&[][..], &[0x45], &[0x60; 39], &[0x4f; 20], &[0; 100]] {
            assert_eq!(hash([1, 2], bytes), hash([1, 2], bytes));
        }
    }
}
