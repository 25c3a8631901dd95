//! Sequence arithmetic behaves like arithmetic on whole numbers, wherever on the circle it happens,
//! as long as what is compared is less than 2^31 apart.

use ackclock::seq::{SeqNumber, SeqRange};
use proptest::prelude::*;

/// Offsets from a common origin that are less than 2^31 apart from each other.
const REACH: i64 = (1 << 30) - 1;

fn at(origin: u32, offset: i64) -> SeqNumber {
    SeqNumber(origin.wrapping_add(offset as u32))
}

proptest! {
    #[test]
    fn order_is_that_of_the_offsets(origin: u32, a in -REACH..=REACH, b in -REACH..=REACH) {
        let (x, y) = (at(origin, a), at(origin, b));
        prop_assert_eq!(i64::from(x.distance(y)), a - b);
        prop_assert_eq!(i64::from(x.since(y)), (a - b).max(0));
        prop_assert_eq!(x.before(y), a < b);
        prop_assert_eq!(x.at_or_before(y), a <= b);
        prop_assert_eq!(x.after(y), a > b);
        prop_assert_eq!(x.at_or_after(y), a >= b);
        prop_assert_eq!(x.max(y), at(origin, a.max(b)));
        prop_assert_eq!(x.min(y), at(origin, a.min(b)));
    }

    #[test]
    fn adding_and_subtracting_are_inverse(start: u32, n: u32) {
        let start = SeqNumber(start);
        prop_assert_eq!((start + n) - n, start);
        prop_assert_eq!((start - n) + n, start);
        let mut sum = start;
        sum += n;
        prop_assert_eq!(sum, start + n);
    }

    #[test]
    fn ranges_are_intervals_of_offsets(
        origin: u32,
        a in -REACH..=REACH,
        b in -REACH..=REACH,
        c in -REACH..=REACH,
        d in -REACH..=REACH,
        n in -REACH..=REACH,
    ) {
        let (start, end) = (a.min(b), a.max(b));
        let (first, last) = (c.min(d), c.max(d));
        let range = SeqRange::new(at(origin, start), at(origin, end));
        let other = SeqRange::new(at(origin, first), at(origin, last));
        prop_assert_eq!(i64::from(range.len()), end - start);
        prop_assert_eq!(range.is_empty(), start == end);
        prop_assert_eq!(range.contains(at(origin, n)), (start..end).contains(&n));
        prop_assert_eq!(range.covers(other), start <= first && last <= end);
        prop_assert_eq!(range.overlaps(other), start < last && first < end);
        prop_assert_eq!(SeqRange::from_len(range.start, range.len()), range);
    }
}
