//! MD5 signatures of segments (RFC 2385 section 2), for tools that make or inspect packets. A stack signs and
//! verifies by itself: [`Stack::set_md5_key`](crate::stack::Stack::set_md5_key).

use super::signature::{self, SignedSegment, Signing};
use super::signature_option::MD5_DIGEST;
use super::{KeyIds, SignatureKind, WriteChecksum};
use md5::{Digest as _, Md5};

/// The MD5 digest of a segment and a key.
pub(crate) fn digest(segment: &SignedSegment<'_>, key: &[u8]) -> [u8; MD5_DIGEST] {
    let mut hash = Md5::new();
    segment.md5_items(&mut |item| hash.update(item));
    hash.update(key);
    hash.finalize().into()
}

/// Whether the TCP segment in an IP packet has an MD5 signature option with the digest for `key` (RFC 2385
/// section 2).
pub fn is_signed_by(packet: &[u8], key: &[u8]) -> bool {
    SignedSegment::in_packet(packet)
        .is_some_and(|segment| segment.md5_digest() == Some(&digest(&segment, key)))
}

/// Signs headers that [`write_packet_header`](super::write_packet_header) has written with
/// [`Options::signature`](super::Options::signature), for the same payload and checksum; the TCP header
/// begins at byte `transport_offset`. Payload may follow the headers, before `payload`, so that a whole
/// packet can be signed.
pub fn sign_headers(
    headers: &mut [u8],
    transport_offset: usize,
    payload: [&[u8]; 2],
    checksum: WriteChecksum,
    key: &[u8],
) {
    let signing = Signing {
        kind: SignatureKind::Md5,
        ids: KeyIds::default(),
        digest: &|segment| digest(segment, key),
    };
    signature::sign(headers, transport_offset, payload, checksum, &signing);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::SeqNumber;
    use crate::wire::{Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, write_packet_header};
    use core::net::IpAddr;
    use std::vec::Vec;

    const KEY: &[u8] = b"two routers share this";

    /// The packet of a segment in which 0 stands wherever the vectors do not say otherwise.
    fn packet(source: &str, destination: &str, checksum: WriteChecksum) -> Vec<u8> {
        let [source, destination] =
            [source, destination].map(|text| text.parse::<IpAddr>().unwrap().into());
        let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
        let header = Header {
            source_port: 179,
            destination_port: 54_321,
            seq: SeqNumber(0x0102_0304),
            ack: SeqNumber(0xa0b0_c0d0),
            flags: Flags::ACK | Flags::PSH,
            window: 4_096,
            options: Options { signature: Some(SignatureKind::Md5), ..Options::default() },
            ..Header::default()
        };
        let payload: [&[u8]; 2] = [b"keep", b"alive"];
        let mut headers = [0; MAX_HEADER];
        let len = write_packet_header(&mut headers, &ip, &header, payload, checksum);
        let offset = len - 40;
        sign_headers(&mut headers[..len], offset, payload, checksum, KEY);
        [&headers[..len], b"keepalive"].concat()
    }

    /// Digests that Python's hashlib gives of the items of section 2, put together there.
    #[test]
    fn a_segment_has_the_digest_of_another_implementation() {
        for (ends, digest) in [
            (["192.0.2.1", "198.51.100.2"], 0x48eb_b112_08f8_8c52_a838_06f0_cf39_a06c_u128),
            (["2001:db8::1", "2001:db8:1::2"], 0x8c0c_dfc6_627a_0a0d_b358_3ce5_c82e_1028),
        ] {
            let [source, destination] = ends;
            let packet = packet(source, destination, WriteChecksum::Complete);
            let at = packet.len() - b"keepalive".len() - 16;
            assert_eq!(packet[at - 4..at], [1, 1, 19, 18]);
            assert_eq!(packet[at..at + 16], digest.to_be_bytes(), "{source}");
            assert!(is_signed_by(&packet, KEY));
            assert!(!is_signed_by(&packet, b"another"));
            // The checksum is that of the segment with its digest.
            let checked = crate::wire::parse_packet(&packet, crate::wire::Checksums::ALL);
            assert!(checked.is_ok(), "{checked:?}");
        }
    }

    #[test]
    fn a_device_that_completes_the_checksum_finds_its_part() {
        for [source, destination] in
            [["192.0.2.1", "198.51.100.2"], ["2001:db8::1", "2001:db8:1::2"]]
        {
            let mut left = packet(source, destination, WriteChecksum::PseudoHeader);
            crate::wire::complete_checksum(&mut left);
            assert_eq!(left, packet(source, destination, WriteChecksum::Complete));
        }
    }

    #[test]
    fn what_is_no_signed_segment_is_signed_by_nobody() {
        for packet in [&[][..], &[0x45; 19], &[0x45; 60], &[0x60; 39], &[0x60; 80], &[1; 60]] {
            assert!(!is_signed_by(packet, KEY));
        }
        let mut headers = [0x45; 60];
        sign_headers(&mut headers, 20, [&[], &[]], WriteChecksum::Complete, KEY);
        assert_eq!(headers, [0x45; 60], "there is no room for a signature");
    }
}
