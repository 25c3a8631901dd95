//! The Internet checksum of what is copied: after the copy, as the stack has it, or while it is copied.

use ackclock::wire::Checksum;

/// Copies, and returns the sum of it (RFC 1071).
///
/// Panics unless both are as long.
pub type CopyAndSum = fn(from: &[u8], to: &mut [u8]) -> u16;

/// Bytes that are added at once.
const WORD: usize = size_of::<u64>();

/// Bytes of the words that one carry runs through.
const CHAIN: usize = 8 * WORD;

/// Chains that do not wait for one another, as in [`Checksum`].
const CHAINS: usize = 4;

/// Bytes that stay in the fastest memory between copy and sum.
const BLOCK: usize = 2048;

/// All of it is copied, and then summed.
pub fn one_after_the_other(from: &[u8], to: &mut [u8]) -> u16 {
    to.copy_from_slice(from);
    Checksum::default().over(to).sum()
}

/// A block is copied and summed, and then the next.
pub fn by_blocks(from: &[u8], to: &mut [u8]) -> u16 {
    assert_eq!(from.len(), to.len());
    let mut sum = Checksum::default();
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        to.copy_from_slice(from);
        sum = sum.over(to);
    }
    sum.sum()
}

/// Each word is read once, written and added.
pub fn by_words(from: &[u8], to: &mut [u8]) -> u16 {
    assert_eq!(from.len(), to.len());
    let (blocks, rest) = from.as_chunks::<{ CHAIN * CHAINS }>();
    let (block_copies, copy_of_rest) = to.as_chunks_mut::<{ CHAIN * CHAINS }>();
    let mut sums = [0; CHAINS];
    for (block, copy) in blocks.iter().zip(block_copies) {
        let chains = block.as_chunks().0.iter().zip(copy.as_chunks_mut().0);
        for (sum, (chain, copy)) in sums.iter_mut().zip(chains) {
            *sum = add_chain(*sum, chain, copy);
        }
    }
    let (chains, rest) = rest.as_chunks();
    let (chain_copies, copy_of_rest) = copy_of_rest.as_chunks_mut();
    for (chain, copy) in chains.iter().zip(chain_copies) {
        sums[0] = add_chain(sums[0], chain, copy);
    }
    copy_of_rest.copy_from_slice(rest);
    let sum = sums.into_iter().fold(0, |sum: u64, part| {
        let (sum, carry) = sum.overflowing_add(part);
        sum + u64::from(carry)
    });
    Checksum::default().over(&sum.to_ne_bytes()).over(rest).sum()
}

#[inline]
fn add_chain(mut sum: u64, chain: &[u8; CHAIN], copy: &mut [u8; CHAIN]) -> u64 {
    let mut carry = false;
    for (word, copy) in chain.as_chunks::<WORD>().0.iter().zip(copy.as_chunks_mut::<WORD>().0) {
        *copy = *word;
        (sum, carry) = sum.carrying_add(u64::from_ne_bytes(*word), carry);
    }
    sum.wrapping_add(u64::from(carry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_copy_and_sum_the_same() {
        let from: Vec<u8> = (0..5_000_u32).map(|n| ((n * n) >> 3) as u8).collect();
        for len in (0..600).chain([1_448, 2_047, 2_048, 2_049, 5_000]) {
            let expected = Checksum::default().over(&from[..len]).sum();
            let ways: [CopyAndSum; 3] = [one_after_the_other, by_blocks, by_words];
            for (way, copy_and_sum) in ways.into_iter().enumerate() {
                let mut to = vec![0; len];
                assert_eq!(copy_and_sum(&from[..len], &mut to), expected, "{len} bytes, way {way}");
                assert_eq!(to, from[..len], "way {way}");
            }
        }
    }
}
