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

/// Bits of a fragment header's fourth byte that mean nothing (section 4.5).
const RESERVED: u8 = 0b110;

/// The option of one byte without length (section 4.2).
const PAD_1: u8 = 0;
/// Options with this number or a higher one are not to be skipped by those who do not know them.
const DROP: u8 = 0x40;
/// The same, and the packet's sender is to be told; to groups of hosts, to which no packet comes here,
/// with exceptions.
const TELL: u8 = 0x80;

/// A header's fields that matter here.
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
    /// Reads the header at the beginning of `bytes`; returns what follows it too. `None` if they are too few,
    /// or no IPv6 header.
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

    /// The protocol that the next-header field names.
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
        // An error is not answered by another one (RFC 4443 section 2.4, e.1).
        let is_error = protocol == IpProtocol::Icmpv6 as u8
            && payload.first().is_none_or(|kind| *kind < FIRST_INFORMATIONAL);
        let told = Protocol::UnknownOption(UnknownOption { pointer, packet });
        return if is_error { Err(WireError::Option) } else { Ok(Packet { ip, protocol: told }) };
    }
    parse_transport::<F>(IpProtocol::from_number(protocol), payload, ip, verify)
}

/// The transport header and payload of a packet that [`parse`] takes.
pub(super) fn transport<F: Formats>(packet: &[u8]) -> Option<&[u8]> {
    let (header, rest) = Ipv6Header::parse(packet)?;
    let payload = rest.get(..header.payload_len)?;
    skip_extension_headers::<F>(header.next_header, payload).ok().map(|behind| behind.payload)
}

/// What stands behind the extension headers.
struct Behind<'a> {
    protocol: u8,
    payload: &'a [u8],
    /// Where an option begins of which the packet's sender is to be told, in bytes from the beginning of
    /// the packet.
    unknown: Option<u32>,
}

/// Section 4: what stands behind the extension headers.
#[inline]
fn skip_extension_headers<F: Formats>(first: u8, payload: &[u8]) -> Result<Behind<'_>, WireError> {
    match first {
        HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION_OPTIONS => skip_some::<F>(first, payload),
        protocol => Ok(Behind { protocol, payload, unknown: None }),
    }
}

// Few packets have any.
#[inline(never)]
fn skip_some<F: Formats>(first: u8, payload: &[u8]) -> Result<Behind<'_>, WireError> {
    let (mut next, mut rest) = (first, payload);
    let mut unknown = None;
    loop {
        let is_first = rest.len() == payload.len();
        match next {
            // Hop-by-hop options stand directly behind the IPv6 header (section 4.1).
            HOP_BY_HOP if !is_first => return Err(WireError::UnknownProtocol),
            HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION_OPTIONS => {}
            protocol => return Ok(Behind { protocol, payload: rest, unknown }),
        }
        let &[following, length, byte_2, byte_3, ..] = rest else {
            return Err(WireError::Truncated);
        };
        // The length counts words of eight bytes behind the first; that of a fragment's is reserved.
        let length = if next == FRAGMENT { 0 } else { usize::from(length) };
        let (header, behind) = rest
            .split_at_checked(length.saturating_add(1).saturating_mul(8))
            .ok_or(WireError::Truncated)?;
        match next {
            // The whole packet in one fragment (RFC 6946): no offset, and none to follow.
            FRAGMENT if (byte_2, byte_3 & !RESERVED) != (0, 0) => return Err(WireError::Fragment),
            // A host that is not the last one would have to forward.
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

/// Section 4.2: where in these options one begins of which the packet's sender is to be told; an error if
/// the packet is to be dropped without that. None is known here but the pads.
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

/// Addresses of two families in one header are a mistake of the caller's; it is written as IPv6.
#[inline]
fn to_v6(address: Address) -> Ipv6Addr {
    match address {
        Address::V4(address) => address.to_ipv6_mapped(),
        Address::V6(address) => *address,
    }
}
