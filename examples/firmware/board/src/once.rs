//! Memory that is lent once and for ever.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

/// Something static that its first user gets for good.
#[derive(Debug)]
pub struct Once<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: only one reference to the value is ever handed out.
unsafe impl<T: Send> Sync for Once<T> {}

impl<T> Once<T> {
    /// The memory with this in it.
    pub const fn new(value: T) -> Self {
        Once { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// The value, for the first caller. Must not be called in interrupts.
    #[allow(clippy::mut_from_ref)]
    pub fn take(&'static self) -> Option<&'static mut T> {
        // One core, and no interrupt asks: loading and storing need not be one step, which a
        // Cortex-M0 does not have.
        if self.taken.load(Ordering::Relaxed) {
            return None;
        }
        self.taken.store(true, Ordering::Relaxed);
        // SAFETY: no caller got it before, and none will again.
        Some(unsafe { &mut *self.value.get() })
    }
}
