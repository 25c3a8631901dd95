//! What holds for every packet: nothing is lost on the way to bytes and back, nothing damaged is
//! believed, and no bytes make the parser panic.

use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::time::Duration;
use ackclock::wire::{
    AccurateEcnOption, Checksum, Checksums, EchoRequest, Ecn, FastOpenCookie, Flags, Header,
    IpInfo, MAX_HEADER, Options, Packet, Protocol, SackBlocks, Segment, SignatureKind, Timestamps,
    UserTimeout, WireError, WriteChecksum, complete_checksum, parse_packet, write_echo_reply,
    write_packet_header,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bytes of an option area.
const MAX_OPTIONS: usize = 40;

fn ipv4_address() -> impl Strategy<Value = IpAddr> {
    any::<Ipv4Addr>()
        .prop_filter("an end of a connection", |address| {
            !(address.is_unspecified() || address.is_multicast() || address.is_broadcast())
        })
        .prop_map(IpAddr::V4)
}

fn ipv6_address() -> impl Strategy<Value = IpAddr> {
    any::<Ipv6Addr>()
        .prop_filter("an end of a connection", |address| {
            !(address.is_unspecified() || address.is_multicast())
        })
        .prop_map(IpAddr::V6)
}

fn addresses() -> impl Strategy<Value = (IpAddr, IpAddr)> {
    prop_oneof![(ipv4_address(), ipv4_address()), (ipv6_address(), ipv6_address()),]
}

fn ip_info() -> impl Strategy<Value = IpInfo> {
    let ecn = prop::sample::select(vec![Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]);
    (addresses(), any::<u8>(), 0u8..64, ecn).prop_map(
        |((source, destination), hop_limit, dscp, ecn)| IpInfo {
            source: source.into(),
            destination: destination.into(),
            hop_limit,
            dscp,
            ecn,
        },
    )
}

fn sack_blocks(ranges: &[(u32, u32)]) -> SackBlocks {
    let mut blocks = SackBlocks::EMPTY;
    for &(start, end) in ranges {
        assert!(blocks.push(SeqRange::new(SeqNumber(start), SeqNumber(end))));
    }
    blocks
}

fn options() -> impl Strategy<Value = Options> {
    (
        any::<Option<u16>>(),
        prop::option::of(0u8..=14),
        any::<bool>(),
        any::<Option<(u32, u32)>>(),
        vec(any::<(u32, u32)>(), 0..=SackBlocks::MAX),
        prop::option::of(vec(any::<u8>(), 0..=FastOpenCookie::LONGEST)),
        prop::option::of(0..3_000_000u64),
        prop::sample::select(vec![None, Some(SignatureKind::Md5), Some(SignatureKind::Ao)]),
    )
        .prop_map(
            |(
                mss,
                window_scale,
                sack_permitted,
                timestamps,
                ranges,
                cookie,
                timeout,
                signature,
            )| {
                let mut options = Options {
                    mss,
                    window_scale,
                    sack_permitted,
                    timestamps: timestamps.map(|(value, echo)| Timestamps { value, echo }),
                    // A cookie has no room beside a signature and everything else.
                    signature: signature.filter(|_| cookie.is_none()),
                    sack: sack_blocks(&ranges),
                };
                options.set_fast_open(cookie.as_deref().and_then(FastOpenCookie::new));
                // What gives way to a cookie is not written; to blocks nothing does.
                let mut rest = options;
                if rest.fast_open().is_none() {
                    rest.sack = SackBlocks::EMPTY;
                }
                let timeout = timeout.filter(|_| rest.len() < MAX_OPTIONS);
                options.set_user_timeout(
                    timeout.map(|secs| UserTimeout::new(Duration::from_secs(secs))),
                );
                options
            },
        )
}

fn header() -> impl Strategy<Value = Header> {
    (
        (1..=u16::MAX, 1..=u16::MAX),
        any::<(u32, u32)>(),
        0u16..0x1000,
        any::<(u16, u16)>(),
        options(),
    )
        .prop_map(
            |(
                (source_port, destination_port),
                (seq, ack),
                flags,
                (window, urgent_pointer),
                options,
            )| Header {
                source_port,
                destination_port,
                seq: SeqNumber(seq),
                ack: SeqNumber(ack),
                flags: Flags::from_bits(flags),
                window,
                urgent_pointer,
                options,
            },
        )
}

fn ip_header_len(ip: &IpInfo) -> usize {
    if ip.source.is_ipv4() { 20 } else { 40 }
}

fn packet(ip: &IpInfo, header: &Header, payload: [&[u8]; 2]) -> Vec<u8> {
    let mut to = [0xee; MAX_HEADER];
    let len = write_packet_header(&mut to, ip, header, payload, WriteChecksum::Complete);
    [&to[..len], payload[0], payload[1]].concat()
}

/// What of the SACK blocks finds room beside the other options: 4 bytes of padding, kind and
/// length, and 8 for each.
fn with_blocks_that_fit(header: Header) -> Header {
    if header.options.fast_open().is_some() {
        return header;
    }
    let mut options = Options { sack: header.options.sack.without_blocks(), ..header.options };
    let room = MAX_OPTIONS.saturating_sub(options.len() + 4) / 8;
    for range in header.options.sack.as_slice().iter().take(room) {
        assert!(options.sack.push(*range));
    }
    Header { options, ..header }
}

proptest! {
    #[test]
    fn segments_survive_the_way_to_bytes_and_back(
        ip in ip_info(),
        header in header(),
        payload in vec(any::<u8>(), 0..2000),
        split in any::<prop::sample::Index>(),
    ) {
        let (first, second) = payload.split_at(split.index(payload.len() + 1));
        let bytes = packet(&ip, &header, [first, second]);
        prop_assert_eq!(
            bytes.len(),
            ip_header_len(&ip) + 20 + header.options.len() + payload.len()
        );
        let segment = Segment { header: with_blocks_that_fit(header), ip, payload: &payload };
        let read = parse_packet(&bytes, Checksums::default());
        prop_assert_eq!(read, Ok(Packet { ip, protocol: Protocol::Tcp(segment) }));
    }

    #[test]
    fn options_fit_their_area_in_whole_words(options in options()) {
        prop_assert!(options.len() <= MAX_OPTIONS);
        prop_assert_eq!(options.len() % 4, 0);
        prop_assert_eq!(options.is_empty(), options == Options::default());
    }

    /// RFC 9768 section 3.2.3.3: where there is no room, the option is left out whole.
    #[test]
    fn an_accurate_ecn_option_is_written_if_it_fits(
        ip in ip_info(),
        header in header(),
        ect1_first in any::<bool>(),
        fields in vec(0u32..1 << 24, 0..=3),
    ) {
        let mut option = AccurateEcnOption { ect1_first, ..AccurateEcnOption::default() };
        option.len = fields.len() as u8;
        option.fields[..fields.len()].copy_from_slice(&fields);
        let mut header = header;
        header.options.set_accurate_ecn(Some(option));
        let rest = Options { sack: SackBlocks::EMPTY, ..header.options };
        let fits = rest.len() + option.words_len() <= MAX_OPTIONS;
        let bytes = packet(&ip, &header, [&[], &[]]);
        prop_assert_eq!(bytes.len(), ip_header_len(&ip) + 20 + header.options.len());
        prop_assert!(header.options.len() <= MAX_OPTIONS);
        let Ok(Packet { protocol: Protocol::Tcp(segment), .. }) =
            parse_packet(&bytes, Checksums::default())
        else {
            panic!("a segment");
        };
        prop_assert_eq!(segment.header.options.accurate_ecn(), fits.then_some(option));
    }

    #[test]
    fn one_flipped_bit_behind_the_ip_header_is_noticed(
        ip in ip_info(),
        header in header(),
        payload in vec(any::<u8>(), 0..100),
        bit in any::<prop::sample::Index>(),
    ) {
        let mut bytes = packet(&ip, &header, [&payload, &[]]);
        let start = ip_header_len(&ip);
        let bit = bit.index((bytes.len() - start) * 8);
        bytes[start + bit / 8] ^= 1 << (bit % 8);
        let read = parse_packet(&bytes, Checksums::default());
        prop_assert_eq!(read, Err(WireError::Checksum));
    }

    #[test]
    fn one_flipped_bit_of_an_ipv4_header_is_never_taken_for_the_packet(
        source in ipv4_address(),
        destination in ipv4_address(),
        header in header(),
        bit in 0usize..160,
    ) {
        let ip = IpInfo { source: source.into(), destination: destination.into(), hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
        let mut bytes = packet(&ip, &header, [b"payload", &[]]);
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(parse_packet(&bytes, Checksums::default()).is_err());
    }

    #[test]
    fn a_packet_cut_short_anywhere_is_truncated(
        ip in ip_info(),
        header in header(),
        payload in vec(any::<u8>(), 0..50),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = packet(&ip, &header, [&payload, &[]]);
        let cut = cut.index(bytes.len());
        let read = parse_packet(&bytes[..cut], Checksums::default());
        prop_assert_eq!(read, Err(WireError::Truncated));
    }

    #[test]
    fn what_a_device_left_to_do_is_done_and_nothing_else(
        ip in ip_info(),
        header in header(),
        payload in vec(any::<u8>(), 0..100),
        behind in vec(any::<u8>(), 0..8),
        fragment in 1u16..0x4000,
    ) {
        let mut to = [0xee; MAX_HEADER];
        let parts = [&payload[..], &[]];
        let len =
            write_packet_header(&mut to, &ip, &header, parts, WriteChecksum::PseudoHeader);
        let left = [&to[..len], &payload, &behind].concat();
        let mut done = left.clone();
        complete_checksum(&mut done);
        prop_assert_eq!(&done, &[&packet(&ip, &header, parts)[..], &behind].concat());
        for cut in 0..left.len() - behind.len() {
            let mut short = left[..cut].to_vec();
            complete_checksum(&mut short);
            prop_assert_eq!(&short, &left[..cut]);
        }
        if ip.source.is_ipv4() {
            let mut piece = left;
            piece[6..8].copy_from_slice(&fragment.to_be_bytes());
            let before = piece.clone();
            complete_checksum(&mut piece);
            prop_assert_eq!(piece, before);
        }
    }

    #[test]
    fn a_device_can_complete_the_checksum(
        ip in ip_info(),
        header in header(),
        payload in vec(any::<u8>(), 0..100),
    ) {
        let mut to = [0xee; MAX_HEADER];
        let parts = [&payload[..], &[]];
        let len =
            write_packet_header(&mut to, &ip, &header, parts, WriteChecksum::PseudoHeader);
        let mut bytes = [&to[..len], &payload].concat();
        // What a device does: sum the segment as it stands, and put the complement in the field.
        let start = ip_header_len(&ip);
        let sum = bytes[start..].chunks(2).fold(0u32, |sum, pair| {
            sum + (u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0)))
        });
        let sum = (sum & 0xffff) + (sum >> 16);
        let sum = (sum & 0xffff) + (sum >> 16);
        bytes[start + 16..start + 18].copy_from_slice(&(!sum as u16).to_be_bytes());
        prop_assert_eq!(bytes, packet(&ip, &header, parts));
    }

    #[test]
    fn echo_replies_are_whole_packets(
        ip in ip_info(),
        identifier: u16,
        sequence: u16,
        data in vec(any::<u8>(), 0..200),
    ) {
        let mut to = [0xee; MAX_HEADER];
        let request = EchoRequest { identifier, sequence, data: &data };
        let len = write_echo_reply(&mut to, &ip, &request);
        let bytes = [&to[..len], &data].concat();
        let read = parse_packet(&bytes, Checksums::default());
        prop_assert_eq!(read, Ok(Packet { ip, protocol: Protocol::OtherIcmp }));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn no_bytes_make_the_parser_panic(
        bytes in vec(any::<u8>(), 0..200),
        ip: bool,
        transport: bool,
    ) {
        // The result may be anything: it has to come.
        let _ = parse_packet(&bytes, Checksums { ip, transport });
    }

    /// Random bytes rarely get past the first checks: these have a good start.
    #[test]
    fn no_bytes_behind_a_plausible_ip_header_make_the_parser_panic(
        addresses in addresses(),
        protocol in prop::sample::select(vec![0u8, 1, 6, 43, 44, 58, 60]),
        body in vec(any::<u8>(), 0..200),
        next in prop::sample::select(vec![1u8, 6, 43, 44, 58, 60]),
        kind in 0u8..16,
    ) {
        let (source, destination) = addresses;
        let ip = IpInfo { source: source.into(), destination: destination.into(), hop_limit: 1, dscp: 0, ecn: Ecn::NotEct };
        let mut bytes = packet(&ip, &Header::default(), [&body, &[]]);
        let at = ip_header_len(&ip);
        bytes[if ip.source.is_ipv4() { 9 } else { 6 }] = protocol;
        bytes[at] = if protocol == 1 || protocol == 58 { kind } else { next };
        // The TCP header is zeros: let the body stand where options, quotes and headers are read.
        bytes.drain(at + 8..at + 20);
        let len = bytes.len() - if ip.source.is_ipv4() { 0 } else { 40 };
        let field = if ip.source.is_ipv4() { 2 } else { 4 };
        bytes[field..field + 2].copy_from_slice(&(len as u16).to_be_bytes());
        let unverified = Checksums { ip: false, transport: false };
        let _ = parse_packet(&bytes, unverified);
    }

    /// Damaged packets that a device lets pass.
    #[test]
    fn no_damage_makes_the_parser_panic(
        ip in ip_info(),
        header in header(),
        payload in vec(any::<u8>(), 0..50),
        damage in vec(any::<(prop::sample::Index, u8)>(), 1..8),
    ) {
        let mut bytes = packet(&ip, &header, [&payload, &[]]);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = parse_packet(&bytes, Checksums { ip: false, transport: false });
    }
}

#[test]
fn every_datagram_gets_a_checksum_that_is_right_and_not_zero() {
    let addresses = [10, 0, 0, 1, 10, 0, 0, 2];
    for word in 0..=u16::MAX {
        let mut packet = [0; 30];
        (packet[0], packet[3], packet[9], packet[25]) = (0x45, 30, 17, 10);
        packet[12..20].copy_from_slice(&addresses);
        packet[28..].copy_from_slice(&word.to_be_bytes());
        complete_checksum(&mut packet);
        let sum = Checksum::default().over(&addresses).over(&[0, 17, 0, 10]).over(&packet[20..]);
        assert_eq!(sum.sum(), 0xffff, "{word}");
        assert_ne!(packet[26..28], [0, 0], "{word}: that would say that there is none");
    }
}
