//! What tasks of an executor need of the machine: a clock that anybody may ask, and a tick each
//! millisecond that wakes one of them.

use crate::mps2::count;
use core::cell::Cell;
use core::task::{Context, Poll, Waker};
use critical_section::Mutex;

/// Microseconds at the last look at the clock, all of them and as the counter has them.
static CLOCK: Mutex<Cell<(u64, u32)>> = Mutex::new(Cell::new((0, 0)));
/// Unseen ticks, and the waker of the task that waits for the next one.
static TICKED: Mutex<Cell<bool>> = Mutex::new(Cell::new(false));
static WAITING: Mutex<Cell<Option<Waker>>> = Mutex::new(Cell::new(None));

/// Microseconds since the counter began. To be asked at least once an hour.
pub fn microseconds() -> u64 {
    critical_section::with(|section| {
        let clock = CLOCK.borrow(section);
        let ((before, counted), count) = (clock.get(), count());
        let now = before + u64::from(count.wrapping_sub(counted));
        clock.set((now, count));
        now
    })
}

/// Waits for the next tick. There is place for one task.
pub fn poll_tick(context: &mut Context<'_>) -> Poll<()> {
    critical_section::with(|section| {
        if TICKED.borrow(section).take() {
            return Poll::Ready(());
        }
        WAITING.borrow(section).set(Some(context.waker().clone()));
        Poll::Pending
    })
}

/// A millisecond has passed.
pub(crate) fn on_tick() {
    critical_section::with(|section| {
        TICKED.borrow(section).set(true);
        WAITING.borrow(section).take()
    })
    .iter()
    .for_each(Waker::wake_by_ref);
}
