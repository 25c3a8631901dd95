//! Deadlines of many connections: an indexed binary heap with lazy re-arming.

use super::id_queue::grow_by_doubling;
use crate::storage::Buffer;
use crate::time::Instant;

/// One element of the queue's memory: entry number `n` of the heap beside what is known of id `n`.
/// An id has at most one entry, so that one array serves both.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimerCell {
    entry: Entry,
    deadline: Instant,
    position: u32,
}

impl TimerCell {
    /// All zeros, for memory that is not in use.
    pub(super) const UNUSED: TimerCell = TimerCell {
        entry: Entry { at: Instant::ZERO, id: 0 },
        deadline: Instant::ZERO,
        position: 0,
    };
    /// Nothing is armed.
    pub(super) const EMPTY: TimerCell = TimerCell {
        entry: Entry { at: Instant::FAR_FUTURE, id: 0 },
        deadline: Instant::FAR_FUTURE,
        position: NOT_ARMED,
    };

    /// Makes memory that was never used into cells of which nothing is armed.
    pub(super) fn prepare(cells: &mut [TimerCell]) {
        cells.fill(Self::EMPTY);
    }
}

/// An entry of the heap.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Instant,
    id: u32,
}

impl Entry {
    /// In order of time, then of ids, which makes the order total because an id has one entry only.
    fn is_before(self, other: Self) -> bool {
        self.at < other.at || (self.at == other.at && self.id < other.id)
    }
}

const NOT_ARMED: u32 = u32::MAX;

/// The earliest deadline of every id.
///
/// A later deadline than the one in the heap, or none, is only noted (acks move and stop
/// retransmission timers with every segment); the entry moves or goes when it comes to the top. The
/// top entry is always true.
#[derive(Debug)]
pub(super) struct TimerQueue<'a> {
    cells: Buffer<'a, TimerCell>,
    len: u32,
}

impl<'a> TimerQueue<'a> {
    /// An empty queue with one cell for each possible id.
    pub(super) const fn new(cells: Buffer<'a, TimerCell>) -> Self {
        TimerQueue { cells, len: 0 }
    }

