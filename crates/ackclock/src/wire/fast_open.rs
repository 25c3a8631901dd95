//! The cookie of TCP Fast Open (RFC 7413 section 4.1.1).

/// A Fast Open cookie: given by a server to a client, which later shows by it that it owns its source
/// address. In an option it may be empty: this requests a cookie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FastOpenCookie {
    bytes: [u8; FastOpenCookie::LONGEST],
    len: u8,
}

impl FastOpenCookie {
    /// Longest cookie in bytes.
    pub const LONGEST: usize = 16;
    /// Shortest cookie in bytes.
    pub const SHORTEST: usize = 4;

    /// The empty cookie, which requests one.
    pub const REQUEST: FastOpenCookie = FastOpenCookie { bytes: [0; Self::LONGEST], len: 0 };

    /// A cookie with these bytes; `None` unless they are 0, or an even number from 4 to 16.
    pub fn new(cookie: &[u8]) -> Option<Self> {
        let usable = match cookie.len() {
            0 => true,
            len => (Self::SHORTEST..=Self::LONGEST).contains(&len) && len.is_multiple_of(2),
        };
        let mut bytes = [0; Self::LONGEST];
        bytes.get_mut(..cookie.len()).filter(|_| usable)?.copy_from_slice(cookie);
        Some(FastOpenCookie { bytes, len: cookie.len() as u8 })
    }

    /// The cookie's bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Whether it is empty, and so requests a cookie.
    pub const fn is_request(&self) -> bool {
        self.len == 0
    }

    /// The cookie's bytes as words, in two pairs.
    pub(super) fn to_words(self) -> [[u32; 2]; 2] {
        let (words, _) = self.bytes.as_chunks::<8>();
        let word = |at: usize| {
            let &[a, b, c, d, e, f, g, h] = words.get(at).unwrap_or(&[0; 8]);
            [u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])]
        };
        [word(0), word(1)]
    }

    /// The cookie of `len` bytes that has these [words](Self::to_words).
    pub(super) fn from_words(words: [[u32; 2]; 2], len: u8) -> Self {
        let mut bytes = [0; Self::LONGEST];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words.as_flattened()) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        FastOpenCookie { bytes, len }
    }

    /// The option with this cookie and its padding, in 32-bit words; [`words`](Self::words) says how many of
    /// them are to be written.
    pub(super) fn option(&self, kind: u8) -> [[u8; 4]; 5] {
        // The padding is no-operation options (kind 1).
        let mut option = [1; 20];
        let [first, length, cookie @ ..] = &mut option;
        (*first, *length) = (kind, 2 + self.len);
        for (place, byte) in cookie.iter_mut().zip(self.as_slice()) {
            *place = *byte;
        }
        let (words, _) = option.as_chunks();
        words.first_chunk().copied().unwrap_or_default()
    }

    /// Number of 32-bit words that the option takes.
    pub(super) fn words(&self) -> usize {
        (2 + usize::from(self.len)).div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_has_4_to_16_bytes_and_an_even_number_of_them() {
        for len in 0..20 {
            let bytes = [7; 20];
            let cookie = bytes.get(..len).and_then(FastOpenCookie::new);
            let may_be = [0, 4, 6, 8, 10, 12, 14, 16].contains(&len);
            assert_eq!(cookie.is_some(), may_be, "{len} bytes");
            assert!(cookie.is_none_or(|cookie| cookie.as_slice() == &bytes[..len]));
        }
    }
}
