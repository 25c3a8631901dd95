//! Without reassembly: only the next data in order is accepted.

use super::Ranges;
use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::ops::Range;

/// No ranges, ever.
#[derive(Debug)]
pub struct Absent;

impl<'a> Ranges<'a> for Absent {
    fn new(_memory: Buffer<'a, SeqRange>, _most: usize) -> Self {
        Absent
    }

    fn into_memory(self) -> Buffer<'a, SeqRange> {
        Buffer::default()
    }

    fn release(&mut self) {}

    #[inline(always)]
    fn as_slice(&self) -> &[SeqRange] {
        &[]
    }

    fn make_place(&mut self) -> bool {
        false
    }

    fn replace(&mut self, _places: Range<usize>, _new: Option<SeqRange>) {}
}
