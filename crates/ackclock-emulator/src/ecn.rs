//! Congestion experienced: the mark that a queue sets in a packet's IP header (RFC 3168).

use crate::checksum::updated;

/// Both bits of the ECN field set: congestion experienced (RFC 3168 section 5).
const CE: u8 = 0b11;

/// Sets the CE codepoint if the packet's sender says that it understands ECN; returns whether it
/// did. A packet that is marked already stays so. Anything but IPv4 and IPv6 is not capable.
pub(crate) fn mark(packet: &mut [u8]) -> bool {
    match packet {
        [first, traffic_class, ..] if *first >> 4 == 6 => {
            // Version, traffic class and flow label take 4, 8 and 20 bits (RFC 8200 section 3).
            let capable = *traffic_class & (CE << 4) != 0;
            if capable {
                *traffic_class |= CE << 4;
            }
            capable
        }
        [first, service, _, _, _, _, _, _, _, _, high, low, ..] if *first >> 4 == 4 => {
            let capable = *service & CE != 0;
            if capable {
                let before = u16::from_be_bytes([*first, *service]);
                *service |= CE;
                let after = u16::from_be_bytes([*first, *service]);
                let checksum = updated(u16::from_be_bytes([*high, *low]), before, after);
                [*high, *low] = checksum.to_be_bytes();
            }
            capable
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::ip_packet;
    use ackclock::wire::{Checksums, Ecn, parse_packet};

    /// What is read from the packet after an attempt to mark it; reading verifies the checksum.
    fn marked(v6: bool, ecn: Ecn) -> (bool, Ecn) {
        let mut packet = ip_packet(v6, 1000, ecn, 100);
        let marked = mark(&mut packet);
        (marked, parse_packet(&packet, Checksums::default()).unwrap().ip.ecn)
    }

    #[test]
    fn a_capable_packet_is_marked_and_its_checksum_stays_right() {
        for v6 in [false, true] {
            assert_eq!(marked(v6, Ecn::Ect0), (true, Ecn::Ce));
            assert_eq!(marked(v6, Ecn::Ect1), (true, Ecn::Ce));
            assert_eq!(marked(v6, Ecn::Ce), (true, Ecn::Ce));
        }
    }

    #[test]
    fn other_packets_stay_as_they_are() {
        for v6 in [false, true] {
            assert_eq!(marked(v6, Ecn::NotEct), (false, Ecn::NotEct));
        }
        let mut short = [0x45, 0xff];
        assert!(!mark(&mut short));
        assert_eq!(short, [0x45, 0xff]);
        assert!(!mark(&mut []));
    }

    #[test]
    fn nothing_but_the_mark_and_the_checksum_changes() {
        let before = ip_packet(true, 1000, Ecn::Ect0, 100);
        let mut after = before.clone();
        mark(&mut after);
        assert_eq!((before[1], after[1]), (0x20, 0x30));
        assert_eq!((before[0], &before[2..]), (after[0], &after[2..]));
    }
}
