//! IP headers, as far as routers and links read and change them.

use super::checksum::{is_sound, updated};
use std::net::IpAddr;

/// The protocol number of TCP (RFC 9293 section 3.1).
const TCP: u8 = 6;
/// The protocol number of ICMP (RFC 792) and of ICMPv6 (RFC 4443).
const ICMP: u8 = 1;
const ICMPV6: u8 = 58;

/// The fields of an IP header that a router needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IpHeader {
    pub(crate) source: IpAddr,
    pub(crate) destination: IpAddr,
    pub(crate) hop_limit: u8,
    /// Length of the packet in bytes, according to the header.
    pub(crate) length: usize,
}

/// Reads an IP header. `None` if a router has to drop the packet (RFC 1812 section 5.2.2): it is
/// too short or of another version, its length field is above the number of bytes that came, or the
/// checksum is wrong.
pub(crate) fn read(packet: &[u8]) -> Option<IpHeader> {
    let header = match packet.first()? >> 4 {
        4 => {
            let fixed = packet.first_chunk::<20>()?;
            if !is_sound(packet.get(..header_length(fixed[0]))?) {
                return None;
            }
            IpHeader {
                source: <[u8; 4]>::try_from(&fixed[12..16]).ok()?.into(),
                destination: <[u8; 4]>::try_from(&fixed[16..]).ok()?.into(),
                hop_limit: fixed[8],
                length: u16::from_be_bytes([fixed[2], fixed[3]]).into(),
            }
        }
        6 => {
            let fixed = packet.first_chunk::<40>()?;
            IpHeader {
                source: <[u8; 16]>::try_from(&fixed[8..24]).ok()?.into(),
                destination: <[u8; 16]>::try_from(&fixed[24..]).ok()?.into(),
                hop_limit: fixed[7],
                length: 40 + usize::from(u16::from_be_bytes([fixed[4], fixed[5]])),
            }
        }
        _ => return None,
    };
    (header.length <= packet.len()).then_some(header)
}

/// Takes one from the hop limit of a packet that [`read`] could read.
pub(crate) fn decrement_hop_limit(packet: &mut [u8]) {
    match packet {
        [first, _, _, _, _, _, _, hop_limit, ..] if *first >> 4 == 6 => {
            *hop_limit = hop_limit.saturating_sub(1);
        }
        [_, _, _, _, _, _, _, _, time_to_live, protocol, high, low, ..] => {
            let before = u16::from_be_bytes([*time_to_live, *protocol]);
            *time_to_live = time_to_live.saturating_sub(1);
            let after = u16::from_be_bytes([*time_to_live, *protocol]);
            let checksum = updated(u16::from_be_bytes([*high, *low]), before, after);
            [*high, *low] = checksum.to_be_bytes();
        }
        _ => {}
    }
}

/// Whether a router may answer this packet with an ICMP error: not if it is an ICMP error itself
/// (RFC 1812 section 4.3.2.7, RFC 4443 section 2.4) or a later fragment.
pub(crate) fn may_be_answered(packet: &[u8]) -> bool {
    let Some((protocol, transport)) = transport(packet) else { return false };
    let kind = transport.first().copied();
    match protocol {
        // Echo, timestamp and information messages are not errors (RFC 792).
        ICMP => matches!(kind, Some(0 | 8 | 13..=18)),
        ICMPV6 => kind.is_some_and(|kind| kind >= 128),
        _ => true,
    }
}

/// Whether a packet is a TCP segment without payload.
pub(crate) fn is_bare_segment(packet: &[u8]) -> bool {
    let Some((TCP, segment)) = transport(packet) else { return false };
    let data_offset = segment.get(12).map(|byte| usize::from(byte >> 4) * 4);
    data_offset == Some(segment.len())
}

