//! Whole packets, byte by byte. The bytes, checksums included, were made outside of this crate.

use super::*;
use crate::seq::{SeqNumber, SeqRange};
use core::net::{IpAddr, SocketAddr};
use std::vec::Vec;

/// A SYN with Linux's options: 10.7.0.1:40000 to 10.7.0.2:9.
const SYN: [u8; 60] = [
    0x45, 0x00, 0x00, 0x3c, 0x00, 0x00, 0x40, 0x00, 0x40, 0x06, 0x26, 0xac, 0x0a, 0x07, 0x00, 0x01,
    0x0a, 0x07, 0x00, 0x02, 0x9c, 0x40, 0x00, 0x09, 0x12, 0x34, 0x56, 0x78, 0x00, 0x00, 0x00, 0x00,
    0xa0, 0x02, 0xfa, 0xf0, 0x30, 0x03, 0x00, 0x00, 0x02, 0x04, 0x05, 0xb4, 0x04, 0x02, 0x08, 0x0a,
    0x01, 0x02, 0x03, 0x04, 0x00, 0x00, 0x00, 0x00, 0x01, 0x03, 0x03, 0x07,
];

/// Three bytes, timestamps and a SACK block: fd00::1 port 9 to fd00::2 port 40000, expedited
/// forwarding (DSCP 46), ECT(0).
const DATA: [u8; 87] = [
    0x6b, 0xa0, 0x00, 0x00, 0x00, 0x2f, 0x06, 0xff, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x09, 0x9c, 0x40, 0xff, 0xff, 0xff, 0xfe,
    0x12, 0x34, 0x56, 0x79, 0xb1, 0x18, 0x01, 0xf5, 0xe3, 0xef, 0x00, 0x00, 0x01, 0x01, 0x08, 0x0a,
    0xaa, 0xbb, 0xcc, 0xdd, 0x01, 0x02, 0x03, 0x04, 0x01, 0x01, 0x05, 0x0a, 0x00, 0x00, 0x03, 0xe8,
    0x00, 0x00, 0x07, 0xd0, 0x6f, 0x64, 0x64,
];

/// "ping!" from 10.7.0.2 to 10.7.0.1, and the answer.
const ECHO_V4: [u8; 33] = [
    0x45, 0x00, 0x00, 0x21, 0x00, 0x00, 0x40, 0x00, 0x40, 0x01, 0x26, 0xcc, 0x0a, 0x07, 0x00, 0x02,
    0x0a, 0x07, 0x00, 0x01, 0x08, 0x00, 0xe5, 0xf3, 0x12, 0x34, 0x00, 0x07, 0x70, 0x69, 0x6e, 0x67,
    0x21,
];
const ECHO_REPLY_V4: [u8; 33] = [
    0x45, 0x00, 0x00, 0x21, 0x00, 0x00, 0x40, 0x00, 0x40, 0x01, 0x26, 0xcc, 0x0a, 0x07, 0x00, 0x01,
    0x0a, 0x07, 0x00, 0x02, 0x00, 0x00, 0xed, 0xf3, 0x12, 0x34, 0x00, 0x07, 0x70, 0x69, 0x6e, 0x67,
    0x21,
];

/// "ping!" from fd00::2 to fd00::1, and the answer.
const ECHO_V6: [u8; 53] = [
    0x60, 0x00, 0x00, 0x00, 0x00, 0x0d, 0x3a, 0x40, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x80, 0x00, 0x73, 0xa7, 0x12, 0x34, 0x00, 0x07,
    0x70, 0x69, 0x6e, 0x67, 0x21,
];
const ECHO_REPLY_V6: [u8; 53] = [
    0x60, 0x00, 0x00, 0x00, 0x00, 0x0d, 0x3a, 0x40, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x81, 0x00, 0x72, 0xa7, 0x12, 0x34, 0x00, 0x07,
    0x70, 0x69, 0x6e, 0x67, 0x21,
];

