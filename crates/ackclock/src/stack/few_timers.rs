//! Deadlines of a few connections, looked at one after another.

use super::id_queue::grow_by_doubling;
use crate::storage::Buffer;
use crate::time::Instant;

/// What is known of one id: its deadline, as nanoseconds before [`Instant::FAR_FUTURE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct TimerCell(u64);

impl TimerCell {
    /// All zeros, for memory that is not in use.
    pub(super) const UNUSED: TimerCell = TimerCell(0);
    /// Nothing is armed.
    pub(super) const EMPTY: TimerCell = Self::UNUSED;

    /// Memory that was never used is such a cell already.
    pub(super) fn prepare(_cells: &mut [TimerCell]) {}

    fn new(deadline: Instant) -> Self {
        TimerCell(!deadline.as_nanos())
    }

    fn deadline(self) -> Instant {
        Instant::from_nanos(!self.0)
    }
}

/// The deadline of every id.
#[derive(Debug)]
pub(super) struct TimerQueue<'a> {
    cells: Buffer<'a, TimerCell>,
}

impl<'a> TimerQueue<'a> {
    /// An empty queue with one cell for each possible id.
    pub(super) const fn new(cells: Buffer<'a, TimerCell>) -> Self {
        TimerQueue { cells }
    }

    /// Makes room for ids below `count`; returns whether there is.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        grow_by_doubling(&mut self.cells, count, TimerCell::EMPTY)
    }

    /// Sets the deadline of `id`; [`Instant::FAR_FUTURE`] stops its timer.
    #[inline(never)]
    pub(super) fn arm(&mut self, id: u32, deadline: Instant) {
        if let Some(cell) = self.cells.get_mut(id as usize) {
            *cell = TimerCell::new(deadline);
        }
    }

    /// Stops the timer of `id`.
    pub(super) fn disarm(&mut self, id: u32) {
        self.arm(id, Instant::FAR_FUTURE);
    }

    /// The deadline of `id`.
    pub(super) fn deadline(&self, id: u32) -> Instant {
        self.cells.get(id as usize).map_or(Instant::FAR_FUTURE, |cell| cell.deadline())
    }

    /// The earliest deadline; [`Instant::FAR_FUTURE`] if there is none.
    pub(super) fn next(&self) -> Instant {
        self.cells.iter().fold(Instant::FAR_FUTURE, |next, cell| next.min(cell.deadline()))
    }

    /// Takes an id out whose deadline is not after `now`: not the earliest, since each is asked for before
    /// anything is sent.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<u32> {
        let is_due = |cell: &TimerCell| cell.deadline() <= now && cell.0 != 0;
        let id = self.cells.iter().position(is_due)? as u32;
        self.disarm(id);
        Some(id)
    }
}
