//! Signatures of segments: which data is signed, and where the signature is stored (RFC 2385, RFC 5925
//! section 5.1).

use super::ip::{IPV6_HEADER, IpProtocol, saturate};
use super::segment::{CHECKSUM, FIXED_HEADER};
use super::signature_option::{AoOption, MD5_DIGEST};
use super::{
    AllFormats, Checksum, IPV4_EXISTS, Ipv6Address, KeyIds, SignatureKind, WriteChecksum, ipv4,
    ipv6, signature_option,
};
use crate::storage::copy;

/// A segment as it was signed by its sender: the bytes of its packet.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "an algorithm reads it, and without its feature there is none")]
pub(crate) struct SignedSegment<'a> {
    /// Source and destination address.
    addresses: &'a [u8],
    header: &'a [u8; FIXED_HEADER],
    options: &'a [u8],
    /// The payload, in three slices in order.
    payload: [&'a [u8]; 3],
}

impl<'a> SignedSegment<'a> {
    /// The segment in a packet; `None` if [`parse_packet`](super::parse_packet) does not find one.
    pub(crate) fn in_packet(packet: &'a [u8]) -> Option<Self> {
        let transport = match packet.first()? >> 4 {
            4 if IPV4_EXISTS => ipv4::transport(packet),
            6 if Ipv6Address::EXISTS => ipv6::transport::<AllFormats>(packet),
            _ => None,
        }?;
        Self::of(addresses(packet)?, transport, [&[], &[]])
    }

    /// A segment whose header, and perhaps the first part of its payload, is in `transport`; the rest of the
    /// payload is in `rest`.
    fn of(addresses: &'a [u8], transport: &'a [u8], rest: [&'a [u8]; 2]) -> Option<Self> {
        let (header, behind) = transport.split_first_chunk::<FIXED_HEADER>()?;
        let [.., offset, _, _, _, _, _, _, _] = header;
        let options = usize::from(offset >> 4).saturating_mul(4).checked_sub(FIXED_HEADER)?;
        let (options, first) = behind.split_at_checked(options)?;
        let [second, third] = rest;
        Some(SignedSegment { addresses, header, options, payload: [first, second, third] })
    }

    /// The digest in its MD5 signature option, the last one if there are several.
    pub(crate) fn md5_digest(&self) -> Option<&'a [u8; MD5_DIGEST]> {
        signature_option::md5_digest(self.options)
    }

    /// The segment's TCP-AO option.
    pub(crate) fn ao(&self) -> Option<AoOption<'a>> {
        signature_option::ao(self.options)
    }

    /// The data signed by RFC 2385 section 2, in its order, except the key.
    #[allow(dead_code, reason = "as above")]
    pub(crate) fn md5_items(&self, each: &mut dyn FnMut(&[u8])) {
        self.pseudo_header(each);
        self.fixed_header(each);
        self.payload.iter().for_each(|part| each(part));
    }

    /// The data signed by RFC 5925 section 5.1, in its order.
    #[allow(dead_code, reason = "as above")]
    pub(crate) fn ao_items(&self, coverage: AoCoverage, each: &mut dyn FnMut(&[u8])) {
        each(&coverage.sne.to_be_bytes());
        self.pseudo_header(each);
        self.fixed_header(each);
        if let Some(option) = self.ao() {
            if coverage.options {
                each(option.before);
            }
            each(&option.head);
            each(&[option.ids.key_id, option.ids.rnext_key_id]);
            option.mac.iter().for_each(|_| each(&[0]));
            if coverage.options {
                each(option.behind);
            }
        }
        self.payload.iter().for_each(|part| each(part));
    }

    /// The pseudo-header, as for the checksum.
    fn pseudo_header(&self, each: &mut dyn FnMut(&[u8])) {
        let headers = FIXED_HEADER.saturating_add(self.options.len());
        let length =
            self.payload.iter().fold(headers, |length, part| length.saturating_add(part.len()));
        each(self.addresses);
        if self.addresses.len() == IPV4_ADDRESSES {
            let [high, low] = saturate(length).to_be_bytes();
            each(&[0, IpProtocol::Tcp as u8, high, low]);
        } else {
            // The IPv6 pseudo-header (RFC 8200 section 8.1).
            each(&u32::from(saturate(length)).to_be_bytes());
            each(&[0, 0, 0, IpProtocol::Tcp as u8]);
        }
    }

    /// The header without options, with a checksum of zero.
    fn fixed_header(&self, each: &mut dyn FnMut(&[u8])) {
        let mut header = *self.header;
        let [.., sum_0, sum_1, _, _] = &mut header;
        (*sum_0, *sum_1) = (0, 0);
        each(&header);
    }
}

