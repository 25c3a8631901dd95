//! Segmentation and checksum offload in software: cuts a large TCP packet into segments, and completes a
//! checksum that was left to the device.

use super::MAX_HEADER;
use super::checksum::Checksum;
use super::ip::{IPV6_HEADER, IpProtocol, saturate};
use super::segment::Flags;

/// Offsets of fields, in bytes, in an IPv4 header (RFC 791), an IPv6 header (RFC 8200) and a TCP header.
const IPV4_LENGTH: usize = 2;
const IPV4_FRAGMENT: usize = 6;
const IPV4_PROTOCOL: usize = 9;
const IPV4_CHECKSUM: usize = 10;
const IPV4_ADDRESSES: core::ops::Range<usize> = 12..20;
const IPV6_LENGTH: usize = 4;
const IPV6_NEXT_HEADER: usize = 6;
const IPV6_ADDRESSES: core::ops::Range<usize> = 8..40;
/// The bits that mark an IPv4 fragment: "more fragments", and the fragment offset.
const MORE_OR_OFFSET: u16 = 0x3fff;
const TCP_SEQ: usize = 4;
const TCP_FLAGS: usize = 12;
const TCP_CHECKSUM: usize = 16;
/// Offset of the checksum in a UDP header, in bytes (RFC 768).
const UDP_CHECKSUM: usize = 6;
/// Protocol numbers.
const TCP: u8 = IpProtocol::Tcp as u8;
const UDP: u8 = 17;

/// One of the segments that a packet is cut into.
pub(crate) struct Cut<'a> {
    /// Offset of the segment's payload in the packet's payload, in bytes.
    pub(crate) start: usize,
    pub(crate) payload: [&'a [u8]; 2],
    /// Whether this is the last segment of the packet.
    pub(crate) last: bool,
}

/// Writes the headers of one segment, with complete checksums, into `to`; `whole` are the headers of the
/// packet that is cut, with TCP's at byte `transport_offset`. Returns their length in bytes, or 0 if `whole`
/// is too short for headers.
pub(crate) fn write_cut_header(
    to: &mut [u8; MAX_HEADER],
    whole: &[u8],
    transport_offset: usize,
    cut: &Cut<'_>,
) -> usize {
    let copied = to.get_mut(..whole.len()).and_then(|to| {
        to.copy_from_slice(whole);
        cut_header(to, transport_offset, cut)
    });
    copied.map_or(0, |()| whole.len())
}

fn cut_header(header: &mut [u8], transport_offset: usize, cut: &Cut<'_>) -> Option<()> {
    let (ip, tcp) = header.split_at_mut_checked(transport_offset)?;
    // FIN and PSH go to the last segment, CWR to the first (RFC 3168 section 6.1.2).
    let place = tcp.get_mut(TCP_FLAGS..)?.first_chunk_mut::<2>()?;
    let mut cleared = Flags::NONE;
    if !cut.last {
        cleared |= Flags::FIN | Flags::PSH;
    }
    if cut.start > 0 {
        cleared |= Flags::CWR;
    }
    *place = (u16::from_be_bytes(*place) & !cleared.bits()).to_be_bytes();
    let place = tcp.get_mut(TCP_SEQ..)?.first_chunk_mut::<4>()?;
    *place = u32::from_be_bytes(*place).wrapping_add(cut.start as u32).to_be_bytes();

    let [first, second] = cut.payload;
    let length = tcp.len().saturating_add(first.len()).saturating_add(second.len());
    let is_v4 = ip.first()? >> 4 == 4;
    if is_v4 {
        put(ip, IPV4_LENGTH, saturate(length.saturating_add(ip.len())))?;
        put(ip, IPV4_CHECKSUM, 0)?;
        put(ip, IPV4_CHECKSUM, Checksum::default().over(ip).complement())?;
    } else {
        // Extension headers between the fixed header and TCP's count as payload.
        let extensions = ip.len().checked_sub(IPV6_HEADER)?;
        put(ip, IPV6_LENGTH, saturate(length.saturating_add(extensions)))?;
    }
    put(tcp, TCP_CHECKSUM, 0)?;
    let sum = pseudo_header(ip, TCP, length)?.over(tcp).over(first).over(second);
    put(tcp, TCP_CHECKSUM, sum.complement())
}

/// Completes the checksum of a TCP segment or UDP datagram if its sender left it to a device. Other packets,
/// fragments, and IPv6 packets with extension headers are unchanged.
pub fn complete_checksum(packet: &mut [u8]) {
    let _ = try_complete(packet);
}

fn try_complete(packet: &mut [u8]) -> Option<()> {
    let first = *packet.first()?;
    let field = |at: usize| Some(u16::from_be_bytes(*packet.get(at..)?.first_chunk()?));
    // Bytes beyond the length in the IP header are padding.
    let (offset, length, protocol) = match first >> 4 {
        4 if first & 0xf >= 5 && field(IPV4_FRAGMENT)? & MORE_OR_OFFSET == 0 => {
            let offset = usize::from(first & 0xf) * 4;
            (offset, usize::from(field(IPV4_LENGTH)?), packet.get(IPV4_PROTOCOL)?)
        }
        6 => {
            let length = usize::from(field(IPV6_LENGTH)?).saturating_add(IPV6_HEADER);
            (IPV6_HEADER, length, packet.get(IPV6_NEXT_HEADER)?)
        }
        _ => return None,
    };
    let protocol = *protocol;
    let at = match protocol {
        TCP => TCP_CHECKSUM,
        UDP => UDP_CHECKSUM,
        _ => return None,
    };
    let (ip, transport) = packet.get_mut(..length)?.split_at_mut_checked(offset)?;
    put(transport, at, 0)?;
    let sum = pseudo_header(ip, protocol, transport.len())?.over(transport);
    let checksum = match sum.complement() {
        // Zero would mean that there is no checksum (RFC 768).
        0 if protocol == UDP => 0xffff,
        checksum => checksum,
    };
    put(transport, at, checksum)
}

/// The sum of the pseudo-header for `length` bytes of `protocol` after this IP header.
fn pseudo_header(ip: &[u8], protocol: u8, length: usize) -> Option<Checksum> {
    let addresses = if ip.first()? >> 4 == 4 { IPV4_ADDRESSES } else { IPV6_ADDRESSES };
    let [high, low] = saturate(length).to_be_bytes();
    let rest = [high, low, 0, protocol];
    Some(Checksum::default().over(ip.get(addresses)?).over(&rest))
}

fn put(bytes: &mut [u8], at: usize, value: u16) -> Option<()> {
    *bytes.get_mut(at..)?.first_chunk_mut()? = value.to_be_bytes();
    Some(())
}
