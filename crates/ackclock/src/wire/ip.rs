//! IP packets of either family: what both have in common, and the dispatch between them.

use super::{
    Address, AllFormats, EchoRequest, Formats, IPV4_EXISTS, IcmpError, Ipv6Address, MAX_HEADER,
    Segment, WireError, icmp, ipv4, ipv6,
};

/// Bytes of an IPv6 header without extension headers (RFC 8200 section 3).
pub(super) const IPV6_HEADER: usize = 40;

/// Protocols that are read and written here, by their number in the IP header (RFC 790, RFC 8200 section 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IpProtocol {
    /// ICMP (RFC 792).
    Icmp = 1,
    /// TCP (RFC 9293).
    Tcp = 6,
    /// ICMPv6 (RFC 4443).
    Icmpv6 = 58,
}

impl IpProtocol {
    /// The protocol with this number; `None` for any other.
    pub(super) fn from_number(number: u8) -> Option<IpProtocol> {
        match number {
            1 => Some(IpProtocol::Icmp),
            6 => Some(IpProtocol::Tcp),
            58 => Some(IpProtocol::Icmpv6),
            _ => None,
        }
    }
}

/// The ECN field of an IP header (RFC 3168 section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Ecn {
    /// Not ECN-Capable Transport: Not-ECT.
    #[default]
    NotEct,
    /// ECN-Capable Transport: ECT(1).
    Ect1,
    /// ECN-Capable Transport: ECT(0).
    Ect0,
    /// Congestion Experienced: CE.
    Ce,
}

impl Ecn {
    /// The codepoint in the two lowest bits of `bits`.
    pub(super) fn from_bits(bits: u8) -> Ecn {
        match bits & 0b11 {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    pub(super) fn bits(self) -> u8 {
        match self {
            Ecn::NotEct => 0b00,
            Ecn::Ect1 => 0b01,
            Ecn::Ect0 => 0b10,
            Ecn::Ce => 0b11,
        }
    }
}

/// The fields of an IP header that TCP uses, of a received or a sent packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpInfo {
    /// Source address.
    pub source: Address,
    /// Destination address, of the same family.
    pub destination: Address,
    /// TTL or hop limit.
    pub hop_limit: u8,
    /// Differentiated services codepoint, 0 to 63.
    pub dscp: u8,
    /// ECN codepoint.
    pub ecn: Ecn,
}

impl IpInfo {
    /// The traffic class byte: DSCP in the upper six bits, ECN in the lower two (RFC 2474 section 3).
    pub(super) fn traffic_class(&self) -> u8 {
        self.dscp << 2 | self.ecn.bits()
    }
}

/// The content of an IP packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol<'a> {
    /// A TCP segment.
    Tcp(Segment<'a>),
    /// An ICMP or ICMPv6 echo request.
    EchoRequest(EchoRequest<'a>),
    /// An ICMP or ICMPv6 error about a TCP segment.
    IcmpError(IcmpError),
    /// An ICMP message that does not concern TCP.
    OtherIcmp,
    /// An IPv6 packet to be dropped because of an unknown option, which its sender is to be told.
    UnknownOption(UnknownOption<'a>),
}

/// An unknown option in an IPv6 packet whose sender is to be told of it (RFC 8200 section 4.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownOption<'a> {
    /// Offset of the option in bytes from the beginning of the packet.
    pub pointer: u32,
    /// The whole packet.
    pub packet: &'a [u8],
}

/// A parsed IP packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// Fields of the IP header.
    pub ip: IpInfo,
    /// The content.
    pub protocol: Protocol<'a>,
}

/// Which checksums of received packets are to be verified; `false` if the device has verified them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksums {
    /// IPv4 header checksum.
    pub ip: bool,
    /// TCP and ICMP checksums.
    pub transport: bool,
}

impl Checksums {
    /// All are verified.
    pub const ALL: Self = Checksums { ip: true, transport: true };
}

impl Default for Checksums {
    /// All are verified.
    fn default() -> Self {
        Self::ALL
    }
}

