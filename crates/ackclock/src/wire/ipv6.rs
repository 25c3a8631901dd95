//! IPv6 headers (RFC 8200).

use super::ip::{IPV6_HEADER, IpProtocol, parse_transport, saturate};
use super::{Address, Checksums, Ecn, Formats, IpInfo, MAX_HEADER, Packet, WireError};
use core::net::Ipv6Addr;

/// Extension headers by number (section 4).
mod extension {
    pub(super) const HOP_BY_HOP: u8 = 0;
    pub(super) const ROUTING: u8 = 43;
    pub(super) const FRAGMENT: u8 = 44;
    pub(super) const DESTINATION_OPTIONS: u8 = 60;
}

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
    let (protocol, payload) = skip_extension_headers(header.next_header, payload)?;
    parse_transport::<F>(IpProtocol::from_number(protocol), payload, ip, verify)
}

/// Section 4: the protocol behind the extension headers, and its bytes.
#[inline]
fn skip_extension_headers(first: u8, payload: &[u8]) -> Result<(u8, &[u8]), WireError> {
    use extension::{DESTINATION_OPTIONS, FRAGMENT, HOP_BY_HOP, ROUTING};
    let (mut next, mut rest) = (first, payload);
    loop {
        match next {
            FRAGMENT => return Err(WireError::Fragment),
            // Hop-by-hop options stand directly behind the IPv6 header (section 4.1).
            HOP_BY_HOP if rest.len() != payload.len() => return Err(WireError::UnknownProtocol),
            HOP_BY_HOP | ROUTING | DESTINATION_OPTIONS => {
                let &[following, length, _, segments_left, ..] = rest else {
                    return Err(WireError::Truncated);
                };
                // The length counts words of eight bytes behind the first.
                let length = usize::from(length).saturating_add(1).saturating_mul(8);
                let behind = rest.get(length..).ok_or(WireError::Truncated)?;
                // A host that is not the last one would have to forward.
                if next == ROUTING && segments_left != 0 {
                    return Err(WireError::UnknownProtocol);
                }
                (next, rest) = (following, behind);
            }
            protocol => return Ok((protocol, rest)),
        }
    }
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
