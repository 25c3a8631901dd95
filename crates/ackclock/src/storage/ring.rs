//! A ring buffer of bytes: the send queue or the receive queue of a connection.

use super::{Buffer, copy};
use crate::FOR_SPEED;

/// A queue of bytes with access by offset. The room behind its end can be written out of order, before the
/// bytes are counted in; this is where the receiver reassembles.
///
/// It holds at most [`limit`](Ring::limit) bytes. The length of lent memory is the limit; owned memory starts
/// empty and grows toward the limit by doubling, so that an idle connection holds no memory.
#[derive(Debug)]
pub struct Ring<'a> {
    buffer: Buffer<'a, u8>,
    // Four bytes each, as a connection holds several of these and no ring is larger than 4 GiB.
    head: u32,
    len: u32,
    limit: u32,
}

/// Least memory that an owned ring allocates, in bytes.
const FIRST_GROWTH: usize = 512;

impl<'a> Ring<'a> {
    /// An empty ring in `buffer`. Lent memory limits it to its length, whatever `limit` is; owned memory
    /// grows on demand up to `limit` bytes.
    pub fn new(buffer: Buffer<'a, u8>, limit: usize) -> Self {
        let limit = if buffer.can_grow() { limit } else { buffer.len() };
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        Ring { buffer, head: 0, len: 0, limit }
    }

