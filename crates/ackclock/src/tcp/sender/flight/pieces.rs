//! Sets of pieces of a record, where a piece is one segment in the network.

use crate::profile::{Absent, Part, Present};
use core::fmt::Debug;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of pieces of one record, numbered from 0.
pub trait PieceSet:
    Copy
    + Eq
    + Debug
    + Default
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// Most pieces in one record.
    const MOST: u32;
    /// The empty set.
    const NONE: Self;
    /// The set of all pieces.
    const ALL: Self;
    /// The first `n` pieces.
    fn low(n: u32) -> Self;
    /// The set of piece `index`; empty beyond the last.
    fn bit(index: u32) -> Self;
    /// Number of pieces in the set.
    fn count(self) -> u32;
    /// Lowest piece in the set, which must not be empty.
    fn first(self) -> u32;
    /// Highest piece in the set, which must not be empty.
    fn last(self) -> u32;
    /// Number of contiguous runs of pieces.
    fn runs(self) -> u32;
    /// The set after the first `n` pieces were removed from the record.
    fn without_first(self, n: u32) -> Self;

    /// Whether the set is not empty.
    #[inline(always)]
    fn any(self) -> bool {
        self != Self::NONE
    }
}

/// One bit for each piece.
impl PieceSet for u64 {
    const MOST: u32 = u64::BITS;
    const NONE: Self = 0;
    const ALL: Self = u64::MAX;

    #[inline(always)]
    fn low(n: u32) -> Self {
        if n >= Self::MOST { Self::ALL } else { (1 << n) - 1 }
    }

    #[inline(always)]
    fn bit(index: u32) -> Self {
        1_u64.checked_shl(index).unwrap_or(0)
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn first(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline(always)]
    fn last(self) -> u32 {
        (Self::MOST - 1).saturating_sub(self.leading_zeros())
    }

    #[inline(always)]
    fn runs(self) -> u32 {
        (self & !(self << 1)).count_ones()
    }

    #[inline(always)]
    fn without_first(self, n: u32) -> Self {
        self.checked_shr(n).unwrap_or(0)
    }
}

/// Whether the set contains the only piece.
impl PieceSet for bool {
    const MOST: u32 = 1;
    const NONE: Self = false;
    const ALL: Self = true;

    #[inline(always)]
    fn low(n: u32) -> Self {
        n > 0
    }

    #[inline(always)]
    fn bit(index: u32) -> Self {
        index == 0
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn first(self) -> u32 {
        0
    }

    #[inline(always)]
    fn last(self) -> u32 {
        0
    }

    #[inline(always)]
    fn runs(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn without_first(self, n: u32) -> Self {
        self && n == 0
    }
}

/// The type of piece sets, by whether the image has segmentation.
pub trait PieceChoice: Part {
    /// Sets of up to 64 pieces with segmentation, else of one.
    type Pieces: PieceSet;
}

impl PieceChoice for Present {
    type Pieces = u64;
}

impl PieceChoice for Absent {
    type Pieces = bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_64_pieces_each_has_a_bit() {
        assert_eq!([0, 1, 3, 64, 65].map(u64::low), [0, 1, 7, u64::MAX, u64::MAX]);
        assert_eq!([0, 3, 63, 64].map(u64::bit), [1, 8, 1 << 63, 0]);
        let set = u64::bit(2) | u64::bit(5);
        assert_eq!((set.count(), set.first(), set.last()), (2, 2, 5));
        assert_eq!((set.without_first(2), set.without_first(64)), (0b1001, 0));
        assert_eq!([set, u64::bit(3) | set, 0b1_1011, u64::ALL, 0].map(u64::runs), [2, 2, 2, 1, 0]);
        assert!(set.any() && !u64::NONE.any());
    }

    #[test]
    fn a_single_piece_is_there_or_not() {
        assert_eq!([0, 1, 2].map(bool::low), [false, true, true]);
        assert_eq!([0, 1].map(bool::bit), [true, false]);
        assert_eq!((true.count(), true.first(), true.last()), (1, 0, 0));
        assert_eq!((true.without_first(0), true.without_first(1)), (true, false));
        assert_eq!((true.runs(), false.runs()), (1, 0));
        assert!(bool::ALL.any() && !bool::NONE.any());
    }
}
