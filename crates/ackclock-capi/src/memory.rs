//! Pieces of the memory that is lent.

use core::mem::{MaybeUninit, align_of, size_of};

/// Memory of which pieces are cut off at the front.
pub(crate) struct Arena {
    rest: &'static mut [MaybeUninit<u8>],
}

impl Arena {
    pub(crate) fn new(memory: &'static mut [MaybeUninit<u8>]) -> Self {
        Arena { rest: memory }
    }

    /// The bytes that are left.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    /// So many bytes, aligned to `align`, a power of two.
    #[inline(never)]
    fn cut(&mut self, bytes: usize, align: usize) -> Option<&'static mut [MaybeUninit<u8>]> {
        let rest = core::mem::take(&mut self.rest);
        // Of the library's own way the compiler does not see that it cannot panic.
        let gap = rest.as_ptr().addr().wrapping_neg() & align.wrapping_sub(1);
        let end = gap.checked_add(bytes)?;
        let (piece, rest) = rest.split_at_mut_checked(end)?;
        self.rest = rest;
        piece.get_mut(gap..)
    }

    /// Places a value; `None` if the memory is too short for it.
    // Inlined, so that a value is made where it stays and not on a stack that is too small for it.
    #[inline(always)]
    pub(crate) fn place<T>(&mut self, value: T) -> Option<&'static mut T> {
        let piece = self.cut(size_of::<T>(), align_of::<T>())?;
        // SAFETY: the piece has the length and alignment of the type, and is not used otherwise.
        let place = unsafe { &mut *piece.as_mut_ptr().cast::<MaybeUninit<T>>() };
        Some(place.write(value))
    }

    /// So many bytes, zero.
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'static mut [u8]> {
        let piece = self.cut(count, 1)?;
        let begin = piece.as_mut_ptr().cast::<u8>();
        // SAFETY: the piece is long enough, is not used otherwise, and is completely written first.
        unsafe {
            begin.write_bytes(0, count);
            Some(core::slice::from_raw_parts_mut(begin, count))
        }
    }
}
