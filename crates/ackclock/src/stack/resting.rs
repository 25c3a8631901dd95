//! Whose rings are empty but hold memory yet.

use super::id_queue::{IdQueue, Link};
use crate::storage::Buffer;

/// So many connections keep the memory of empty rings, so that one which sends and receives a little
/// at a time does not ask the allocator each time. (At 256 KiB for each ring this is 8 MiB at most.)
const MOST: u32 = 16;

/// The connections that have become empty last. Whoever leaves the queue gives its memory back if it
/// is still empty, so that idle connections hold none.
#[derive(Debug)]
pub(super) struct Resting<'a> {
    queue: IdQueue<'a>,
    len: u32,
}

impl<'a> Resting<'a> {
    /// Nobody rests. With lent memory nobody ever does: that memory cannot go back.
    pub(super) const fn new(links: Buffer<'a, Link>) -> Self {
        Resting { queue: IdQueue::new(links), len: 0 }
    }

    /// Makes room for ids below `count`; returns whether there is.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        self.queue.reserve(count)
    }

    /// Whether `id` rests already.
    pub(super) fn contains(&self, id: u32) -> bool {
        self.queue.contains(id)
    }

    /// The rings of `id` are empty. Gives whom that pushes out.
    pub(super) fn push(&mut self, id: u32) -> Option<u32> {
        if !self.queue.push(id) {
            return None;
        }
        self.len += 1;
        if self.len <= MOST {
            return None;
        }
        self.len -= 1;
        self.queue.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_rested_longest_goes() {
        let mut links = [Link::OUT; 20];
        let mut resting = Resting::new(Buffer::lent(&mut links));
        for id in 0..MOST {
            assert_eq!((resting.push(id), resting.push(0)), (None, None));
        }
        assert_eq!([16, 17, 0].map(|id| resting.push(id)), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn without_memory_nobody_rests() {
        let mut resting = Resting::new(Buffer::default());
        assert!(!resting.reserve(1));
        assert_eq!(resting.push(0), None);
    }
}
