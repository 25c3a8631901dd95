//! The options that carry signatures: MD5 (RFC 2385 section 3) and TCP-AO (RFC 5925 section 2.2).

use super::WireError;
use super::options::split_option;

/// Option kinds (IANA registry of TCP parameters).
pub(super) const MD5: u8 = 19;
pub(super) const AO: u8 = 29;

/// Length of the digest in an MD5 signature option, in bytes (RFC 2385 section 3).
pub(super) const MD5_DIGEST: usize = 16;
/// Length of TCP-AO's message authentication code with either algorithm, in bytes (RFC 5926 section 3.2).
pub(super) const AO_MAC: usize = 12;
/// Bytes before the MAC in a TCP-AO option: kind, length and the two key IDs.
const BEFORE_MAC: u8 = 4;

/// Kind of a signature.
// Numbered from 1, so that zeroed memory means no signature: most options begin so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignatureKind {
    /// MD5 digest (RFC 2385).
    Md5 = 1,
    /// TCP Authentication Option (TCP-AO, RFC 5925).
    Ao,
}

impl SignatureKind {
    /// Bytes that the option takes in a header, including the padding before it.
    pub(crate) const fn len(self) -> u8 {
        4 + self.digest_len()
    }

    /// Length of the digest at the end of the option, in bytes.
    pub(super) const fn digest_len(self) -> u8 {
        match self {
            SignatureKind::Md5 => MD5_DIGEST as u8,
            SignatureKind::Ao => AO_MAC as u8,
        }
    }

    /// The word before the digest: for MD5 in Linux's layout, for TCP-AO with key IDs of zero.
    pub(super) const fn first_word(self) -> [u8; 4] {
        const NO_OPERATION: u8 = 1;
        match self {
            SignatureKind::Md5 => [NO_OPERATION, NO_OPERATION, MD5, 2 + MD5_DIGEST as u8],
            SignatureKind::Ao => [AO, BEFORE_MAC + AO_MAC as u8, 0, 0],
        }
    }
}

/// The key IDs in a TCP-AO option (RFC 5925 section 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeyIds {
    /// KeyID: SendID of the key that has signed the segment.
    pub key_id: u8,
    /// RNextKeyID: the key with which the sender wants to receive segments next.
    pub rnext_key_id: u8,
}

/// Processes an option of either kind, after one of kind `before`, if any. Of two MD5 options the last
/// counts, as of any option.
///
/// # Errors
/// [`WireError::Option`] for an invalid length, for two TCP-AO options, and for both kinds in one segment
/// (RFC 5925 section 2.2).
pub(super) fn read(
    before: Option<SignatureKind>,
    kind: u8,
    data: &[u8],
) -> Result<SignatureKind, WireError> {
    match (before, kind) {
        (None | Some(SignatureKind::Md5), MD5) if data.len() == MD5_DIGEST => {
            Ok(SignatureKind::Md5)
        }
        (None, AO) if data.len() >= 2 => Ok(SignatureKind::Ao),
        _ => Err(WireError::Option),
    }
}

/// The digest of the MD5 signature option in an option area; of two options the last counts.
pub(super) fn md5_digest(mut area: &[u8]) -> Option<&[u8; MD5_DIGEST]> {
    let mut digest = None;
    while let Some((kind, data, next)) = split_option(area).ok()? {
        if kind == MD5 {
            digest = data.try_into().ok();
        }
        area = next;
    }
    digest
}

/// The TCP-AO option in an option area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AoOption<'a> {
    /// The options before it.
    pub(super) before: &'a [u8],
    /// Its kind and length.
    pub(super) head: [u8; 2],
    /// Its key IDs.
    pub(crate) ids: KeyIds,
    /// The message authentication code.
    pub(crate) mac: &'a [u8],
    /// The options after it.
    pub(super) behind: &'a [u8],
}

impl AoOption<'_> {
    /// Whether its MAC has the length that both algorithms use.
    pub(crate) fn has_length(&self) -> bool {
        self.mac.len() == AO_MAC
    }
}

/// The TCP-AO option in an option area, of which there is at most one.
pub(super) fn ao(area: &[u8]) -> Option<AoOption<'_>> {
    let mut rest = area;
    while let Some((kind, data, behind)) = split_option(rest).ok()? {
        if let (AO, &[key_id, rnext_key_id, ref mac @ ..]) = (kind, data) {
            let len = data.len().checked_add(2)?;
            let before = area.len().checked_sub(behind.len())?.checked_sub(len)?;
            return Some(AoOption {
                before: area.get(..before)?,
                head: [AO, u8::try_from(len).ok()?],
                ids: KeyIds { key_id, rnext_key_id },
                mac,
                behind,
            });
        }
        rest = behind;
    }
    None
}
