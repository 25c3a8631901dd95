//! IPv4 packets that no TCP sends.

use ackclock::wire::Checksum;
use ackclock_emulator::{HostId, Topology};
use std::net::{IpAddr, Ipv4Addr};

/// Bytes of an IPv4 header.
pub(super) const HEADER: usize = 20;
/// Protocol number for experiments (RFC 3692 section 2.1).
pub(super) const EXPERIMENTAL: u8 = 253;
/// Protocol number of ICMP (RFC 792).
pub(super) const ICMP: u8 = 1;

/// A packet (RFC 791 section 3.1) that may go over so many hops.
pub(super) fn ipv4([from, to]: [Ipv4Addr; 2], protocol: u8, hops: u8, payload: &[u8]) -> Vec<u8> {
    let length = (HEADER + payload.len()) as u16;
    let mut packet = vec![0; HEADER];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    (packet[8], packet[9]) = (hops, protocol);
    packet[12..16].copy_from_slice(&from.octets());
    packet[16..20].copy_from_slice(&to.octets());
    let sum = Checksum::default().over(&packet).complement();
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    packet.extend_from_slice(payload);
    packet
}

/// An echo request (RFC 792) of that sequence number with so many bytes of data.
pub(super) fn echo_request(sequence: u16, data: usize) -> Vec<u8> {
    let mut message = vec![0; 8 + data];
    message[0] = 8;
    message[6..8].copy_from_slice(&sequence.to_be_bytes());
    let sum = Checksum::default().over(&message).complement();
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    message
}

/// The IPv4 address of a host.
pub(super) fn address(topology: &Topology, host: HostId) -> Ipv4Addr {
    match topology.addresses(host)[0] {
        IpAddr::V4(address) => address,
        IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::wire::{Checksums, Protocol, parse_packet};

    #[test]
    fn an_echo_request_is_one() {
        let addresses = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];
        let packet = ipv4(addresses, ICMP, 7, &echo_request(3, 484));
        assert_eq!(packet.len(), 512);
        let checksums = Checksums { ip: true, transport: true };
        let parsed = parse_packet(&packet, checksums).unwrap();
        assert_eq!(parsed.ip.hop_limit, 7);
        assert!(matches!(parsed.protocol, Protocol::EchoRequest(_)));
    }
}
