//! Which of a few connections sends next: each in turn.

use super::id_queue::{IdQueue, Link};
use crate::storage::Buffer;

/// What is kept of each connection beside its place in the queue: nothing.
pub(super) type Credit = ();

pub(super) const NO_CREDIT: Credit = ();

/// Connections that have something to send, each of which sends once in its turn. Shares are equal where
/// transmissions are; between a few connections that does.
#[derive(Debug)]
pub(super) struct ReadyQueue<'a> {
    queue: IdQueue<'a>,
}

impl<'a> ReadyQueue<'a> {
    /// An empty queue.
    pub(super) const fn new(
        links: Buffer<'a, Link>,
        credits: Buffer<'a, Credit>,
        _quantum: u32,
    ) -> Self {
        // Of nothing, and holds no memory: where buffers can, no constant function may drop one.
        core::mem::forget(credits);
        ReadyQueue { queue: IdQueue::new(links) }
    }

    /// Makes room for ids below `count`; returns whether there is.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        self.queue.reserve(count)
    }

    /// The connection has something to send.
    pub(super) fn push(&mut self, id: u32) {
        self.queue.push(id);
    }

    /// Whose turn it is.
    pub(super) fn front(&self) -> Option<u32> {
        self.queue.front()
    }

    /// The connection whose turn it is has nothing more to send.
    pub(super) fn leave(&mut self) {
        self.queue.pop();
    }

    /// Whether nobody else has anything to send.
    pub(super) fn is_alone(&self, id: u32) -> bool {
        self.queue.is_alone(id)
    }

    /// The connection whose turn it is has sent something.
    pub(super) fn charge(&mut self, _bytes: usize) {
        if let Some(id) = self.queue.pop() {
            self.queue.push(id);
        }
    }
}
