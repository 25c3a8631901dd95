//! The options that sign a segment: MD5's (RFC 2385 section 3) and TCP-AO (RFC 5925 section 2.2).

use super::WireError;
use super::options::split_option;

/// Kinds of these options (IANA registry of TCP parameters).
pub(super) const MD5: u8 = 19;
pub(super) const AO: u8 = 29;

/// Bytes of an MD5 signature option's digest (RFC 2385 section 3).
pub(super) const MD5_DIGEST: usize = 16;
/// Bytes of a message authentication code of TCP-AO, of either algorithm (RFC 5926 section 3.2).
pub(super) const AO_MAC: usize = 12;
/// Bytes before the code in a TCP-AO option: kind, length and the two key IDs.
const BEFORE_MAC: u8 = 4;

/// How a segment is signed.
// From 1 on, so that nothing is signed where all bytes are zeros: most options begin so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignatureKind {
    /// With an MD5 digest (RFC 2385).
    Md5 = 1,
    /// With TCP's authentication option (TCP-AO, RFC 5925).
    Ao,
}

impl SignatureKind {
    /// Bytes that it takes in a header, with the padding before it.
    pub(crate) const fn len(self) -> u8 {
        4 + self.digest_len()
    }

    /// Bytes of the digest at its end.
    pub(super) const fn digest_len(self) -> u8 {
        match self {
            SignatureKind::Md5 => MD5_DIGEST as u8,
            SignatureKind::Ao => AO_MAC as u8,
        }
    }

    /// What stands before the digest: of MD5 in the layout of Linux, of TCP-AO with key IDs of zero.
    pub(super) const fn first_word(self) -> [u8; 4] {
        const NO_OPERATION: u8 = 1;
        match self {
            SignatureKind::Md5 => [NO_OPERATION, NO_OPERATION, MD5, 2 + MD5_DIGEST as u8],
            SignatureKind::Ao => [AO, BEFORE_MAC + AO_MAC as u8, 0, 0],
        }
    }
}

/// What a TCP-AO option says of keys (RFC 5925 section 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeyIds {
    /// KeyID: the key that has signed the segment, by the number that its sender sends.
    pub key_id: u8,
    /// RNextKeyID: the key that the sender wants to receive segments with next.
    pub rnext_key_id: u8,
}

/// Takes an option of one of the two kinds, after one of the kind `before`. Of two of MD5's the last counts, as of
/// any option.
///
/// # Errors
/// [`WireError::Option`] for a length that cannot be, for two TCP-AO options, and for both kinds in one
/// segment (RFC 5925 section 2.2).
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

/// The digest of the MD5 signature option in an option area: like any option, the last of two counts.
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

/// A TCP-AO option in an option area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AoOption<'a> {
    /// What stands before it.
    pub(super) before: &'a [u8],
    /// Its kind and length.
    pub(super) head: [u8; 2],
    /// What it says of keys.
    pub(crate) ids: KeyIds,
    /// The message authentication code.
    pub(crate) mac: &'a [u8],
    /// What stands behind it.
    pub(super) behind: &'a [u8],
}

impl AoOption<'_> {
    /// Whether its code has the length of either algorithm's.
    pub(crate) fn has_length(&self) -> bool {
        self.mac.len() == AO_MAC
    }
}

/// The TCP-AO option in an option area, which has one at most.
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
