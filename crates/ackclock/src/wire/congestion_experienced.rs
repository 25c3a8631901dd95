//! Congestion Experienced (CE): the mark that a router sets in a packet's IP header (RFC 3168).

use super::checksum::Checksum;

/// The CE codepoint: both bits of the ECN field are set (RFC 3168 section 5).
const CE: u8 = 0b11;

/// Sets the CE codepoint of an IP packet if it is ECN-capable (RFC 3168 section 5), as routers do; returns
/// whether it is marked now. Anything but IPv4 and IPv6 counts as not ECN-capable.
pub fn mark_congestion(packet: &mut [u8]) -> bool {
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
                let changed = *service | CE;
                // RFC 1624 section 3, equation 3: HC' = ~(~HC + ~m + m'). The checksum of a damaged header
                // stays wrong.
                let words = [!*high, !*low, !*first, !*service, *first, changed];
                let checksum = Checksum::default().over(&words).complement();
                *service = changed;
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
    use crate::wire::{
        Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, WriteChecksum, parse_packet,
        write_packet_header,
    };
    use core::net::IpAddr;
    use std::vec::Vec;

    /// An ack with that codepoint.
    fn ip_packet(v6: bool, ecn: Ecn) -> Vec<u8> {
        let hosts = if v6 { ["fd00::1", "fd00::2"] } else { ["10.0.0.1", "10.0.0.2"] };
        let [source, destination] = hosts.map(|host| host.parse::<IpAddr>().unwrap());
        let ip = IpInfo {
            source: source.into(),
            destination: destination.into(),
            hop_limit: 64,
            dscp: 0,
            ecn,
        };
        let (source_port, destination_port) = (1000, 9);
        let header =
            Header { source_port, destination_port, flags: Flags::ACK, ..Header::default() };
        let mut bytes = [0; MAX_HEADER];
        let sum = WriteChecksum::Complete;
        let written = write_packet_header(&mut bytes, &ip, &header, [&[], &[]], sum);
        bytes[..written].to_vec()
    }

    /// What is read from the packet after an attempt to mark it; reading verifies the checksum.
    fn marked(v6: bool, ecn: Ecn) -> (bool, Ecn) {
        let mut packet = ip_packet(v6, ecn);
        let marked = mark_congestion(&mut packet);
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
        assert!(!mark_congestion(&mut short));
        assert_eq!(short, [0x45, 0xff]);
        assert!(!mark_congestion(&mut []));
    }

    #[test]
    fn nothing_but_the_mark_and_the_checksum_changes() {
        let before = ip_packet(true, Ecn::Ect0);
        let mut after = before.clone();
        mark_congestion(&mut after);
        assert_eq!((before[1], after[1]), (0x20, 0x30));
        assert_eq!((before[0], &before[2..]), (after[0], &after[2..]));
    }
}