/// 10.7.0.254 to 10.7.0.1: fragmentation needed, MTU 1300, with the first eight bytes of a SYN.
const FRAGMENTATION_NEEDED: [u8; 56] = [
    0x45, 0x00, 0x00, 0x38, 0x00, 0x00, 0x40, 0x00, 0x40, 0x01, 0x25, 0xb9, 0x0a, 0x07, 0x00, 0xfe,
    0x0a, 0x07, 0x00, 0x01, 0x03, 0x04, 0xf2, 0xf1, 0x00, 0x00, 0x05, 0x14, 0x45, 0x00, 0x00, 0x28,
    0x00, 0x00, 0x40, 0x00, 0x40, 0x06, 0x26, 0xc0, 0x0a, 0x07, 0x00, 0x01, 0x0a, 0x07, 0x00, 0x02,
    0x9c, 0x40, 0x00, 0x09, 0x12, 0x34, 0x56, 0x78,
];

/// fd00::fe to fd00::1: packet too big, MTU 1280, with a whole SYN.
const PACKET_TOO_BIG: [u8; 108] = [
    0x60, 0x00, 0x00, 0x00, 0x00, 0x44, 0x3a, 0x40, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xfe, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x97, 0x46, 0x00, 0x00, 0x05, 0x00,
    0x60, 0x00, 0x00, 0x00, 0x00, 0x14, 0x06, 0x40, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x9c, 0x40, 0x00, 0x09, 0x12, 0x34, 0x56, 0x78,
    0x00, 0x00, 0x00, 0x00, 0x50, 0x02, 0xfa, 0xf0, 0xb5, 0xf7, 0x00, 0x00,
];

/// For packets changed on purpose.
const UNVERIFIED: Checksums = Checksums { ip: false, transport: false };

fn v4(last: u8) -> IpAddr {
    [10, 7, 0, last].into()
}

fn v6(last: u16) -> IpAddr {
    [0xfd00, 0, 0, 0, 0, 0, 0, last].into()
}

fn ip(source: IpAddr, destination: IpAddr) -> IpInfo {
    IpInfo {
        source: source.into(),
        destination: destination.into(),
        hop_limit: 64,
        dscp: 0,
        ecn: Ecn::NotEct,
    }
}

fn syn() -> Header {
    Header {
        source_port: 40_000,
        destination_port: 9,
        seq: SeqNumber(0x1234_5678),
        flags: Flags::SYN,
        window: 64_240,
        options: Options {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some(Timestamps { value: 0x0102_0304, echo: 0 }),
            md5: false,
            sack: SackBlocks::EMPTY,
        },
        ..Header::default()
    }
}

fn data() -> (IpInfo, Header) {
    let mut sack = SackBlocks::EMPTY;
    sack.push(SeqRange::new(SeqNumber(1000), SeqNumber(2000)));
    let header = Header {
        source_port: 9,
        destination_port: 40_000,
        seq: SeqNumber(0xffff_fffe),
        ack: SeqNumber(0x1234_5679),
        flags: Flags::AE | Flags::PSH | Flags::ACK,
        window: 501,
        options: Options {
            timestamps: Some(Timestamps { value: 0xaabb_ccdd, echo: 0x0102_0304 }),
            sack,
            ..Options::default()
        },
        ..Header::default()
    };
    let ip = IpInfo { hop_limit: 255, dscp: 46, ecn: Ecn::Ect0, ..ip(v6(1), v6(2)) };
    (ip, header)
}

/// The error with which a packet is refused.
fn refusal(bytes: &[u8]) -> WireError {
    match parse_packet(bytes, UNVERIFIED) {
        Err(error) => error,
        Ok(packet) => panic!("{bytes:02x?} is read as {packet:?}"),
    }
}

/// `packet` with other bytes from `at` on.
fn changed(packet: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet[at..at + bytes.len()].copy_from_slice(bytes);
    packet
}

