//! The Internet checksum (RFC 1071).
//!
//! Sums are computed in the machine's byte order, which RFC 1071 section 2(B) allows, and in 64-bit words
//! (section 2(C)). The carry of each addition goes into the next (section 2(A)): one instruction for each
//! word if the machine has add-with-carry. A few such chains are summed in parallel to keep the machine busy.
//! Small machines use 32-bit words.

use super::ip::{IpProtocol, saturate};
use super::{Address, IpInfo};

/// An unfolded sum.
#[cfg(target_pointer_width = "64")]
type Sum = u64;
/// An unfolded sum in one register, which is cheap to pass in calls.
#[cfg(not(target_pointer_width = "64"))]
type Sum = u32;

/// A one's complement sum over bytes given in slices.
///
/// The stack computes its checksums itself; this is for links that do it instead, and for tools that make
/// packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum {
    /// The sum so far, in the machine's byte order, to be folded at the end. A 64-bit sum stays far below
    /// 2^64; to a 32-bit one carries are added at once.
    sum: Sum,
    /// Whether an odd number of bytes was summed, so that the next byte is the low half of a word.
    odd: bool,
}

impl Checksum {
    /// The sum of no bytes.
    pub(super) const NONE: Self = Checksum { sum: 0, odd: false };

    /// The sum of the pseudo-header (RFC 9293 section 3.1, RFC 8200 section 8.1). `length` is that of
    /// transport header and payload together, in bytes.
    ///
    /// The same computation serves both families: the zeros of IPv6's wider fields add nothing.
    #[inline]
    pub(super) fn pseudo_header(ip: &IpInfo, protocol: IpProtocol, length: usize) -> Self {
        let length = u32::from(saturate(length)) << 16 | protocol as u32;
        match (ip.source, ip.destination) {
            (Address::V4(source), Address::V4(destination)) => {
                Checksum::default().over_words(&[source.to_bits(), destination.to_bits(), length])
            }
            (source, destination) => {
                let [s0, s1, s2, s3] = words(source);
                let [d0, d1, d2, d3] = words(destination);
                Checksum::default().over_words(&[s0, s1, s2, s3, d0, d1, d2, d3, length])
            }
        }
    }

    /// The sum continued over `words` in network order, after an even number of bytes.
    #[cfg(target_pointer_width = "64")]
    #[inline]
    #[must_use]
    pub(super) fn over_words<const N: usize>(self, words: &[u32; N]) -> Self {
        let part = words.iter().map(|word| u64::from(word.to_be())).sum::<u64>();
        Checksum { sum: self.sum.wrapping_add(part), ..self }
    }

    /// The sum continued over `words` in network order, after an even number of bytes. One function for all
    /// lengths, which is smaller.
    #[cfg(not(target_pointer_width = "64"))]
    #[must_use]
    pub(super) fn over_words(self, words: &[u32]) -> Self {
        let sum = words.iter().fold(self.sum, |sum, word| add(sum, word.to_be()));
        Checksum { sum, ..self }
    }

    /// The sum of both, each over an even number of bytes.
    #[inline]
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        #[cfg(target_pointer_width = "64")]
        let sum = self.sum.wrapping_add(other.sum);
        #[cfg(not(target_pointer_width = "64"))]
        let sum = add(self.sum, other.sum);
        Checksum { sum, ..self }
    }

    /// The sum continued over `bytes`.
    #[inline]
    #[must_use]
    pub fn over(self, bytes: &[u8]) -> Self {
        // The second part of a ring's data is mostly empty.
        if bytes.is_empty() { self } else { self.over_some(bytes) }
    }

    fn over_some(self, bytes: &[u8]) -> Self {
        let part = sum_words(bytes);
        // After an odd number of bytes, halves of words are swapped (RFC 1071 section 2(B)).
        #[cfg(target_pointer_width = "64")]
        let part = if self.odd { u64::from(fold(part).swap_bytes()) } else { part };
        // Stays below 2^34, however often it is continued.
        #[cfg(target_pointer_width = "64")]
        let sum = halves(self.sum).wrapping_add(halves(part));
        // Rotating by a byte swaps the halves of all words.
        #[cfg(not(target_pointer_width = "64"))]
        let sum = {
            let part = add(part as u32, (part >> 32) as u32);
            add(self.sum, if self.odd { part.rotate_left(8) } else { part })
        };
        Checksum { sum, odd: self.odd != (bytes.len() % 2 == 1) }
    }

    /// The folded sum, not complemented: what a device that completes the checksum expects in the checksum
    /// field.
    #[inline]
    pub fn sum(self) -> u16 {
        u16::from_be(fold(self.sum))
    }

    /// The complement of the folded sum: the value for the checksum field; or zero, if the field was summed
    /// as well and is correct.
    #[inline]
    pub fn complement(self) -> u16 {
        !self.sum()
    }
}

