//! Deadlines of many ids: an indexed binary heap with lazy updates.
//!
//! A deadline that moves later, or is removed, is only noted, since acks move and stop retransmission timers
//! with every segment; the entry is moved or removed when it reaches the top. The top entry is always
//! accurate.

use super::TimerCell;
use crate::time::Instant;

/// One element of the heap's memory. It holds entry `n` of the heap, and beside it the deadline and position
/// of id `n`; as an id has at most one entry, one array serves both.
#[derive(Clone, Copy, Debug)]
pub struct HeapCell {
    entry: Entry,
    deadline: Instant,
    position: u32,
}

/// An entry of the heap.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Instant,
    id: u32,
}

impl Entry {
    /// Orders entries by time, then by id; the order is total, as an id has only one entry.
    fn is_before(self, other: Self) -> bool {
        self.at < other.at || (self.at == other.at && self.id < other.id)
    }
}

const NOT_ARMED: u32 = u32::MAX;

impl TimerCell for HeapCell {
    const UNUSED: Self = HeapCell {
        entry: Entry { at: Instant::ZERO, id: 0 },
        deadline: Instant::ZERO,
        position: 0,
    };
    const EMPTY: Self = HeapCell {
        entry: Entry { at: Instant::FAR_FUTURE, id: 0 },
        deadline: Instant::FAR_FUTURE,
        position: NOT_ARMED,
    };

    fn arm(cells: &mut [Self], len: &mut u32, id: u32, deadline: Instant) {
        if deadline.is_never() {
            Self::disarm(cells, len, id);
        } else {
            Heap { cells, len }.arm(id, deadline);
        }
    }

    fn disarm(cells: &mut [Self], len: &mut u32, id: u32) {
        if let Some(cell) = cells.get_mut(id as usize).filter(|cell| !cell.deadline.is_never()) {
            cell.deadline = Instant::FAR_FUTURE;
            Heap { cells, len }.settle();
        }
    }

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn next(cells: &[Self], len: u32) -> Instant {
        cells.first().filter(|_| len > 0).map_or(Instant::FAR_FUTURE, |cell| cell.entry.at)
    }

    fn pop_due(cells: &mut [Self], len: &mut u32, now: Instant) -> Option<u32> {
        let Entry { at, id } = cells.first().filter(|_| *len > 0)?.entry;
        if at > now {
            return None;
        }
        Self::disarm(cells, len, id);
        Some(id)
    }
}

/// The cells as a heap, of which the first `len` entries are valid.
struct Heap<'c> {
    cells: &'c mut [HeapCell],
    len: &'c mut u32,
}

impl Heap<'_> {
    fn arm(&mut self, id: u32, deadline: Instant) {
        let Some(cell) = self.cells.get_mut(id as usize) else {
            return;
        };
        cell.deadline = deadline;
        let entry = Entry { at: deadline, id };
        let position = cell.position;
        match position {
            NOT_ARMED => {
                *self.len += 1;
                self.sift_up(*self.len - 1, entry);
            }
            _ if self.entry(position).is_some_and(|old| deadline < old.at) => {
                self.sift_up(position, entry);
            }
            _ => {}
        }
        self.settle();
    }

    fn entry(&self, position: u32) -> Option<Entry> {
        if position >= *self.len {
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

    /// Moves the top entry to its noted deadline, or removes it if there is none, until the top is accurate.
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
        *self.len -= 1;
        if let Some(cell) = self.cells.get_mut(id as usize) {
            cell.position = NOT_ARMED;
        }
        if *self.len > 0
            && let Some(last) = self.entry_at(*self.len)
        {
            self.sift_down(0, last);
        }
    }

    /// Stores an entry at `position`, or as far above it as it belongs.
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

    /// Stores an entry at `position`, or as far below it as it belongs.
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