#[test]
fn a_syn_byte_by_byte() {
    let ip = ip(v4(1), v4(2));
    let mut to = [0xee; MAX_HEADER];
    let len = write_packet_header(&mut to, &ip, &syn(), [&[], &[]], WriteChecksum::Complete);
    assert_eq!(to[..len], SYN);
    let segment = Segment { header: syn(), ip, payload: &[] };
    assert_eq!(segment.len(), 1);
    let protocol = Protocol::Tcp(segment);
    assert_eq!(parse_packet(&SYN, Checksums::default()), Ok(Packet { ip, protocol }));
}

#[test]
fn a_data_segment_byte_by_byte() {
    let (ip, header) = data();
    let mut to = [0xee; MAX_HEADER];
    let len = write_packet_header(&mut to, &ip, &header, [b"o", b"dd"], WriteChecksum::Complete);
    assert_eq!(to[..len], DATA[..84]);
    let segment = Segment { header, ip, payload: b"odd" };
    assert_eq!(segment.len(), 3);
    let protocol = Protocol::Tcp(segment);
    assert_eq!(parse_packet(&DATA, Checksums::default()), Ok(Packet { ip, protocol }));
}

#[test]
fn a_device_that_completes_the_checksum_gets_the_pseudo_headers() {
    let mut to = [0; MAX_HEADER];
    let ip = ip(v4(1), v4(2));
    let len = write_packet_header(&mut to, &ip, &syn(), [&[], &[]], WriteChecksum::PseudoHeader);
    // 0a07 + 0001 + 0a07 + 0002 + 0006 + 0028.
    assert_eq!(to[..len], changed(&SYN, 36, &[0x14, 0x3f]));
}

#[test]
fn every_ecn_codepoint_and_reserved_bit_survives() {
    for (bits, ecn) in [(0, Ecn::NotEct), (1, Ecn::Ect1), (2, Ecn::Ect0), (3, Ecn::Ce)] {
        let packet = parse_packet(&changed(&SYN, 1, &[bits]), UNVERIFIED).map(|packet| packet.ip);
        assert_eq!(packet, Ok(IpInfo { ecn, ..ip(v4(1), v4(2)) }));
    }
    let packet = changed(&SYN, 32, &[0xaf, 0xff]);
    let Ok(Protocol::Tcp(segment)) = parse_packet(&packet, UNVERIFIED).map(|p| p.protocol) else {
        panic!("not a segment");
    };
    assert_eq!(segment.header.flags, Flags::from_bits(0xfff));
}

#[test]
fn checksums_are_verified_unless_the_device_has_done_it() {
    let damaged_header = changed(&SYN, 8, &[63]);
    let damaged_segment = changed(&SYN, 35, &[0xf1]);
    let only_ip = Checksums { ip: true, transport: false };
    let only_transport = Checksums { ip: false, transport: true };
    assert_eq!(parse_packet(&damaged_header, only_ip), Err(WireError::IpChecksum));
    assert!(parse_packet(&damaged_header, only_transport).is_ok());
    assert_eq!(parse_packet(&damaged_segment, only_transport), Err(WireError::Checksum));
    assert!(parse_packet(&damaged_segment, only_ip).is_ok());
    for echo in [&ECHO_V4[..], &ECHO_V6] {
        let damaged = changed(echo, echo.len() - 1, b"?");
        assert_eq!(parse_packet(&damaged, only_transport), Err(WireError::Checksum));
        assert!(parse_packet(&damaged, only_ip).is_ok());
    }
}

