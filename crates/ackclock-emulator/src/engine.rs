//! The event queue: what will happen, in order of time, and at one time in order of insertion.

use ackclock::time::Instant;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Things that will happen at points of virtual time.
///
/// Events of the same instant come out in the order in which they were scheduled, so that a run
/// depends on nothing but its inputs.
#[derive(Debug)]
pub(crate) struct EventQueue<T> {
    heap: BinaryHeap<Entry<T>>,
    scheduled: u64,
}

#[derive(Debug)]
struct Entry<T> {
    at: Instant,
    order: u64,
    item: T,
}

impl<T> EventQueue<T> {
    pub(crate) fn new() -> Self {
        EventQueue { heap: BinaryHeap::new(), scheduled: 0 }
    }

    pub(crate) fn schedule(&mut self, at: Instant, item: T) {
        let order = self.scheduled;
        self.scheduled += 1;
        self.heap.push(Entry { at, order, item });
    }

    /// When the next event happens; `None` if there is none.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|entry| entry.at)
    }

    pub(crate) fn pop(&mut self) -> Option<(Instant, T)> {
        self.heap.pop().map(|entry| (entry.at, entry.item))
    }
}

/// `BinaryHeap` gives the greatest first: the earlier entry is the greater one.
impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_and_then_in_order_of_insertion() {
        let mut queue = EventQueue::new();
        for (millis, name) in [(5, "a"), (3, "b"), (5, "c"), (0, "d"), (3, "e"), (5, "f")] {
            queue.schedule(Instant::from_millis(millis), name);
        }
        assert_eq!(queue.next_at(), Some(Instant::ZERO));
        let order: Vec<_> =
            std::iter::from_fn(|| queue.pop()).map(|(at, name)| (at.as_millis(), name)).collect();
        assert_eq!(order, [(0, "d"), (3, "b"), (3, "e"), (5, "a"), (5, "c"), (5, "f")]);
        assert_eq!(queue.next_at(), None);
    }

    #[test]
    fn an_event_scheduled_for_now_comes_after_those_already_waiting_for_now() {
        let mut queue = EventQueue::new();
        let now = Instant::from_secs(1);
        queue.schedule(now, 1);
        queue.schedule(now, 2);
        assert_eq!(queue.pop(), Some((now, 1)));
        queue.schedule(now, 3);
        assert_eq!(queue.pop(), Some((now, 2)));
        assert_eq!(queue.pop(), Some((now, 3)));
    }
}
