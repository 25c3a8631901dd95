//! SipHash-1-3 and SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), keyed
//! hashes of short input. 1-3 has fewer rounds, as in many hash tables; 2-4 is the one originally proposed.
//! This implementation is small in code size; the usual libraries unroll all rounds.

/// A key of 128 bits, stored as the initial state of a hash.
#[derive(Clone, Copy)]
pub(super) struct Key([u64; 4]);

impl core::fmt::Debug for Key {
    /// Hides the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key with these 128 bits (section 2.1: "somepseudorandomlygeneratedbytes").
    pub(super) const fn new([k0, k1]: [u64; 2]) -> Self {
        Key([
            k0 ^ 0x736f_6d65_7073_6575,
            k1 ^ 0x646f_7261_6e64_6f6d,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ])
    }

    /// A key whose first half is XORed with `bits`.
    pub(super) const fn with(self, bits: u64) -> Self {
        let Key([v0, v1, v2, v3]) = self;
        Key([v0 ^ bits, v1, v2 ^ bits, v3])
    }

    /// SipHash-1-3 of the data in `words`, eight bytes each in little-endian order. The last word is not
    /// full: its highest byte is the length of the data in bytes (section 2.2).
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) const fn hash(self, words: &[u64]) -> u64 {
        self.hash_in::<1, 3>(words)
    }

    /// SipHash-2-4 of the data in `words`, as for [`hash`](Self::hash).
    pub(super) const fn hash_2_4(self, words: &[u64]) -> u64 {
        self.hash_in::<2, 4>(words)
    }

    #[cfg_attr(target_pointer_width = "64", inline(always))]
    const fn hash_in<const EACH: u32, const LAST: u32>(self, mut words: &[u64]) -> u64 {
        let Key(mut state) = self;
        while let [word, rest @ ..] = words {
            state[3] ^= *word;
            rounds(&mut state, EACH);
            state[0] ^= *word;
            words = rest;
        }
        // Finalization (section 2.3).
        state[2] ^= 0xff;
        rounds(&mut state, LAST);
        let [v0, v1, v2, v3] = state;
        v0 ^ v1 ^ v2 ^ v3
    }
}

#[cfg_attr(target_pointer_width = "64", inline(always))]
const fn rounds(state: &mut [u64; 4], mut count: u32) {
    while count > 0 {
        round(state);
        count -= 1;
    }
}

/// SipRound (section 2.1, figure 2.1).
#[cfg_attr(target_pointer_width = "64", inline(always))]
#[cfg_attr(not(target_pointer_width = "64"), inline(never))]
const fn round([v0, v1, v2, v3]: &mut [u64; 4]) {
    *v0 = v0.wrapping_add(*v1);
    *v2 = v2.wrapping_add(*v3);
    *v1 = v1.rotate_left(13) ^ *v0;
    *v3 = v3.rotate_left(16) ^ *v2;
    *v0 = v0.rotate_left(32).wrapping_add(*v3);
    *v2 = v2.wrapping_add(*v1);
    *v3 = v3.rotate_left(21) ^ *v0;
    *v1 = v1.rotate_left(17) ^ *v2;
    *v2 = v2.rotate_left(32);
}

#[cfg(test)]
mod tests {
    use super::Key;
    use siphasher::sip::{SipHasher13, SipHasher24};

    #[test]
    fn it_is_what_the_library_says() {
        let bytes: [u8; 40] = core::array::from_fn(|n| (n * n) as u8);
        for keys in [[0, 0], [1, u64::MAX], [0x0123_4567_89ab_cdef, 42]] {
            let [first, second] = keys;
            for len in 0..=bytes.len() {
                let library = SipHasher13::new_with_keys(first, second).hash(&bytes[..len]);
                let mut padded = bytes[..len].to_vec();
                padded.resize(len / 8 * 8 + 7, 0);
                padded.push(len as u8);
                let words = padded.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
                let words: std::vec::Vec<u64> = words.collect();
                assert_eq!(Key::new(keys).hash(&words), library, "{len} bytes");
                let library = SipHasher24::new_with_keys(first, second).hash(&bytes[..len]);
                assert_eq!(Key::new(keys).hash_2_4(&words), library, "{len} bytes");
            }
        }
    }
}
