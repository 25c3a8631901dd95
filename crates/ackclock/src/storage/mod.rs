//! Memory that is either lent by the caller or owned and growing, decided when a stack is built.
//!
//! Everything in the core that holds more than one of something holds it in a [`Buffer`]. On a
//! microcontroller the buffer is a slice out of a `static`; with the `alloc` feature it may own its
//! memory and grow up to a stated limit. The code that uses it is the same.

mod buffer;
mod column;
mod deque;
mod ring;

pub use buffer::Buffer;
pub use column::Column;
pub use deque::Deque;
pub use ring::Ring;

/// Copies as much of `from` into `to` as fits; returns how many elements.
///
/// Unlike `copy_from_slice` it cannot panic, whatever the lengths; compilers make the same of it.
pub(crate) fn copy<T: Copy>(to: &mut [T], from: &[T]) -> usize {
    for (place, element) in to.iter_mut().zip(from) {
        *place = *element;
    }
    to.len().min(from.len())
}
