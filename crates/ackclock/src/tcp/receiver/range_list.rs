//! The ranges that wait behind a hole: found in O(log n), added and taken away at either end in O(1)
//! on average.

use super::recent::Recent;
use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::ops::Range;

/// Disjoint ranges that do not adjoin each other, in sequence order, all of them within less than 2^31
/// numbers.
#[derive(Debug)]
pub(super) struct RangeList<'a> {
    /// `count` elements from `first` on are in use.
    memory: Buffer<'a, SeqRange>,
    first: u32,
    count: u16,
    most: u16,
    recent: Recent,
}

impl<'a> RangeList<'a> {
    /// No range; at most so many, or as many as the memory has if it is lent.
    pub(super) fn new(memory: Buffer<'a, SeqRange>, most: usize) -> Self {
        let most = if memory.can_grow() { most } else { memory.len() };
        let most = u16::try_from(most).unwrap_or(u16::MAX).min(Recent::MOST);
        RangeList { memory, first: 0, count: 0, most, recent: Recent::default() }
    }

    /// The memory; the ranges are forgotten.
    pub(super) fn into_memory(self) -> Buffer<'a, SeqRange> {
        self.memory
    }

    /// Gives owned memory back if there is no range.
    pub(super) fn release(&mut self) {
        if self.count == 0 {
            self.memory.release();
        }
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The ranges in sequence order.
    pub(super) fn as_slice(&self) -> &[SeqRange] {
        let first = self.first as usize;
        self.memory.get(first..first.saturating_add(self.count.into())).unwrap_or_default()
    }

    /// The ranges at these places.
    pub(super) fn at(&self, places: &Range<usize>) -> &[SeqRange] {
        self.as_slice().get(places.clone()).unwrap_or_default()
    }

    /// The places of the ranges that overlap or adjoin `segment`: where it would go if there are none.
    pub(super) fn touching(&self, segment: SeqRange) -> Range<usize> {
        let all = self.as_slice();
        let start = all.partition_point(|held| held.end.before(segment.start));
        let rest = all.get(start..).unwrap_or_default();
        let count = rest.partition_point(|held| held.start.at_or_before(segment.end));
        start..start.saturating_add(count)
    }

    /// The lowest range that overlaps `segment`.
    pub(super) fn overlapping(&self, segment: SeqRange) -> Option<SeqRange> {
        let touching = self.touching(segment);
        self.at(&touching).iter().copied().find(|held| held.overlaps(segment))
    }

    /// The range with the most recently received segment, the one before, and so on as far as is
    /// remembered; then the others, the highest first.
    pub(super) fn recent_first(&self) -> impl Iterator<Item = SeqRange> {
        let all = self.as_slice();
        let others = (0..all.len()).rev().filter(|place| !self.recent.contains(*place));
        let places = self.recent.places().chain(others);
        places.filter_map(|place| all.get(place).copied())
    }

    /// Finds a place for one more range; returns whether there is one.
    pub(super) fn make_place(&mut self) -> bool {
        if self.count >= self.most {
            return false;
        }
        let (first, count) = (self.first as usize, usize::from(self.count));
        let end = first.saturating_add(count);
        if end < self.memory.len() {
            return true;
        }
        // As many steps as there will be places before it is done again.
        if first > 0 && first >= count && end <= self.memory.len() {
            self.memory.copy_within(first..end, 0);
            self.first = 0;
            return true;
        }
        self.memory.push(SeqRange::default()).is_ok() || first > 0
    }

    /// Puts `new`, if it is one, in the place of those at `places`; the most recently received segment
    /// is in it. If there are none, then [`make_place`](Self::make_place) has found a place.
    pub(super) fn replace(&mut self, places: Range<usize>, new: Option<SeqRange>) {
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

    fn set(&mut self, place: usize, range: SeqRange) {
        if let Some(held) = self.memory.get_mut((self.first as usize).saturating_add(place)) {
            *held = range;
        }
    }

    /// Moves the ranges on the side with fewer of them, or that with a place.
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
        // No more are removed than there are.
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
    use crate::seq::SeqNumber;
    use proptest::prelude::*;
    use std::vec;
    use std::vec::Vec;

    /// Where the numbers wrap.
    const ORIGIN: SeqNumber = SeqNumber(u32::MAX - 300);

    fn range(start: u32, end: u32) -> SeqRange {
        SeqRange::new(ORIGIN + start, ORIGIN + end)
    }

    /// Adds a segment, if there is a place; returns whether there was.
    fn add(list: &mut RangeList<'_>, segment: SeqRange) -> bool {
        let touching = list.touching(segment);
        let held = list.at(&touching).to_vec();
        if held.is_empty() && !list.make_place() {
            return false;
        }
        let whole = held.iter().fold(segment, |whole, held| {
            SeqRange::new(whole.start.min(held.start), whole.end.max(held.end))
        });
        list.replace(touching, Some(whole));
        true
    }

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

    proptest! {
        #[test]
        fn the_list_agrees_with_one_that_is_sorted_each_time(
            places in prop_oneof![Just(None), (0..40_usize).prop_map(Some)],
            actions in prop::collection::vec((0..600_u32, 1..12_u32, 0..8_u8), 1..300),
        ) {
            let mut memory = vec![SeqRange::default(); places.unwrap_or(0)];
            let growing = places.is_none() && cfg!(feature = "alloc");
            let memory = match growing {
                #[cfg(feature = "alloc")]
                true => Buffer::growing(),
                _ => Buffer::lent(&mut memory),
            };
            let most = if growing { 50 } else { places.unwrap_or(0) };
            let mut list = RangeList::new(memory, 50);
            let mut model: Vec<(u32, u32)> = Vec::new();
            for (start, len, kind) in actions {
                let (start, end) = (start, start + len);
                if kind == 0 {
                    // What lies below is in order now.
                    let count = model.iter().filter(|held| held.0 < start).count();
                    list.replace(0..count, None);
                    model.drain(..count);
                } else {
                    let touches = |held: &&(u32, u32)| held.0 <= end && start <= held.1;
                    let touching: Vec<_> = model.iter().filter(touches).copied().collect();
                    let fits = !touching.is_empty() || model.len() < most;
                    prop_assert_eq!(add(&mut list, range(start, end)), fits);
                    if fits {
                        model.retain(|held| !touching.contains(held));
                        let whole = touching.iter().fold((start, end), |whole, held| {
                            (whole.0.min(held.0), whole.1.max(held.1))
                        });
                        model.push(whole);
                        model.sort_unstable();
                        prop_assert_eq!(list.recent_first().next(), Some(range(whole.0, whole.1)));
                    }
                }
                let expected: Vec<_> = model.iter().map(|held| range(held.0, held.1)).collect();
                prop_assert_eq!(list.as_slice(), &expected[..]);
                let overlapping = model.iter().find(|held| held.0 < end && start < held.1);
                let overlapping = overlapping.map(|held| range(held.0, held.1));
                prop_assert_eq!(list.overlapping(range(start, end)), overlapping);
                let mut each: Vec<_> = list.recent_first().collect();
                each.sort_unstable_by_key(|held| held.start.distance(ORIGIN));
                prop_assert_eq!(each, expected, "each range is told once");
            }
        }
    }
}
