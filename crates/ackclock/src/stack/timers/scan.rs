//! Deadlines of a few ids, searched linearly.

use super::TimerCell;
use crate::time::Instant;

/// The deadline of one id, as nanoseconds before [`Instant::FAR_FUTURE`]: zero means no deadline.
#[derive(Clone, Copy, Debug)]
pub struct ScanCell(u64);

impl TimerCell for ScanCell {
    const UNUSED: Self = ScanCell(0);
    const EMPTY: Self = Self::UNUSED;

    fn arm(cells: &mut [Self], _len: &mut u32, id: u32, deadline: Instant) {
        if let Some(cell) = cells.get_mut(id as usize) {
            *cell = ScanCell(!deadline.as_nanos());
        }
    }

    fn disarm(cells: &mut [Self], len: &mut u32, id: u32) {
        Self::arm(cells, len, id, Instant::FAR_FUTURE);
    }

    fn deadline(&self) -> Instant {
        Instant::from_nanos(!self.0)
    }

    fn next(cells: &[Self], _len: u32) -> Instant {
        cells.iter().fold(Instant::FAR_FUTURE, |next, cell| next.min(cell.deadline()))
    }

    fn pop_due(cells: &mut [Self], len: &mut u32, now: Instant) -> Option<u32> {
        // Not necessarily the earliest, as all due ids are handled before anything is sent.
        let is_due = |cell: &Self| cell.deadline() <= now && cell.0 != 0;
        let id = cells.iter().position(is_due)? as u32;
        Self::disarm(cells, len, id);
        Some(id)
    }
}
