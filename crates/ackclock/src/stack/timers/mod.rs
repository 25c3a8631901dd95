//! Timer queues: at most one deadline for each id.
//!
//! How the earliest deadline is found depends on the number of ids: [`heap`] for many, [`scan`] for few. Both
//! use one array of cells, lent or growing, and both implement [`TimerCell`].

pub(super) mod heap;
pub(super) mod scan;

use super::id_queue::grow_by_doubling;
use crate::storage::Buffer;
use crate::time::Instant;
use core::fmt::Debug;

/// One element of a timer queue's memory, and the operations on an array of them.
///
/// `len` is a word of the queue for the cells' own use; it is 0 at first.
pub trait TimerCell: Copy + Debug {
    /// A cell of unused memory: all zeros, so that a `static` takes no space in an image.
    const UNUSED: Self;
    /// A cell in use without a deadline.
    const EMPTY: Self;

    /// Sets the deadline of `id`; [`Instant::FAR_FUTURE`] stops its timer. An id without a cell is ignored.
    fn arm(cells: &mut [Self], len: &mut u32, id: u32, deadline: Instant);

    /// Stops the timer of `id`.
    fn disarm(cells: &mut [Self], len: &mut u32, id: u32);

    /// The deadline of the id of this cell; [`Instant::FAR_FUTURE`] if it has none.
    fn deadline(&self) -> Instant;

    /// The earliest deadline; [`Instant::FAR_FUTURE`] if there is none.
    fn next(cells: &[Self], len: u32) -> Instant;

    /// Removes and returns an id whose deadline is at or before `now`, if there is one. A heap returns the
    /// earliest first, and of equal ones the lowest id.
    fn pop_due(cells: &mut [Self], len: &mut u32, now: Instant) -> Option<u32>;
}

/// A timer queue: the deadline of every id.
#[derive(Debug)]
pub(super) struct TimerQueue<'a, K> {
    cells: Buffer<'a, K>,
    len: u32,
}

impl<'a, K: TimerCell> TimerQueue<'a, K> {
    /// An empty queue with one cell for each possible id. Lent memory must have been
    /// [prepared](Self::prepare).
    pub(super) const fn new(cells: Buffer<'a, K>) -> Self {
        TimerQueue { cells, len: 0 }
    }

    /// Prepares memory that was never used: cells without deadlines.
    pub(super) fn prepare(cells: &mut [K]) {
        cells.fill(K::EMPTY);
    }

    /// Makes room for ids below `count`; returns whether there is room.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        grow_by_doubling(&mut self.cells, count, K::EMPTY)
    }

    /// Sets the deadline of `id`; [`Instant::FAR_FUTURE`] stops its timer. An id without room is
    /// ignored (see [`reserve`](Self::reserve)).
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(super) fn arm(&mut self, id: u32, deadline: Instant) {
        K::arm(&mut self.cells, &mut self.len, id, deadline);
    }

    /// Stops the timer of `id`.
    pub(super) fn disarm(&mut self, id: u32) {
        K::disarm(&mut self.cells, &mut self.len, id);
    }

    /// The deadline of `id`.
    pub(super) fn deadline(&self, id: u32) -> Instant {
        self.cells.get(id as usize).map_or(Instant::FAR_FUTURE, K::deadline)
    }

    /// The earliest deadline; [`Instant::FAR_FUTURE`] if there is none.
    pub(super) fn next(&self) -> Instant {
        K::next(&self.cells, self.len)
    }

    /// Removes and returns an id whose deadline is at or before `now`, if there is one.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<u32> {
        K::pop_due(&mut self.cells, &mut self.len, now)
    }
}

#[cfg(test)]
mod tests;