/// The protocol behind the IP header and its bytes. IPv6 extension headers count as a protocol.
/// `None` for later fragments and unreadable packets.
fn transport(packet: &[u8]) -> Option<(u8, &[u8])> {
    match packet.first()? >> 4 {
        4 => {
            let fixed = packet.first_chunk::<20>()?;
            let offset = u16::from_be_bytes([fixed[6], fixed[7]]) & 0x1fff;
            let length = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
            let rest = packet.get(header_length(fixed[0])..length)?;
            (offset == 0).then_some((fixed[9], rest))
        }
        6 => {
            let (fixed, rest) = packet.split_first_chunk::<40>()?;
            let length = usize::from(u16::from_be_bytes([fixed[4], fixed[5]]));
            Some((fixed[6], rest.get(..length)?))
        }
        _ => None,
    }
}

/// Length in bytes of an IPv4 header with this first byte. A length below 20 is none, and the
/// checksum over it fails.
fn header_length(first: u8) -> usize {
    usize::from(first & 0xf) * 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::ip_packet;
    use ackclock::wire::{Checksums, Ecn, parse_packet};

    fn segment(v6: bool, length: usize) -> Vec<u8> {
        ip_packet(v6, 1000, Ecn::NotEct, length)
    }

    #[test]
    fn a_header_is_read_and_its_hop_limit_taken_from() {
        for (v6, source, destination) in
            [(false, "10.0.0.1", "10.0.0.2"), (true, "fd00::1", "fd00::2")]
        {
            let mut packet = segment(v6, 100);
            let expected = IpHeader {
                source: source.parse().unwrap(),
                destination: destination.parse().unwrap(),
                hop_limit: 64,
                length: 100,
            };
            assert_eq!(read(&packet), Some(expected));
            for hop_limit in (0..64).rev() {
                decrement_hop_limit(&mut packet);
                assert_eq!(read(&packet), Some(IpHeader { hop_limit, ..expected }));
            }
            // The stack agrees about every checksum.
            let parsed = parse_packet(&packet, Checksums::default()).unwrap();
            assert_eq!(parsed.ip.hop_limit, 0);
        }
    }

    #[test]
    fn what_is_no_header_is_not_read() {
        for v6 in [false, true] {
            let packet = segment(v6, 100);
            for length in 0..100 {
                assert_eq!(read(&packet[..length]), None, "{length}");
            }
        }
        let mut packet = segment(false, 100);
        packet[16] ^= 1;
        assert_eq!(read(&packet), None);
        assert_eq!(read(&[0x40; 100]), None);
        assert_eq!(read(&[0x75; 100]), None);
    }

    #[test]
    fn a_bare_segment_has_headers_only() {
        for (v6, headers) in [(false, 40), (true, 60)] {
            assert!(is_bare_segment(&segment(v6, headers)));
            assert!(!is_bare_segment(&segment(v6, headers + 1)));
            // Padding behind the packet is no payload.
            let mut padded = segment(v6, headers);
            padded.extend([0; 6]);
            assert!(is_bare_segment(&padded));
        }
        let mut udp = segment(false, 40);
        udp[9] = 17;
        assert!(!is_bare_segment(&udp) && !is_bare_segment(&[]));
    }

    #[test]
    fn errors_and_later_fragments_are_not_answered() {
        let message = |v6: bool, kind: u8| {
            let mut packet = segment(v6, 100);
            let (protocol, at) = if v6 { (6, 40) } else { (9, 20) };
            packet[protocol] = if v6 { ICMPV6 } else { ICMP };
            packet[at] = kind;
            may_be_answered(&packet)
        };
        assert_eq!(
            [0, 3, 5, 8, 11, 12].map(|kind| message(false, kind)),
            [true, false, false, true, false, false]
        );
        assert_eq!(
            [1, 2, 3, 4, 128, 129].map(|kind| message(true, kind)),
            [false, false, false, false, true, true]
        );
        assert!(may_be_answered(&segment(false, 100)) && may_be_answered(&segment(true, 100)));
        let mut fragment = segment(false, 100);
        fragment[7] = 1;
        assert!(!may_be_answered(&fragment) && !may_be_answered(&[]));
    }
}
