//! What stands in for a long list of ranges behind a hole where only a few are expected: they are
//! looked through one after another.

use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::ops::Range;

/// Disjoint ranges that do not adjoin each other, in sequence order.
#[derive(Debug)]
pub(super) struct RangeList<'a> {
    memory: Buffer<'a, SeqRange>,
    count: u16,
    most: u16,
    /// Place of the range with the most recently received segment.
    recent: u16,
}

impl<'a> RangeList<'a> {
    pub(super) fn new(memory: Buffer<'a, SeqRange>, most: usize) -> Self {
        let most = if memory.can_grow() { most } else { memory.len() };
        let most = u16::try_from(most).unwrap_or(u16::MAX);
        RangeList { memory, count: 0, most, recent: 0 }
    }

    pub(super) fn into_memory(self) -> Buffer<'a, SeqRange> {
        self.memory
    }

    pub(super) fn release(&mut self) {
        if self.count == 0 {
            self.memory.release();
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn as_slice(&self) -> &[SeqRange] {
        self.memory.get(..self.count.into()).unwrap_or_default()
    }

    pub(super) fn at(&self, places: &Range<usize>) -> &[SeqRange] {
        self.as_slice().get(places.clone()).unwrap_or_default()
    }

    pub(super) fn touching(&self, segment: SeqRange) -> Range<usize> {
        let (mut start, mut end) = (0, 0);
        for held in self.as_slice() {
            start += usize::from(held.end.before(segment.start));
            end += usize::from(held.start.at_or_before(segment.end));
        }
        start..end
    }

    pub(super) fn overlapping(&self, segment: SeqRange) -> Option<SeqRange> {
        self.as_slice().iter().copied().find(|held| held.overlaps(segment))
    }

    /// The range with the most recently received segment; then the others, the highest first.
    pub(super) fn recent_first(&self) -> impl Iterator<Item = SeqRange> {
        let all = self.as_slice();
        let recent = usize::from(self.recent);
        (0..all.len()).filter_map(move |n| {
            // From above, without the recent one.
            let place = all.len() - n;
            let place = if n == 0 { recent } else { place - usize::from(place <= recent) };
            all.get(place).copied()
        })
    }

    pub(super) fn make_place(&mut self) -> bool {
        self.count < self.most
            && (usize::from(self.count) < self.memory.len()
                || self.memory.push(SeqRange::default()).is_ok())
    }

    pub(super) fn replace(&mut self, places: Range<usize>, new: Option<SeqRange>) {
        let count = usize::from(self.count);
        let Range { mut start, end } = places;
        if let Some(new) = new {
            self.recent = start as u16;
            if start == end {
                let mut carried = new;
                for place in self.memory.iter_mut().take(count + 1).skip(start) {
                    core::mem::swap(place, &mut carried);
                }
                self.count += 1;
                return;
            }
            if let Some(place) = self.memory.get_mut(start) {
                *place = new;
            }
            start += 1;
        } else {
            self.recent = self.recent.saturating_sub(end as u16);
        }
        for place in end..count {
            let Some(&held) = self.memory.get(place) else {
                break;
            };
            if let Some(to) = self.memory.get_mut(start) {
                *to = held;
            }
            start += 1;
        }
        self.count = start as u16;
    }
}
