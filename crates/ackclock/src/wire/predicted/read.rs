//! The template that recognises and reads the next packets of a connection.

use super::super::checksum::Checksum;
use super::super::ip::{IPV6_HEADER, IpProtocol};
use super::super::options::{BEFORE_TIMESTAMPS, LONE_TIMESTAMPS};
use super::super::segment::FIXED_HEADER;
use super::super::{Checksums, Ecn, Flags, Header, Options, Segment, Timestamps, ipv4};
use crate::seq::SeqNumber;
use core::net::IpAddr;

/// The first eight bytes of an IPv4 header: version and header length (no options), neither "more fragments"
/// nor a fragment offset. Type of service, total length and identification may vary.
const IPV4_FIRST: Masked<u64> =
    Masked { mask: 0xff00_0000_0000_0000 | ipv4::FRAGMENT as u64, value: 0x4500_0000_0000_0000 };
/// The third word of an IPv4 header: the protocol. Time to live and checksum may vary.
const IPV4_THIRD: Masked<u32> = Masked { mask: 0x00ff_0000, value: (IpProtocol::Tcp as u32) << 16 };
/// The first eight bytes of an IPv6 header: version and next header. Traffic class, flow label, payload
/// length and hop limit may vary.
const IPV6_FIRST: Masked<u64> =
    Masked { mask: 0xf000_0000_0000_ff00, value: 6 << 60 | (IpProtocol::Tcp as u64) << 8 };
/// The fourth word of a TCP header: the data offset, which the template adds to the value, and the flags, ACK
/// and perhaps PSH. The window may vary.
const TCP_FLAGS: Masked<u32> = Masked {
    mask: 0xffff_0000 & !((Flags::PSH.bits() as u32) << 16),
    value: (Flags::ACK.bits() as u32) << 16,
};

/// The bits of a word, in network order, that a packet must have (`value`), and which bits those are
/// (`mask`).
struct Masked<T> {
    mask: T,
    value: T,
}

/// A segment read by a template: its flags are ACK and perhaps PSH.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PredictedSegment<'a> {
    pub(crate) seq: SeqNumber,
    pub(crate) ack: SeqNumber,
    /// Whether PSH is set.
    pub(crate) push: bool,
    /// The window field, unscaled.
    pub(crate) window: u16,
    /// The ECN codepoint in the IP header.
    pub(crate) ecn: Ecn,
    pub(crate) timestamps: Option<Timestamps>,
    pub(crate) payload: &'a [u8],
}

impl<'a> PredictedSegment<'a> {
    /// A segment parsed without a template, in the form in which a template reads it; `None` if it has an
    /// option other than timestamps, or flags other than ACK and perhaps PSH.
    #[inline]
    pub(crate) fn of(segment: &Segment<'a>) -> Option<Self> {
        let Header { seq, ack, flags, window, options, .. } = &segment.header;
        // The caller has already verified a signature.
        let Options { mss, window_scale, sack_permitted, timestamps, signature: _, sack } = options;
        let is_usual = flags.union(Flags::PSH) == Flags::ACK.union(Flags::PSH)
            && mss.is_none()
            && window_scale.is_none()
            && !sack_permitted
            && sack.is_bare();
        is_usual.then_some(PredictedSegment {
            seq: *seq,
            ack: *ack,
            push: flags.contains(Flags::PSH),
            window: *window,
            ecn: segment.ip.ecn,
            timestamps: *timestamps,
            payload: segment.payload,
        })
    }
}

/// Addresses in the form in which they stand in a packet.
#[derive(Clone, Copy, Debug)]
enum Addresses {
    /// Source and destination.
    V4(u64),
    /// Source, then destination.
    V6([u128; 2]),
}

/// The template: what arriving packets of one connection have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadTemplate {
    addresses: Addresses,
    /// The ports in the form in which they stand in a packet.
    ports: u32,
    /// Whether timestamps are the only option; otherwise there is none.
    has_timestamps: bool,
    /// The sum of the pseudo-header without the length.
    pseudo: Checksum,
}

