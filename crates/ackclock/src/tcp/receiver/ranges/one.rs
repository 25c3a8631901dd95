//! A single range of out-of-order data.

use super::Ranges;
use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::ops::Range;

/// The range; empty if there is none.
#[derive(Debug)]
pub struct LoneRange(SeqRange);

impl<'a> Ranges<'a> for LoneRange {
    fn new(_memory: Buffer<'a, SeqRange>, _most: usize) -> Self {
        LoneRange(SeqRange::EMPTY)
    }

    fn into_memory(self) -> Buffer<'a, SeqRange> {
        Buffer::default()
    }

    fn release(&mut self) {}

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn as_slice(&self) -> &[SeqRange] {
        if self.0.is_empty() { &[] } else { core::slice::from_ref(&self.0) }
    }

    fn make_place(&mut self) -> bool {
        self.0.is_empty()
    }

    fn replace(&mut self, places: Range<usize>, new: Option<SeqRange>) {
        if let Some(new) = new {
            self.0 = new;
        } else if !places.is_empty() {
            self.0 = SeqRange::EMPTY;
        }
    }
}
