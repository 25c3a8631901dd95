//! Unfinished packets: sockets show them with checksums that are still to be completed, or longer
//! than the MTU, a form in which no network carries them.
//!
//! Between namespaces of one machine (veth) checksums are not computed and packets are not
//! segmented, and segments that arrive from a network are put together (GRO). IP and packet sockets
//! show such packets. In both cases the checksum field of TCP has the sum of the pseudo-header
//! alone, for a device to complete. The payload has then never left this machine's memory, or was
//! verified before, so that the packet is taken without verification. All other checksums are
//! verified.

use ackclock::stack::Received;
use ackclock::wire::{Checksum, Checksums};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the checksum lies in a TCP header (RFC 9293 section 3.1).
const TCP_CHECKSUM: usize = 16;
/// The protocol number of TCP.
const TCP: u8 = 6;
/// Length of an IPv6 header without extensions.
const IPV6_HEADER: usize = 40;

/// Notes of the unfinished packets that a link has received, for a message to the user.
#[derive(Debug, Default)]
pub struct Unfinished {
    checksum: AtomicBool,
    long: AtomicBool,
}

impl Unfinished {
    /// The packet with the checksums that the stack has to verify; `mtu` is the interface's. Takes
    /// a note if the packet is unfinished.
    pub(crate) fn accept<'p>(&self, packet: &'p [u8], mtu: u32) -> Received<'p> {
        let unfilled = lacks_checksum(packet).unwrap_or(false);
        if unfilled {
            self.checksum.store(true, Ordering::Relaxed);
        }
        if packet.len() > mtu as usize {
            self.long.store(true, Ordering::Relaxed);
        }
        Received { packet, verify: Checksums { transport: !unfilled, ..Checksums::default() } }
    }

    /// A line about unfinished packets on this interface, with the command that ends them; `None`
    /// if there were none.
    pub fn note(&self, interface: &str) -> Option<String> {
        let checksum = self.checksum.load(Ordering::Relaxed);
        let what = match (self.long.load(Ordering::Relaxed), checksum) {
            (false, false) => return None,
            (true, _) => {
                "packets longer than the MTU, put together or never cut on this machine, were taken \
                 as they are"
            }
            (false, true) => {
                "packets without TCP checksum from this machine were taken as they are"
            }
        };
        Some(format!(
            "{what}; to see them as a network carries them run 'sudo ethtool -K {interface} gro off \
             lro off', and where they come from 'sudo ethtool -K INTERFACE tx off'"
        ))
    }
}