impl ReadTemplate {
    /// The template for packets like that of `segment`; `None` if one of its addresses or ports cannot belong
    /// to a connection.
    pub(crate) fn after(segment: &Segment<'_>) -> Option<Self> {
        let Segment { ip, header, .. } = segment;
        let addresses = match (IpAddr::from(ip.source), IpAddr::from(ip.destination)) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                let both = u64::from(source.to_bits()) << 32 | u64::from(destination.to_bits());
                Addresses::V4(both.to_be())
            }
            (IpAddr::V6(source), IpAddr::V6(destination)) => {
                Addresses::V6([source, destination].map(|address| address.to_bits().to_be()))
            }
            _ => return None,
        };
        let Header { source_port, destination_port, options, .. } = header;
        let has_ends = *source_port != 0 && *destination_port != 0;
        has_ends.then(|| ReadTemplate {
            addresses,
            ports: (u32::from(*source_port) << 16 | u32::from(*destination_port)).to_be(),
            has_timestamps: options.timestamps.is_some(),
            pseudo: Checksum::pseudo_header(ip, IpProtocol::Tcp, 0),
        })
    }

    /// Whether it reads segments with timestamps; otherwise it reads those without options.
    pub(crate) const fn has_timestamps(&self) -> bool {
        self.has_timestamps
    }

    /// Reads a packet of the connection. `None` for any other packet; for packets that
    /// [`parse_packet`](crate::wire::parse_packet) refuses; and for those with IPv4 options, IPv6 extension
    /// headers, flags other than ACK and perhaps PSH, or options other than timestamps in the layout of RFC
    /// 7323 appendix A (with any option, if the template's segment had none). The urgent pointer is ignored,
    /// as it is meaningless without URG.
    #[inline(always)]
    pub(crate) fn read<'a>(
        &self,
        packet: &'a [u8],
        verify: Checksums,
    ) -> Option<PredictedSegment<'a>> {
        let (ecn, transport) = match &self.addresses {
            Addresses::V4(addresses) => read_ipv4(packet, *addresses, verify),
            Addresses::V6(addresses) => read_ipv6(packet, addresses),
        }?;
        let (header, options) = transport.split_first_chunk::<FIXED_HEADER>()?;
        let (words, _) = header.as_chunks::<4>();
        let &[ports, seq, ack, flags, _] = words.first_chunk()?;
        let length =
            if self.has_timestamps { FIXED_HEADER + LONE_TIMESTAMPS } else { FIXED_HEADER };
        let value = TCP_FLAGS.value | (length as u32 / 4) << 28;
        let difference = u32::from_ne_bytes(ports) ^ self.ports
            | u32::from_ne_bytes(flags) & TCP_FLAGS.mask.to_be() ^ value.to_be();
        if difference != 0 {
            return None;
        }
        let (timestamps, payload) = if self.has_timestamps {
            let (area, payload) = options.split_first_chunk::<LONE_TIMESTAMPS>()?;
            (Some(read_timestamps(area)?), payload)
        } else {
            (None, options)
        };
        let length = [(transport.len() as u32) << 16];
        let sum = || self.pseudo.over_words(&length).over(transport);
        if verify.transport && sum().complement() != 0 {
            return None;
        }
        let flags = u32::from_be_bytes(flags);
        Some(PredictedSegment {
            seq: SeqNumber(u32::from_be_bytes(seq)),
            ack: SeqNumber(u32::from_be_bytes(ack)),
            push: Flags::from_bits((flags >> 16) as u16).contains(Flags::PSH),
            window: flags as u16,
            ecn,
            timestamps,
            payload,
        })
    }
}

/// ECN codepoint, and transport header with payload, of an IPv4 packet between these addresses.
#[inline(always)]
fn read_ipv4(packet: &[u8], addresses: u64, verify: Checksums) -> Option<(Ecn, &[u8])> {
    let header = packet.first_chunk::<{ ipv4::HEADER }>()?;
    let (first, rest) = header.split_first_chunk::<8>()?;
    let (third, ends) = rest.split_first_chunk::<4>()?;
    let first = u64::from_be_bytes(*first);
    let third = u32::from_be_bytes(*third);
    let difference = first & IPV4_FIRST.mask ^ IPV4_FIRST.value
        | u64::from(third & IPV4_THIRD.mask ^ IPV4_THIRD.value)
        | u64::from_ne_bytes(*ends.first_chunk()?) ^ addresses;
    let is_damaged = || ipv4::sum(header).complement() != 0;
    if difference != 0 || verify.ip && is_damaged() {
        return None;
    }
    let total_len = usize::from((first >> 32) as u16);
    Some((Ecn::from_bits((first >> 48) as u8), packet.get(ipv4::HEADER..total_len)?))
}

/// ECN codepoint, and transport header with payload, of an IPv6 packet from the first address to the second.
#[inline(always)]
fn read_ipv6<'a>(packet: &'a [u8], addresses: &[u128; 2]) -> Option<(Ecn, &'a [u8])> {
    let (header, payload) = packet.split_first_chunk::<IPV6_HEADER>()?;
    let (first, ends) = header.split_first_chunk::<8>()?;
    let (source, destination) = ends.split_first_chunk::<16>()?;
    let [known_source, known_destination] = addresses;
    let first = u64::from_be_bytes(*first);
    let difference = u128::from_ne_bytes(*source) ^ known_source
        | u128::from_ne_bytes(*destination.first_chunk()?) ^ known_destination
        | u128::from(first & IPV6_FIRST.mask ^ IPV6_FIRST.value);
    if difference != 0 {
        return None;
    }
    let payload_len = usize::from((first >> 16) as u16);
    Some((Ecn::from_bits((first >> 52) as u8), payload.get(..payload_len)?))
}

/// The timestamps in an option area that has nothing else.
#[inline(always)]
fn read_timestamps(area: &[u8; LONE_TIMESTAMPS]) -> Option<Timestamps> {
    let (words, _) = area.as_chunks::<4>();
    let [before, value, echo] = words.first_chunk()?.map(u32::from_be_bytes);
    (before == BEFORE_TIMESTAMPS).then_some(Timestamps { value, echo })
}
