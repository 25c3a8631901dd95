//! The IPv4 header checksum: verified, and updated when a router changes the header.

/// Whether an IPv4 header, its checksum included, sums up as it should (RFC 1071 section 1).
pub(crate) fn is_sound(header: &[u8]) -> bool {
    let words = header.chunks_exact(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
    // At most 30 words, so that two folds leave no carry.
    fold(words.sum()) == 0xffff
}

/// The checksum of an IPv4 header whose own field is zero.
pub(crate) fn of(header: &[u8]) -> u16 {
    let words = header.chunks_exact(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
    !fold(words.sum())
}

/// The checksum after one word of the header has changed: HC' = ~(~HC + ~m + m'), RFC 1624 section
/// 3, equation 3.
pub(crate) fn updated(checksum: u16, before: u16, after: u16) -> u16 {
    !fold(u32::from(!checksum) + u32::from(!before) + u32::from(after))
}

fn fold(sum: u32) -> u16 {
    let folded = (sum & 0xffff) + (sum >> 16);
    ((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 1624 section 4, where the equation of RFC 1141 gives the other zero.
    #[test]
    fn the_checksum_is_that_of_the_worked_example() {
        assert_eq!(updated(0xdd2f, 0x5555, 0x3285), 0x0000);
    }

    #[test]
    fn a_header_with_one_wrong_bit_is_not_sound() {
        let mut header =
            [0x45, 0, 0, 0x28, 0, 0, 0x40, 0, 0x40, 6, 0x26, 0xce, 10, 0, 0, 1, 10, 0, 0, 2];
        assert!(is_sound(&header));
        for bit in 0..160 {
            header[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_sound(&header), "{bit}");
            header[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