#[test]
fn malformed_headers_say_what_is_wrong() {
    assert_eq!(refusal(&[]), WireError::Truncated);
    assert_eq!(refusal(&changed(&SYN, 0, &[0x55])), WireError::Version);
    // IPv4 header lengths below 5 words and beyond the packet; total length beyond the bytes.
    assert_eq!(refusal(&changed(&SYN, 0, &[0x44])), WireError::Truncated);
    assert_eq!(refusal(&changed(&SYN, 2, &[0, 19])), WireError::Truncated);
    assert_eq!(refusal(&changed(&SYN, 3, &[61])), WireError::Truncated);
    // Room for no TCP header.
    assert_eq!(refusal(&changed(&SYN, 3, &[39])), WireError::Truncated);
    assert_eq!(refusal(&changed(&SYN, 32, &[0x4f])), WireError::DataOffset);
    assert_eq!(refusal(&changed(&SYN, 32, &[0xb0])), WireError::DataOffset);
    assert_eq!(refusal(&changed(&SYN, 20, &[0, 0])), WireError::Port);
    assert_eq!(refusal(&changed(&SYN, 22, &[0, 0])), WireError::Port);
    assert_eq!(refusal(&changed(&SYN, 41, &[3])), WireError::Option);
    // UDP; ICMPv6 in IPv4; ICMP in IPv6.
    assert_eq!(refusal(&changed(&SYN, 9, &[17])), WireError::UnknownProtocol);
    assert_eq!(refusal(&changed(&SYN, 9, &[58])), WireError::UnknownProtocol);
    assert_eq!(refusal(&changed(&DATA, 6, &[1])), WireError::UnknownProtocol);
}

#[test]
fn fragments_are_refused() {
    // More fragments; an offset; a reserved bit alone is no fragment.
    assert_eq!(refusal(&changed(&SYN, 6, &[0x20, 0])), WireError::Fragment);
    assert_eq!(refusal(&changed(&SYN, 6, &[0, 1])), WireError::Fragment);
    assert!(parse_packet(&changed(&SYN, 6, &[0x80, 0]), UNVERIFIED).is_ok());
    assert_eq!(refusal(&changed(&DATA, 6, &[44])), WireError::Fragment);
}

#[test]
fn ip_options_are_skipped_and_trailing_bytes_ignored() {
    let mut packet = changed(&SYN, 0, &[0x46, 0, 0, 64]);
    packet.splice(20..20, [1, 1, 1, 0]);
    packet.extend([0xee; 6]);
    assert_eq!(parse_packet(&packet, UNVERIFIED), parse_packet(&SYN, Checksums::default()));
    let mut packet = DATA.to_vec();
    packet.extend([0xee; 6]);
    assert_eq!(
        parse_packet(&packet, Checksums::default()),
        parse_packet(&DATA, Checksums::default())
    );
}

/// RFC 791 section 3.1, RFC 7126 sections 4.3 and 4.4.
#[test]
fn source_routes_and_options_that_end_nowhere_are_refused() {
    let with_options = |options: [u8; 8]| {
        let mut packet = changed(&SYN, 0, &[0x47, 0, 0, 68]);
        packet.splice(20..20, options);
        packet
    };
    // Record route, timestamp, router alert, and one that nobody knows.
    for fine in [
        [7, 7, 4, 0, 0, 0, 0, 0],
        [1, 68, 7, 5, 0, 0, 0, 0],
        [148, 4, 0, 0, 1, 0, 9, 200],
        [222, 2, 222, 5, 0, 0, 0, 1],
    ] {
        assert!(parse_packet(&with_options(fine), UNVERIFIED).is_ok(), "{fine:?}");
    }
    // Loose and strict source route; lengths below two, beyond the header, and none at all.
    for bad in [
        [131, 7, 4, 10, 7, 0, 2, 0],
        [1, 137, 7, 4, 10, 7, 0, 2],
        [7, 1, 4, 0, 0, 0, 0, 0],
        [7, 0, 4, 0, 0, 0, 0, 0],
        [7, 9, 4, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1, 7],
    ] {
        assert_eq!(refusal(&with_options(bad)), WireError::Option, "{bad:?}");
    }
}

