//! Schedules: the list of things that an application is to do one after another, and the record of how each
//! went.

use crate::storage::Buffer;
use crate::time::{Duration, Instant};

/// Gives an application one thing to do after another, and is told when each is done.
///
/// Every iterator is a schedule. Any randomness is the iterator's: the application takes what it yields.
pub trait Schedule {
    /// One thing to do.
    type Item;

    /// The next thing to do; `None` means that nothing is left. It is called when the previous thing is done
    /// or in progress.
    fn take_next(&mut self) -> Option<Self::Item>;

    /// Called when a thing is done, in the order in which the things were taken.
    fn on_completed(&mut self, _completed: &Completed) {}
}

impl<I: Iterator> Schedule for I {
    type Item = I::Item;

    fn take_next(&mut self) -> Option<I::Item> {
        self.next()
    }
}

/// Record of one thing that an application has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Completed {
    /// When it began: when its first byte was to be sent.
    pub began: Instant,
    /// When it was done.
    pub ended: Instant,
    /// Bytes sent for it.
    pub sent: u64,
    /// Bytes received for it.
    pub received: u64,
}

impl Completed {
    /// Time from its beginning to its end.
    pub fn latency(&self) -> Duration {
        self.ended.saturating_since(self.began)
    }
}

/// An iterator as a schedule that records how each of its items went.
#[derive(Debug)]
pub struct Recorded<'m, I> {
    items: I,
    completed: Buffer<'m, Completed>,
    count: usize,
}

impl<'m, I: Iterator> Recorded<'m, I> {
    /// Records in `completed`: in lent memory as many as fit, in growing memory all.
    pub fn new(items: I, completed: Buffer<'m, Completed>) -> Self {
        Recorded { items, completed, count: 0 }
    }

    /// The things done, in order, as far as there was room to record them.
    pub fn completed(&self) -> &[Completed] {
        self.completed.get(..self.count).unwrap_or(&self.completed)
    }

    /// How many things were done, recorded or not.
    pub const fn count(&self) -> usize {
        self.count
    }
}

impl<I: Iterator> Schedule for Recorded<'_, I> {
    type Item = I::Item;

    fn take_next(&mut self) -> Option<I::Item> {
        self.items.next()
    }

    fn on_completed(&mut self, completed: &Completed) {
        match self.completed.get_mut(self.count) {
            Some(place) => *place = *completed,
            // Without room to record it, it is only counted.
            None => {
                let _ = self.completed.push(*completed);
            }
        }
        self.count = self.count.saturating_add(1);
    }
}
