//! The filter of received packets: those for our ports, and ICMP errors about packets from our
//! ports.

use super::held_ports::HeldPorts;
use std::net::Ipv4Addr;

/// The protocol number of TCP (RFC 9293 section 3.1).
pub(super) const TCP: u8 = 6;
/// ICMP errors about a packet (RFC 792): unreachable, source quench, time exceeded, parameter problem.
const ICMP_ERRORS: [u8; 4] = [3, 4, 11, 12];
/// Length of an ICMP header, in bytes.
const ICMP_HEADER: usize = 8;

/// Whether a TCP packet is for one of our ports; `None` if it is not a TCP packet.
pub(super) fn is_for(packet: &[u8], held: &HeldPorts) -> Option<bool> {
    let (source_and_destination, ports) = tcp_ends(packet)?;
    let [_, destination] = source_and_destination;
    let [_, port] = ports;
    Some(destination == held.address() && held.ports().all().contains(&port))
}

/// Whether an ICMP error is about a TCP packet from one of our ports; `None` if it is no ICMP error
/// about TCP.
pub(super) fn is_about(packet: &[u8], held: &HeldPorts) -> Option<bool> {
    let message = packet.get(header_length(packet)?..)?;
    if !ICMP_ERRORS.contains(message.first()?) {
        return None;
    }
    let ([source, _], [port, _]) = tcp_ends(message.get(ICMP_HEADER..)?)?;
    Some(source == held.address() && held.ports().all().contains(&port))
}

/// The addresses and the ports of an IPv4 packet with TCP, source first.
pub(super) fn tcp_ends(packet: &[u8]) -> Option<([Ipv4Addr; 2], [u16; 2])> {
    let address = |at: usize| {
        let bytes: &[u8; 4] = packet.get(at..)?.first_chunk()?;
        Some(Ipv4Addr::from(*bytes))
    };
    let tcp = packet.get(header_length(packet)?..)?;
    let port = |at: usize| Some(u16::from_be_bytes(*tcp.get(at..)?.first_chunk()?));
    let is_tcp = *packet.get(9)? == TCP;
    is_tcp.then_some(([address(12)?, address(16)?], [port(0)?, port(2)?]))
}

/// Length of an IPv4 header, in bytes.
fn header_length(packet: &[u8]) -> Option<usize> {
    let first = packet.first()?;
    (first >> 4 == 4).then_some(usize::from(first & 0xf) * 4)
}