/// RFC 8200 section 4.2.
#[test]
fn options_are_skipped_dropped_or_answered_as_their_type_says() {
    let with_options = |options: [u8; 6]| {
        let mut header = [6, 0, 0, 0, 0, 0, 0, 0];
        header[2..].copy_from_slice(&options);
        with_extension_headers(60, &header)
    };
    // Pads; router alert and its pad; one that nobody knows and is to be skipped.
    for fine in [[0; 6], [1, 4, 0, 0, 0, 0], [5, 2, 0, 0, 1, 0], [0x3f, 3, 9, 9, 9, 0]] {
        let packet = with_options(fine);
        assert_eq!(parse_packet(&packet, UNVERIFIED), parse_packet(&DATA, UNVERIFIED), "{fine:?}");
    }
    // To be dropped; a length beyond the header, also of pads; a type without length.
    for bad in
        [[0x7f, 3, 9, 9, 9, 0], [1, 5, 0, 0, 0, 0], [0x3f, 200, 9, 9, 9, 0], [1, 3, 0, 0, 0, 1]]
    {
        assert_eq!(refusal(&with_options(bad)), WireError::Option, "{bad:?}");
    }
    // The sender is to be told; a jumbo payload (RFC 2675) is one of them.
    for told in [[0, 0x80, 0, 0, 0, 0], [0, 0xdf, 1, 9, 0, 0]] {
        let packet = with_options(told);
        let read = parse_packet(&packet, UNVERIFIED).unwrap();
        assert_eq!(read.ip, parse_packet(&DATA, UNVERIFIED).unwrap().ip);
        let expected = UnknownOption { pointer: 43, packet: &packet };
        assert_eq!(read.protocol, Protocol::UnknownOption(expected));
    }
    let jumbo = with_extension_headers(0, &[6, 0, 0xc2, 4, 0, 1, 0, 0]);
    let read = parse_packet(&jumbo, UNVERIFIED).unwrap().protocol;
    assert_eq!(read, Protocol::UnknownOption(UnknownOption { pointer: 42, packet: &jumbo }));
}

/// RFC 6946 section 4.
#[test]
fn a_packet_in_one_fragment_is_whole() {
    for reserved in [0, 6] {
        let atomic = with_extension_headers(44, &[6, 0xff, 0, reserved, 1, 2, 3, 4]);
        assert_eq!(parse_packet(&atomic, UNVERIFIED), parse_packet(&DATA, UNVERIFIED));
    }
    for [high, low] in [[0, 1], [0, 8], [0x80, 0]] {
        let fragment = with_extension_headers(44, &[6, 0, high, low, 1, 2, 3, 4]);
        assert_eq!(refusal(&fragment), WireError::Fragment);
    }
    let cut = changed(&with_extension_headers(44, &[6, 0, 0, 0]), 4, &[0, 4]);
    assert_eq!(refusal(&cut), WireError::Truncated);
}

/// [`DATA`] with extension headers before the segment.
fn with_extension_headers(first: u8, headers: &[u8]) -> Vec<u8> {
    let mut packet = changed(&DATA, 6, &[first]);
    packet[5] += headers.len() as u8;
    packet.splice(40..40, headers.iter().copied());
    packet
}

#[test]
fn extension_headers_are_skipped() {
    // Hop-by-hop, destination options (two units long), routing with no segment left, then TCP.
    let headers = [
        60, 0, 1, 4, 0, 0, 0, 0, //
        43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
        6, 0, 4, 0, 0, 0, 0, 0,
    ];
    let packet = with_extension_headers(0, &headers);
    assert_eq!(
        parse_packet(&packet, Checksums::default()),
        parse_packet(&DATA, Checksums::default())
    );
}