/// Reads one IP packet, whatever its addresses. Bytes after its end are ignored. IPv4 options and the IPv6
/// extension headers for routing and options are skipped, unless they forbid it.
///
/// # Errors
/// What is malformed; drop the packet and count it.
pub fn parse_packet(bytes: &[u8], verify: Checksums) -> Result<Packet<'_>, WireError> {
    parse_packet_of::<AllFormats>(bytes, verify)
}

/// As [`parse_packet`], for the formats that an image has: what it lacks counts as
/// [`OtherIcmp`](Protocol::OtherIcmp), or as an unknown option.
pub(crate) fn parse_packet_of<F: Formats>(
    bytes: &[u8],
    verify: Checksums,
) -> Result<Packet<'_>, WireError> {
    match bytes.first().ok_or(WireError::Truncated)? >> 4 {
        4 if IPV4_EXISTS => ipv4::parse::<F>(bytes, verify),
        6 if Ipv6Address::EXISTS => ipv6::parse::<F>(bytes, verify),
        _ => Err(WireError::Version),
    }
}

/// The bytes of a header as 32-bit numbers in host order.
#[inline(always)]
pub(super) fn words<const BYTES: usize, const WORDS: usize>(header: &[u8; BYTES]) -> [u32; WORDS] {
    let (bytes, _) = header.as_chunks::<4>();
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

/// Reads the content of an IP packet.
#[inline]
pub(super) fn parse_transport<F: Formats>(
    protocol: Option<IpProtocol>,
    payload: &[u8],
    ip: IpInfo,
    verify: Checksums,
) -> Result<Packet<'_>, WireError> {
    // Built once in each branch, so that the large result is not copied.
    let packet = |protocol| Packet { ip, protocol };
    match (protocol, ip.source) {
        (Some(IpProtocol::Tcp), _) => {
            Segment::parse::<F>(payload, ip, verify).map(Protocol::Tcp).map(packet)
        }
        (Some(IpProtocol::Icmp), Address::V4(_)) => {
            icmp::parse_v4::<F>(payload, verify).map(packet)
        }
        (Some(IpProtocol::Icmpv6), Address::V6(_)) => {
            icmp::parse_v6::<F>(payload, &ip, verify).map(packet)
        }
        _ => Err(WireError::UnknownProtocol),
    }
}

/// Whether a TCP connection can have this address at one of its ends (RFC 9293 MUST-46, MUST-57), as far as
/// that shows without knowing the network's prefix.
pub(crate) fn is_unicast(address: Address) -> bool {
    let broadcast = matches!(address, Address::V4(address) if address.is_broadcast());
    !(address.is_unspecified() || address.is_multicast() || broadcast)
}

/// Length of the header that [`write_header`] writes, in bytes.
#[inline]
pub(super) fn header_len(ip: &IpInfo) -> usize {
    let is_ipv4 = ip.source.is_ipv4() && ip.destination.is_ipv4();
    if is_ipv4 { ipv4::HEADER } else { IPV6_HEADER }
}

/// Writes an IP header for `payload_len` bytes into `to`, and returns its length in bytes. IPv4 packets have
/// DF set, and so need no identification (RFC 6864 section 4.1).
#[inline(always)]
pub(super) fn write_header(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    protocol: IpProtocol,
    payload_len: usize,
) -> usize {
    match (ip.source, ip.destination) {
        (Address::V4(source), Address::V4(destination)) => {
            ipv4::write(to, ip, [source, destination], protocol, payload_len)
        }
        (source, destination) => ipv6::write(to, ip, [source, destination], protocol, payload_len),
    }
}

/// Writes words in network order, as many as fit.
#[inline]
pub(super) fn write_words<const N: usize>(to: &mut [u8], words: [u32; N]) {
    let (places, _) = to.as_chunks_mut::<4>();
    for (place, word) in places.iter_mut().zip(words) {
        *place = word.to_be_bytes();
    }
}

/// A length for a 16-bit field, at most 65,535; no packet sent is longer.
pub(super) fn saturate(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}
