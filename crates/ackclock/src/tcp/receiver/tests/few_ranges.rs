//! The short list of ranges does what the long one does.

#[expect(dead_code, reason = "what one test needs of it is less than what the receiver does")]
#[path = "../few_ranges.rs"]
mod few;

use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::tcp::receiver::range_list::RangeList;
use proptest::prelude::*;

/// Where the numbers wrap.
const ORIGIN: SeqNumber = SeqNumber(u32::MAX - 50);

proptest! {
    #[test]
    fn both_lists_hold_the_same_and_tell_the_most_recent_range_first(
        actions in prop::collection::vec((1..100_u32, 1..12_u32, 0..6_u8), 1..60),
    ) {
        let mut memory = [[SeqRange::EMPTY; 4]; 2];
        let [one, other] = &mut memory;
        let mut long = RangeList::new(Buffer::lent(one), 0);
        let mut few = few::RangeList::new(Buffer::lent(other), 0);
        for (start, len, kind) in actions {
            let segment = SeqRange::from_len(ORIGIN + start, len);
            let touching = long.touching(segment);
            prop_assert_eq!(few.touching(segment), touching.clone());
            prop_assert_eq!(few.overlapping(segment), long.overlapping(segment));
            if kind == 0 {
                // What lies below its end is in order now.
                long.replace(0..touching.end, None);
                few.replace(0..touching.end, None);
                prop_assert_eq!(few.as_slice(), long.as_slice());
                continue;
            }
            if touching.is_empty() {
                let has_place = long.make_place();
                prop_assert_eq!(few.make_place(), has_place);
                if !has_place {
                    continue;
                }
            }
            let held = long.at(&touching).to_vec();
            prop_assert_eq!(few.at(&touching), held.as_slice());
            let whole = held.iter().fold(segment, |whole, held| {
                SeqRange::new(whole.start.min(held.start), whole.end.max(held.end))
            });
            long.replace(touching.clone(), Some(whole));
            few.replace(touching, Some(whole));
            prop_assert_eq!(few.as_slice(), long.as_slice());
            prop_assert_eq!(few.recent_first().next(), Some(whole));
            prop_assert_eq!(few.recent_first().count(), long.as_slice().len());
        }
    }
}
