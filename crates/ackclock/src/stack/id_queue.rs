//! A queue of ids that holds each id at most once. Ids can be put aside, and later all be taken back
//! together.

use super::pool::NO_ID;
use crate::storage::{Buffer, CAN_GROW};

/// The queue's entry for one id: the id that follows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link(u32);

impl Link {
    /// The id is not in the queue. Zero, so that zeroed memory is an empty queue.
    pub(super) const OUT: Link = Link(0);
    /// The id is the last one.
    const LAST: Link = Link::to(NO_ID);
    /// Offset that keeps all ids, and [`NO_ID`], different from zero.
    const BIAS: u32 = 2;

    /// The link to the following `id`.
    const fn to(id: u32) -> Link {
        Link(id.wrapping_add(Self::BIAS))
    }

    /// The id that follows.
    const fn next(self) -> u32 {
        self.0.wrapping_sub(Self::BIAS)
    }
}

/// A FIFO queue of ids, which is bounded as an id that waits is not added again.
#[derive(Debug)]
pub(super) struct IdQueue<'a> {
    links: Buffer<'a, Link>,
    first: u32,
    last: u32,
    /// The ids put aside, which cannot be taken until [`take_back`](Self::take_back).
    first_aside: u32,
    last_aside: u32,
}

impl<'a> IdQueue<'a> {
    /// An empty queue; `links` has one element for each possible id.
    pub(super) const fn new(links: Buffer<'a, Link>) -> Self {
        IdQueue { links, first: NO_ID, last: NO_ID, first_aside: NO_ID, last_aside: NO_ID }
    }

    /// Makes room for ids below `count`; returns whether there is room.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        grow_by_doubling(&mut self.links, count, Link::OUT)
    }

    /// Appends `id` unless it already waits or is put aside, or there is no room for it; returns whether it
    /// was appended.
    pub(super) fn push(&mut self, id: u32) -> bool {
        match self.links.get_mut(id as usize) {
            Some(link) if *link == Link::OUT => *link = Link::LAST,
            _ => return false,
        }
        if self.first == NO_ID {
            self.first = id;
        } else if let Some(link) = self.links.get_mut(self.last as usize) {
            *link = Link::to(id);
        }
        self.last = id;
        true
    }

    /// Whether `id` waits or is put aside.
    pub(super) fn contains(&self, id: u32) -> bool {
        self.links.get(id as usize).is_some_and(|link| link.0 != Link::OUT.0)
    }

    /// The first id.
    pub(super) fn front(&self) -> Option<u32> {
        (self.first != NO_ID).then_some(self.first)
    }

    /// Whether `id` is the only one that waits.
    pub(super) fn is_alone(&self, id: u32) -> bool {
        self.first == id && self.last == id
    }

    /// Takes the first id.
    pub(super) fn pop(&mut self) -> Option<u32> {
        let id = self.front()?;
        let link = self.links.get_mut(id as usize)?;
        self.first = link.next();
        *link = Link::OUT;
        Some(id)
    }

    /// Puts the first id aside, and returns it.
    pub(super) fn put_aside(&mut self) -> Option<u32> {
        let id = self.pop()?;
        *self.links.get_mut(id as usize)? = Link::LAST;
        if self.first_aside == NO_ID {
            self.first_aside = id;
        } else if let Some(link) = self.links.get_mut(self.last_aside as usize) {
            *link = Link::to(id);
        }
        self.last_aside = id;
        Some(id)
    }

    /// Appends all ids that were put aside, in the same order; takes constant time.
    pub(super) fn take_back(&mut self) {
        if self.first_aside == NO_ID {
            return;
        }
        if self.first == NO_ID {
            self.first = self.first_aside;
        } else if let Some(link) = self.links.get_mut(self.last as usize) {
            *link = Link::to(self.first_aside);
        }
        self.last = self.last_aside;
        self.first_aside = NO_ID;
    }
}

/// Makes `buffer` at least `count` elements long, by doubling, so that growth costs amortized O(1). Without a
/// heap it always is: the memory lent for ids is as long as the pool of their records (see `StackMemory`).
pub(super) fn grow_by_doubling<T: Clone>(
    buffer: &mut Buffer<'_, T>,
    count: usize,
    fill: T,
) -> bool {
    if !CAN_GROW || count <= buffer.len() {
        return true;
    }
    buffer.grow(count.max(buffer.len().saturating_mul(2)), fill)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_waits_once_in_order_of_arrival() {
        let mut links = [Link::OUT; 4];
        let mut queue = IdQueue::new(Buffer::lent(&mut links));
        assert_eq!(queue.front(), None);
        assert!(queue.push(3) && queue.push(1) && !queue.push(3) && queue.push(0));
        assert!(!queue.push(4), "no room for this id");
        assert_eq!(queue.pop(), Some(3));
        assert!(queue.push(3));
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(1), Some(0), Some(3)]);
        assert_eq!((queue.pop(), queue.front()), (None, None));
        assert!(queue.push(2));
        assert_eq!(queue.front(), Some(2));
    }

    #[test]
    fn what_was_put_aside_returns_together_behind_the_others() {
        let mut links = [Link::OUT; 6];
        let mut queue = IdQueue::new(Buffer::lent(&mut links));
        queue.take_back();
        assert_eq!(queue.put_aside(), None);
        for id in [4, 2, 0, 1] {
            assert!(queue.push(id));
        }
        assert_eq!([queue.put_aside(), queue.put_aside()], [Some(4), Some(2)]);
        assert!(!queue.push(4), "it waits aside");
        assert_eq!([queue.pop(), queue.front()], [Some(0), Some(1)]);
        queue.take_back();
        queue.take_back();
        assert!(queue.push(5));
        let all = [(); 5].map(|()| queue.pop());
        assert_eq!(all, [Some(1), Some(4), Some(2), Some(5), None]);
        assert!(queue.push(3));
        assert_eq!((queue.put_aside(), queue.front()), (Some(3), None));
        queue.take_back();
        assert!(queue.is_alone(3));
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn growing_memory_makes_room() {
        let mut queue = IdQueue::new(Buffer::growing());
        assert!(!queue.push(5));
        assert!(queue.reserve(6) && queue.push(5));
        assert_eq!(queue.pop(), Some(5));
    }
}
