//! Reassembly: arriving bytes are written straight to their place in the receive ring, and a list of ranges
//! says which ones behind a hole have arrived.

use super::ranges::Ranges;
use crate::FOR_SPEED;
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::{Buffer, CAN_GROW, Ring};
use core::ops::Range;

/// The receive ring: in-order data, and behind its end the out-of-order data.
///
/// All ranges lie after [`next`](Self::next).
#[derive(Debug)]
pub(super) struct Reassembly<'a, R> {
    ring: Ring<'a>,
    next: SeqNumber,
    ranges: R,
}

/// Result of storing the bytes of one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stored {
    /// Bytes by which the in-order data grew, including bytes that had waited behind a hole.
    pub(super) advanced: u32,
    /// Bytes that were dropped for want of room.
    pub(super) dropped: u32,
}

impl<'a, R: Ranges<'a>> Reassembly<'a, R> {
    /// An empty ring; `next` is the first sequence number of the data.
    pub(super) fn new(
        next: SeqNumber,
        ring: Ring<'a>,
        ranges: Buffer<'a, SeqRange>,
        max_ranges: usize,
    ) -> Self {
        Reassembly { ring, next, ranges: R::new(ranges, max_ranges) }
    }

    /// Gives back the memory; the data is lost.
    pub(super) fn into_buffers(self) -> (Buffer<'a, u8>, Buffer<'a, SeqRange>) {
        (self.ring.into_buffer(), self.ranges.into_memory())
    }

    /// Sets the most bytes to hold, in order and behind holes, if the ring's memory grows.
    pub(super) fn set_limit(&mut self, limit: usize) {
        self.ring.set_limit(limit);
    }

    /// The data in order.
    pub(super) const fn ring(&self) -> &Ring<'a> {
        &self.ring
    }

    /// Sets the first sequence number of the data, before any was received.
    pub(super) const fn begin_at(&mut self, next: SeqNumber) {
        self.next = next;
    }

    /// The first sequence number that has not arrived.
    pub(super) const fn next(&self) -> SeqNumber {
        self.next
    }

    /// The out-of-order ranges.
    pub(super) const fn ranges(&self) -> &R {
        &self.ranges
    }

    /// Bytes of out-of-order data held.
    pub(super) fn out_of_order(&self) -> u32 {
        let lengths = self.ranges.as_slice().iter().map(|range| range.len());
        lengths.fold(0, u32::saturating_add)
    }

    /// The sequence number after all data held.
    pub(super) fn highest(&self) -> SeqNumber {
        self.ranges.as_slice().last().map_or(self.next, |range| range.end)
    }

    /// The first contiguous part of `segment` that had been received before, if any (RFC 2883 section 4).
    pub(super) fn duplicate_part(&self, segment: SeqRange) -> Option<SeqRange> {
        if segment.is_empty() {
            return None;
        }
        if segment.start.before(self.next) {
            return Some(SeqRange::new(segment.start, segment.end.min(self.next)));
        }
        Some(intersection(self.ranges.overlapping(segment)?, segment))
    }

    /// Stores `bytes`, which begin at sequence number `start`, at or after [`next`](Self::next). Data
    /// received before is not overwritten.
    pub(super) fn store(&mut self, start: SeqNumber, bytes: &[u8]) -> Stored {
        if FOR_SPEED && !self.has_holes() && start == self.next {
            return self.append(bytes);
        }
        let offset = start.since(self.next) as usize;
        let fitting = bytes.len().min(self.ring.free().saturating_sub(offset));
        let beyond = length(bytes.len() - fitting);
        let bytes = bytes.get(..fitting).unwrap_or_default();
        let segment = SeqRange::from_len(start, length(fitting));
        if segment.is_empty() {
            return Stored { advanced: 0, dropped: beyond };
        }
        if CAN_GROW && !self.ring.reserve_behind(offset.saturating_add(fitting)) {
            return Stored { advanced: 0, dropped: beyond.saturating_add(self.missing(segment)) };
        }
        let touching = self.ranges.touching(segment);
        let fills_hole = start == self.next;
        if touching.is_empty() && !fills_hole && !self.ranges.make_place() {
            return Stored { advanced: 0, dropped: beyond.saturating_add(segment.len()) };
        }
        let whole = self.fill(segment, bytes, &touching);
        if fills_hole {
            self.ring.extend(whole.len() as usize);
            self.next = whole.end;
            self.ranges.replace(touching, None);
        } else {
            self.ranges.replace(touching, Some(whole));
        }
        Stored { advanced: if fills_hole { whole.len() } else { 0 }, dropped: beyond }
    }

    /// Stores the next bytes in order, while there is no out-of-order data.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Stored {
        let taken = self.ring.push(bytes);
        self.next += length(taken);
        Stored { advanced: length(taken), dropped: length(bytes.len() - taken) }
    }

    /// Whether there is out-of-order data.
    pub(super) fn has_holes(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Removes `n` bytes of in-order data.
    pub(super) fn consume(&mut self, n: usize) {
        self.ring.consume(n);
    }

    /// Frees owned memory if it holds no data.
    pub(super) fn release(&mut self) {
        if self.ring.is_empty() && !self.has_holes() {
            self.ring.release();
            self.ranges.release();
        }
    }

    /// How many bytes of `segment` are not held.
    fn missing(&self, segment: SeqRange) -> u32 {
        let held = self.ranges.at(&self.ranges.touching(segment)).iter();
        held.fold(segment.len(), |missing, held| {
            missing.saturating_sub(intersection(*held, segment).len())
        })
    }

    /// Writes the parts of `segment` that the ranges at `touching` do not hold. Returns the range that these
    /// and the segment form together.
    fn fill(&mut self, segment: SeqRange, bytes: &[u8], touching: &Range<usize>) -> SeqRange {
        let mut whole = segment;
        let mut from = segment.start;
        for position in touching.clone() {
            let Some(&held) = self.ranges.as_slice().get(position) else {
                break;
            };
            let gap = SeqRange::new(from, held.start.min(segment.end));
            self.write(segment.start, bytes, gap);
            from = from.max(held.end);
            whole.start = whole.start.min(held.start);
            whole.end = whole.end.max(held.end);
        }
        self.write(segment.start, bytes, SeqRange::new(from, segment.end));
        whole
    }

    /// Writes the part `gap` of `bytes`, which begin at sequence number `start`, into memory that was
    /// reserved.
    fn write(&mut self, start: SeqNumber, bytes: &[u8], gap: SeqRange) {
        if gap.is_empty() {
            return;
        }
        let part = gap.start.since(start) as usize..gap.end.since(start) as usize;
        let offset = gap.start.since(self.next) as usize;
        let part = bytes.get(part).unwrap_or_default();
        self.ring.write_behind(offset, part);
    }
}

fn intersection(one: SeqRange, other: SeqRange) -> SeqRange {
    SeqRange::new(one.start.max(other.start), one.end.min(other.end))
}

/// A number of payload bytes as 32 bits. No segment is anywhere near 4 GiB long.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
