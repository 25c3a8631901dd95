//! A lock that is given in turns.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock that is given in turns: whoever releases it and takes it again at once comes after those who
/// already wait.
///
/// A driver that has more to do takes the lock again right after it has released it. With a plain
/// [`Mutex`] it would mostly get it before the thread that was woken, and a socket's call would wait as
/// long as packets come.
#[derive(Debug, Default)]
pub(crate) struct Turns<T> {
    /// Whoever holds this is the next.
    next: Mutex<()>,
    value: Mutex<T>,
}

/// The lock is held as long as this lives.
pub(crate) struct Turn<'l, T>(MutexGuard<'l, T>);

impl<T> Turns<T> {
    pub(crate) const fn new(value: T) -> Self {
        Turns { next: Mutex::new(()), value: Mutex::new(value) }
    }

    /// Waits for its turn. A panic of whoever had the lock changes nothing here: the stack has no call
    /// that leaves it half changed when a caller's code panics.
    pub(crate) fn lock(&self) -> Turn<'_, T> {
        let _next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        Turn(self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn who_waits_comes_before_who_takes_it_again() {
        let turns = Arc::new(Turns::new(0));
        let (turn, waiting) = (turns.lock(), turns.clone());
        let other = thread::spawn(move || *waiting.lock() += 1);
        while turns.next.try_lock().is_ok() {
            thread::yield_now();
        }
        drop(turn);
        assert_eq!(*turns.lock(), 1);
        other.join().unwrap();
    }
}
