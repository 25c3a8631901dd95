//! ICMP and ICMPv6: echo, and errors about TCP segments (RFC 792, RFC 4443, RFC 5927).

use super::checksum::Checksum;
use super::ip::{self, IpProtocol};
use super::ipv4::Ipv4Header;
use super::ipv6::Ipv6Header;
use super::{Address, Checksums, Formats, IpInfo, MAX_HEADER, Protocol, WireError};
use crate::seq::SeqNumber;
use core::net::SocketAddr;

/// Length in bytes of every ICMP header read or written here (RFC 792, RFC 4443 section 2.1).
const HEADER: usize = 8;

/// ICMP types (RFC 792).
mod v4 {
    pub(super) const ECHO_REPLY: u8 = 0;
    pub(super) const DESTINATION_UNREACHABLE: u8 = 3;
    pub(super) const ECHO_REQUEST: u8 = 8;
    pub(super) const TIME_EXCEEDED: u8 = 11;
    pub(super) const PARAMETER_PROBLEM: u8 = 12;
}

/// ICMPv6 types (RFC 4443).
pub(super) mod v6 {
    pub(super) const DESTINATION_UNREACHABLE: u8 = 1;
    pub(super) const PACKET_TOO_BIG: u8 = 2;
    pub(super) const TIME_EXCEEDED: u8 = 3;
    pub(super) const PARAMETER_PROBLEM: u8 = 4;
    /// First type that is no error message (section 2.1).
    pub(in crate::wire) const FIRST_INFORMATIONAL: u8 = 128;
    pub(super) const ECHO_REQUEST: u8 = 128;
    pub(super) const ECHO_REPLY: u8 = 129;
}

/// An echo request to one of our addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EchoRequest<'a> {
    /// Identifier, given back in the reply.
    pub identifier: u16,
    /// Sequence number, given back in the reply.
    pub sequence: u16,
    /// Data, given back in the reply.
    pub data: &'a [u8],
}

/// An ICMP error about a segment that we sent (RFC 5927).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IcmpError {
    /// The kind of error.
    pub kind: IcmpErrorKind,
    /// Our address and port, as quoted.
    pub local: SocketAddr,
    /// The remote address and port, as quoted.
    pub remote: SocketAddr,
    /// Sequence number of the quoted segment.
    pub seq: SeqNumber,
}

/// The kind of an ICMP error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IcmpErrorKind {
    /// Network or host unreachable, no route, or address unreachable. A soft error (RFC 1122 section
    /// 4.2.3.9).
    Unreachable,
    /// Protocol or port unreachable, or administratively prohibited. A hard error.
    Refused,
    /// Fragmentation needed and DF set (RFC 1191), or packet too big (RFC 8201).
    PacketTooBig {
        /// MTU of the next hop in bytes; 0 if the router does not report it.
        mtu: u32,
    },
    /// Time exceeded. A soft error.
    TimeExceeded,
    /// Parameter problem. A soft error.
    ParameterProblem,
}

/// Reads an ICMP message (RFC 792).
pub(super) fn parse_v4<F: Formats>(
    message: &[u8],
    verify: Checksums,
) -> Result<Protocol<'_>, WireError> {
    if verify.transport && Checksum::default().over(message).complement() != 0 {
        return Err(WireError::Checksum);
    }
    let (&[message_type, code, _, _, a, b, c, d], body) =
        message.split_first_chunk::<HEADER>().ok_or(WireError::Truncated)?;
    let kind = match (message_type, code) {
        (v4::ECHO_REQUEST, _) => return Ok(echo_request([a, b], [c, d], body)),
        _ if !F::ICMP_ERRORS => return Ok(Protocol::OtherIcmp),
        // RFC 1122 section 3.2.2.1 and RFC 1812 section 5.2.7.1 list the codes.
        (v4::DESTINATION_UNREACHABLE, 0 | 1 | 5..=8 | 11 | 12) => IcmpErrorKind::Unreachable,
        (v4::DESTINATION_UNREACHABLE, 2 | 3 | 9 | 10 | 13) => IcmpErrorKind::Refused,
        // The MTU is in the lower half of a word that is zero in other messages (RFC 1191 section 4).
        (v4::DESTINATION_UNREACHABLE, 4) => {
            IcmpErrorKind::PacketTooBig { mtu: u16::from_be_bytes([c, d]).into() }
        }
        (v4::TIME_EXCEEDED, _) => IcmpErrorKind::TimeExceeded,
        (v4::PARAMETER_PROBLEM, _) => IcmpErrorKind::ParameterProblem,
        _ => return Ok(Protocol::OtherIcmp),
    };
    Ok(error(kind, quoted_in_v4(body)))
}

