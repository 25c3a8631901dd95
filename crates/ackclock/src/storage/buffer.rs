//! A buffer: a slice lent by the caller, or an owned vector.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// Contiguous elements in memory that the caller lends, or that is owned and can grow.
pub enum Buffer<'a, T> {
    /// Memory of the caller; its length is fixed.
    Lent(&'a mut [T]),
    /// Owned memory; its length can be changed.
    #[cfg(feature = "alloc")]
    Owned(Vec<T>),
}

impl<'a, T> Buffer<'a, T> {
    /// A buffer over lent memory.
    pub const fn lent(slice: &'a mut [T]) -> Self {
        Buffer::Lent(slice)
    }

    /// An owned, empty buffer.
    #[cfg(feature = "alloc")]
    pub const fn growing() -> Self {
        Buffer::Owned(Vec::new())
    }

    /// An empty buffer, which can grow if this one can.
    pub const fn another(&self) -> Self {
        match self {
            Buffer::Lent(_) => Buffer::Lent(&mut []),
            #[cfg(feature = "alloc")]
            Buffer::Owned(_) => Self::growing(),
        }
    }

    /// An empty buffer that can grow where there is a heap.
    pub(crate) const fn own() -> Self {
        #[cfg(feature = "alloc")]
        return Self::growing();
        #[cfg(not(feature = "alloc"))]
        return Buffer::Lent(&mut []);
    }

    /// Whether the length can be changed.
    pub const fn can_grow(&self) -> bool {
        match self {
            Buffer::Lent(_) => false,
            #[cfg(feature = "alloc")]
            Buffer::Owned(_) => true,
        }
    }

    /// The length, for constants, in which no slice can be made of the buffer yet.
    pub const fn length(&self) -> usize {
        match self {
            Buffer::Lent(slice) => slice.len(),
            #[cfg(feature = "alloc")]
            Buffer::Owned(vec) => vec.len(),
        }
    }

    /// Makes the buffer at least `len` elements long, with `fill` for new ones; returns whether it is that
    /// long now. Lent memory stays as it is; a failed allocation changes nothing.
    pub fn grow(&mut self, len: usize, fill: T) -> bool
    where
        T: Clone,
    {
        if len <= self.len() {
            return true;
        }
        match self {
            Buffer::Lent(_) => {
                let _ = fill;
                false
            }
            #[cfg(feature = "alloc")]
            Buffer::Owned(vec) => {
                if vec.try_reserve_exact(len - vec.len()).is_err() {
                    return false;
                }
                vec.resize(len, fill);
                true
            }
        }
    }

    /// Makes an owned buffer at most `len` elements long and frees the rest; lent memory stays as it is.
    pub fn shrink(&mut self, len: usize) {
        match self {
            Buffer::Lent(_) => {
                let _ = len;
            }
            #[cfg(feature = "alloc")]
            Buffer::Owned(vec) => {
                vec.truncate(len);
                vec.shrink_to_fit();
            }
        }
    }

    /// Appends an element to an owned buffer; gives the element back if memory is lent or refused. The buffer
    /// grows by a quarter, and at least by four elements, since elements are large: after doubling, unused
    /// elements could take most of the memory of a stack with many connections.
    pub fn push(&mut self, element: T) -> Result<(), T> {
        match self {
            Buffer::Lent(_) => Err(element),
            #[cfg(feature = "alloc")]
            Buffer::Owned(vec) => {
                if vec.len() == vec.capacity() {
                    let more = (vec.len() / 4).max(4);
                    if vec.try_reserve_exact(more).is_err() {
                        return Err(element);
                    }
                }
                vec.push(element);
                Ok(())
            }
        }
    }

    /// Frees owned memory; lent memory stays as it is.
    pub fn release(&mut self) {
        match self {
            Buffer::Lent(_) => {}
            #[cfg(feature = "alloc")]
            Buffer::Owned(vec) => *vec = Vec::new(),
        }
    }
}

impl<T> Default for Buffer<'_, T> {
    /// A buffer of length zero that cannot grow.
    fn default() -> Self {
        Buffer::Lent(&mut [])
    }
}

impl<T> Deref for Buffer<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Buffer::Lent(slice) => slice,
            #[cfg(feature = "alloc")]
            Buffer::Owned(vec) => vec,
        }
    }
}

impl<T> DerefMut for Buffer<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Buffer::Lent(slice) => slice,
            #[cfg(feature = "alloc")]
            Buffer::Owned(vec) => vec,
        }
    }
}

impl<T> core::fmt::Debug for Buffer<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let kind = if self.can_grow() { "Owned" } else { "Lent" };
        write!(f, "{kind}({})", self.len())
    }
}
