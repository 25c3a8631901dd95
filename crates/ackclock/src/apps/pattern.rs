//! Test data that can be verified at any offset of a stream without keeping a copy of what was sent.

use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Handle, Stack};
use crate::storage::copy;
use crate::time::Instant;

/// Bytes per word of the pattern.
const WORD: usize = 8;

/// 2^64 divided by the golden ratio. Multiplying by an odd number maps different words to different
/// words, and this one spreads neighbours far apart (Knuth, The Art of Computer Programming,
/// section 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// An endless stream of bytes; each byte is a function of its offset and a seed.
///
/// All aligned words of eight bytes of one stream differ, so that data that is lost, duplicated or moved by
/// whole words is detected at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    seed: u64,
}

impl Pattern {
    /// The stream that belongs to `seed`.
    pub const fn new(seed: u64) -> Self {
        Pattern { seed }
    }

    /// Writes the bytes from `offset` on into `to`.
    pub fn fill(&self, offset: u64, to: &mut [u8]) {
        let (head, body) = to.split_at_mut(bytes_to_boundary(offset).min(to.len()));
        copy(head, self.rest_of_word(offset, &mut [0; WORD]));
        // Whole words are written without a check of lengths, because this runs for every byte that is sent.
        let (words, tail) = body.as_chunks_mut::<WORD>();
        let mut index = offset.div_ceil(WORD as u64);
        for word in words {
            *word = self.word(index);
            index = index.wrapping_add(1);
        }
        copy(tail, &self.word(index));
    }

    /// Position in `data` of the first byte that differs from the stream, where `data` begins at `offset` of
    /// the stream.
    pub fn first_mismatch(&self, offset: u64, data: &[u8]) -> Option<usize> {
        let (head, body) = data.split_at(bytes_to_boundary(offset).min(data.len()));
        let in_head = first_difference(head, self.rest_of_word(offset, &mut [0; WORD]));
        let first = offset.div_ceil(WORD as u64);
        let in_body = || {
            (first..).zip(body.chunks(WORD)).zip((head.len()..).step_by(WORD)).find_map(
                |((index, part), start)| {
                    first_difference(part, &self.word(index)).map(|at| start + at)
                },
            )
        };
        in_head.or_else(in_body)
    }

    /// The eight bytes of the stream from offset 8 × `index` on.
    fn word(&self, index: u64) -> [u8; WORD] {
        let spread = (index ^ self.seed).wrapping_mul(SPREAD);
        // The low half of a product does not depend on the high halves of its factors; this mixes them in.
        (spread ^ (spread >> 32)).to_le_bytes()
    }

    /// The bytes from `offset` to the end of the word in which it lies; `word` is room for that word.
    fn rest_of_word<'w>(&self, offset: u64, word: &'w mut [u8; WORD]) -> &'w [u8] {
        *word = self.word(offset / WORD as u64);
        word.get((offset % WORD as u64) as usize..).unwrap_or_default()
    }
}

/// Number of bytes from `offset` to the next word boundary; 0 if `offset` is one.
fn bytes_to_boundary(offset: u64) -> usize {
    (offset.wrapping_neg() % WORD as u64) as usize
}

/// Position of the first byte in which two slices differ, within their common length.
fn first_difference(data: &[u8], expected: &[u8]) -> Option<usize> {
    // Almost always everything is equal, and comparing whole slices is much faster than byte by byte.
    if expected.starts_with(data) {
        return None;
    }
    data.iter().zip(expected).position(|(one, other)| one != other)
}

/// Most bytes that one call of `send` moves. They lie on the call stack, which is small in firmware.
pub(super) const CHUNK: usize = 1024;

/// Fills the send queue with the pattern of `seed` from the offset `sent` up to `end`, as far as it has room;
/// returns how many bytes were queued.
pub(super) fn send_pattern<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    stack: &mut Stack<'_, C, P>,
    handle: Handle,
    seed: u64,
    sent: u64,
    end: u64,
) -> u64 {
    let pattern = Pattern::new(seed);
    let mut chunk = [0; CHUNK];
    let mut offset = sent;
    loop {
        // Content is generated only as far as the send queue has room.
        let room = stack.send_room(handle).min(CHUNK);
        let n = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(room);
        let data = chunk.get_mut(..n).unwrap_or_default();
        pattern.fill(offset, data);
        let taken = stack.send(now, handle, data).unwrap_or(0);
        if taken == 0 {
            return offset.saturating_sub(sent);
        }
        offset = offset.saturating_add(taken as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn any_part_is_what_the_whole_has_at_that_offset() {
        let pattern = Pattern::new(7);
        let mut whole = [0; 100];
        pattern.fill(0, &mut whole);
        for start in 0..40 {
            for len in 0..30 {
                let mut part = [0; 30];
                pattern.fill(start as u64, &mut part[..len]);
                assert_eq!(part[..len], whole[start..start + len]);
                assert_eq!(pattern.first_mismatch(start as u64, &part[..len]), None);
            }
        }
    }

    #[test]
    fn one_wrong_byte_is_found_where_it_is() {
        let pattern = Pattern::new(1);
        for offset in [0, 3, 8, 1 << 40] {
            let mut data = [0; 50];
            pattern.fill(offset, &mut data);
            for at in 0..data.len() {
                data[at] ^= 0x10;
                assert_eq!(pattern.first_mismatch(offset, &data), Some(at));
                data[at] ^= 0x10;
            }
        }
    }

    #[test]
    fn words_differ_from_each_other_and_between_seeds() {
        let words = |seed| (0..1000).map(move |index| Pattern::new(seed).word(index));
        let all: HashSet<_> = words(0).collect();
        assert_eq!(all.len(), 1000);
        assert!(words(0).zip(words(1)).all(|(one, other)| one != other));
    }

    #[test]
    fn the_end_of_the_offsets_is_no_special_place() {
        let pattern = Pattern::new(3);
        let mut data = [0; 12];
        pattern.fill(u64::MAX - 20, &mut data);
        assert_eq!(pattern.first_mismatch(u64::MAX - 20, &data), None);
    }
}