/// An address as 32-bit words; an IPv4 address is the last of four.
fn words(address: Address) -> [u32; 4] {
    let bits = match address {
        Address::V4(address) => address.to_bits().into(),
        Address::V6(address) => address.to_bits(),
    };
    [96, 64, 32, 0].map(|shift| (bits >> shift) as u32)
}

/// The one's complement sum of both: the carry is added back.
#[cfg(not(target_pointer_width = "64"))]
#[inline]
fn add(one: u32, other: u32) -> u32 {
    let (sum, carry) = one.overflowing_add(other);
    sum.wrapping_add(carry.into())
}

/// The sum of the two halves: below 2^33.
#[cfg(target_pointer_width = "64")]
#[inline]
fn halves(sum: u64) -> u64 {
    (sum >> 32) + (sum & 0xffff_ffff)
}

/// Folds a sum to 16 bits, adding all carries back.
#[inline]
fn fold(sum: Sum) -> u16 {
    #[cfg(target_pointer_width = "64")]
    let sum = {
        let (low, carry) = (sum as u32).overflowing_add((sum >> 32) as u32);
        low.wrapping_add(carry.into())
    };
    let (low, carry) = (sum as u16).overflowing_add((sum >> 16) as u16);
    low.wrapping_add(carry.into())
}

/// The sum of 16-bit words in the machine's byte order, a last odd byte padded with zero; below 2^40.
#[inline]
fn sum_words(bytes: &[u8]) -> u64 {
    let (mut sum, rest) = sum_wide(bytes);
    let (words, last) = rest.as_chunks::<4>();
    for word in words {
        sum += u64::from(u32::from_ne_bytes(*word));
    }
    match *last {
        [] => sum,
        [first] => sum + u64::from(u32::from_ne_bytes([first, 0, 0, 0])),
        [first, second] => sum + u64::from(u32::from_ne_bytes([first, second, 0, 0])),
        [first, second, third, ..] => {
            sum + u64::from(u32::from_ne_bytes([first, second, third, 0]))
        }
    }
}

/// Sums most of the bytes, and returns the rest: four 32-bit words at a time, into a sum in two registers.
#[cfg(not(target_pointer_width = "64"))]
#[inline]
fn sum_wide(bytes: &[u8]) -> (u64, &[u8]) {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut sum = 0;
    for block in blocks {
        if let [a, b, c, d] = block.as_chunks::<4>().0 {
            // Unrolled, so that no loop remains in code optimized for size.
            sum += u64::from(u32::from_ne_bytes(*a));
            sum += u64::from(u32::from_ne_bytes(*b));
            sum += u64::from(u32::from_ne_bytes(*c));
            sum += u64::from(u32::from_ne_bytes(*d));
        }
    }
    (sum, rest)
}

/// Sums most of the bytes, and returns the rest: whole blocks, then whole chains, then whole words.
#[cfg(target_pointer_width = "64")]
#[inline]
fn sum_wide(bytes: &[u8]) -> (u64, &[u8]) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut sum = if blocks.is_empty() { 0 } else { sum_blocks(blocks) };
    let (chains, rest) = rest.as_chunks::<{ WORD * CHAIN }>();
    for chain in chains {
        sum = add_chain(sum, chain);
    }
    let (words, rest) = rest.as_chunks::<WORD>();
    for word in words {
        let (total, carry) = sum.overflowing_add(u64::from_ne_bytes(*word));
        sum = total.wrapping_add(u64::from(carry));
    }
    (halves(sum), rest)
}