/// Reads an ICMPv6 message (RFC 4443).
pub(super) fn parse_v6<'a, F: Formats>(
    message: &'a [u8],
    ip: &IpInfo,
    verify: Checksums,
) -> Result<Protocol<'a>, WireError> {
    let sum = Checksum::pseudo_header(ip, IpProtocol::Icmpv6, message.len());
    if verify.transport && sum.over(message).complement() != 0 {
        return Err(WireError::Checksum);
    }
    let (&[message_type, code, _, _, a, b, c, d], body) =
        message.split_first_chunk::<HEADER>().ok_or(WireError::Truncated)?;
    let kind = match (message_type, code) {
        (v6::ECHO_REQUEST, _) => return Ok(echo_request([a, b], [c, d], body)),
        _ if !F::ICMP_ERRORS => return Ok(Protocol::OtherIcmp),
        // No route, beyond the scope of the source, address unreachable (RFC 4443 section 3.1).
        (v6::DESTINATION_UNREACHABLE, 0 | 2 | 3) => IcmpErrorKind::Unreachable,
        (v6::DESTINATION_UNREACHABLE, _) => IcmpErrorKind::Refused,
        (v6::PACKET_TOO_BIG, _) => {
            IcmpErrorKind::PacketTooBig { mtu: u32::from_be_bytes([a, b, c, d]) }
        }
        (v6::TIME_EXCEEDED, _) => IcmpErrorKind::TimeExceeded,
        (v6::PARAMETER_PROBLEM, _) => IcmpErrorKind::ParameterProblem,
        _ => return Ok(Protocol::OtherIcmp),
    };
    Ok(error(kind, quoted_in_v6(body)))
}

fn echo_request(identifier: [u8; 2], sequence: [u8; 2], data: &[u8]) -> Protocol<'_> {
    Protocol::EchoRequest(EchoRequest {
        identifier: u16::from_be_bytes(identifier),
        sequence: u16::from_be_bytes(sequence),
        data,
    })
}

/// The beginning of a packet of ours that an error quotes.
struct Quoted<'a> {
    source: Address,
    destination: Address,
    /// The quoted part from the TCP header on.
    segment: &'a [u8],
}
/// The beginning of the packet that an ICMP error quotes.
fn quoted_in_v4(body: &[u8]) -> Option<Quoted<'_>> {
    let header = Ipv4Header::parse(body)?;
    let is_tcp = !header.has_offset() && header.protocol == Some(IpProtocol::Tcp);
    is_tcp.then_some(Quoted {
        source: header.source.into(),
        destination: header.destination.into(),
        segment: body.get(header.len..)?,
    })
}

fn quoted_in_v6(body: &[u8]) -> Option<Quoted<'_>> {
    let (header, segment) = Ipv6Header::parse(body)?;
    (header.protocol() == Some(IpProtocol::Tcp)).then_some(Quoted {
        source: header.source.into(),
        destination: header.destination.into(),
        segment,
    })
}

/// The error for TCP; without quoted ports and sequence number it cannot be verified, and is ignored (RFC
/// 5927 section 4.1).
fn error<'a>(kind: IcmpErrorKind, quoted: Option<Quoted<'_>>) -> Protocol<'a> {
    let Some(quoted) = quoted else {
        return Protocol::OtherIcmp;
    };
    let Some(&[s0, s1, d0, d1, seq @ ..]) = quoted.segment.first_chunk::<8>() else {
        return Protocol::OtherIcmp;
    };
    Protocol::IcmpError(IcmpError {
        kind,
        local: SocketAddr::new(quoted.source.into(), u16::from_be_bytes([s0, s1])),
        remote: SocketAddr::new(quoted.destination.into(), u16::from_be_bytes([d0, d1])),
        seq: SeqNumber(u32::from_be_bytes(seq)),
    })
}

