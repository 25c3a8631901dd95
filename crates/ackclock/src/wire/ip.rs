//! IPv4 and IPv6 headers (RFC 791, RFC 8200) through smoltcp's packet views.

use super::checksum::Checksum;
use super::{EchoRequest, IcmpError, MAX_HEADER, Segment, WireError, icmp};
use core::net::{IpAddr, Ipv6Addr};
use smoltcp::wire::{IpProtocol, Ipv4Packet, Ipv6ExtHeader, Ipv6Packet};

/// Bytes of an IPv4 header without options (RFC 791 section 3.1).
pub(super) const IPV4_HEADER: usize = 20;

/// Bytes of an IPv6 header without extension headers (RFC 8200 section 3).
pub(super) const IPV6_HEADER: usize = 40;

/// The two ECN bits of an IP header (RFC 3168 section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Ecn {
    /// Not ECN-capable transport.
    #[default]
    NotEct,
    /// ECN-capable, codepoint ECT(1).
    Ect1,
    /// ECN-capable, codepoint ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// The codepoint in the two low bits.
    fn from_bits(bits: u8) -> Ecn {
        match bits & 0b11 {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    fn bits(self) -> u8 {
        match self {
            Ecn::NotEct => 0b00,
            Ecn::Ect1 => 0b01,
            Ecn::Ect0 => 0b10,
            Ecn::Ce => 0b11,
        }
    }
}

/// What TCP sees of an IP header, in either direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpInfo {
    /// Source address.
    pub source: IpAddr,
    /// Destination address; of the same family.
    pub destination: IpAddr,
    /// TTL or hop limit.
    pub hop_limit: u8,
    /// Differentiated services codepoint, 0 to 63.
    pub dscp: u8,
    /// ECN codepoint.
    pub ecn: Ecn,
}

impl IpInfo {
    /// RFC 2474 section 3: the codepoint in the upper six bits, ECN in the lower two.
    fn traffic_class(&self) -> u8 {
        self.dscp << 2 | self.ecn.bits()
    }
}

impl IpInfo {
    /// Whether both addresses may be ends of a connection, as far as that can be told without knowing
    /// the network's prefix.
    pub(crate) fn is_between_hosts(&self) -> bool {
        is_unicast(self.source) && is_unicast(self.destination)
    }
}

/// What an IP packet carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol<'a> {
    /// A TCP segment.
    Tcp(Segment<'a>),
    /// An ICMP or ICMPv6 echo request.
    EchoRequest(EchoRequest<'a>),
    /// An ICMP or ICMPv6 error about a TCP segment.
    IcmpError(IcmpError),
    /// An ICMP message that says nothing to TCP.
    OtherIcmp,
}

/// A parsed IP packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// What the IP header says.
    pub ip: IpInfo,
    /// What it carries.
    pub protocol: Protocol<'a>,
}

/// Which checksums are verified in received packets; `false` where the device has done it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksums {
    /// IPv4 header checksum.
    pub ip: bool,
    /// TCP and ICMP checksums.
    pub transport: bool,
}

impl Default for Checksums {
    /// All are verified.
    fn default() -> Self {
        Checksums { ip: true, transport: true }
    }
}

/// Reads one IP packet. Bytes after its end are ignored; IPv4 options and the IPv6 extension headers
/// that concern routing and options are skipped.
///
/// # Errors
/// Says what is malformed; the packet is to be dropped and counted.
pub fn parse_packet(bytes: &[u8], verify: Checksums) -> Result<Packet<'_>, WireError> {
    match bytes.first().ok_or(WireError::Truncated)? >> 4 {
        4 => parse_ipv4(bytes, verify),
        6 => parse_ipv6(bytes, verify),
        _ => Err(WireError::Version),
    }
}

/// Reads a packet that holds what nearly all do: a TCP segment behind an IP header without options or
/// extension headers, with timestamps and no other option. `None` for all else, and for whatever
/// [`parse_packet`] refuses, unless for its addresses: whether these may be ends of a connection
/// ([`IpInfo::is_between_hosts`]) is for the caller to ask.
#[inline(always)]
pub(crate) fn parse_plain_segment(bytes: &[u8], verify: Checksums) -> Option<Segment<'_>> {
    let (ip, bytes) = match bytes.first()? >> 4 {
        4 => plain_ipv4(bytes, verify)?,
        6 => plain_ipv6(bytes)?,
        _ => return None,
    };
    Segment::parse_plain(bytes, ip, verify)
}

