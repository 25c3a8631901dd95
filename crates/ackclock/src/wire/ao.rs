//! The algorithms of TCP-AO (RFC 5926), and functions to sign and verify packets, for tools that make or
//! inspect packets. A stack signs and verifies by itself:
//! [`Stack::add_ao_key`](crate::stack::Stack::add_ao_key).

mod key;
mod witness;

pub use key::AoKey;
pub use witness::AoWitness;

use super::signature::{self, AoCoverage, SignedSegment, Signing};
use super::signature_option::{AO_MAC, MD5_DIGEST};
use super::traffic_key::AoFunctions;
use super::{AoContext, KeyIds, SignatureKind, TrafficKey, WriteChecksum};
use crate::storage::copy;
use crate::words::words;
use aes::Aes128;
use cmac::{Cmac, KeyInit, Mac};
use hmac::Hmac;
use sha1::{Digest, Sha1};

/// Bytes of a SHA-1 block, and of a key that HMAC uses unchanged (RFC 2104).
const SHA1_BLOCK: usize = 64;
/// Bytes of an AES-128 key, and of a CMAC.
const AES_BLOCK: usize = 16;
/// First part of the input to a key derivation function: block number and label (RFC 5926 section 3.1.1).
const LABEL: &[u8] = b"\x01TCP-AO";

/// How traffic keys are derived and segments signed (RFC 5926 section 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AoAlgorithm {
    /// HMAC-SHA-1-96 with KDF_HMAC_SHA1.
    #[default]
    HmacSha1,
    /// AES-128-CMAC-96 with KDF_AES_128_CMAC.
    Aes128Cmac,
}

// The names of RFC 5926 section 3.1.1.3.
words! {
    AoAlgorithm: "SHA1 or AES128",
    "SHA1" = HmacSha1,
    "AES128" = Aes128Cmac,
}

impl AoAlgorithm {
    pub(crate) fn functions(self) -> &'static AoFunctions {
        match self {
            AoAlgorithm::HmacSha1 => &AoFunctions { derive: derive_by_sha1, code: code_by_sha1 },
            AoAlgorithm::Aes128Cmac => &AoFunctions { derive: derive_by_aes, code: code_by_aes },
        }
    }

    /// Derives the traffic key of one direction of a connection (RFC 5925 section 5.2) from a master key of
    /// any length.
    pub fn traffic_key(self, master_key: &[u8], context: &AoContext) -> TrafficKey {
        (self.functions().derive)(master_key, context)
    }
}

/// HMAC-SHA1 (RFC 2104).
fn hmac_sha1(key: &[u8], items: impl FnOnce(&mut dyn FnMut(&[u8]))) -> [u8; 20] {
    let mut block = [0; SHA1_BLOCK];
    if key.len() > SHA1_BLOCK {
        copy(&mut block, &Sha1::digest(key));
    } else {
        copy(&mut block, key);
    }
    let mut hmac = Hmac::<Sha1>::new(&block.into());
    items(&mut |item| hmac.update(item));
    hmac.finalize().into_bytes().into()
}

/// AES-128-CMAC (NIST SP 800-38B).
fn aes_cmac(key: [u8; AES_BLOCK], items: impl FnOnce(&mut dyn FnMut(&[u8]))) -> [u8; AES_BLOCK] {
    let mut cmac = Cmac::<Aes128>::new(&key.into());
    items(&mut |item| cmac.update(item));
    cmac.finalize().into_bytes().into()
}

/// The input of a key derivation function for a key of `bits` bits (RFC 5926 section 3.1.1).
fn derivation(context: &AoContext, bits: u16, each: &mut dyn FnMut(&[u8])) {
    each(LABEL);
    context.items(each);
    each(&bits.to_be_bytes());
}

/// KDF_HMAC_SHA1 (RFC 5926 section 3.1.1.1).
fn derive_by_sha1(master_key: &[u8], context: &AoContext) -> TrafficKey {
    TrafficKey(hmac_sha1(master_key, |each| derivation(context, 160, each)))
}

/// KDF_AES_128_CMAC (RFC 5926 section 3.1.1.2).
fn derive_by_aes(master_key: &[u8], context: &AoContext) -> TrafficKey {
    let key = match master_key.try_into() {
        Ok(key) => key,
        Err(_) => aes_cmac([0; AES_BLOCK], |each| each(master_key)),
    };
    let mut traffic_key = TrafficKey::NONE;
    copy(&mut traffic_key.0, &aes_cmac(key, |each| derivation(context, 128, each)));
    traffic_key
}

/// HMAC-SHA-1-96 (RFC 5926 section 3.2.1) before truncation.
fn code_by_sha1(key: &TrafficKey, segment: &SignedSegment<'_>, coverage: AoCoverage) -> Code {
    let mut code = [0; MD5_DIGEST];
    copy(&mut code, &hmac_sha1(&key.0, |each| segment.ao_items(coverage, each)));
    code
}

/// AES-128-CMAC-96 (RFC 5926 section 3.2.2) before truncation.
fn code_by_aes(key: &TrafficKey, segment: &SignedSegment<'_>, coverage: AoCoverage) -> Code {
    let mut of_aes = [0; AES_BLOCK];
    copy(&mut of_aes, &key.0);
    aes_cmac(of_aes, |each| segment.ao_items(coverage, each))
}

/// A message authentication code; its first [`AO_MAC`] bytes are sent.
type Code = [u8; MD5_DIGEST];

/// The parameters for signing a segment.
#[derive(Clone, Copy, Debug)]
pub struct AoSigner {
    /// The algorithm.
    pub algorithm: AoAlgorithm,
    /// The traffic key.
    pub traffic_key: TrafficKey,
    /// The sequence number extension (SNE, RFC 5925 section 6.2).
    pub sne: u32,
    /// Whether other options than TCP-AO are signed too (RFC 5925 section 3.1).
    pub covers_options: bool,
}

impl AoSigner {
    fn code(&self, segment: &SignedSegment<'_>) -> Code {
        let coverage = AoCoverage { sne: self.sne, options: self.covers_options };
        (self.algorithm.functions().code)(&self.traffic_key, segment, coverage)
    }

    /// Whether the TCP segment in an IP packet has a TCP-AO option with the MAC that this key gives (RFC 5925
    /// section 7.5).
    pub fn has_signed(&self, packet: &[u8]) -> bool {
        SignedSegment::in_packet(packet).is_some_and(|segment| {
            let code = self.code(&segment);
            segment.ao().is_some_and(|option| Some(option.mac) == code.get(..AO_MAC))
        })
    }

    /// Signs headers that [`write_packet_header`](super::write_packet_header) has written with
    /// [`SignatureKind::Ao`], for the same payload and checksum; the TCP header begins at byte
    /// `transport_offset`. Payload may follow the headers, before `payload`, so that a whole packet can be
    /// signed.
    pub fn sign_headers(
        &self,
        headers: &mut [u8],
        transport_offset: usize,
        payload: [&[u8]; 2],
        checksum: WriteChecksum,
        ids: KeyIds,
    ) {
        let digest = &|segment: &SignedSegment<'_>| self.code(segment);
        let signing = Signing { kind: SignatureKind::Ao, ids, digest };
        signature::sign(headers, transport_offset, payload, checksum, &signing);
    }
}

/// The key IDs in the TCP-AO option of the TCP segment in an IP packet; `None` if it has no such option.
pub fn key_ids(packet: &[u8]) -> Option<KeyIds> {
    SignedSegment::in_packet(packet)?.ao().map(|option| option.ids)
}

#[cfg(test)]
mod tests;
