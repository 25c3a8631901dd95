//! The event queue: events in order of time, and those of one time in order of insertion.

use ackclock::time::Instant;
use std::cmp::Ordering;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};

/// Events that will happen at points of virtual time.
///
/// Events of the same instant come out in the order in which they were scheduled, so that a run
/// depends on nothing but its inputs.
///
/// Most events are arrivals of packets that follow one another on a link. They may be scheduled in
/// a lane, of which only the first event takes part in the search for the next one, so that many
/// packets on their way cost no more than few.
#[derive(Debug)]
pub(crate) struct EventQueue<T> {
    heap: BinaryHeap<Entry>,
    scheduled: u64,
    /// Events outside of lanes; `None` in places that are free.
    single: Vec<Option<T>>,
    free: Vec<usize>,
    lanes: Vec<VecDeque<InLane<T>>>,
}

/// Where and when the next event is. Small, because the heap moves it about.
#[derive(Debug)]
struct Entry {
    at: Instant,
    order: u64,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Single(u32),
    Lane(u32),
}

#[derive(Debug)]
struct InLane<T> {
    at: Instant,
    order: u64,
    item: T,
}

impl<T> EventQueue<T> {
    pub(crate) fn new() -> Self {
        EventQueue {
            heap: BinaryHeap::new(),
            scheduled: 0,
            single: Vec::new(),
            free: Vec::new(),
            lanes: Vec::new(),
        }
    }

    pub(crate) fn schedule(&mut self, at: Instant, item: T) {
        let order = self.next_order();
        let place = self.free.pop().unwrap_or_else(|| {
            self.single.push(None);
            self.single.len() - 1
        });
        self.single[place] = Some(item);
        self.heap.push(Entry { at, order, place: Place::Single(place as u32) });
    }

    /// Schedules an event in a lane, for events that are mostly later than all that are in the
    /// lane.
    pub(crate) fn schedule_in_lane(&mut self, lane: usize, at: Instant, item: T) {
        if self.lanes.len() <= lane {
            self.lanes.resize_with(lane + 1, VecDeque::new);
        }
        match self.lanes[lane].back() {
            Some(last) if last.at > at => self.schedule(at, item),
            last => {
                let is_first = last.is_none();
                let order = self.next_order();
                self.lanes[lane].push_back(InLane { at, order, item });
                if is_first {
                    self.heap.push(Entry { at, order, place: Place::Lane(lane as u32) });
                }
            }
        }
    }

    /// When the next event happens; `None` if there is none.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|entry| entry.at)
    }

    pub(crate) fn pop(&mut self) -> Option<(Instant, T)> {
        let mut entry = self.heap.peek_mut()?;
        let at = entry.at;
        let item = match entry.place {
            Place::Single(place) => {
                PeekMut::pop(entry);
                self.free.push(place as usize);
                self.single[place as usize].take()?
            }
            Place::Lane(lane) => {
                let lane = &mut self.lanes[lane as usize];
                let first = lane.pop_front()?;
                // The lane's next event takes the place in the heap, which moves it to where it
                // belongs.
                match lane.front() {
                    Some(next) => (entry.at, entry.order) = (next.at, next.order),
                    None => drop(PeekMut::pop(entry)),
                }
                first.item
            }
        };
        Some((at, item))
    }

    fn next_order(&mut self) -> u64 {
        self.scheduled += 1;
        self.scheduled
    }
}

/// `BinaryHeap` gives the greatest first: the earlier entry is the greater one.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

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

    #[test]
    fn lanes_change_nothing_but_the_cost() {
        // Arbitrary times, some of which repeat, in arbitrary lanes; events are taken in between.
        let mut number = 1_u64;
        let mut next = move |below: u64| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (number >> 33) % below
        };
        let (mut plain, mut laned) = (EventQueue::new(), EventQueue::new());
        let mut now = 0;
        for item in 0..10_000 {
            let at = Instant::from_nanos(now + next(20));
            plain.schedule(at, item);
            match next(4) {
                3 => laned.schedule(at, item),
                lane => laned.schedule_in_lane(lane as usize, at, item),
            }
            if next(3) > 0 {
                let popped = laned.pop();
                assert_eq!(popped, plain.pop());
                now = popped.map_or(now, |(at, _)| at.as_nanos());
            }
            assert_eq!(laned.next_at(), plain.next_at());
        }
        while let Some(popped) = plain.pop() {
            assert_eq!(laned.pop(), Some(popped));
        }
        assert_eq!(laned.pop(), None);
    }
}