/// Writes the IP and ICMP headers of the reply to an echo request into `to`; the request's data is to follow.
/// Returns the length of the headers in bytes. `ip` is the reply's IP header; its source is our address.
pub fn write_echo_reply(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    request: &EchoRequest<'_>,
) -> usize {
    let message_type = if ip.source.is_ipv4() { v4::ECHO_REPLY } else { v6::ECHO_REPLY };
    let [i0, i1] = request.identifier.to_be_bytes();
    let [s0, s1] = request.sequence.to_be_bytes();
    write_message(to, ip, [message_type, 0], [i0, i1, s0, s1], request.data)
}

/// Writes the IP and ICMPv6 headers of a Parameter Problem into `to`, which tells the sender of an
/// [`UnknownOption`](super::UnknownOption) that its packet was dropped (RFC 4443 section 3.4, code 2); the
/// beginning of that packet, `quote`, is to follow. Returns the length of the headers in bytes.
pub(crate) fn write_unknown_option(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    pointer: u32,
    quote: &[u8],
) -> usize {
    write_message(to, ip, [v6::PARAMETER_PROBLEM, 2], pointer.to_be_bytes(), quote)
}

/// Writes the IP and ICMP headers of an error into `to`; the beginning of the packet that it is about,
/// `quote`, is to follow. Returns the length of the headers in bytes. `ip` is the error's IP header. An MTU
/// that does not fit into 16 bits is written as 65,535.
pub fn write_icmp_error(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    kind: IcmpErrorKind,
    quote: &[u8],
) -> usize {
    let of_v4 = ip.source.is_ipv4();
    let (type_and_code, rest) = match kind {
        // ICMP: network unreachable; ICMPv6: no route to the destination.
        IcmpErrorKind::Unreachable if of_v4 => ([v4::DESTINATION_UNREACHABLE, 0], 0),
        IcmpErrorKind::Unreachable => ([v6::DESTINATION_UNREACHABLE, 0], 0),
        // ICMP and ICMPv6: port unreachable.
        IcmpErrorKind::Refused if of_v4 => ([v4::DESTINATION_UNREACHABLE, 3], 0),
        IcmpErrorKind::Refused => ([v6::DESTINATION_UNREACHABLE, 4], 0),
        IcmpErrorKind::PacketTooBig { mtu } if of_v4 => {
            ([v4::DESTINATION_UNREACHABLE, 4], mtu.min(u16::MAX.into()))
        }
        IcmpErrorKind::PacketTooBig { mtu } => ([v6::PACKET_TOO_BIG, 0], mtu),
        IcmpErrorKind::TimeExceeded if of_v4 => ([v4::TIME_EXCEEDED, 0], 0),
        IcmpErrorKind::TimeExceeded => ([v6::TIME_EXCEEDED, 0], 0),
        IcmpErrorKind::ParameterProblem if of_v4 => ([v4::PARAMETER_PROBLEM, 0], 0),
        IcmpErrorKind::ParameterProblem => ([v6::PARAMETER_PROBLEM, 0], 0),
    };
    write_message(to, ip, type_and_code, rest.to_be_bytes(), quote)
}

/// Writes the IP and ICMP headers of a message; `word` is the one after the checksum, and `body` is the data
/// that is to follow.
fn write_message(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    [message_type, code]: [u8; 2],
    word: [u8; 4],
    body: &[u8],
) -> usize {
    let length = HEADER.saturating_add(body.len());
    let (protocol, sum) = match ip.source {
        Address::V4(_) => (IpProtocol::Icmp, Checksum::default()),
        // Only ICMPv6 has a pseudo-header in its checksum (RFC 4443 section 2.3).
        Address::V6(_) => {
            (IpProtocol::Icmpv6, Checksum::pseudo_header(ip, IpProtocol::Icmpv6, length))
        }
    };
    let ip_len = ip::write_header(to, ip, protocol, length);
    let sum = sum.over(&[message_type, code]).over(&word).over(body);
    let [c0, c1] = sum.complement().to_be_bytes();
    let [w0, w1, w2, w3] = word;
    if let Some(place) = to.get_mut(ip_len..).and_then(<[u8]>::first_chunk_mut) {
        *place = [message_type, code, c0, c1, w0, w1, w2, w3];
    }
    ip_len + HEADER
}
