//! Wakers of waiting tasks: for each direction of a connection, and for listeners.

use crate::stack::{Handle, Listener};
use core::task::Waker;

/// The connection or listener that a task waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// A connection.
    Connection(Handle),
    /// A listener, for a connection to accept.
    Listener(Listener),
}

/// The direction of a connection; listeners use only the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// Data to read.
    Read,
    /// Room to write, everything acknowledged, or the handshake finished.
    Write,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    /// The wakers, by direction.
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

/// Wakers for at most `N` connections and listeners; several tasks that wait for the same one take several
/// places. If more wait, one of them is woken in vain and waits again, which costs time but loses nothing.
#[derive(Debug)]
pub(super) struct Wakers<const N: usize> {
    entries: [Option<Entry>; N],
    /// The place to be reused next.
    next: usize,
    /// How often a waiting task was displaced, modulo 2^32.
    displaced: u32,
}

impl<const N: usize> Wakers<N> {
    /// No wakers.
    pub(super) const fn new() -> Self {
        Wakers { entries: [const { None }; N], next: 0, displaced: 0 }
    }

    /// How often a waiting task was displaced, modulo 2^32.
    pub(super) const fn displaced(&self) -> u32 {
        self.displaced
    }

    /// Registers a waker. Other tasks that wait for the same key have places of their own.
    pub(super) fn register(&mut self, key: Key, direction: Direction, waker: &Waker) {
        let is_ours = |entry: &mut Entry| {
            let waiting = entry.waker(direction);
            waiting.as_ref().is_none_or(|waiting| waiting.will_wake(waker))
        };
        let is_same = |entry: &mut Option<Entry>| {
            entry.as_mut().is_some_and(|entry| entry.key == key && is_ours(entry))
        };
        let place = self.entries.iter_mut().position(is_same);
        let place = place.or_else(|| self.entries.iter().position(Option::is_none));
        let place = place.unwrap_or_else(|| {
            self.next = self.next.wrapping_add(1).checked_rem(N).unwrap_or(0);
            self.next
        });
        let Some(place) = self.entries.get_mut(place) else {
            self.displaced = self.displaced.wrapping_add(1);
            return waker.wake_by_ref();
        };
        if !is_same(place)
            && let Some(other) = place.take()
        {
            self.displaced = self.displaced.wrapping_add(1);
            other.wake_all();
        }
        let entry = place.get_or_insert(Entry { key, wakers: [None, None] });
        *entry.waker(direction) = Some(waker.clone());
    }

    /// Wakes all tasks that wait for this.
    pub(super) fn wake(&mut self, key: Key, direction: Direction) {
        for place in &mut self.entries {
            let Some(entry) = place.as_mut().filter(|entry| entry.key == key) else {
                continue;
            };
            let woken = entry.waker(direction).take();
            if entry.wakers.iter().all(Option::is_none) {
                // Otherwise an unused place would later displace a waiting task.
                *place = None;
            }
            woken.into_iter().for_each(Waker::wake);
        }
    }

    /// Removes the wakers of this key.
    pub(super) fn forget(&mut self, key: Key) {
        let places = self.entries.iter_mut();
        places
            .filter(|place| place.as_ref().is_some_and(|entry| entry.key == key))
            .for_each(|place| *place = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    /// How often a task was woken.
    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn tasks() -> [(Arc<Task>, Waker); 2] {
        [(); 2].map(|()| {
            let task = Arc::<Task>::default();
            (task.clone(), task.into())
        })
    }

    fn woken(tasks: &[(Arc<Task>, Waker); 2]) -> [usize; 2] {
        [0, 1].map(|task| tasks[task].0.0.load(Ordering::Relaxed))
    }

    #[test]
    fn two_tasks_may_wait_for_the_same_thing() {
        let tasks = tasks();
        let mut wakers = Wakers::<2>::new();
        let listener = Key::Listener(Listener { slot: 0, generation: 0 });
        for _ in 0..2 {
            tasks.iter().for_each(|(_, waker)| wakers.register(listener, Direction::Read, waker));
        }
        assert_eq!(woken(&tasks), [0, 0]);
        wakers.wake(listener, Direction::Read);
        wakers.wake(listener, Direction::Read);
        assert_eq!(woken(&tasks), [1, 1]);
    }

    #[test]
    fn who_was_woken_leaves_the_place_to_others() {
        let tasks = tasks();
        let mut wakers = Wakers::<2>::new();
        let [first, second, third] =
            [0, 1, 2].map(|slot| Key::Listener(Listener { slot, generation: 0 }));
        wakers.register(first, Direction::Read, &tasks[0].1);
        wakers.register(second, Direction::Read, &tasks[1].1);
        wakers.wake(first, Direction::Read);
        wakers.register(third, Direction::Read, &tasks[0].1);
        assert_eq!(woken(&tasks), [1, 0]);
    }

    #[test]
    fn where_there_are_too_few_places_the_other_is_woken_to_wait_again() {
        let tasks = tasks();
        let mut wakers = Wakers::<1>::new();
        let keys = [0, 1].map(|slot| Key::Listener(Listener { slot, generation: 0 }));
        wakers.register(keys[0], Direction::Read, &tasks[0].1);
        wakers.register(keys[1], Direction::Read, &tasks[1].1);
        assert_eq!(woken(&tasks), [1, 0]);
        wakers.register(keys[1], Direction::Read, &tasks[0].1);
        assert_eq!(woken(&tasks), [1, 1]);
        assert_eq!(wakers.displaced(), 2);
        let mut no_place = Wakers::<0>::new();
        no_place.register(keys[0], Direction::Read, &tasks[0].1);
        assert_eq!((woken(&tasks), no_place.displaced()), ([2, 1], 1));
    }
}
