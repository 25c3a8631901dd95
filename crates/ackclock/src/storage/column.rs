//! A column: values beside the elements of a deque, in memory of their own.

use super::{Buffer, Deque};

/// One additional value for each element of a [`Deque`], in optional memory: where it is missing or too
/// short, elements have no value beside them.
///
/// The values follow the deque's layout, so room for another element must be requested by
/// [`reserve`](Column::reserve) instead of the deque's own method.
#[derive(Debug, Default)]
pub struct Column<'a, T> {
    buffer: Buffer<'a, T>,
}

impl<'a, T: Copy + Default> Column<'a, T> {
    /// A column in `buffer`, which grows to the deque's length if it can.
    pub fn new<U: Copy + Default>(mut buffer: Buffer<'a, T>, deque: &Deque<'_, U>) -> Self {
        if buffer.can_grow() {
            let (_, places) = deque.layout();
            let _ = buffer.grow(places, T::default());
        }
        Column { buffer }
    }

    /// Gives back the memory, for use by another column.
    pub fn into_buffer(self) -> Buffer<'a, T> {
        self.buffer
    }

    /// Whether there is memory for values, or it can be allocated.
    pub fn is_usable(&self) -> bool {
        self.buffer.can_grow() || !self.buffer.is_empty()
    }

    /// Makes room for one more element in `deque`; false if there is none. Memory for the values grows with
    /// the deque's if it can.
    pub fn reserve<U: Copy + Default>(&mut self, deque: &mut Deque<'_, U>) -> bool {
        let (head, before) = deque.layout();
        let reserved = deque.reserve();
        let (_, now) = deque.layout();
        if now != before && self.buffer.can_grow() {
            if self.buffer.len() == before {
                // The deque has moved its elements to the beginning; do the same.
                self.buffer.rotate_left(head);
            } else {
                self.buffer.fill(T::default());
            }
            let _ = self.buffer.grow(now, T::default());
        }
        reserved
    }

    /// The value beside the element at `position` of `deque`.
    pub fn get<U: Copy + Default>(&self, deque: &Deque<'_, U>, position: usize) -> Option<T> {
        self.buffer.get(deque.index(position)).copied()
    }

    /// Sets the value beside the element at `position` of `deque`, if there is memory for it.
    pub fn set<U: Copy + Default>(&mut self, deque: &Deque<'_, U>, position: usize, value: T) {
        if let Some(place) = self.buffer.get_mut(deque.index(position)) {
            *place = value;
        }
    }

    /// Frees owned memory, as the deque was cleared.
    pub fn clear(&mut self) {
        self.buffer.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "alloc")]
    #[test]
    fn values_stay_beside_their_elements_while_both_grow() {
        let (mut deque, mut column) = (Deque::new(Buffer::growing(), 100), Column::default());
        assert!(!column.is_usable());
        column = Column::new(Buffer::growing(), &deque);
        assert!(column.is_usable());
        let mut next = 0_u32;
        // Two in, one out: the deque wraps around and grows again and again.
        for _ in 0..60 {
            for _ in 0..2 {
                assert!(column.reserve(&mut deque));
                assert_eq!(deque.push_back(next), Ok(()));
                column.set(&deque, deque.len() - 1, next * 10);
                next += 1;
            }
            deque.pop_front();
            for position in 0..deque.len() {
                let element = deque.get(position).copied().unwrap_or(u32::MAX);
                assert_eq!(column.get(&deque, position), Some(element * 10));
            }
        }
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn a_deque_that_has_memory_already_has_values_too() {
        let mut memory = Buffer::growing();
        assert!(memory.grow(4, 0));
        let mut deque = Deque::new(memory, 100);
        let mut column = Column::new(Buffer::growing(), &deque);
        assert_eq!(deque.push_back(1), Ok(()));
        column.set(&deque, 0, 10);
        assert_eq!(column.get(&deque, 0), Some(10));
    }

    #[test]
    fn elements_beyond_the_lent_memory_have_no_value() {
        let (mut elements, mut values) = ([0; 3], [0; 2]);
        let mut deque = Deque::new(Buffer::lent(&mut elements), 3);
        let mut column = Column::new(Buffer::lent(&mut values), &deque);
        for n in 1..=3 {
            assert!(column.reserve(&mut deque));
            assert_eq!(deque.push_back(n), Ok(()));
            column.set(&deque, deque.len() - 1, n * 10);
        }
        assert!(!column.reserve(&mut deque));
        let values: [_; 3] = core::array::from_fn(|position| column.get(&deque, position));
        assert_eq!(values, [Some(10), Some(20), None]);
    }
}
