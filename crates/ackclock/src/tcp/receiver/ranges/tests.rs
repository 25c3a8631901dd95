//! What each way of keeping ranges promises, against a list that is sorted each time.

use super::*;
use crate::seq::SeqNumber;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

/// Where the numbers wrap.
const ORIGIN: SeqNumber = SeqNumber(u32::MAX - 300);

pub(super) fn range(start: u32, end: u32) -> SeqRange {
    SeqRange::new(ORIGIN + start, ORIGIN + end)
}

/// Adds a segment, if there is a place; returns whether there was.
pub(super) fn add<'a>(ranges: &mut impl Ranges<'a>, segment: SeqRange) -> bool {
    let touching = ranges.touching(segment);
    let held = ranges.at(&touching).to_vec();
    if held.is_empty() && !ranges.make_place() {
        return false;
    }
    let whole = held.iter().fold(segment, |whole, held| {
        SeqRange::new(whole.start.min(held.start), whole.end.max(held.end))
    });
    ranges.replace(touching, Some(whole));
    true
}

/// A segment and its length; of the kind 0: what lies below it is in order now.
type Action = (u32, u32, u8);

/// Goes through the actions with ranges that keep at most `most`.
fn agree_with_a_sorted_list<'a>(
    mut ranges: impl Ranges<'a>,
    most: usize,
    actions: &[Action],
) -> Result<(), TestCaseError> {
    let mut model: Vec<(u32, u32)> = Vec::new();
    for &(start, len, kind) in actions {
        let (start, end) = (start, start + len);
        if kind == 0 {
            let count = model.iter().filter(|held| held.0 < start).count();
            ranges.replace(0..count, None);
            model.drain(..count);
        } else {
            let touches = |held: &&(u32, u32)| held.0 <= end && start <= held.1;
            let touching: Vec<_> = model.iter().filter(touches).copied().collect();
            let fits = !touching.is_empty() || model.len() < most;
            prop_assert_eq!(add(&mut ranges, range(start, end)), fits);
            if fits {
                model.retain(|held| !touching.contains(held));
                let whole = touching
                    .iter()
                    .fold((start, end), |whole, held| (whole.0.min(held.0), whole.1.max(held.1)));
                model.push(whole);
                model.sort_unstable();
                prop_assert_eq!(ranges.recent_first().next(), Some(range(whole.0, whole.1)));
            }
        }
        let expected: Vec<_> = model.iter().map(|held| range(held.0, held.1)).collect();
        prop_assert_eq!(ranges.as_slice(), &expected[..]);
        prop_assert_eq!(ranges.is_empty(), model.is_empty());
        let overlapping = model.iter().find(|held| held.0 < end && start < held.1);
        let overlapping = overlapping.map(|held| range(held.0, held.1));
        prop_assert_eq!(ranges.overlapping(range(start, end)), overlapping);
        let mut each: Vec<_> = ranges.recent_first().collect();
        each.sort_unstable_by_key(|held| held.start.distance(ORIGIN));
        prop_assert_eq!(each, expected, "each range is told once");
    }
    ranges.release();
    let _ = ranges.into_memory();
    Ok(())
}

fn kept_in<'a, W: RangesChoice>(memory: &'a mut [SeqRange]) -> W::Ranges<'a> {
    W::Ranges::new(Buffer::lent(memory), 0)
}

proptest! {
    #[test]
    fn each_way_agrees_with_a_list_that_is_sorted_each_time(
        places in 0..40_usize,
        actions in prop::collection::vec((0..600_u32, 1..12_u32, 0..8_u8), 1..300),
    ) {
        let memory = || vec![SeqRange::default(); places];
        agree_with_a_sorted_list(kept_in::<ManyRanges>(&mut memory()), places, &actions)?;
        agree_with_a_sorted_list(kept_in::<FewRanges>(&mut memory()), places, &actions)?;
        agree_with_a_sorted_list(kept_in::<OneRange>(&mut memory()), 1, &actions)?;
        agree_with_a_sorted_list(kept_in::<NoRanges>(&mut memory()), 0, &actions)?;
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn lists_that_grow_agree_with_it(
        actions in prop::collection::vec((0..600_u32, 1..12_u32, 0..8_u8), 1..300),
    ) {
        let many = list::RangeList::new(Buffer::growing(), 50);
        agree_with_a_sorted_list(many, 50, &actions)?;
        agree_with_a_sorted_list(few::ShortList::new(Buffer::growing(), 50), 50, &actions)?;
    }
}
