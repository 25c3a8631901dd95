use super::heap::HeapCell;
use super::scan::ScanCell;
use super::*;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

fn rearming_replaces_the_deadline<K: TimerCell>() {
    let mut cells = [K::EMPTY; 2];
    let mut queue = TimerQueue::new(Buffer::lent(&mut cells));
    queue.arm(0, at(10));
    queue.arm(1, at(20));
    queue.arm(0, at(30));
    assert_eq!(queue.next(), at(20), "the earliest deadline is exact");
    queue.arm(0, at(5));
    assert_eq!((queue.next(), queue.deadline(0)), (at(5), at(5)));
    queue.arm(0, Instant::FAR_FUTURE);
    assert_eq!(queue.next(), at(20));
    queue.arm(7, at(1));
    assert_eq!(queue.next(), at(20), "no room for id 7");
    assert_eq!((queue.pop_due(at(19)), queue.pop_due(at(20))), (None, Some(1)));
    assert_eq!((queue.next(), queue.pop_due(at(99))), (Instant::FAR_FUTURE, None));
}

#[test]
fn rearming_replaces_the_deadline_whichever_way() {
    rearming_replaces_the_deadline::<HeapCell>();
    rearming_replaces_the_deadline::<ScanCell>();
}

#[test]
fn a_heap_fires_in_order_of_time_then_id() {
    let mut cells = [HeapCell::EMPTY; 4];
    let mut queue = TimerQueue::new(Buffer::lent(&mut cells));
    assert_eq!((queue.next(), queue.pop_due(at(9))), (Instant::FAR_FUTURE, None));
    for (id, time) in [(3, 5), (1, 7), (2, 5), (0, 6)] {
        queue.arm(id, at(time));
    }
    assert_eq!(queue.next(), at(5));
    assert_eq!(queue.pop_due(at(4)), None);
    let fired: Vec<_> = core::iter::from_fn(|| queue.pop_due(at(6))).collect();
    assert_eq!(fired, [2, 3, 0]);
    assert_eq!(queue.next(), at(7));
}

#[test]
fn memory_that_was_lent_has_nothing_armed_once_it_is_prepared() {
    fn check<K: TimerCell>() {
        let mut cells = [K::UNUSED; 3];
        TimerQueue::prepare(&mut cells);
        let mut queue = TimerQueue::new(Buffer::lent(&mut cells));
        assert_eq!((queue.next(), queue.pop_due(at(9))), (Instant::FAR_FUTURE, None));
    }
    check::<HeapCell>();
    check::<ScanCell>();
}

/// What happens to a queue: an id gets a deadline or none, then it is `now`.
type Calls = [(u32, Option<u64>, u64)];

/// Compares a queue with a list of deadlines; `in_order` if it gives the earliest first.
fn check<K: TimerCell>(calls: &Calls, in_order: bool) -> Result<(), TestCaseError> {
    let mut cells = vec![K::EMPTY; 12];
    let mut queue = TimerQueue::new(Buffer::lent(&mut cells));
    let mut oracle: Vec<(u64, u32)> = Vec::new();
    for &(id, deadline, now) in calls {
        oracle.retain(|&(_, other)| other != id);
        match deadline {
            Some(deadline) => {
                oracle.push((deadline, id));
                queue.arm(id, at(deadline));
            }
            None => queue.disarm(id),
        }
        oracle.sort_unstable();
        let next = oracle.first().map_or(Instant::FAR_FUTURE, |&(time, _)| at(time));
        prop_assert_eq!(queue.next(), next);
        let due: Vec<u32> =
            oracle.iter().take_while(|&&(time, _)| time <= now).map(|&(_, id)| id).collect();
        let popped = queue.pop_due(at(now));
        if in_order {
            prop_assert_eq!(popped, due.first().copied());
        } else {
            prop_assert_eq!(popped.is_some(), !due.is_empty());
            prop_assert!(popped.is_none_or(|id| due.contains(&id)));
        }
        oracle.retain(|&(_, other)| Some(other) != popped);
    }
    Ok(())
}

proptest! {
    #[test]
    fn behaves_as_a_sorted_list(
        calls in prop::collection::vec((0_u32..12, prop::option::of(0_u64..50), 0_u64..60), 1..300),
    ) {
        check::<HeapCell>(&calls, true)?;
        check::<ScanCell>(&calls, false)?;
    }
}
