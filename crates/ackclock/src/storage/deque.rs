//! A double-ended queue over a [`Buffer`], with a limit.

use super::Buffer;

/// A FIFO queue with access by position. It holds at most `limit` elements; pushing another gives that
/// element back.
#[derive(Debug)]
pub struct Deque<'a, T> {
    buffer: Buffer<'a, T>,
    // Four bytes each, as a connection holds several of these.
    head: u32,
    len: u32,
    limit: u32,
}

/// Number of elements for which an owned deque first allocates memory.
const FIRST_GROWTH: usize = 8;

impl<'a, T: Copy + Default> Deque<'a, T> {
    /// An empty queue in `buffer`. Lent memory limits it to its length, whatever `limit` is; owned memory
    /// grows on demand up to `limit` elements.
    pub const fn new(buffer: Buffer<'a, T>, limit: usize) -> Self {
        let limit = if buffer.can_grow() { limit } else { buffer.length() };
        let limit = if limit < u32::MAX as usize { limit as u32 } else { u32::MAX };
        Deque { buffer, head: 0, len: 0, limit }
    }

    /// Gives back the memory, for use by another queue. The elements are dropped.
    pub fn into_buffer(self) -> Buffer<'a, T> {
        self.buffer
    }

    /// Number of elements queued.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether the queue is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Most elements that it can hold.
    pub const fn limit(&self) -> usize {
        self.limit as usize
    }

    /// Whether it holds as many elements as it can.
    pub const fn is_full(&self) -> bool {
        self.len() >= self.limit()
    }

    /// The element at `position` from the front.
    pub fn get(&self, position: usize) -> Option<&T> {
        if position >= self.len() {
            return None;
        }
        self.buffer.get(self.index(position))
    }

    /// The element at `position` from the front, mutable.
    pub fn get_mut(&mut self, position: usize) -> Option<&mut T> {
        if position >= self.len() {
            return None;
        }
        let index = self.index(position);
        self.buffer.get_mut(index)
    }

    /// The first element.
    pub fn front(&self) -> Option<&T> {
        self.get(0)
    }

    /// The first element, mutable.
    pub fn front_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }

    /// The last element.
    pub fn back(&self) -> Option<&T> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The last element, mutable.
    pub fn back_mut(&mut self) -> Option<&mut T> {
        self.get_mut(self.len().checked_sub(1)?)
    }

    /// Whether there is memory for one more element already.
    #[inline]
    pub fn has_place(&self) -> bool {
        self.len() < self.buffer.len().min(self.limit())
    }

    /// Makes room for one more element; false if the queue is full or the allocator has no memory.
    #[inline]
    pub fn reserve(&mut self) -> bool {
        self.has_place() || (!self.is_full() && self.grow())
    }

    /// Appends an element; gives it back if the queue is full.
    #[inline]
    pub fn push_back(&mut self, element: T) -> Result<(), T> {
        if self.reserve() && self.push_in_place(element) { Ok(()) } else { Err(element) }
    }

    /// Appends an element if it [has a place](Self::has_place); returns whether it was appended.
    #[inline(always)]
    pub(crate) fn push_in_place(&mut self, element: T) -> bool {
        let index = self.index(self.len());
        let place = if self.has_place() { self.buffer.get_mut(index) } else { None };
        let Some(place) = place else {
            return false;
        };
        *place = element;
        self.len += 1;
        true
    }

    /// Removes and returns the first element.
    pub fn pop_front(&mut self) -> Option<T> {
        let element = *self.front()?;
        self.head = self.index(1) as u32;
        self.len -= 1;
        Some(element)
    }

    /// Removes the first `count` elements, or all if there are fewer.
    pub fn pop_many(&mut self, count: usize) {
        let count = count.min(self.len());
        self.head = self.index(count) as u32;
        self.len -= count as u32;
    }

    /// Removes all elements and frees owned memory.
    pub fn clear(&mut self) {
        self.head = 0;
        self.len = 0;
        self.buffer.release();
    }

    /// All elements from the front.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        (0..self.len()).filter_map(|position| self.get(position))
    }

    /// Index of the first element, and number of elements for which there is memory.
    pub(super) fn layout(&self) -> (usize, usize) {
        (self.head as usize, self.buffer.len())
    }

    /// Index of the element at `position`.
    pub(super) fn index(&self, position: usize) -> usize {
        let index = self.head as usize + position;
        let capacity = self.buffer.len();
        if index >= capacity { index - capacity } else { index }
    }

    /// Doubles owned memory, up to the limit, and moves the elements to index 0.
    fn grow(&mut self) -> bool {
        let old = self.buffer.len();
        let new = old.saturating_mul(2).max(FIRST_GROWTH).min(self.limit());
        if new <= old || !self.buffer.can_grow() {
            return false;
        }
        self.buffer.rotate_left(self.head as usize);
        self.head = 0;
        self.buffer.grow(new, T::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lent_memory_limits_the_queue() {
        let mut memory = [0; 3];
        let mut queue = Deque::new(Buffer::lent(&mut memory), 100);
        assert_eq!(queue.limit(), 3);
        for n in 1..=3 {
            assert_eq!(queue.push_back(n), Ok(()));
        }
        assert_eq!(queue.push_back(4), Err(4));
        assert_eq!(queue.pop_front(), Some(1));
        assert_eq!(queue.push_back(4), Ok(()));
        assert!(queue.iter().eq(&[2, 3, 4]));
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn owned_memory_grows_in_order_up_to_its_limit() {
        let mut queue = Deque::new(Buffer::growing(), 20);
        for n in 0..5 {
            queue.push_back(n).unwrap();
        }
        for n in 0..5 {
            assert_eq!(queue.pop_front(), Some(n));
        }
        for n in 0..20 {
            assert_eq!(queue.push_back(n), Ok(()));
        }
        assert_eq!(queue.push_back(20), Err(20));
        assert!(queue.iter().copied().eq(0..20));
        queue.clear();
        assert!(queue.is_empty() && queue.front().is_none());
    }

    #[test]
    fn no_memory_holds_nothing() {
        let mut queue: Deque<'_, u8> = Deque::new(Buffer::default(), 5);
        assert_eq!(queue.push_back(1), Err(1));
        assert_eq!(queue.pop_front(), None);
        assert_eq!(queue.back(), None);
    }
}
