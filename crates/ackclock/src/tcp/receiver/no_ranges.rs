//! What stands in for the ranges behind a hole where reassembly was left out: what does not come next is
//! not taken, and the peer sends it again.

use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::ops::Range;

/// No range.
#[derive(Debug)]
pub(super) struct RangeList<'a> {
    memory: Buffer<'a, SeqRange>,
}

impl<'a> RangeList<'a> {
    pub(super) fn new(memory: Buffer<'a, SeqRange>, _most: usize) -> Self {
        RangeList { memory }
    }

    pub(super) fn into_memory(self) -> Buffer<'a, SeqRange> {
        self.memory
    }

    pub(super) fn release(&mut self) {}

    pub(super) const fn is_empty(&self) -> bool {
        true
    }

    pub(super) fn as_slice(&self) -> &[SeqRange] {
        &[]
    }

    pub(super) fn at(&self, _places: &Range<usize>) -> &[SeqRange] {
        &[]
    }

    pub(super) fn touching(&self, _segment: SeqRange) -> Range<usize> {
        0..0
    }

    pub(super) fn overlapping(&self, _segment: SeqRange) -> Option<SeqRange> {
        None
    }

    pub(super) fn recent_first(&self) -> impl Iterator<Item = SeqRange> {
        core::iter::empty()
    }

    pub(super) fn make_place(&mut self) -> bool {
        false
    }

    pub(super) fn replace(&mut self, _places: Range<usize>, _new: Option<SeqRange>) {}
}
