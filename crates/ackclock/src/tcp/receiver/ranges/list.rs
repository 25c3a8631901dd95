//! A list of any number of out-of-order ranges: found in O(log n), added and removed at either end in
//! amortized O(1).

use super::Ranges;
use super::recent::Recent;
use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::ops::Range;

/// The ranges in sequence order, and which of them were extended last.
#[derive(Debug)]
pub struct RangeList<'a> {
    /// The ranges: `count` elements, beginning at `first`.
    memory: Buffer<'a, SeqRange>,
    first: u32,
    count: u16,
    most: u16,
    recent: Recent,
}

impl<'a> Ranges<'a> for RangeList<'a> {
    fn new(memory: Buffer<'a, SeqRange>, most: usize) -> Self {
        let most = if memory.can_grow() { most } else { memory.len() };
        let most = u16::try_from(most).unwrap_or(u16::MAX).min(Recent::MOST);
        RangeList { memory, first: 0, count: 0, most, recent: Recent::default() }
    }

    fn into_memory(self) -> Buffer<'a, SeqRange> {
        self.memory
    }

    fn release(&mut self) {
        if self.count == 0 {
            self.memory.release();
        }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn as_slice(&self) -> &[SeqRange] {
        let first = self.first as usize;
        self.memory.get(first..first.saturating_add(self.count.into())).unwrap_or_default()
    }

    fn touching(&self, segment: SeqRange) -> Range<usize> {
        let all = self.as_slice();
        let start = all.partition_point(|held| held.end.before(segment.start));
        let rest = all.get(start..).unwrap_or_default();
        let count = rest.partition_point(|held| held.start.at_or_before(segment.end));
        start..start.saturating_add(count)
    }

    fn overlapping(&self, segment: SeqRange) -> Option<SeqRange> {
        let touching = self.touching(segment);
        self.at(&touching).iter().copied().find(|held| held.overlaps(segment))
    }

    fn recent_first(&self) -> impl Iterator<Item = SeqRange> {
        let all = self.as_slice();
        let others = (0..all.len()).rev().filter(|place| !self.recent.contains(*place));
        let places = self.recent.places().chain(others);
        places.filter_map(|place| all.get(place).copied())
    }

    fn make_place(&mut self) -> bool {
        if self.count >= self.most {
            return false;
        }
        let (first, count) = (self.first as usize, usize::from(self.count));
        let end = first.saturating_add(count);
        if end < self.memory.len() {
            return true;
        }
        // Move the ranges to the front. This takes as many steps as it frees places, so it is amortized.
        if first > 0 && first >= count && end <= self.memory.len() {
            self.memory.copy_within(first..end, 0);
            self.first = 0;
            return true;
        }
        self.memory.push(SeqRange::default()).is_ok() || first > 0
    }

    fn replace(&mut self, places: Range<usize>, new: Option<SeqRange>) {
        let Some(new) = new else {
            return self.remove(places);
        };
        let Range { start, end } = places;
        if start < end {
            self.set(start, new);
            self.remove(start.saturating_add(1)..end);
        } else {
            self.insert(start, new);
        }
        self.recent.touch(start);
    }
}

impl RangeList<'_> {
    fn set(&mut self, place: usize, range: SeqRange) {
        if let Some(held) = self.memory.get_mut((self.first as usize).saturating_add(place)) {
            *held = range;
        }
    }

    /// Inserts a range; shifts the ranges on the side with fewer of them, or on the only side that has room.
    fn insert(&mut self, place: usize, new: SeqRange) {
        let (first, count) = (self.first as usize, usize::from(self.count));
        let end = first.saturating_add(count);
        let has_end = end < self.memory.len();
        if first > 0 && (place < count / 2 || !has_end) {
            let begin = first.saturating_sub(1);
            if let Some(part) = self.memory.get_mut(begin..=begin.saturating_add(place)) {
                part.rotate_left(1);
            }
            self.first = self.first.saturating_sub(1);
        } else if let Some(part) = self.memory.get_mut(first.saturating_add(place)..=end) {
            part.rotate_right(1);
        }
        self.count = self.count.saturating_add(1);
        self.set(place, new);
        self.recent.on_inserted(place);
    }

    fn remove(&mut self, places: Range<usize>) {
        let (first, count) = (self.first as usize, usize::from(self.count));
        let removed = places.len();
        let begin = first.saturating_add(places.start);
        let end = first.saturating_add(places.end);
        if places.start < count.saturating_sub(places.end) {
            if let Some(part) = self.memory.get_mut(first..end) {
                part.rotate_right(removed.min(part.len()));
            }
            self.first = self.first.saturating_add(removed as u32);
        } else if let Some(part) = self.memory.get_mut(begin..first.saturating_add(count)) {
            part.rotate_left(removed.min(part.len()));
        }
        // The caller removes no more than there are.
        self.count = self.count.saturating_sub(removed as u16);
        if self.count == 0 {
            self.first = 0;
        }
        self.recent.on_removed(places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::receiver::ranges::tests::{add, range};
    use std::vec;

    #[test]
    fn as_many_places_are_used_as_are_lent_wherever_the_first_one_is() {
        let mut memory = vec![SeqRange::default(); 4];
        let mut list = RangeList::new(Buffer::lent(&mut memory), 0);
        assert!((0..4).all(|n| add(&mut list, range(20 * n, 20 * n + 10))));
        assert!(!add(&mut list, range(100, 110)));
        // The lowest two go, two highest come; and the other way round.
        list.replace(0..2, None);
        assert!(add(&mut list, range(100, 110)) && add(&mut list, range(120, 130)));
        assert!(!add(&mut list, range(0, 10)));
        list.replace(2..4, None);
        assert!(add(&mut list, range(20, 30)) && add(&mut list, range(0, 10)));
        let expected =
            [(0, 10), (20, 30), (40, 50), (60, 70)].map(|(start, end)| range(start, end));
        assert_eq!(list.as_slice(), expected);
        assert!(!add(&mut list, range(100, 110)));
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn what_passes_through_takes_memory_for_what_is_held_only() {
        let mut list = RangeList::new(Buffer::growing(), 1_000);
        assert!((0..10).all(|n| add(&mut list, range(20 * n, 20 * n + 10))));
        for n in 10..100_000 {
            list.replace(0..1, None);
            assert!(add(&mut list, range(20 * n, 20 * n + 10)));
        }
        assert_eq!(list.as_slice().len(), 10);
        assert!(list.into_memory().len() <= 20);
    }
}
