//! The test vectors of RFC 9235, all of them, and what they leave out.

use super::*;
use crate::seq::SeqNumber;
use crate::wire::{
    Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, Protocol, Segment, WireError,
    parse_packet, write_packet_header,
};
use core::net::{IpAddr, SocketAddr};
use std::string::String;
use std::vec::Vec;

/// The key of all vectors (section 3.1.1).
const MASTER_KEY: &[u8] = b"testvector";
const CLIENT: KeyIds = KeyIds { key_id: 61, rnext_key_id: 84 };
const SERVER: KeyIds = KeyIds { key_id: 84, rnext_key_id: 61 };

struct Vector {
    section: &'static str,
    algorithm: AoAlgorithm,
    covers_options: bool,
    key: Vec<u8>,
    packet: Vec<u8>,
    mac: Vec<u8>,
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn vectors() -> Vec<Vector> {
    let lines = include_str!("rfc9235.txt").lines().filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [section, algorithm, coverage, key, packet, mac] = words[..] else {
            panic!("{line}");
        };
        Vector {
            section,
            algorithm: algorithm.parse().unwrap(),
            covers_options: coverage == "covered",
            key: bytes(key),
            packet: bytes(packet),
            mac: bytes(mac),
        }
    };
    lines.map(read).collect()
}

/// The checksums of TCP over IPv4 are not right in the RFC.
const BUT_TCP: Checksums = Checksums { ip: true, transport: false };

fn parsed(packet: &[u8]) -> Segment<'_> {
    match parse_packet(packet, BUT_TCP).unwrap().protocol {
        Protocol::Tcp(segment) => segment,
        other => panic!("{other:?}"),
    }
}

/// What the key of a segment is made for, in a connection with these initial numbers of client and server.
fn context(segment: &Segment<'_>, isns: [SeqNumber; 2], is_clients: bool) -> AoContext {
    let [mut source_isn, mut destination_isn] = isns;
    if !is_clients {
        (source_isn, destination_isn) = (destination_isn, source_isn);
    }
    let Header { source_port, destination_port, flags, .. } = segment.header;
    if flags.contains(Flags::SYN) && !flags.contains(Flags::ACK) {
        destination_isn = SeqNumber(0);
    }
    AoContext {
        source: SocketAddr::new(segment.ip.source.into(), source_port),
        destination: SocketAddr::new(segment.ip.destination.into(), destination_port),
        source_isn,
        destination_isn,
    }
}

/// The signer of the segment at a place in a connection's vectors, of which the first two tell the numbers.
fn signer_of(connection: &[Vector], at: usize) -> AoSigner {
    let isns = [0, 1].map(|at: usize| parsed(&connection[at].packet).header.seq);
    let Vector { algorithm, covers_options, ref packet, .. } = connection[at];
    let context = context(&parsed(packet), isns, at.is_multiple_of(2));
    let traffic_key = algorithm.traffic_key(MASTER_KEY, &context);
    AoSigner { algorithm, traffic_key, sne: 0, covers_options }
}

/// RFC 9235 sections 4 to 7: each of the 32 packets, over both families, by both algorithms, with other options
/// covered or not.
#[test]
fn the_packets_of_rfc_9235_have_the_keys_and_codes_that_stand_there() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 32);
    for connection in vectors.chunks(4) {
        for (at, vector) in connection.iter().enumerate() {
            let Vector { section, key, packet, mac, .. } = vector;
            let signer = signer_of(connection, at);
            let expected = [&key[..], &[0; 20]].concat();
            assert_eq!(signer.traffic_key.as_bytes()[..], expected[..20], "{section}");
            let ids = if at.is_multiple_of(2) { CLIENT } else { SERVER };
            assert_eq!(key_ids(packet), Some(ids), "{section}");
            let segment = parsed(packet);
            assert_eq!(segment.header.options.signature, Some(SignatureKind::Ao), "{section}");
            let signed = SignedSegment::in_packet(packet).unwrap();
            assert_eq!(signer.code(&signed)[..AO_MAC], mac[..], "{section}");
            assert!(signer.has_signed(packet), "{section}");
            for other in [
                AoSigner { sne: 1, ..signer },
                AoSigner { covers_options: !signer.covers_options, ..signer },
                AoSigner { traffic_key: TrafficKey::NONE, ..signer },
            ] {
                assert!(!other.has_signed(packet), "{section} {other:?}");
            }
        }
    }
}

/// RFC 5925 section 9.1.
#[test]
fn options_that_are_not_covered_may_change_on_the_way() {
    for connection in vectors().chunks(4) {
        let signer = signer_of(connection, 2);
        let mut packet = connection[2].packet.clone();
        let tcp = if packet[0] >> 4 == 4 { 20 } else { 40 };
        // The first byte of the timestamp, behind two of padding, kind and length.
        packet[tcp + 20 + 4] ^= 1;
        assert_eq!(signer.has_signed(&packet), !signer.covers_options);
        // Behind the timestamps, the key IDs.
        packet[tcp + 20 + 4] ^= 1;
        assert!(signer.has_signed(&packet));
        packet[tcp + 20 + 12 + 3] ^= 1;
        assert!(!signer.has_signed(&packet));
    }
}

