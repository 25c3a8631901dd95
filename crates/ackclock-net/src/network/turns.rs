//! A fair lock.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A fair lock: a thread that releases it and takes it again at once comes after the threads that wait
/// already.
///
/// A driver that has more to do takes the lock again right after it has released it. With a plain
/// [`Mutex`] it would mostly get it before the thread that was woken, and a socket's call would wait as
/// long as packets arrive.
#[derive(Debug, Default)]
pub(crate) struct Turns<T> {
    /// The holder of this is the next to get the lock.
    next: Mutex<()>,
    value: Mutex<T>,
}

/// The lock is held as long as this lives.
pub(crate) struct Turn<'l, T>(MutexGuard<'l, T>);

impl<T> Turns<T> {
    pub(crate) const fn new(value: T) -> Self {
        Turns { next: Mutex::new(()), value: Mutex::new(value) }
    }

    /// Waits for its turn. A panic of a thread that held the lock is ignored: no call of the stack leaves it
    /// half changed when the caller's code panics.
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
