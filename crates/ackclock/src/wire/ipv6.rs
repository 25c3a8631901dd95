//! IPv6 headers (RFC 8200).

use super::icmp::v6::FIRST_INFORMATIONAL;
use super::ip::{IPV6_HEADER, IpProtocol, parse_transport, saturate};
use super::{
    Address, Checksums, Ecn, Formats, IpInfo, MAX_HEADER, Packet, Protocol, UnknownOption,
    WireError,
};
use core::net::Ipv6Addr;

/// Extension headers by number (section 4).
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION_OPTIONS: u8 = 60;

/// Reserved bits of a fragment header's fourth byte (section 4.5).
const RESERVED: u8 = 0b110;

/// Pad1, the option of one byte without a length (section 4.2).
const PAD_1: u8 = 0;
/// Option numbers from this on: drop the packet if the option is unknown.
const DROP: u8 = 0x40;
/// Option numbers from this on: also tell the packet's sender. (There are exceptions for multicast
/// destinations, to which no packet comes here.)
const TELL: u8 = 0x80;

/// The fields of a header that are used here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ipv6Header {
    traffic_class: u8,
    payload_len: usize,
    next_header: u8,
    hop_limit: u8,
    pub(super) source: Ipv6Addr,
    pub(super) destination: Ipv6Addr,
}

impl Ipv6Header {
    /// Reads the header at the beginning of `bytes`, and returns it with the bytes after it. `None` if it is
    /// truncated, or no IPv6 header.
    #[inline]
    pub(super) fn parse(bytes: &[u8]) -> Option<(Ipv6Header, &[u8])> {
        let (&[c0, c1, _, _, l0, l1, next_header, hop_limit], rest) = bytes.split_first_chunk()?;
        let (source, rest) = rest.split_first_chunk::<16>()?;
        let (destination, rest) = rest.split_first_chunk::<16>()?;
        let header = Ipv6Header {
            traffic_class: c0 << 4 | c1 >> 4,
            payload_len: u16::from_be_bytes([l0, l1]).into(),
            next_header,
            hop_limit,
            source: Ipv6Addr::from(*source),
            destination: Ipv6Addr::from(*destination),
        };
        (c0 >> 4 == 6).then_some((header, rest))
    }

    /// The protocol in the next-header field.
    pub(super) fn protocol(&self) -> Option<IpProtocol> {
        IpProtocol::from_number(self.next_header)
    }
}

/// Reads a packet.
#[inline]
pub(super) fn parse<F: Formats>(bytes: &[u8], verify: Checksums) -> Result<Packet<'_>, WireError> {
    let (header, rest) = Ipv6Header::parse(bytes).ok_or(WireError::Truncated)?;
    let payload = rest.get(..header.payload_len).ok_or(WireError::Truncated)?;
    let ip = IpInfo {
        source: header.source.into(),
        destination: header.destination.into(),
        hop_limit: header.hop_limit,
        dscp: header.traffic_class >> 2,
        ecn: Ecn::from_bits(header.traffic_class),
    };
    let Behind { protocol, payload, unknown } =
        skip_extension_headers::<F>(header.next_header, payload)?;
    if let Some(pointer) = unknown {
        let packet = bytes.get(..IPV6_HEADER + header.payload_len).unwrap_or(bytes);
        // An error message is not answered by another one (RFC 4443 section 2.4, e.1).
        let is_error = protocol == IpProtocol::Icmpv6 as u8
            && payload.first().is_none_or(|kind| *kind < FIRST_INFORMATIONAL);
        let told = Protocol::UnknownOption(UnknownOption { pointer, packet });
        return if is_error { Err(WireError::Option) } else { Ok(Packet { ip, protocol: told }) };
    }
    parse_transport::<F>(IpProtocol::from_number(protocol), payload, ip, verify)
}

/// Transport header and payload of a packet that [`parse`] accepts.
pub(super) fn transport<F: Formats>(packet: &[u8]) -> Option<&[u8]> {
    let (header, rest) = Ipv6Header::parse(packet)?;
    let payload = rest.get(..header.payload_len)?;
    skip_extension_headers::<F>(header.next_header, payload).ok().map(|behind| behind.payload)
}

/// What follows the extension headers.
struct Behind<'a> {
    protocol: u8,
    payload: &'a [u8],
    /// Offset, in bytes from the beginning of the packet, of an unknown option that the sender is to be told
    /// of.
    unknown: Option<u32>,
}

