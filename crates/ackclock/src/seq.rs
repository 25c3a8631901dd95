//! Sequence numbers: arithmetic modulo 2^32 (RFC 9293 section 3.4).
//!
//! "Before" and "after" are meaningful only for numbers less than 2^31 apart, and are not transitive over the
//! whole circle; hence named methods instead of `Ord`.

use core::fmt;

/// A sequence number or acknowledgment number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeqNumber(pub u32);

/// The half-open range of sequence numbers `[start, end)`; empty if both are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct SeqRange {
    /// First number in the range.
    pub start: SeqNumber,
    /// First number after the range.
    pub end: SeqNumber,
}

impl SeqNumber {
    /// `self - other` as a signed distance on the circle: positive if `self` is after `other`.
    pub const fn distance(self, other: SeqNumber) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }

    /// How far `self` is after `other`; zero if it is before it or equal.
    pub const fn since(self, other: SeqNumber) -> u32 {
        let distance = self.distance(other);
        if distance > 0 { distance as u32 } else { 0 }
    }

    /// Whether `self` is earlier than `other`.
    pub const fn before(self, other: SeqNumber) -> bool {
        self.distance(other) < 0
    }

    /// Whether `self` is later than `other`.
    pub const fn after(self, other: SeqNumber) -> bool {
        self.distance(other) > 0
    }

    /// Whether `self` is earlier than `other` or equal to it.
    pub const fn at_or_before(self, other: SeqNumber) -> bool {
        self.distance(other) <= 0
    }

    /// Whether `self` is later than `other` or equal to it.
    pub const fn at_or_after(self, other: SeqNumber) -> bool {
        self.distance(other) >= 0
    }

    /// The later of both.
    #[must_use]
    pub const fn max(self, other: SeqNumber) -> SeqNumber {
        if other.after(self) { other } else { self }
    }

    /// The earlier of both.
    #[must_use]
    pub const fn min(self, other: SeqNumber) -> SeqNumber {
        if other.before(self) { other } else { self }
    }
}

impl SeqRange {
    /// An empty range, for memory that is lent out of a `static`.
    pub const EMPTY: SeqRange = SeqRange { start: SeqNumber(0), end: SeqNumber(0) };

    /// The range `[start, end)`.
    pub const fn new(start: SeqNumber, end: SeqNumber) -> Self {
        SeqRange { start, end }
    }

    /// The range of `len` sequence numbers from `start`.
    pub const fn from_len(start: SeqNumber, len: u32) -> Self {
        SeqRange { start, end: SeqNumber(start.0.wrapping_add(len)) }
    }

    /// Number of sequence numbers in the range.
    pub const fn len(self) -> u32 {
        self.end.since(self.start)
    }

    /// Whether the range is empty.
    pub const fn is_empty(self) -> bool {
        self.end.at_or_before(self.start)
    }

    /// Whether `seq` lies in the range.
    pub const fn contains(self, seq: SeqNumber) -> bool {
        self.start.at_or_before(seq) && seq.before(self.end)
    }

    /// Whether a receive window with this range accepts a segment that begins at `first` and occupies `len`
    /// sequence numbers: the four cases of RFC 9293 section 3.4, table 6.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn accepts(self, first: SeqNumber, len: u32) -> bool {
        match len {
            0 if self.is_empty() => first == self.start,
            0 => self.contains(first),
            // A closed window contains no sequence number.
            _ => self.contains(first) || self.contains(first + (len - 1)),
        }
    }

    /// Whether all of `other` lies in the range. (An empty range does if its start is in this range or at its
    /// end.)
    pub const fn covers(self, other: SeqRange) -> bool {
        self.start.at_or_before(other.start) && other.end.at_or_before(self.end)
    }

    /// Whether both ranges share a sequence number.
    pub const fn overlaps(self, other: SeqRange) -> bool {
        self.start.before(other.end) && other.start.before(self.end)
    }
}

impl core::ops::Add<u32> for SeqNumber {
    type Output = SeqNumber;

    fn add(self, n: u32) -> SeqNumber {
        SeqNumber(self.0.wrapping_add(n))
    }
}

impl core::ops::AddAssign<u32> for SeqNumber {
    fn add_assign(&mut self, n: u32) {
        *self = *self + n;
    }
}

impl core::ops::Sub<u32> for SeqNumber {
    type Output = SeqNumber;

    fn sub(self, n: u32) -> SeqNumber {
        SeqNumber(self.0.wrapping_sub(n))
    }
}

impl fmt::Display for SeqNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for SeqNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_holds_across_the_wrap() {
        let last = SeqNumber(u32::MAX);
        let next = last + 1;
        assert_eq!(next, SeqNumber(0));
        assert!(last.before(next) && next.after(last));
        assert_eq!(next.distance(last), 1);
        assert_eq!(last.since(next), 0);
        assert_eq!(last.max(next), next);
        assert_eq!(last.min(next), last);
    }

    #[test]
    fn ranges_across_the_wrap() {
        let range = SeqRange::from_len(SeqNumber(u32::MAX - 1), 4);
        assert_eq!(range.len(), 4);
        assert!(range.contains(SeqNumber(0)) && range.contains(SeqNumber(1)));
        assert!(!range.contains(SeqNumber(2)));
        assert!(range.covers(SeqRange::from_len(SeqNumber(0), 2)));
        assert!(!range.overlaps(SeqRange::from_len(SeqNumber(2), 1)));
        assert!(SeqRange::default().is_empty());
    }
}