/// Continues the sum with the words of one chain, each carry going into the next addition; the last carry is
/// added back.
#[cfg(target_pointer_width = "64")]
#[inline]
fn add_chain(mut sum: u64, chain: &[u8; WORD * CHAIN]) -> u64 {
    let mut carry = false;
    for word in chain.as_chunks::<WORD>().0 {
        (sum, carry) = sum.carrying_add(u64::from_ne_bytes(*word), carry);
    }
    // At most 2^64 - 2 after a carry, so this does not overflow.
    sum.wrapping_add(u64::from(carry))
}

/// Bytes added at once.
#[cfg(target_pointer_width = "64")]
const WORD: usize = size_of::<u64>();
/// Words in one chain of carries.
#[cfg(target_pointer_width = "64")]
const CHAIN: usize = 8;
/// Chains summed in parallel.
#[cfg(target_pointer_width = "64")]
const CHAINS: usize = 4;
/// Bytes summed in one step.
#[cfg(target_pointer_width = "64")]
const BLOCK: usize = WORD * CHAIN * CHAINS;

/// The sum of whole blocks.
#[cfg(target_pointer_width = "64")]
fn sum_blocks(blocks: &[[u8; BLOCK]]) -> u64 {
    let mut sums = [0u64; CHAINS];
    for block in blocks {
        let (chains, _) = block.as_chunks::<{ WORD * CHAIN }>();
        for (sum, chain) in sums.iter_mut().zip(chains) {
            *sum = add_chain(*sum, chain);
        }
    }
    sums.into_iter().map(halves).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Ecn;
    use core::net::Ipv6Addr;
    use std::vec::Vec;

    /// RFC 1071 section 1 word by word, to compare with.
    fn reference(bytes: &[u8]) -> u16 {
        let mut sum = 0u32;
        for pair in bytes.chunks(2) {
            let word = u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
            sum += word;
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }

    fn noise(len: usize) -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn the_example_of_rfc_1071() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(Checksum::default().over(&bytes).sum(), 0xddf2);
        assert_eq!(Checksum::default().over(&bytes).complement(), 0x220d);
    }

    #[test]
    fn nothing_sums_to_zero() {
        assert_eq!(Checksum::default().sum(), 0);
        assert_eq!(Checksum::default().over(&[]).complement(), 0xffff);
    }

    #[test]
    fn every_length_agrees_with_the_definition() {
        let bytes = noise(300);
        for len in 0..=bytes.len() {
            let sum = Checksum::default().over(&bytes[..len]).sum();
            assert_eq!(sum, reference(&bytes[..len]), "{len} bytes");
        }
    }

    #[test]
    fn carries_of_a_long_run_of_ones_survive() {
        let bytes = [0xff; 65_535];
        assert_eq!(Checksum::default().over(&bytes).sum(), reference(&bytes));
    }

    #[test]
    fn slices_may_border_anywhere() {
        let bytes = noise(75);
        let whole = reference(&bytes);
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let sum = Checksum::default()
                    .over(&bytes[..first])
                    .over(&bytes[first..second])
                    .over(&bytes[second..])
                    .sum();
                assert_eq!(sum, whole, "borders at {first} and {second}");
            }
        }
    }

    #[test]
    fn pseudo_headers_of_both_families() {
        let ip = |source: Address, destination: Address| IpInfo {
            source,
            destination,
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let v4 = ip([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        // 0a00 + 0001 + 0a00 + 0002 + 0006 + 0014.
        assert_eq!(Checksum::pseudo_header(&v4, IpProtocol::Tcp, 20).sum(), 0x141d);
        let v6 = |last| Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last).into();
        let v6 = ip(v6(1), v6(2));
        // fd00 + 0001 + fd00 + 0002 + 003a + 0008 = 1fa45, the carry added back.
        assert_eq!(Checksum::pseudo_header(&v6, IpProtocol::Icmpv6, 8).sum(), 0xfa46);
    }
}
