//! What an application is to do, one thing after another, and what became of each.

use crate::storage::Buffer;
use crate::time::{Duration, Instant};

/// Hands an application one thing to do after another, and hears of each that is done.
///
/// Every iterator is one. Randomness is up to whoever makes it: the application takes what comes.
pub trait Schedule {
    /// A thing to do.
    type Item;

    /// The next thing to do, asked for when the one before is done or under way; `None`: no more.
    fn take_next(&mut self) -> Option<Self::Item>;

    /// A thing is done. Things are done in the order in which they were taken.
    fn on_completed(&mut self, _completed: &Completed) {}
}

impl<I: Iterator> Schedule for I {
    type Item = I::Item;

    fn take_next(&mut self) -> Option<I::Item> {
        self.next()
    }
}

/// Something that an application has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Completed {
    /// When it began: when the first byte was to be sent.
    pub began: Instant,
    /// When it was done.
    pub ended: Instant,
    /// Bytes sent for it.
    pub sent: u64,
    /// Bytes received for it.
    pub received: u64,
}

impl Completed {
    /// How long it took.
    pub fn latency(&self) -> Duration {
        self.ended.saturating_since(self.began)
    }
}

/// An iterator as a schedule that remembers what became of its items.
#[derive(Debug)]
pub struct Recorded<'m, I> {
    items: I,
    completed: Buffer<'m, Completed>,
    count: usize,
}

impl<'m, I: Iterator> Recorded<'m, I> {
    /// Remembers in `completed`: as many as have room in lent memory, all in growing memory.
    pub fn new(items: I, completed: Buffer<'m, Completed>) -> Self {
        Recorded { items, completed, count: 0 }
    }

    /// What was done, in order, as far as there was room.
    pub fn completed(&self) -> &[Completed] {
        self.completed.get(..self.count).unwrap_or(&self.completed)
    }

    /// How many things were done.
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
            // Without room there is only the count.
            None => {
                let _ = self.completed.push(*completed);
            }
        }
        self.count = self.count.saturating_add(1);
    }
}
