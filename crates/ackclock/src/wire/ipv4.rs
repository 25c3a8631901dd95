//! IPv4 headers (RFC 791).

use super::checksum::Checksum;
use super::ip::{IpProtocol, parse_transport, saturate, words, write_words};
use super::{Checksums, Ecn, Formats, IpInfo, MAX_HEADER, Packet, WireError};
use crate::FOR_SPEED;
use core::net::Ipv4Addr;

/// Length of a header without options, in bytes (section 3.1).
pub(super) const HEADER: usize = 20;

/// The DF bit in the word of flags and fragment offset.
pub(super) const DONT_FRAGMENT: u16 = 1 << 14;
/// The bits that mark a fragment: "more fragments", and the fragment offset.
pub(super) const FRAGMENT: u16 = 0x3fff;

/// Options by number (IANA registry of IPv4 option numbers).
mod option {
    pub(super) const END_OF_LIST: u8 = 0;
    pub(super) const NO_OPERATION: u8 = 1;
    pub(super) const LOOSE_SOURCE_ROUTE: u8 = 131;
    pub(super) const STRICT_SOURCE_ROUTE: u8 = 137;
}

/// The fields of a header that are used here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ipv4Header {
    /// Length of the header in bytes.
    pub(super) len: usize,
    /// Length of the packet in bytes.
    pub(super) total_len: usize,
    service: u8,
    fragment: u16,
    hop_limit: u8,
    pub(super) protocol: Option<IpProtocol>,
    pub(super) source: Ipv4Addr,
    pub(super) destination: Ipv4Addr,
}

impl Ipv4Header {
    /// Reads the header at the beginning of `bytes`; `None` if it is truncated, or no IPv4 header.
    #[inline]
    pub(super) fn parse(bytes: &[u8]) -> Option<Ipv4Header> {
        let &[first, service, l0, l1, _, _, f0, f1, hop_limit, protocol, _, _, ref addresses @ ..] =
            bytes.first_chunk::<HEADER>()?;
        let &[s0, s1, s2, s3, d0, d1, d2, d3] = addresses;
        let len = usize::from(first & 0xf).saturating_mul(4);
        (first >> 4 == 4 && len >= HEADER).then_some(Ipv4Header {
            len,
            total_len: u16::from_be_bytes([l0, l1]).into(),
            service,
            fragment: u16::from_be_bytes([f0, f1]),
            hop_limit,
            protocol: IpProtocol::from_number(protocol),
            source: Ipv4Addr::new(s0, s1, s2, s3),
            destination: Ipv4Addr::new(d0, d1, d2, d3),
        })
    }

    /// Whether the packet is a fragment other than the first.
    pub(super) fn has_offset(&self) -> bool {
        self.fragment & (FRAGMENT >> 1) != 0
    }
}

/// Reads a packet.
#[inline]
pub(super) fn parse<F: Formats>(bytes: &[u8], verify: Checksums) -> Result<Packet<'_>, WireError> {
    let header = Ipv4Header::parse(bytes).ok_or(WireError::Truncated)?;
    let packet = bytes.get(..header.total_len).ok_or(WireError::Truncated)?;
    let (header_bytes, payload) =
        packet.split_at_checked(header.len).ok_or(WireError::Truncated)?;
    if verify.ip && sum(header_bytes).complement() != 0 {
        return Err(WireError::IpChecksum);
    }
    if header.fragment & FRAGMENT != 0 {
        return Err(WireError::Fragment);
    }
    if let Some(options) = header_bytes.get(HEADER..)
        && !options.is_empty()
    {
        check_options(options)?;
    }
    let ip = IpInfo {
        source: header.source.into(),
        destination: header.destination.into(),
        hop_limit: header.hop_limit,
        dscp: header.service >> 2,
        ecn: Ecn::from_bits(header.service),
    };
    parse_transport::<F>(header.protocol, payload, ip, verify)
}

/// Transport header and payload of a packet that [`parse`] accepts.
pub(super) fn transport(packet: &[u8]) -> Option<&[u8]> {
    let header = Ipv4Header::parse(packet)?;
    packet.get(header.len..header.total_len)
}

/// Checks the options (section 3.1). They are skipped, except for source routes, which let the sender choose
/// the way of the reply: these are errors, as RFC 7126 sections 4.3 and 4.4 advise and Linux does.
#[inline(never)]
fn check_options(mut options: &[u8]) -> Result<(), WireError> {
    while let Some((kind, rest)) = options.split_first() {
        options = match (*kind, rest) {
            (option::END_OF_LIST, _) => break,
            (option::NO_OPERATION, rest) => rest,
            (option::LOOSE_SOURCE_ROUTE | option::STRICT_SOURCE_ROUTE, _) | (_, [] | [..2, ..]) => {
                return Err(WireError::Option);
            }
            // The length includes kind and length.
            (_, [length, ..]) => options.get(usize::from(*length)..).ok_or(WireError::Option)?,
        };
    }
    Ok(())
}

/// The sum of a header for its checksum; fast if it has no options, as most.
#[inline]
pub(super) fn sum(header: &[u8]) -> Checksum {
    match header.first_chunk::<HEADER>() {
        Some(fixed) if FOR_SPEED && header.len() == HEADER => {
            Checksum::default().over_words(&words::<HEADER, { HEADER / 4 }>(fixed))
        }
        _ => Checksum::default().over(header),
    }
}

/// Writes a header.
pub(super) fn write(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    ends: [Ipv4Addr; 2],
    protocol: IpProtocol,
    payload_len: usize,
) -> usize {
    write_words(to, header_words(ip, ends, protocol, payload_len));
    HEADER
}

/// Clears DF in a written header, which then needs an identification (RFC 6864 section 4).
pub(crate) fn let_fragment(packet: &mut [u8], identification: u16) {
    let Some(header) = packet.first_chunk_mut::<HEADER>() else {
        return;
    };
    let [_, _, _, _, i0, i1, f0, f1, _, _, s0, s1, ..] = header;
    [*i0, *i1] = identification.to_be_bytes();
    (*f0, *f1, *s0, *s1) = (0, 0, 0, 0);
    let sum = sum(header).complement().to_be_bytes();
    let [.., s0, s1, _, _, _, _, _, _, _, _] = header;
    [*s0, *s1] = sum;
}

/// The words of a header, with DF set, so that it needs no identification (RFC 6864 section 4.1).
#[inline(always)]
pub(super) fn header_words(
    ip: &IpInfo,
    [source, destination]: [Ipv4Addr; 2],
    protocol: IpProtocol,
    payload_len: usize,
) -> [u32; HEADER / 4] {
    let length = u32::from(saturate(payload_len.saturating_add(HEADER)));
    let mut words = [
        0x45 << 24 | u32::from(ip.traffic_class()) << 16 | length,
        u32::from(DONT_FRAGMENT),
        u32::from(ip.hop_limit) << 24 | (protocol as u32) << 16,
        source.to_bits(),
        destination.to_bits(),
    ];
    let sum = Checksum::default().over_words(&words).complement();
    let [_, _, word, ..] = &mut words;
    *word |= u32::from(sum);
    words
}
