//! Probes as bytes.
//!
//! All probes of a flow look alike to routers that spread flows over several paths: the same ports,
//! and for ICMP the same checksum, so that they all take the same one. Echo requests have the same
//! checksum whoever sends them, so that a burst goes where the route was seen.

use super::{Flow, Method, Probe, ProbeError};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    Icmpv4Message, Icmpv4Packet, Icmpv6Message, Icmpv6Packet, IpAddress, IpProtocol, Ipv4Packet,
    TcpControl, TcpPacket, TcpRepr, TcpSeqNumber, UdpPacket,
};
use std::net::{IpAddr, Ipv4Addr};

/// Longest probe in bytes: what Ethernet carries.
pub const LARGEST: u16 = 1500;

/// The port that no service has, by traceroute's tradition.
pub const UDP_PORT: u16 = 33_434;

/// Headers of an echo request and of a UDP datagram, in bytes.
const SHORT_HEADER: usize = 8;
/// TCP header without options, in bytes.
const TCP_HEADER: usize = 20;
/// IPv4 header without options, and IPv6 header, in bytes.
const IP_HEADERS: [usize; 2] = [20, 40];
/// Makes up for what differs in the checksum, in bytes.
const BALANCE: usize = 2;

/// The least length of a probe with its IP header, in bytes.
pub const fn least_bytes(method: Method, target: IpAddr) -> u16 {
    let [v4, v6] = IP_HEADERS;
    let ip = if target.is_ipv4() { v4 } else { v6 };
    let rest = match method {
        Method::Icmp => SHORT_HEADER + BALANCE,
        Method::Udp => SHORT_HEADER + BALANCE,
        Method::Tcp => TCP_HEADER,
    };
    (ip + rest) as u16
}

impl Flow {
    /// The probe without its IP header, whose length is deducted.
    pub(super) fn payload(&self, probe: Probe) -> Result<Vec<u8>, ProbeError> {
        let least = least_bytes(self.method, self.target);
        let Probe { number, bytes, .. } = probe;
        if !(least..=LARGEST).contains(&bytes) {
            return Err(ProbeError::Size { bytes, least });
        }
        let [v4, v6] = IP_HEADERS;
        let ip = if self.target.is_ipv4() { v4 } else { v6 };
        let payload = vec![0; usize::from(bytes) - ip];
        Ok(match self.method {
            Method::Icmp => self.echo_request(payload, number),
            Method::Udp => self.datagram(payload, number),
            Method::Tcp => self.syn(payload, number),
        })
    }

    fn echo_request(&self, mut payload: Vec<u8>, number: u16) -> Vec<u8> {
        // What these add to the checksum their complement takes away; over IPv6 the length is in it.
        let length = if self.target.is_ipv4() { 0 } else { payload.len() as u16 };
        let balance = !sum(sum(self.identifier, number), length);
        payload[SHORT_HEADER..SHORT_HEADER + BALANCE].copy_from_slice(&balance.to_be_bytes());
        if self.target.is_ipv4() {
            let mut packet = Icmpv4Packet::new_unchecked(payload);
            packet.set_msg_type(Icmpv4Message::EchoRequest);
            packet.set_msg_code(0);
            packet.set_echo_ident(self.identifier);
            packet.set_echo_seq_no(number);
            packet.fill_checksum();
            packet.into_inner()
        } else {
            // The kernel fills in the checksum, always (RFC 3542 section 3.1).
            let mut packet = Icmpv6Packet::new_unchecked(payload);
            packet.set_msg_type(Icmpv6Message::EchoRequest);
            packet.set_msg_code(0);
            packet.set_echo_ident(self.identifier);
            packet.set_echo_seq_no(number);
            packet.into_inner()
        }
    }

    fn datagram(&self, payload: Vec<u8>, number: u16) -> Vec<u8> {
        let length = payload.len() as u16;
        let mut packet = UdpPacket::new_unchecked(payload);
        packet.set_src_port(self.identifier);
        packet.set_dst_port(self.port);
        packet.set_len(length);
        // The checksum says which probe it was, since an error message may quote no more than the
        // header; the payload makes up for it. In ones' complement, it has to add what the checksum
        // is to fall by.
        let (source, destination) = (IpAddress::from(self.local), IpAddress::from(self.target));
        packet.fill_checksum(&source, &destination);
        let balance = sum(packet.checksum(), !checksum_of(number));
        packet.payload_mut()[..BALANCE].copy_from_slice(&balance.to_be_bytes());
        packet.fill_checksum(&source, &destination);
        packet.into_inner()
    }

    fn syn(&self, mut payload: Vec<u8>, number: u16) -> Vec<u8> {
        let syn = TcpRepr {
            src_port: self.identifier,
            dst_port: self.port,
            control: TcpControl::Syn,
            seq_number: sequence_number(number),
            ack_number: None,
            window_len: 1024,
            window_scale: None,
            max_seg_size: None,
            sack_permitted: false,
            sack_ranges: [None; 3],
            timestamp: None,
            payload: &[],
        };
        let (source, destination) = (IpAddress::from(self.local), IpAddress::from(self.target));
        let mut packet = TcpPacket::new_unchecked(&mut payload[..]);
        syn.emit(&mut packet, &source, &destination, &ChecksumCapabilities::ignored());
        // What follows the header is payload, whose checksum counts.
        packet.fill_checksum(&source, &destination);
        payload
    }
}

/// A checksum that says which of 32768 probes it is; never zero, which would mean that there is none.
const fn checksum_of(number: u16) -> u16 {
    0x8000 | number
}

/// The sequence number of a SYN, far enough from those of other probes for any payload.
fn sequence_number(number: u16) -> TcpSeqNumber {
    TcpSeqNumber(i32::from(number) << 16)
}

/// Which probe has this sequence number, or one up to 64 KiB behind it.
pub(super) fn number_of(sequence: TcpSeqNumber) -> u16 {
    (sequence.0 >> 16) as u16
}

/// Ones' complement addition.
const fn sum(one: u16, other: u16) -> u16 {
    let (sum, carried) = one.overflowing_add(other);
    sum + carried as u16
}

/// An IPv4 packet; the kernel fills in the checksum.
pub(super) fn ipv4(
    [source, destination]: [Ipv4Addr; 2],
    protocol: IpProtocol,
    hop_limit: u8,
    payload: &[u8],
) -> Vec<u8> {
    let [header, _] = IP_HEADERS;
    let mut bytes = vec![0; header];
    bytes.extend_from_slice(payload);
    let length = bytes.len() as u16;
    let mut packet = Ipv4Packet::new_unchecked(&mut bytes[..]);
    packet.set_version(4);
    packet.set_header_len(header as u8);
    packet.set_total_len(length);
    packet.set_hop_limit(hop_limit);
    packet.set_next_header(protocol);
    packet.set_src_addr(source);
    packet.set_dst_addr(destination);
    bytes
}
