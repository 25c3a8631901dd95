//! What stands in for the ranges behind a hole where the peer does not hear of them: one is kept, which
//! grows at both ends. What would be another is dropped, and the peer sends it again.

use crate::seq::{SeqNumber, SeqRange};
use crate::storage::{Buffer, Ring};

/// The receive ring and what lies behind its end out of order.
#[derive(Debug)]
pub(super) struct Reassembly<'a> {
    ring: Ring<'a>,
    next: SeqNumber,
    /// What was received behind a hole; empty if nothing was.
    held: SeqRange,
}

/// What became of the bytes of one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stored {
    /// By how many bytes the data in order grew, bytes that had waited behind a hole included.
    pub(super) advanced: u32,
    /// Bytes that had no place.
    pub(super) dropped: u32,
}

impl<'a> Reassembly<'a> {
    /// Nothing received yet; `next` is the first sequence number of the data. Memory for ranges is not
    /// used.
    pub(super) fn new(
        next: SeqNumber,
        ring: Ring<'a>,
        _ranges: Buffer<'a, SeqRange>,
        _max_ranges: usize,
    ) -> Self {
        Reassembly { ring, next, held: SeqRange::EMPTY }
    }

    pub(super) fn into_buffers(self) -> (Buffer<'a, u8>, Buffer<'a, SeqRange>) {
        (self.ring.into_buffer(), Buffer::default())
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.ring.set_limit(limit);
    }

    pub(super) const fn ring(&self) -> &Ring<'a> {
        &self.ring
    }

    pub(super) const fn begin_at(&mut self, next: SeqNumber) {
        self.next = next;
    }

    /// The first sequence number that is missing.
    pub(super) const fn next(&self) -> SeqNumber {
        self.next
    }

    /// Bytes held behind a hole.
    pub(super) fn out_of_order(&self) -> u32 {
        self.held.len()
    }

    /// The first number after all data held.
    pub(super) fn highest(&self) -> SeqNumber {
        if self.has_holes() { self.held.end } else { self.next }
    }

    /// Nobody asks.
    pub(super) fn duplicate_part(&self, _segment: SeqRange) -> Option<SeqRange> {
        None
    }

    /// Stores `bytes`, which begin at `start`, at or after [`next`](Self::next).
    pub(super) fn store(&mut self, start: SeqNumber, bytes: &[u8]) -> Stored {
        let written = self.ring.write_behind(start.since(self.next) as usize, bytes) as u32;
        let mut stored = Stored { advanced: 0, dropped: bytes.len() as u32 - written };
        let mut whole = SeqRange::from_len(start, written);
        let joins = self.has_holes()
            && start.at_or_before(self.held.end)
            && self.held.start.at_or_before(whole.end);
        if joins {
            whole.start = start.min(self.held.start);
            whole.end = whole.end.max(self.held.end);
        }
        if start == self.next {
            stored.advanced = whole.len();
            self.ring.extend(whole.len() as usize);
            self.next = whole.end;
            if joins {
                self.held = SeqRange::EMPTY;
            }
        } else if joins || !self.has_holes() {
            self.held = whole;
        } else {
            stored.dropped += written;
        }
        stored
    }

    /// Stores the bytes that come next, while nothing waits behind a hole.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Stored {
        self.store(self.next, bytes)
    }

    /// Whether something waits behind a hole.
    pub(super) fn has_holes(&self) -> bool {
        self.held.start != self.held.end
    }

    pub(super) fn consume(&mut self, n: usize) {
        self.ring.consume(n);
    }

    pub(super) fn release(&mut self) {
        if self.ring.is_empty() && !self.has_holes() {
            self.ring.release();
        }
    }
}
