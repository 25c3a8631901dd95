//! Deadlines by the ids of what they belong to: one for each id at most.
//!
//! How the earliest is found depends on how many ids there are: [`heap`] for many, [`scan`] for few.
//! Both are cells of one array, which is lent or grows, and both keep what [`TimerCell`] promises.

pub(super) mod heap;
pub(super) mod scan;

use super::id_queue::grow_by_doubling;
use crate::storage::Buffer;
use crate::time::Instant;
use core::fmt::Debug;

/// One element of a timer queue's memory, and how deadlines are kept in an array of them.
///
/// `len` is a word of the queue's for whatever the cells need it, 0 at the beginning.
pub trait TimerCell: Copy + Debug {
    /// All zeros, for memory that is not in use, so that as a static it takes no place in an image.
    const UNUSED: Self;
    /// Memory in use, of which nothing is armed.
    const EMPTY: Self;

    /// Sets the deadline of `id`; [`Instant::FAR_FUTURE`] stops its timer. An id without a cell is
    /// ignored.
    fn arm(cells: &mut [Self], len: &mut u32, id: u32, deadline: Instant);

    /// Stops the timer of `id`.
    fn disarm(cells: &mut [Self], len: &mut u32, id: u32);

    /// The deadline of the id whose cell this is; [`Instant::FAR_FUTURE`] if it has none.
    fn deadline(&self) -> Instant;

    /// The earliest deadline; [`Instant::FAR_FUTURE`] if there is none.
    fn next(cells: &[Self], len: u32) -> Instant;

    /// Takes an id out whose deadline is not after `now`. Every such id comes in its turn; a heap gives
    /// the earliest first, and of equal ones the lowest.
    fn pop_due(cells: &mut [Self], len: &mut u32, now: Instant) -> Option<u32>;
}

/// The deadline of every id.
#[derive(Debug)]
pub(super) struct TimerQueue<'a, K> {
    cells: Buffer<'a, K>,
    len: u32,
}

impl<'a, K: TimerCell> TimerQueue<'a, K> {
    /// An empty queue with one cell for each possible id. Memory that is lent has been
    /// [prepared](Self::prepare).
    pub(super) const fn new(cells: Buffer<'a, K>) -> Self {
        TimerQueue { cells, len: 0 }
    }

    /// Makes memory that was never used into cells of which nothing is armed.
    pub(super) fn prepare(cells: &mut [K]) {
        cells.fill(K::EMPTY);
    }

    /// Makes room for ids below `count`; returns whether there is.
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

    /// Takes an id out whose deadline is not after `now`.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<u32> {
        K::pop_due(&mut self.cells, &mut self.len, now)
    }
}

#[cfg(test)]
mod tests;
