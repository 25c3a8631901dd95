//! Content of which each byte tells its place in the stream.

/// A stream of bytes in which each byte follows from its offset. Streams differ by their seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pattern(pub u64);

impl Pattern {
    /// The eight bytes of the word with this number.
    fn word(self, number: u64) -> [u8; 8] {
        let mut z = number.wrapping_add(self.0 << 48);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).to_le_bytes()
    }

    /// The bytes from `offset` on.
    pub(crate) fn fill(self, offset: u64, bytes: &mut [u8]) {
        let (mut number, mut skip) = (offset / 8, (offset % 8) as usize);
        let mut rest = bytes;
        while !rest.is_empty() {
            let word = self.word(number);
            let part = &word[skip..];
            let n = part.len().min(rest.len());
            rest[..n].copy_from_slice(&part[..n]);
            rest = &mut rest[n..];
            (number, skip) = (number + 1, 0);
        }
    }

    /// Panics unless these are the bytes from `offset` on.
    #[track_caller]
    pub(crate) fn verify(self, offset: u64, bytes: &[u8]) {
        let mut expected = vec![0; bytes.len()];
        self.fill(offset, &mut expected);
        if bytes != expected {
            let wrong = std::iter::zip(bytes, &expected).position(|(is, should)| is != should);
            panic!("the byte at offset {} is wrong", offset + wrong.unwrap_or(0) as u64);
        }
    }
}

/// What one side sends to the other: `length` bytes of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Content {
    pub(crate) pattern: Pattern,
    pub(crate) length: u64,
}

impl Content {
    pub(crate) const NOTHING: Content = Content::new(0, 0);

    pub(crate) const fn new(seed: u64, length: u64) -> Self {
        Content { pattern: Pattern(seed), length }
    }

    /// The next bytes of the content after `offset`, at most a buffer full.
    pub(crate) fn next<'a>(&self, offset: u64, buffer: &'a mut [u8]) -> &'a [u8] {
        let rest = usize::try_from(self.length - offset).unwrap_or(usize::MAX);
        let n = rest.min(buffer.len());
        self.pattern.fill(offset, &mut buffer[..n]);
        &buffer[..n]
    }
}

#[test]
fn a_pattern_is_the_same_however_it_is_cut() {
    let mut whole = [0; 100];
    Pattern(1).fill(5, &mut whole);
    for cut in 0..100 {
        Pattern(1).verify(5, &whole[..cut]);
        Pattern(1).verify(5 + cut as u64, &whole[cut..]);
    }
}

#[test]
#[should_panic(expected = "the byte at offset 7 is wrong")]
fn a_wrong_byte_is_found() {
    let mut bytes = [0; 100];
    Pattern(1).fill(0, &mut bytes);
    bytes[7] ^= 1;
    Pattern(1).verify(0, &bytes);
}