#[inline(always)]
fn plain_ipv4(bytes: &[u8], verify: Checksums) -> Option<(IpInfo, &[u8])> {
    const VERSION_AND_LENGTH: u32 = 0x45;
    // More fragments, and the offset.
    const FRAGMENT: u32 = 0x3fff;
    let words = words(bytes.first_chunk::<IPV4_HEADER>()?);
    let [first, fragment, third, source, destination] = words;
    let is_plain = first >> 24 == VERSION_AND_LENGTH
        && fragment & FRAGMENT == 0
        && third >> 16 & 0xff == u32::from(u8::from(IpProtocol::Tcp));
    let intact = !verify.ip || Checksum::default().over_words(&words).complement() == 0;
    if !(is_plain && intact) {
        return None;
    }
    let ip = IpInfo {
        source: IpAddr::V4(source.into()),
        destination: IpAddr::V4(destination.into()),
        hop_limit: (third >> 24) as u8,
        dscp: (first >> 18) as u8 & 0x3f,
        ecn: Ecn::from_bits((first >> 16) as u8),
    };
    Some((ip, bytes.get(IPV4_HEADER..(first & 0xffff) as usize)?))
}

#[inline(always)]
fn plain_ipv6(bytes: &[u8]) -> Option<(IpInfo, &[u8])> {
    let (header, rest) = bytes.split_first_chunk::<IPV6_HEADER>()?;
    let [first, second, s0, s1, s2, s3, d0, d1, d2, d3] = words(header);
    if second >> 8 & 0xff != u32::from(u8::from(IpProtocol::Tcp)) {
        return None;
    }
    let address = |[a, b, c, d]: [u32; 4]| {
        let [a, b, c, d] = [a, b, c, d].map(u128::from);
        IpAddr::V6((a << 96 | b << 64 | c << 32 | d).into())
    };
    let ip = IpInfo {
        source: address([s0, s1, s2, s3]),
        destination: address([d0, d1, d2, d3]),
        hop_limit: second as u8,
        dscp: (first >> 22) as u8 & 0x3f,
        ecn: Ecn::from_bits((first >> 20) as u8),
    };
    Some((ip, rest.get(..(second >> 16) as usize)?))
}

/// A header as numbers.
#[inline(always)]
pub(super) fn words<const BYTES: usize, const WORDS: usize>(header: &[u8; BYTES]) -> [u32; WORDS] {
    let (bytes, _) = header.as_chunks::<4>();
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

fn parse_ipv4(bytes: &[u8], verify: Checksums) -> Result<Packet<'_>, WireError> {
    // `new_checked` proves that no accessor can panic.
    let view = Ipv4Packet::new_checked(bytes).map_err(|_| WireError::Truncated)?;
    let header = bytes.get(..usize::from(view.header_len()));
    let sum = Checksum::default().over(header.ok_or(WireError::Truncated)?);
    if verify.ip && sum.complement() != 0 {
        return Err(WireError::IpChecksum);
    }
    if view.more_frags() || view.frag_offset() != 0 {
        return Err(WireError::Fragment);
    }
    let ip = IpInfo {
        source: view.src_addr().into(),
        destination: view.dst_addr().into(),
        hop_limit: view.hop_limit(),
        dscp: view.dscp(),
        ecn: Ecn::from_bits(view.ecn()),
    };
    parse_transport(view.next_header(), view.payload(), ip, verify)
}

fn parse_ipv6(bytes: &[u8], verify: Checksums) -> Result<Packet<'_>, WireError> {
    // `new_checked` proves that no accessor can panic.
    let view = Ipv6Packet::new_checked(bytes).map_err(|_| WireError::Truncated)?;
    let ip = IpInfo {
        source: view.src_addr().into(),
        destination: view.dst_addr().into(),
        hop_limit: view.hop_limit(),
        dscp: view.traffic_class() >> 2,
        ecn: Ecn::from_bits(view.traffic_class()),
    };
    let (protocol, payload) = skip_extension_headers(view.next_header(), view.payload())?;
    parse_transport(protocol, payload, ip, verify)
}

