//! The ranges of data that wait behind a hole: how many an image keeps, and how it finds them, is a
//! choice of its profile ([`Profile::Ranges`](crate::profile::Profile::Ranges)).
//!
//! [`Ranges`] says what each way does; the same tests run on all of them.

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

/// Disjoint ranges that do not adjoin each other, in sequence order, all of them within less than 2^31
/// numbers. A range is named by its place: 0 is the lowest one.
pub trait Ranges<'a>: Debug {
    /// No range. At most `most` are kept if the memory grows, else as many as it has places for, and
    /// never more than the way keeps at all: one that needs no memory forgets it.
    fn new(memory: Buffer<'a, SeqRange>, most: usize) -> Self;

    /// The memory; the ranges are forgotten.
    fn into_memory(self) -> Buffer<'a, SeqRange>;

    /// Gives owned memory back if there is no range.
    fn release(&mut self);

    /// The ranges in sequence order.
    fn as_slice(&self) -> &[SeqRange];

    /// Finds a place for one more range; returns whether there is one.
    fn make_place(&mut self) -> bool;

    /// Puts `new`, the range with the most recently received segment, in the place of those at
    /// `places`. If these are none, it goes there, and [`make_place`](Self::make_place) has found a place
    /// for it. If `new` is none, those at `places` are taken away: the lowest ones.
    fn replace(&mut self, places: Range<usize>, new: Option<SeqRange>);

    /// Whether there is no range.
    fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// The ranges at these places.
    fn at(&self, places: &Range<usize>) -> &[SeqRange] {
        self.as_slice().get(places.clone()).unwrap_or_default()
    }

    /// The places of the ranges that overlap or adjoin `segment`: where it would go if there are none.
    fn touching(&self, segment: SeqRange) -> Range<usize> {
        let (mut start, mut end) = (0, 0);
        for held in self.as_slice() {
            start += usize::from(held.end.before(segment.start));
            end += usize::from(held.start.at_or_before(segment.end));
        }
        start..end
    }

    /// The lowest range that overlaps `segment`.
    fn overlapping(&self, segment: SeqRange) -> Option<SeqRange> {
        self.as_slice().iter().copied().find(|held| held.overlaps(segment))
    }

    /// The range with the most recently received segment, the one before, and so on as far as is
    /// remembered; then the others, the highest first.
    fn recent_first(&self) -> impl Iterator<Item = SeqRange> {
        self.as_slice().iter().rev().copied()
    }
}

/// Which way an image keeps ranges.
pub trait RangesChoice:
    sealed::Sealed + Copy + Eq + Debug + Default + Send + Sync + 'static
{
    /// The ranges of one connection.
    type Ranges<'a>: Ranges<'a>;
}

/// Any number of ranges, searched by halves; as many as a segment reports are remembered in the order
/// in which they were touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ManyRanges;

/// Any number of ranges, though few are expected: they are looked through one after another, and the
/// one that was touched last is remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FewRanges;

/// One range, which grows at both ends. What would be another is dropped, and the peer sends it again.
/// It needs no memory: what is lent for ranges is not used, nor given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OneRange;

/// No range: what does not come next is dropped, and the peer sends it again. What is lent for ranges is
/// not used, nor given back.
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
    /// Keeps the ways those that are tested here.
    pub trait Sealed {}
    impl Sealed for super::ManyRanges {}
    impl Sealed for super::FewRanges {}
    impl Sealed for super::OneRange {}
    impl Sealed for super::NoRanges {}
}