    /// Makes room for ids below `count`; returns whether there is.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        grow_by_doubling(&mut self.cells, count, TimerCell::EMPTY)
    }

    /// Sets the deadline of `id`; [`Instant::FAR_FUTURE`] takes it out. An id without room is
    /// ignored (see [`reserve`](Self::reserve)).
    pub(super) fn arm(&mut self, id: u32, deadline: Instant) {
        if deadline.is_never() {
            return self.disarm(id);
        }
        let Some(cell) = self.cells.get_mut(id as usize) else {
            return;
        };
        cell.deadline = deadline;
        let entry = Entry { at: deadline, id };
        let position = cell.position;
        match position {
            NOT_ARMED => {
                self.len += 1;
                self.sift_up(self.len - 1, entry);
            }
            _ if self.entry(position).is_some_and(|old| deadline < old.at) => {
                self.sift_up(position, entry);
            }
            _ => {}
        }
        self.settle();
    }

    /// Stops the timer of `id`.
    pub(super) fn disarm(&mut self, id: u32) {
        let Some(cell) = self.cells.get_mut(id as usize).filter(|cell| !cell.deadline.is_never())
        else {
            return;
        };
        cell.deadline = Instant::FAR_FUTURE;
        self.settle();
    }

    /// The deadline of `id`.
    pub(super) fn deadline(&self, id: u32) -> Instant {
        self.cells.get(id as usize).map_or(Instant::FAR_FUTURE, |cell| cell.deadline)
    }

    /// The earliest deadline; [`Instant::FAR_FUTURE`] if there is none.
    pub(super) fn next(&self) -> Instant {
        self.entry(0).map_or(Instant::FAR_FUTURE, |entry| entry.at)
    }

    /// Takes the id with the earliest deadline out if that is not after `now`.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<u32> {
        let Entry { at, id } = self.entry(0)?;
        if at > now {
            return None;
        }
        self.disarm(id);
        Some(id)
    }

    fn entry(&self, position: u32) -> Option<Entry> {
        if position >= self.len {
            return None;
        }
        self.entry_at(position)
    }

    fn entry_at(&self, position: u32) -> Option<Entry> {
        Some(self.cells.get(position as usize)?.entry)
    }

    fn put(&mut self, position: u32, entry: Entry) {
        if let Some(cell) = self.cells.get_mut(position as usize) {
            cell.entry = entry;
        }
        if let Some(cell) = self.cells.get_mut(entry.id as usize) {
            cell.position = position;
        }
    }

    /// Moves the top entry to its noted deadline, or takes it out if there is none, until the top is
    /// true.
    fn settle(&mut self) {
        while let Some(top) = self.entry(0) {
            let noted = self.cells.get(top.id as usize).map_or(top.at, |cell| cell.deadline);
            if noted <= top.at {
                return;
            }
            if noted.is_never() {
                self.remove_top(top.id);
                continue;
            }
            self.sift_down(0, Entry { at: noted, id: top.id });
        }
    }

    fn remove_top(&mut self, id: u32) {
        self.len -= 1;
        if let Some(cell) = self.cells.get_mut(id as usize) {
            cell.position = NOT_ARMED;
        }
        if self.len > 0
            && let Some(last) = self.entry_at(self.len)
        {
            self.sift_down(0, last);
        }
    }

    /// Puts an entry at `position` or as far above it as it belongs.
    fn sift_up(&mut self, mut position: u32, entry: Entry) {
        while position > 0 {
            let parent = (position - 1) / 2;
            let Some(above) = self.entry_at(parent).filter(|above| entry.is_before(*above)) else {
                break;
            };
            self.put(position, above);
            position = parent;
        }
        self.put(position, entry);
    }

    /// Puts an entry at `position` or as far below it as it belongs.
    fn sift_down(&mut self, mut position: u32, entry: Entry) {
        loop {
            let left = position.saturating_mul(2).saturating_add(1);
            let Some(mut below) = self.entry(left) else {
                break;
            };
            let mut child = left;
            if let Some(right) = self.entry(left + 1).filter(|right| right.is_before(below)) {
                (child, below) = (left + 1, right);
            }
            if !below.is_before(entry) {
                break;
            }
            self.put(position, below);
            position = child;
        }
        self.put(position, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    #[test]
    fn fires_in_order_of_time_then_id() {
        let mut cells = [TimerCell::EMPTY; 4];
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
    fn rearming_replaces_the_deadline_whichever_way() {
        let mut cells = [TimerCell::EMPTY; 2];
        let mut queue = TimerQueue::new(Buffer::lent(&mut cells));
        queue.arm(0, at(10));
        queue.arm(1, at(20));
        queue.arm(0, at(30));
        assert_eq!(queue.next(), at(20), "the earliest deadline is exact");
        queue.arm(0, at(5));
        assert_eq!(queue.next(), at(5));
        queue.arm(0, Instant::FAR_FUTURE);
        assert_eq!(queue.next(), at(20));
        queue.arm(7, at(1));
        assert_eq!(queue.next(), at(20), "no room for id 7");
    }

    proptest! {
        #[test]
        fn behaves_as_a_sorted_list(
            calls in prop::collection::vec((0_u32..12, prop::option::of(0_u64..50), 0_u64..60), 1..300),
        ) {
            let mut cells = [TimerCell::EMPTY; 12];
            let mut queue = TimerQueue::new(Buffer::lent(&mut cells));
            let mut oracle: Vec<(u64, u32)> = Vec::new();
            for (id, deadline, now) in calls {
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
                let due = oracle.first().copied().filter(|&(time, _)| time <= now);
                if due.is_some() {
                    oracle.remove(0);
                }
                prop_assert_eq!(queue.pop_due(at(now)), due.map(|(_, id)| id));
            }
        }
    }
}