/// What a message authentication code covers in addition to the segment (RFC 5925 section 5.1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct AoCoverage {
    /// The sequence number extension (SNE, section 6.2).
    pub(crate) sne: u32,
    /// Whether other options than TCP-AO are covered (section 3.1).
    pub(crate) options: bool,
}

/// Length of both addresses in an IPv4 header, in bytes.
const IPV4_ADDRESSES: usize = 8;

/// Source and destination address in an IP header.
fn addresses(packet: &[u8]) -> Option<&[u8]> {
    match packet.first()? >> 4 {
        4 => packet.get(ipv4::HEADER - IPV4_ADDRESSES..ipv4::HEADER),
        6 => packet.get(8..IPV6_HEADER),
        _ => None,
    }
}

/// A function that computes the digest of a segment with a key.
pub(crate) type Digest = fn(&SignedSegment<'_>, &[u8]) -> [u8; MD5_DIGEST];

/// A signature to be written.
pub(crate) struct Signing<'s> {
    /// The kind of signature that the headers have room for.
    pub(crate) kind: SignatureKind,
    /// The key IDs of a TCP-AO option.
    pub(crate) ids: KeyIds,
    /// Computes the digest of the segment once all other fields are set; it is truncated to the room in the
    /// option.
    pub(crate) digest: &'s dyn Fn(&SignedSegment<'_>) -> [u8; MD5_DIGEST],
}

/// Signs a segment whose headers were written with [`Options::signature`](super::Options::signature). The
/// headers may be followed by payload that precedes `payload`. The TCP header begins at `transport_offset`;
/// `checksum` says how its checksum was written. Headers without room for the signature stay unchanged.
pub(crate) fn sign(
    headers: &mut [u8],
    transport_offset: usize,
    payload: [&[u8]; 2],
    checksum: WriteChecksum,
    signing: &Signing<'_>,
) {
    let KeyIds { key_id, rnext_key_id } = signing.ids;
    let first = signing.kind.first_word();
    let options = transport_offset.saturating_add(FIXED_HEADER);
    let Some(word) = headers.get_mut(options..).and_then(<[u8]>::first_chunk_mut::<4>) else {
        return;
    };
    if *word != first {
        return;
    }
    let ids = if signing.kind == SignatureKind::Ao { [key_id, rnext_key_id] } else { [0; 2] };
    if let ([_, _, place @ ..], SignatureKind::Ao) = (word, signing.kind) {
        *place = ids;
    }
    let digest = addresses(headers)
        .zip(headers.get(transport_offset..))
        .and_then(|(addresses, transport)| SignedSegment::of(addresses, transport, payload))
        .map(|segment| (signing.digest)(&segment));
    let tcp = headers.get_mut(transport_offset..).unwrap_or_default();
    let Some((fixed, options)) = tcp.split_first_chunk_mut::<FIXED_HEADER>() else {
        return;
    };
    let digest = digest.unwrap_or_default();
    let digest = digest.get(..signing.kind.digest_len().into()).unwrap_or_default();
    let end = first.len().saturating_add(digest.len());
    if let Some(place) = options.get_mut(first.len()..end) {
        copy(place, digest);
    }
    // The signature has replaced zeros in the checksum.
    if checksum == WriteChecksum::Complete
        && let Some(sum) = fixed.get_mut(CHECKSUM..).and_then(<[u8]>::first_chunk_mut::<2>)
    {
        let before = !u16::from_be_bytes(*sum);
        let after = Checksum::default().over(&before.to_be_bytes()).over(&ids).over(digest);
        *sum = after.complement().to_be_bytes();
    }
}