/// Whether a TCP packet's checksum is left to a device: its field has the sum of the pseudo-header (not
/// inverted), as the device wants it, and is no complete checksum, which one in 65,536 of those sums
/// would be. `None` if it is no TCP packet.
fn lacks_checksum(packet: &[u8]) -> Option<bool> {
    let first = *packet.first()?;
    let (offset, length, protocol, addresses) = match first >> 4 {
        4 => {
            let length = u16::from_be_bytes(*packet.get(2..)?.first_chunk()?);
            (usize::from(first & 0xf) * 4, usize::from(length), packet.get(9)?, packet.get(12..20)?)
        }
        6 => {
            let length = u16::from_be_bytes(*packet.get(4..)?.first_chunk()?);
            let length = usize::from(length) + IPV6_HEADER;
            (IPV6_HEADER, length, packet.get(6)?, packet.get(8..IPV6_HEADER)?)
        }
        _ => return None,
    };
    let segment = packet.get(offset..length);
    let length = u16::try_from(length.checked_sub(offset)?).ok()?;
    if *protocol != TCP {
        return None;
    }
    let field = packet.get(offset.checked_add(TCP_CHECKSUM)?..)?.first_chunk()?;
    let [high, low] = length.to_be_bytes();
    let pseudo = Checksum::default().over(addresses).over(&[0, TCP, high, low]);
    let is_complete = || segment.is_some_and(|segment| pseudo.over(segment).complement() == 0);
    Some(u16::from_be_bytes(*field) == pseudo.sum() && !is_complete())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::seq::SeqNumber;
    use ackclock::wire::{
        Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, WriteChecksum, parse_packet,
        write_packet_header,
    };
    use std::net::IpAddr;

    fn packet(v4: bool, checksum: WriteChecksum) -> Vec<u8> {
        let address = |n: u8| -> IpAddr {
            if v4 { [10, 0, 0, n].into() } else { [0xfd00, 0, 0, 0, 0, 0, 0, n.into()].into() }
        };
        let ip = IpInfo {
            source: address(1).into(),
            destination: address(2).into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let header = Header {
            source_port: 1,
            destination_port: 2,
            seq: SeqNumber(3),
            ack: SeqNumber(4),
            flags: Flags::ACK,
            window: 5,
            urgent_pointer: 0,
            options: Options::default(),
        };
        let mut bytes = [0; MAX_HEADER];
        let length = write_packet_header(&mut bytes, &ip, &header, [b"payload", b""], checksum);
        [&bytes[..length], b"payload"].concat()
    }

    #[test]
    fn a_checksum_that_is_still_to_be_filled_in_is_not_verified_and_told_of() {
        for v4 in [true, false] {
            let seen = Unfinished::default();
            let packet = packet(v4, WriteChecksum::PseudoHeader);
            assert!(!seen.accept(&packet, 1500).verify.transport);
            let note = seen.note("veth0").unwrap();
            assert!(note.starts_with("packets without TCP checksum"), "{note}");
            assert!(note.contains("'sudo ethtool -K veth0 gro off lro off'"), "{note}");
        }
    }

    #[test]
    fn any_other_checksum_is_verified_and_nothing_is_told() {
        for v4 in [true, false] {
            let seen = Unfinished::default();
            let whole = packet(v4, WriteChecksum::Complete);
            assert_eq!(seen.accept(&whole, 1500), Received::unverified(&whole));
            let mut damaged = packet(v4, WriteChecksum::PseudoHeader);
            damaged[if v4 { 36 } else { 56 }] ^= 1;
            assert_eq!(seen.accept(&damaged, 1500), Received::unverified(&damaged));
            assert_eq!(seen.note("veth0"), None);
        }
    }

    #[test]
    fn a_complete_checksum_that_happens_to_be_the_sum_of_the_pseudo_header_is_verified() {
        for v4 in [true, false] {
            let mut whole = packet(v4, WriteChecksum::Complete);
            let unfinished = packet(v4, WriteChecksum::PseudoHeader);
            let tcp = if v4 { 20 } else { 40 };
            let field = |packet: &[u8]| u16::from_be_bytes([packet[tcp + 16], packet[tcp + 17]]);
            // What the urgent pointer, meaningless here, adds is what the sum lacks.
            let urgent = u32::from(field(&whole)) + 0xffff - u32::from(field(&unfinished));
            let urgent = (urgent % 0xffff) as u16;
            whole[tcp + 16..tcp + 18].copy_from_slice(&unfinished[tcp + 16..tcp + 18]);
            whole[tcp + 18..tcp + 20].copy_from_slice(&urgent.to_be_bytes());
            assert!(parse_packet(&whole, Checksums::default()).is_ok(), "it is complete");
            let seen = Unfinished::default();
            assert_eq!(seen.accept(&whole, 1500), Received::unverified(&whole));
            assert_eq!(seen.note("veth0"), None);
        }
    }

    #[test]
    fn a_packet_longer_than_the_mtu_is_told_of() {
        let seen = Unfinished::default();
        let packet = packet(true, WriteChecksum::Complete);
        assert!(seen.accept(&packet, packet.len() as u32 - 1).verify.transport);
        assert!(seen.note("eth0").unwrap().starts_with("packets longer than the MTU"));
    }

    #[test]
    fn what_is_no_tcp_packet_is_left_to_the_stack() {
        let seen = Unfinished::default();
        let mut udp = packet(true, WriteChecksum::PseudoHeader);
        udp[9] = 17;
        for packet in [&udp[..], &[], &[0x45; 10], &[0x4f; 30], &[0x60; 39], &[1; 60]] {
            assert_eq!(seen.accept(packet, 1500), Received::unverified(packet));
        }
    }
}