#[test]
fn extension_headers_that_are_not_for_the_last_host_are_refused() {
    // A routing header with a segment left; hop-by-hop options that do not come first; a fragment
    // header behind another one; a header longer than the packet; no next header.
    let routing = with_extension_headers(43, &[6, 0, 4, 1, 0, 0, 0, 0]);
    assert_eq!(refusal(&routing), WireError::UnknownProtocol);
    let hops = with_extension_headers(60, &[0, 0, 1, 4, 0, 0, 0, 0, 6, 0, 1, 4, 0, 0, 0, 0]);
    assert_eq!(refusal(&hops), WireError::UnknownProtocol);
    let fragment = with_extension_headers(60, &[44, 0, 1, 4, 0, 0, 0, 0, 6, 0, 0, 1, 0, 0, 0, 1]);
    assert_eq!(refusal(&fragment), WireError::Fragment);
    let long = with_extension_headers(60, &[6, 200, 1, 4, 0, 0, 0, 0]);
    assert_eq!(refusal(&long), WireError::Truncated);
    let nothing = with_extension_headers(60, &[59, 0, 1, 4, 0, 0, 0, 0]);
    assert_eq!(refusal(&nothing), WireError::UnknownProtocol);
}

#[test]
fn echo_is_answered_byte_by_byte() {
    let pairs = [
        (&ECHO_V4[..], &ECHO_REPLY_V4[..], ip(v4(1), v4(2))),
        (&ECHO_V6, &ECHO_REPLY_V6, ip(v6(1), v6(2))),
    ];
    for (request, reply, ip) in pairs {
        let Ok(Protocol::EchoRequest(echo)) =
            parse_packet(request, Checksums::default()).map(|packet| packet.protocol)
        else {
            panic!("not an echo request");
        };
        let expected = EchoRequest { identifier: 0x1234, sequence: 7, data: b"ping!" };
        assert_eq!(echo, expected);
        let mut to = [0xee; MAX_HEADER];
        let len = write_echo_reply(&mut to, &ip, &echo);
        assert_eq!(to[..len], reply[..reply.len() - 5]);
        let read = parse_packet(reply, Checksums::default()).map(|packet| packet.protocol);
        assert_eq!(read, Ok(Protocol::OtherIcmp));
    }
}

#[test]
fn an_icmp_header_cut_short_is_truncated() {
    assert_eq!(refusal(&changed(&ECHO_V4, 3, &[27])), WireError::Truncated);
    assert_eq!(refusal(&changed(&ECHO_V6, 5, &[7])), WireError::Truncated);
}

#[test]
fn errors_are_written_byte_by_byte_and_each_is_read_back() {
    let too_big = |mtu| IcmpErrorKind::PacketTooBig { mtu };
    for (message, ip, kind, headers) in [
        (&FRAGMENTATION_NEEDED[..], ip(v4(254), v4(1)), too_big(1300), 28),
        (&PACKET_TOO_BIG, ip(v6(0xfe), v6(1)), too_big(1280), 48),
    ] {
        let mut to = [0xee; MAX_HEADER];
        let len = write_icmp_error(&mut to, &ip, kind, &message[headers..]);
        assert_eq!(to[..len], message[..headers]);
        for kind in [
            IcmpErrorKind::Unreachable,
            IcmpErrorKind::Refused,
            IcmpErrorKind::TimeExceeded,
            IcmpErrorKind::ParameterProblem,
            too_big(65_535),
        ] {
            write_icmp_error(&mut to, &ip, kind, &message[headers..]);
            let packet = [&to[..len], &message[headers..]].concat();
            match parse_packet(&packet, Checksums::default()).map(|packet| packet.protocol) {
                Ok(Protocol::IcmpError(error)) => assert_eq!(error.kind, kind),
                other => panic!("{kind:?}: {other:?}"),
            }
        }
    }
}

fn quoted(kind: IcmpErrorKind, local: IpAddr, remote: IpAddr) -> Protocol<'static> {
    Protocol::IcmpError(IcmpError {
        kind,
        local: SocketAddr::new(local, 40_000),
        remote: SocketAddr::new(remote, 9),
        seq: SeqNumber(0x1234_5678),
    })
}