/// Skips the extension headers (section 4).
#[inline]
fn skip_extension_headers<F: Formats>(first: u8, payload: &[u8]) -> Result<Behind<'_>, WireError> {
    match first {
        HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION_OPTIONS => skip_some::<F>(first, payload),
        protocol => Ok(Behind { protocol, payload, unknown: None }),
    }
}

// Kept apart, as few packets have extension headers.
#[inline(never)]
fn skip_some<F: Formats>(first: u8, payload: &[u8]) -> Result<Behind<'_>, WireError> {
    let (mut next, mut rest) = (first, payload);
    let mut unknown = None;
    loop {
        let is_first = rest.len() == payload.len();
        match next {
            // The hop-by-hop header must directly follow the IPv6 header (section 4.1).
            HOP_BY_HOP if !is_first => return Err(WireError::UnknownProtocol),
            HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION_OPTIONS => {}
            protocol => return Ok(Behind { protocol, payload: rest, unknown }),
        }
        let &[following, length, byte_2, byte_3, ..] = rest else {
            return Err(WireError::Truncated);
        };
        // The length is in units of eight bytes, after the first eight; in a fragment header it is reserved.
        let length = if next == FRAGMENT { 0 } else { usize::from(length) };
        let (header, behind) = rest
            .split_at_checked(length.saturating_add(1).saturating_mul(8))
            .ok_or(WireError::Truncated)?;
        match next {
            // Only a whole packet in one fragment is accepted (RFC 6946): offset zero, and no more fragments.
            FRAGMENT if (byte_2, byte_3 & !RESERVED) != (0, 0) => return Err(WireError::Fragment),
            // With segments left, a router would have to forward the packet; hosts do not.
            ROUTING if byte_3 != 0 => return Err(WireError::UnknownProtocol),
            FRAGMENT | ROUTING => {}
            _ => {
                let at = IPV6_HEADER + payload.len().saturating_sub(rest.len());
                let found = unknown_option::<F>(header.get(2..).unwrap_or_default())?;
                unknown = unknown.or(found.map(|option| (at + 2).saturating_add(option) as u32));
            }
        }
        (next, rest) = (following, behind);
    }
}

/// Finds an unknown option that the packet's sender is to be told of (section 4.2), and returns its offset.
/// An error if the packet is to be dropped silently. Only padding options are known here.
fn unknown_option<F: Formats>(options: &[u8]) -> Result<Option<usize>, WireError> {
    let (mut rest, mut unknown) = (options, None);
    while let Some((&kind, behind)) = rest.split_first() {
        rest = match (kind, behind) {
            (PAD_1, _) => behind,
            (DROP..TELL, _) | (_, []) => return Err(WireError::Option),
            (_, &[length, ref behind @ ..]) => {
                if kind >= TELL && !F::ICMP_ERRORS {
                    return Err(WireError::Option);
                }
                if kind >= TELL && unknown.is_none() {
                    unknown = Some(options.len().saturating_sub(rest.len()));
                }
                behind.get(usize::from(length)..).ok_or(WireError::Option)?
            }
        };
    }
    Ok(unknown)
}

/// Writes a header.
#[inline]
pub(super) fn write(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    addresses: [Address; 2],
    protocol: IpProtocol,
    payload_len: usize,
) -> usize {
    let version_and_class = 6 << 60 | u64::from(ip.traffic_class()) << 52;
    let length = u64::from(saturate(payload_len)) << 16;
    let fixed = version_and_class | length | (protocol as u64) << 8 | u64::from(ip.hop_limit);
    let [source, destination] = addresses.map(|address| to_v6(address).octets());
    if let Some((at_fixed, rest)) = to.split_first_chunk_mut()
        && let Some((at_source, rest)) = rest.split_first_chunk_mut()
        && let Some(at_destination) = rest.first_chunk_mut()
    {
        *at_fixed = fixed.to_be_bytes();
        (*at_source, *at_destination) = (source, destination);
    }
    IPV6_HEADER
}

/// An IPv4 address in an IPv6 header is a mistake of the caller; it is written as a mapped address.
#[inline]
fn to_v6(address: Address) -> Ipv6Addr {
    match address {
        Address::V4(address) => address.to_ipv6_mapped(),
        Address::V6(address) => *address,
    }
}
