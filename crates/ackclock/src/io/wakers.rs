//! Who waits for what: a waker for each direction of a connection, and for a listener.

use crate::stack::{Handle, Listener};
use core::task::Waker;

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// A connection.
    Connection(Handle),
    /// A connection to accept.
    Listener(Listener),
}

/// Which direction of a connection; listeners have the first only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// Something to read.
    Read,
    /// Room to write, everything acknowledged, or the handshake finished.
    Write,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    /// By direction.
    wakers: [Option<Waker>; 2],
}

impl Entry {
    fn waker(&mut self, direction: Direction) -> &mut Option<Waker> {
        let [read, write] = &mut self.wakers;
        match direction {
            Direction::Read => read,
            Direction::Write => write,
        }
    }

    fn wake_all(self) {
        self.wakers.into_iter().flatten().for_each(Waker::wake);
    }
}

/// Wakers for at most `N` connections and listeners. When more wait, one of them is woken, finds nothing
/// and waits again: that costs time and loses nothing.
#[derive(Debug)]
pub(super) struct Wakers<const N: usize> {
    entries: [Option<Entry>; N],
    /// Who gives way next.
    next: usize,
}

impl<const N: usize> Wakers<N> {
    /// Nobody waits.
    pub(super) const fn new() -> Self {
        Wakers { entries: [const { None }; N], next: 0 }
    }

    /// Remembers whom to wake. Whoever waited for the same thing is woken, to wait again.
    pub(super) fn register(&mut self, key: Key, direction: Direction, waker: &Waker) {
        let is_same = |entry: &Option<Entry>| entry.as_ref().is_some_and(|entry| entry.key == key);
        let place = self.entries.iter().position(is_same);
        let place = place.or_else(|| self.entries.iter().position(Option::is_none));
        let place = place.unwrap_or_else(|| {
            self.next = self.next.wrapping_add(1).checked_rem(N).unwrap_or(0);
            self.next
        });
        let Some(place) = self.entries.get_mut(place) else {
            return waker.wake_by_ref();
        };
        if place.as_ref().is_some_and(|entry| entry.key != key)
            && let Some(other) = place.take()
        {
            other.wake_all();
        }
        let entry = place.get_or_insert(Entry { key, wakers: [None, None] });
        let old = entry.waker(direction).replace(waker.clone());
        old.filter(|old| !old.will_wake(waker)).into_iter().for_each(Waker::wake);
    }

    /// Wakes who waits for this.
    pub(super) fn wake(&mut self, key: Key, direction: Direction) {
        let of_key = |entry: &&mut Entry| entry.key == key;
        if let Some(entry) = self.entries.iter_mut().flatten().find(of_key)
            && let Some(waker) = entry.waker(direction).take()
        {
            waker.wake();
        }
    }

    /// Nobody waits for this any more.
    pub(super) fn forget(&mut self, key: Key) {
        let places = self.entries.iter_mut();
        places
            .filter(|place| place.as_ref().is_some_and(|entry| entry.key == key))
            .for_each(|place| *place = None);
    }
}