/// RFC 8200 section 4: the protocol behind the extension headers, and its bytes.
fn skip_extension_headers(
    first: IpProtocol,
    payload: &[u8],
) -> Result<(IpProtocol, &[u8]), WireError> {
    let (mut next, mut rest) = (first, payload);
    loop {
        match next {
            IpProtocol::Ipv6Frag => return Err(WireError::Fragment),
            // Hop-by-hop options stand directly behind the IPv6 header (section 4.1).
            IpProtocol::HopByHop if rest.len() != payload.len() => {
                return Err(WireError::UnknownProtocol);
            }
            IpProtocol::HopByHop | IpProtocol::Ipv6Route | IpProtocol::Ipv6Opts => {
                let header = Ipv6ExtHeader::new_checked(rest).map_err(|_| WireError::Truncated)?;
                // Type and segments left: a host that is not the last one would have to forward.
                if next == IpProtocol::Ipv6Route && header.payload().get(1) != Some(&0) {
                    return Err(WireError::UnknownProtocol);
                }
                next = header.next_header();
                // The view's payload begins behind the two bytes of next header and length.
                let length = header.payload().len().saturating_add(2);
                rest = rest.get(length..).ok_or(WireError::Truncated)?;
            }
            protocol => return Ok((protocol, rest)),
        }
    }
}

fn parse_transport(
    protocol: IpProtocol,
    payload: &[u8],
    ip: IpInfo,
    verify: Checksums,
) -> Result<Packet<'_>, WireError> {
    if !ip.is_between_hosts() {
        return Err(WireError::Address);
    }
    let protocol = match (protocol, ip.source) {
        (IpProtocol::Tcp, _) => Protocol::Tcp(Segment::parse(payload, ip, verify)?),
        (IpProtocol::Icmp, IpAddr::V4(_)) => icmp::parse_v4(payload, verify)?,
        (IpProtocol::Icmpv6, IpAddr::V6(_)) => icmp::parse_v6(payload, &ip, verify)?,
        _ => return Err(WireError::UnknownProtocol),
    };
    Ok(Packet { ip, protocol })
}

/// Whether the address may be an end of a connection, as far as it can be told without knowing the
/// network's prefix.
fn is_unicast(address: IpAddr) -> bool {
    let broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !(address.is_unspecified() || address.is_multicast() || broadcast)
}

/// Writes an IP header in front of `payload_len` bytes into `to` and returns its length in bytes.
/// IPv4 packets have DF set, and hence need no identification (RFC 6864 section 4.1).
#[inline]
pub(super) fn write_header(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    protocol: IpProtocol,
    payload_len: usize,
) -> usize {
    let (IpAddr::V4(source), IpAddr::V4(destination)) = (ip.source, ip.destination) else {
        return write_ipv6_header(to, ip, protocol, payload_len);
    };
    const VERSION_AND_LENGTH: u32 = 0x45 << 24;
    const DONT_FRAGMENT: u32 = 1 << 14;
    let total_len = u32::from(saturate(payload_len.saturating_add(IPV4_HEADER)));
    let mut words = [
        VERSION_AND_LENGTH | u32::from(ip.traffic_class()) << 16 | total_len,
        DONT_FRAGMENT,
        u32::from(ip.hop_limit) << 24 | u32::from(u8::from(protocol)) << 16,
        source.to_bits(),
        destination.to_bits(),
    ];
    let sum = Checksum::default().over_words(&words).complement();
    let [_, _, third, ..] = &mut words;
    *third |= u32::from(sum);
    write_words(to, words);
    IPV4_HEADER
}

/// The same for IPv6.
fn write_ipv6_header(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    protocol: IpProtocol,
    payload_len: usize,
) -> usize {
    // The view's setters touch no byte behind the fixed header, which `to` has room for.
    let mut view = Ipv6Packet::new_unchecked(to);
    view.set_version(6);
    view.set_traffic_class(ip.traffic_class());
    view.set_flow_label(0);
    view.set_payload_len(saturate(payload_len));
    view.set_next_header(protocol);
    view.set_hop_limit(ip.hop_limit);
    view.set_src_addr(to_v6(ip.source));
    view.set_dst_addr(to_v6(ip.destination));
    IPV6_HEADER
}

/// Writes words in network order, as many as there is room for.
#[inline]
pub(super) fn write_words<const N: usize>(to: &mut [u8], words: [u32; N]) {
    let (places, _) = to.as_chunks_mut::<4>();
    for (place, word) in places.iter_mut().zip(words) {
        *place = word.to_be_bytes();
    }
}

/// A length for a 16-bit field; a longer packet than it can tell of is never made.
pub(super) fn saturate(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

/// Addresses of two families in one header are a mistake of the caller's; it is written as IPv6.
fn to_v6(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
}
