//! Sets of offsets.

use crate::segment::Offset;

/// A set of offsets as ranges `[start, end)` in order, none of which touches another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ranges(Vec<(Offset, Offset)>);

impl Ranges {
    /// Adds a range; says whether any of it was new.
    pub(crate) fn insert(&mut self, start: Offset, end: Offset) -> bool {
        if start >= end {
            return false;
        }
        // Nearly always the last range grows.
        if let Some(last) = self.0.last_mut()
            && start == last.1
        {
            last.1 = end;
            return true;
        }
        let first = self.0.partition_point(|range| range.1 < start);
        let after = self.0.partition_point(|range| range.0 <= end);
        match self.0.get(first..after) {
            Some([]) | None => self.0.insert(first, (start, end)),
            Some([one]) if one.0 <= start && end <= one.1 => return false,
            Some([lowest, ..]) => {
                let low = lowest.0.min(start);
                let high = self.0.get(after - 1).map_or(end, |range| range.1.max(end));
                self.0.splice(first..after, [(low, high)]);
            }
        }
        true
    }

    /// Forgets everything below `floor`.
    pub(crate) fn forget_below(&mut self, floor: Offset) {
        let whole = self.0.partition_point(|range| range.1 <= floor);
        self.0.drain(..whole);
        if let Some(first) = self.0.first_mut() {
            first.0 = first.0.max(floor);
        }
    }

    /// The first offset at or after `from` that is not in the set.
    pub(crate) fn reach(&self, from: Offset) -> Offset {
        match self.holding(from) {
            Some((_, end)) => end,
            None => from,
        }
    }

    /// Where the first range after `from` begins; the largest offset if there is none.
    pub(crate) fn next_start(&self, from: Offset) -> Offset {
        let at = self.0.partition_point(|range| range.0 <= from);
        self.0.get(at).map_or(Offset::MAX, |range| range.0)
    }

    /// The range that holds `offset`.
    pub(crate) fn holding(&self, offset: Offset) -> Option<(Offset, Offset)> {
        let at = self.0.partition_point(|range| range.1 <= offset);
        self.0.get(at).copied().filter(|range| range.0 <= offset)
    }

    /// Whether all of a range that is not empty is in the set.
    pub(crate) fn covers(&self, start: Offset, end: Offset) -> bool {
        self.holding(start).is_some_and(|range| end <= range.1)
    }

    /// Whether any of a range is in the set.
    pub(crate) fn touches(&self, start: Offset, end: Offset) -> bool {
        let at = self.0.partition_point(|range| range.1 <= start);
        self.0.get(at).is_some_and(|range| range.0 < end)
    }

    /// How many ranges there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a range touches one of the set, or would become one with it.
    pub(crate) fn adjoins(&self, start: Offset, end: Offset) -> bool {
        let at = self.0.partition_point(|range| range.1 < start);
        self.0.get(at).is_some_and(|range| range.0 <= end)
    }

    /// How many offsets of a range are in the set.
    pub(crate) fn count_within(&self, start: Offset, end: Offset) -> Offset {
        self.0.iter().map(|range| (range.1.min(end) - range.0.max(start)).max(0)).sum()
    }

    /// The end of the last range.
    pub(crate) fn end(&self) -> Option<Offset> {
        self.0.last().map(|range| range.1)
    }

    /// The ranges in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (Offset, Offset)> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ranges: &[(Offset, Offset)]) -> Ranges {
        Ranges(ranges.to_vec())
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let mut set = Ranges::default();
        assert!(set.insert(10, 20));
        assert!(set.insert(30, 40));
        assert!(!set.insert(12, 20));
        assert!(set.insert(20, 30));
        assert_eq!(set, of(&[(10, 40)]));
        assert!(set.insert(50, 60));
        assert!(set.insert(0, 100));
        assert_eq!(set, of(&[(0, 100)]));
        assert!(!set.insert(5, 5));
    }

    #[test]
    fn what_is_missing_begins_where_a_range_ends() {
        let set = of(&[(1, 5), (7, 9)]);
        assert_eq!((set.reach(1), set.reach(5), set.reach(7)), (5, 5, 9));
        assert!(set.covers(7, 9) && !set.covers(4, 8) && set.touches(4, 8) && !set.touches(5, 7));
        assert_eq!(set.count_within(3, 8), 3);
    }

    #[test]
    fn what_lies_below_can_be_forgotten() {
        let mut set = of(&[(0, 5), (25, 30)]);
        set.forget_below(27);
        assert_eq!((&set, set.next_start(0)), (&of(&[(27, 30)]), 27));
        assert_eq!(set.next_start(27), Offset::MAX);
    }
}