#[test]
fn a_packet_that_was_too_big_is_recognized() {
    let read = |packet| parse_packet(packet, Checksums::default()).map(|packet| packet.protocol);
    assert_eq!(
        read(&FRAGMENTATION_NEEDED),
        Ok(quoted(IcmpErrorKind::PacketTooBig { mtu: 1300 }, v4(1), v4(2)))
    );
    assert_eq!(
        read(&PACKET_TOO_BIG),
        Ok(quoted(IcmpErrorKind::PacketTooBig { mtu: 1280 }, v6(1), v6(2)))
    );
}

#[test]
fn every_icmp_type_and_code_has_its_kind() {
    use IcmpErrorKind::*;
    let kind = |packet: Vec<u8>| match parse_packet(&packet, UNVERIFIED).unwrap().protocol {
        Protocol::IcmpError(error) => Some(error.kind),
        Protocol::OtherIcmp => None,
        other => panic!("{other:?}"),
    };
    let kind_v4 = |icmp_type, code| kind(changed(&FRAGMENTATION_NEEDED, 20, &[icmp_type, code]));
    for code in [0, 1, 5, 6, 7, 8, 11, 12] {
        assert_eq!(kind_v4(3, code), Some(Unreachable), "code {code}");
    }
    for code in [2, 3, 9, 10, 13] {
        assert_eq!(kind_v4(3, code), Some(Refused), "code {code}");
    }
    assert_eq!(kind_v4(3, 4), Some(PacketTooBig { mtu: 1300 }));
    assert_eq!(kind_v4(3, 14), None);
    // A source quench is ignored (RFC 6633).
    assert_eq!(kind_v4(4, 0), None);
    assert_eq!(kind_v4(11, 0), Some(TimeExceeded));
    assert_eq!(kind_v4(12, 0), Some(ParameterProblem));

    let kind_v6 = |icmp_type, code| kind(changed(&PACKET_TOO_BIG, 40, &[icmp_type, code]));
    for code in [0, 2, 3] {
        assert_eq!(kind_v6(1, code), Some(Unreachable), "code {code}");
    }
    for code in [1, 4, 5, 6] {
        assert_eq!(kind_v6(1, code), Some(Refused), "code {code}");
    }
    assert_eq!(kind_v6(2, 0), Some(PacketTooBig { mtu: 1280 }));
    assert_eq!(kind_v6(3, 0), Some(TimeExceeded));
    assert_eq!(kind_v6(4, 1), Some(ParameterProblem));
    // Redirect, router advertisement.
    assert_eq!(kind_v6(137, 0), None);
    assert_eq!(kind_v6(134, 0), None);
}

#[test]
fn an_error_that_quotes_no_tcp_header_says_nothing_to_tcp() {
    let other = |packet: &[u8]| {
        let read = parse_packet(packet, UNVERIFIED).map(|packet| packet.protocol);
        assert_eq!(read, Ok(Protocol::OtherIcmp), "{packet:02x?}");
    };
    // UDP; not IPv4; a later fragment; a header length below 5 words and one beyond the quote.
    other(&changed(&FRAGMENTATION_NEEDED, 37, &[17]));
    other(&changed(&FRAGMENTATION_NEEDED, 28, &[0x65]));
    other(&changed(&FRAGMENTATION_NEEDED, 34, &[0, 1]));
    other(&changed(&FRAGMENTATION_NEEDED, 28, &[0x44]));
    other(&changed(&FRAGMENTATION_NEEDED, 28, &[0x48]));
    for len in 28..56 {
        other(&changed(&FRAGMENTATION_NEEDED, 3, &[len]));
    }
    other(&changed(&PACKET_TOO_BIG, 54, &[17]));
    other(&changed(&PACKET_TOO_BIG, 48, &[0x45]));
    for len in 8..56 {
        other(&changed(&PACKET_TOO_BIG, 5, &[len]));
    }
}
