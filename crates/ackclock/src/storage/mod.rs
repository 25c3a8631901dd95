//! Memory that is either lent by the caller, or owned and growing; chosen when a stack is built.
//!
//! Everything in the core that holds more than one of something uses a [`Buffer`]. On a microcontroller it is
//! a slice of a `static`; with the `alloc` feature it may own its memory and grow up to a given limit. The
//! code that uses it is the same.

mod buffer;
mod column;
mod deque;
/// The replacement of `on_demand`, compiled for its own tests.
#[cfg(test)]
#[allow(clippy::duplicate_mod, reason = "where it stands in, it is there twice")]
mod in_place;
#[cfg_attr(not(feature = "alloc"), path = "in_place.rs")]
mod on_demand;
mod ring;

pub use buffer::Buffer;
pub use column::Column;
pub use deque::Deque;
pub(crate) use on_demand::OnDemand;
pub use ring::Ring;

/// Copies as much of `from` into `to` as fits; returns how many elements.
///
/// Unlike `copy_from_slice` it cannot panic, whatever the lengths. (A loop over the elements would be
/// compiled to the same only without optimization for size.)
pub(crate) fn copy<T: Copy>(to: &mut [T], from: &[T]) -> usize {
    let count = to.len().min(from.len());
    // Skip the library call for an empty part, as the second part of a ring's data mostly is.
    if count > 0
        && let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count))
    {
        to.copy_from_slice(from);
    }
    count
}

/// Whether there is a heap, so that storage can grow.
pub(crate) const CAN_GROW: bool = cfg!(feature = "alloc");