/// What a stack writes and signs has the code that whoever checks finds, and the checksum of the whole.
#[test]
fn headers_are_signed_where_they_stand() {
    for [source, destination] in [["192.0.2.1", "198.51.100.2"], ["2001:db8::1", "2001:db8::2"]] {
        let [source, destination] =
            [source, destination].map(|text| text.parse::<IpAddr>().unwrap().into());
        let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
        let options = Options {
            signature: Some(SignatureKind::Ao),
            timestamps: Some(Default::default()),
            ..Options::default()
        };
        let header = Header {
            source_port: 179,
            destination_port: 54_321,
            flags: Flags::ACK,
            options,
            ..Header::default()
        };
        let payload: [&[u8]; 2] = [b"keep", b"alive"];
        for algorithm in [AoAlgorithm::HmacSha1, AoAlgorithm::Aes128Cmac] {
            let traffic_key = TrafficKey([7; 20]);
            let signer = AoSigner { algorithm, traffic_key, sne: 3, covers_options: true };
            let written = |checksum| {
                let mut headers = [0; MAX_HEADER];
                let len = write_packet_header(&mut headers, &ip, &header, payload, checksum);
                let offset = len - 20 - 28;
                signer.sign_headers(&mut headers[..len], offset, payload, checksum, CLIENT);
                [&headers[..len], b"keepalive"].concat()
            };
            let packet = written(WriteChecksum::Complete);
            assert!(signer.has_signed(&packet));
            assert_eq!(key_ids(&packet), Some(CLIENT));
            assert!(parse_packet(&packet, Checksums::ALL).is_ok());
            let mut left = written(WriteChecksum::PseudoHeader);
            crate::wire::complete_checksum(&mut left);
            assert_eq!(left, packet);
        }
    }
}

/// Bytes of the key, and its traffic keys by either algorithm.
const KEYS_BY_LENGTH: [(usize, &str, &str); 6] = [
    (1, "439b9c6ee804cfbea260a4764a5fefc6c28328ff", "1680a602f1ca420d2ce4e349fd19b48b00000000"),
    (16, "8b8255174b6e93d712adbb22f139c33b3b857781", "d024d894de7fe345404e986b641df5cd00000000"),
    (20, "932403c513aef756bc4577d20187e3869be54c03", "50164188c37a82e478a612fbea40630f00000000"),
    (64, "442d6308e57d9962f1e260371eabb59fcf25bb19", "189edbf6d9a91a5bf3077396d6598c1400000000"),
    (65, "822cc4beb08ce16248bc995506436452c1fc1cf3", "550f8849875b023d0e9b022376fea63100000000"),
    (80, "88ba3a63cb699cd78b9aa45f85e6a63cf81fbec5", "b25caae3392d626ba0e6ad28e80b5b9300000000"),
];

/// RFC 2104 section 2 and RFC 5926 section 3.1.1.2: a key longer than a block is hashed first, one of another
/// length than AES's is made into one. Python's hmac and OpenSSL's CMAC gave these.
#[test]
fn master_keys_of_any_length_have_traffic_keys() {
    let context = AoContext {
        source: "10.0.0.1:1".parse().unwrap(),
        destination: "10.0.0.2:2".parse().unwrap(),
        source_isn: SeqNumber(3),
        destination_isn: SeqNumber(4),
    };
    let hex = |key: TrafficKey| -> String {
        key.as_bytes().iter().map(|byte| std::format!("{byte:02x}")).collect()
    };
    for (len, sha1, aes) in KEYS_BY_LENGTH {
        let key = &[b'k'; 80][..len];
        assert_eq!(hex(AoAlgorithm::HmacSha1.traffic_key(key, &context)), sha1, "{len}");
        assert_eq!(hex(AoAlgorithm::Aes128Cmac.traffic_key(key, &context)), aes, "{len}");
    }
}

/// RFC 5925 section 2.2: two of them, one beside MD5's, one too short: the segment is dropped.
#[test]
fn options_that_may_not_be_have_the_segment_dropped() {
    let ao = [29, 4, 1, 2];
    let md5 = [[19, 18].as_slice(), &[0; 16]].concat();
    let read = |area: &[u8]| {
        Options::parse::<crate::wire::AllFormats>(area).map(|options| options.signature)
    };
    assert_eq!(read(&ao), Ok(Some(SignatureKind::Ao)));
    assert_eq!(read(&md5), Ok(Some(SignatureKind::Md5)));
    for area in [
        &[ao, ao].concat()[..],
        &[&ao[..], &md5].concat(),
        &[&md5[..], &ao].concat(),
        &[29, 3, 1],
        &[29, 2],
        &[29, 1],
        &[29, 17, 1, 2],
    ] {
        assert_eq!(read(area), Err(WireError::Option), "{area:?}");
    }
}

#[test]
fn what_has_no_such_option_is_signed_by_nobody() {
    let signer = AoSigner {
        algorithm: AoAlgorithm::HmacSha1,
        traffic_key: TrafficKey::NONE,
        sne: 0,
        covers_options: true,
    };
    for packet in [&[][..], &[0x45; 19], &[0x45; 60], &[0x60; 39], &[0x60; 80], &[1; 60]] {
        assert!(!signer.has_signed(packet));
        assert_eq!(key_ids(packet), None);
    }
    let mut headers = [0x45; 60];
    signer.sign_headers(&mut headers, 20, [&[], &[]], WriteChecksum::Complete, CLIENT);
    assert_eq!(headers, [0x45; 60], "there is no room for a signature");
}