    /// Gives back the memory, for use by another ring. The bytes are lost.
    pub fn into_buffer(self) -> Buffer<'a, u8> {
        self.buffer
    }

    /// Number of bytes queued.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether no byte is queued.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Most bytes that it can hold.
    pub const fn limit(&self) -> usize {
        if super::CAN_GROW { self.limit as usize } else { self.buffer.length() }
    }

    /// Sets the most bytes that an owned ring can hold, but never fewer than are queued. Memory is freed only
    /// when the limit is at most half of it, so that a limit that decreases with every byte consumed causes
    /// few moves. The limit of lent memory stays.
    pub fn set_limit(&mut self, limit: usize) {
        if !self.buffer.can_grow() {
            return;
        }
        self.limit = u32::try_from(limit).unwrap_or(u32::MAX).max(self.len);
        if self.limit() <= self.buffer.len() / 2 {
            self.buffer.rotate_left(self.head as usize);
            self.head = 0;
            self.buffer.shrink(self.limit());
        }
    }

    /// How many bytes may still be appended.
    pub const fn free(&self) -> usize {
        self.limit().saturating_sub(self.len())
    }

    /// Appends as many of `bytes` as fit, and returns how many.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> usize {
        let n = self.write_behind(0, bytes);
        self.len += n as u32;
        n
    }

    /// Writes into the room behind the end, at `offset` bytes from the end, without counting the bytes in;
    /// returns how many were written (none beyond the limit).
    #[inline]
    pub fn write_behind(&mut self, offset: usize, bytes: &[u8]) -> usize {
        let n = bytes.len().min(self.free().saturating_sub(offset));
        let Some(bytes) = bytes.get(..n) else {
            return 0;
        };
        if n == 0 || !self.reserve_behind(offset + n) {
            return 0;
        }
        let start = self.index(self.len() + offset).min(self.buffer.len());
        if FOR_SPEED && let Some(place) = self.buffer.get_mut(start..start + n) {
            // The common case: it does not wrap around.
            return copy(place, bytes);
        }
        let (wrapped, straight) = self.buffer.split_at_mut(start);
        let first = copy(straight, bytes);
        first + copy(wrapped, bytes.get(first..).unwrap_or_default())
    }

    /// The contiguous free memory right behind the end (allocated first if there is none), to be written and
    /// then counted in by [`extend`](Self::extend). Empty if nothing can be appended.
    pub fn room(&mut self) -> &mut [u8] {
        if self.len() == self.buffer.len() {
            // If memory is refused, the result is empty.
            let _ = self.reserve_behind(1);
        }
        let start = self.index(self.len());
        let wraps = start < self.head as usize || self.len() == self.buffer.len();
        let end = if wraps { self.head as usize } else { self.buffer.len() };
        let end = end.min(start.saturating_add(self.free()));
        self.buffer.get_mut(start..end).unwrap_or_default()
    }

    /// Counts in `n` bytes that were written behind the end.
    pub fn extend(&mut self, n: usize) {
        let room = self.limit().min(self.buffer.len());
        self.len = self.len().saturating_add(n).min(room) as u32;
    }

    /// Whether the ring's memory may grow.
    #[inline(always)]
    pub(crate) const fn can_grow(&self) -> bool {
        self.buffer.can_grow()
    }

    /// Makes sure that there is memory for `n` bytes behind the end; false if they lie beyond the limit or
    /// memory is refused.
    #[inline]
    pub(crate) fn reserve_behind(&mut self, n: usize) -> bool {
        if !super::CAN_GROW {
            return n <= self.free();
        }
        let total = self.len() + n;
        n <= self.free() && (total <= self.buffer.len() || self.reserve(total))
    }

    /// The `len` bytes from `offset` (fewer if the ring holds fewer), as two slices in order.
    #[inline]
    pub fn slices(&self, offset: usize, len: usize) -> [&[u8]; 2] {
        let offset = offset.min(self.len());
        let len = len.min(self.len() - offset);
        let start = self.index(offset);
        if FOR_SPEED && let Some(all) = self.buffer.get(start..start + len) {
            return [all, &[]];
        }
        let first = len.min(self.buffer.len().saturating_sub(start));
        [
            self.buffer.get(start..start + first).unwrap_or_default(),
            self.buffer.get(..len - first).unwrap_or_default(),
        ]
    }

    /// Copies bytes from `offset` into `to` without removing them; returns how many.
    pub fn peek(&self, offset: usize, to: &mut [u8]) -> usize {
        let [first, second] = self.slices(offset, to.len());
        let n = copy(to, first);
        n + copy(to.get_mut(n..).unwrap_or_default(), second)
    }

    /// Removes `n` bytes from the front (all if it holds fewer). An owned ring that becomes empty keeps its
    /// memory; see [`release`](Ring::release).
    pub fn consume(&mut self, n: usize) {
        let n = n.min(self.len());
        self.head = self.index(n) as u32;
        self.len -= n as u32;
    }

    /// Frees owned memory if no byte is queued. Bytes written behind the end are lost, so the caller must
    /// make sure that there are none.
    pub fn release(&mut self) {
        if self.len == 0 && self.buffer.can_grow() {
            self.buffer.release();
            self.head = 0;
        }
    }

    /// Memory held, in bytes.
    pub fn allocated(&self) -> usize {
        self.buffer.len()
    }

    fn index(&self, offset: usize) -> usize {
        let index = self.head as usize + offset;
        let capacity = self.buffer.len();
        if index >= capacity { index - capacity } else { index }
    }

    /// Allocates memory for `total` bytes from the head on; there is not enough.
    #[inline(never)]
    fn reserve(&mut self, total: usize) -> bool {
        let old = self.buffer.len();
        if total > self.limit() || !self.buffer.can_grow() {
            return false;
        }
        let new = total.max(old.saturating_mul(2)).max(FIRST_GROWTH).min(self.limit());
        self.buffer.rotate_left(self.head as usize);
        self.head = 0;
        self.buffer.grow(new, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(ring: &Ring<'_>) -> std::vec::Vec<u8> {
        ring.slices(0, ring.len()).concat()
    }

    #[test]
    fn bytes_come_out_in_order_across_the_wrap() {
        let mut memory = [0; 8];
        let mut ring = Ring::new(Buffer::lent(&mut memory), 0);
        assert_eq!(ring.push(b"abcdef"), 6);
        ring.consume(4);
        assert_eq!(ring.push(b"ghijklmn"), 6);
        assert_eq!(contents(&ring), b"efghijkl");
        assert_eq!(ring.free(), 0);
        assert_eq!(ring.slices(3, 2).concat(), b"hi");
        let mut out = [0; 3];
        assert_eq!(ring.peek(6, &mut out), 2);
        assert_eq!(&out[..2], b"kl");
    }

    #[test]
    fn room_behind_the_end_is_filled_out_of_order() {
        let mut memory = [0; 8];
        let mut ring = Ring::new(Buffer::lent(&mut memory), 0);
        ring.push(b"xxxxxx");
        ring.consume(6);
        assert_eq!(ring.write_behind(3, b"def"), 3);
        assert_eq!(ring.write_behind(6, b"ghi"), 2, "only what lies within the limit");
        assert_eq!(ring.push(b"abc"), 3);
        ring.extend(5);
        assert_eq!(contents(&ring), b"abcdefgh");
    }

    #[test]
    fn room_is_what_lies_free_in_one_piece() {
        let mut memory = [0; 8];
        let mut ring = Ring::new(Buffer::lent(&mut memory), 0);
        assert_eq!(ring.room().len(), 8);
        ring.push(b"abcdef");
        ring.consume(4);
        ring.room().copy_from_slice(b"gh");
        ring.extend(2);
        assert_eq!(ring.room().len(), 4);
        ring.room()[..3].copy_from_slice(b"ijk");
        ring.extend(3);
        assert_eq!((contents(&ring).as_slice(), ring.room().len()), (&b"efghijk"[..], 1));
        ring.push(b"l");
        assert_eq!(ring.room(), []);
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn room_of_an_owned_ring_grows_to_its_limit() {
        let mut ring = Ring::new(Buffer::growing(), 1_000);
        let mut sizes = std::vec::Vec::new();
        while let room @ 1.. = ring.room().len() {
            sizes.push(room);
            ring.extend(room);
        }
        assert_eq!((sizes.as_slice(), ring.len()), (&[512, 488][..], 1_000));
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn an_owned_ring_takes_memory_only_when_it_holds_bytes() {
        let mut ring = Ring::new(Buffer::growing(), 3000);
        assert_eq!((ring.allocated(), ring.free()), (0, 3000));
        ring.push(&[1; 400]);
        ring.consume(300);
        ring.push(&[2; 400]);
        ring.write_behind(1000, &[3; 10]);
        assert_eq!(contents(&ring)[..200], [[1; 100], [2; 100]].concat());
        assert_eq!(ring.push(&[4; 4000]), 2500);
        assert_eq!(contents(&ring)[500..], [4; 2500]);
        ring.consume(3000);
        ring.release();
        assert_eq!((ring.allocated(), ring.free()), (0, 3000));
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn the_limit_of_an_owned_ring_can_be_changed() {
        let mut ring = Ring::new(Buffer::growing(), 1000);
        assert_eq!(ring.push(&[1; 2000]), 1000);
        ring.set_limit(1500);
        assert_eq!(ring.push(&[2; 2000]), 500);
        ring.set_limit(100);
        assert_eq!((ring.limit(), ring.free()), (1500, 0), "what is queued stays");
        ring.consume(1450);
        ring.set_limit(100);
        assert_eq!(ring.push(&[3; 2000]), 50);
        assert_eq!(contents(&ring), [[2; 50], [3; 50]].concat());
        let mut memory = [0; 8];
        let mut lent = Ring::new(Buffer::lent(&mut memory), 0);
        lent.set_limit(100);
        assert_eq!(lent.limit(), 8);
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn a_lower_limit_gives_memory_back_and_loses_nothing() {
        let mut ring = Ring::new(Buffer::growing(), 1000);
        ring.push(&[1; 1000]);
        ring.consume(900);
        ring.push(&[2; 200]);
        ring.write_behind(100, b"far");
        ring.set_limit(403);
        assert_eq!((ring.limit(), ring.allocated(), ring.free()), (403, 403, 103));
        assert_eq!(contents(&ring), [[1; 100].as_slice(), &[2; 200]].concat());
        assert_eq!(ring.push(&[3; 100]), 100);
        ring.extend(3);
        assert_eq!(&contents(&ring)[400..], b"far");
        ring.set_limit(5000);
        assert_eq!((ring.allocated(), ring.free()), (403, 4597));
    }
}
