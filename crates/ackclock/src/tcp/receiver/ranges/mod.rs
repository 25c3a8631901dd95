//! The ranges of out-of-order data (that is, behind a hole). How many of them an image keeps, and how it
//! finds them, is a choice of its profile ([`Profile::Ranges`](crate::profile::Profile::Ranges)).
//!
//! [`Ranges`] is the interface of each implementation; the same tests run on all of them.

mod absent;
mod few;
mod list;
mod one;
mod recent;
#[cfg(test)]
mod tests;

use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::fmt::Debug;
use core::ops::Range;

/// Disjoint ranges that do not adjoin each other, in sequence order and all within less than 2^31 sequence
/// numbers. A range's place is its index: 0 is the lowest range.
pub trait Ranges<'a>: Debug {
    /// An empty set of ranges. It keeps at most `most` if the memory grows, otherwise as many as the lent
    /// memory holds, and never more than the implementation allows; one that needs no memory drops it.
    fn new(memory: Buffer<'a, SeqRange>, most: usize) -> Self;

    /// Gives back the memory; the ranges are lost.
    fn into_memory(self) -> Buffer<'a, SeqRange>;

    /// Frees owned memory if there is no range.
    fn release(&mut self);

    /// The ranges in sequence order.
    fn as_slice(&self) -> &[SeqRange];

    /// Makes room for one more range; returns whether there is room.
    fn make_place(&mut self) -> bool;

    /// Replaces the ranges at `places` by `new`, the range with the most recently received segment. If
    /// `places` is empty, `new` is inserted there, and [`make_place`](Self::make_place) must have made room
    /// for it. If `new` is `None`, the ranges at `places` are removed, which then are the lowest ones.
    fn replace(&mut self, places: Range<usize>, new: Option<SeqRange>);

    /// Whether there is no range.
    fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// The ranges at these places.
    fn at(&self, places: &Range<usize>) -> &[SeqRange] {
        self.as_slice().get(places.clone()).unwrap_or_default()
    }

    /// The places of the ranges that overlap or adjoin `segment`; if there are none, the empty range where it
    /// would be inserted.
    fn touching(&self, segment: SeqRange) -> Range<usize> {
        let (mut start, mut end) = (0, 0);
        for held in self.as_slice() {
            start += usize::from(held.end.before(segment.start));
            end += usize::from(held.start.at_or_before(segment.end));
        }
        start..end
    }

    /// The lowest range that overlaps `segment`, if any.
    fn overlapping(&self, segment: SeqRange) -> Option<SeqRange> {
        self.as_slice().iter().copied().find(|held| held.overlaps(segment))
    }

    /// The ranges in order of their most recently received segments, as far as that is known; then the
    /// others, the highest first.
    fn recent_first(&self) -> impl Iterator<Item = SeqRange> {
        self.as_slice().iter().rev().copied()
    }
}

/// How an image keeps the ranges of out-of-order data.
pub trait RangesChoice:
    sealed::Sealed + Copy + Eq + Debug + Default + Send + Sync + 'static
{
    /// The ranges of one connection.
    type Ranges<'a>: Ranges<'a>;
}

/// Any number of ranges, found by binary search. The most recently extended ones are known, as many as a SACK
/// option reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ManyRanges;

/// Any number of ranges, of which few are expected: searched linearly. Only the most recently extended one is
/// known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FewRanges;

/// A single range, which grows at both ends. Data that would make another range is dropped, and the peer
/// retransmits it. It needs no memory: a buffer lent for ranges is neither used nor given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OneRange;

/// No ranges: out-of-order data is dropped, and the peer retransmits it. A buffer lent for ranges is neither
/// used nor given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoRanges;

impl RangesChoice for ManyRanges {
    type Ranges<'a> = list::RangeList<'a>;
}

impl RangesChoice for FewRanges {
    type Ranges<'a> = few::ShortList<'a>;
}

impl RangesChoice for OneRange {
    type Ranges<'a> = one::LoneRange;
}

impl RangesChoice for NoRanges {
    type Ranges<'a> = absent::Absent;
}

mod sealed {
    /// Restricts the implementations to those tested here.
    pub trait Sealed {}
    impl Sealed for super::ManyRanges {}
    impl Sealed for super::FewRanges {}
    impl Sealed for super::OneRange {}
    impl Sealed for super::NoRanges {}
}
