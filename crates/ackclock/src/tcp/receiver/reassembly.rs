//! Puts arriving data in order: bytes go straight to their place in the receive ring, and a list
//! says which ranges behind a hole are there already.

use crate::seq::{SeqNumber, SeqRange};
use crate::storage::{Buffer, Ring};

/// The receive ring and what lies behind its end out of order.
///
/// The ranges are disjoint, do not adjoin each other, and lie after [`next`](Self::next). They are
/// kept in the order of RFC 2018 section 4: the one with the most recently received segment first.
#[derive(Debug)]
pub(super) struct Reassembly<'a> {
    ring: Ring<'a>,
    next: SeqNumber,
    /// The first `count` elements are in use.
    ranges: Buffer<'a, SeqRange>,
    count: u32,
    max_ranges: u32,
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
    /// Nothing received yet; `next` is the first sequence number of the data.
    pub(super) fn new(
        next: SeqNumber,
        ring: Ring<'a>,
        ranges: Buffer<'a, SeqRange>,
        max_ranges: usize,
    ) -> Self {
        let max_ranges = if ranges.can_grow() { max_ranges } else { ranges.len() };
        let max_ranges = u32::try_from(max_ranges).unwrap_or(u32::MAX);
        Reassembly { ring, next, ranges, count: 0, max_ranges }
    }

    /// The memory; the data are forgotten.
    pub(super) fn into_buffers(self) -> (Buffer<'a, u8>, Buffer<'a, SeqRange>) {
        (self.ring.into_buffer(), self.ranges)
    }

    /// Most bytes in order and behind holes, if the ring grows.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.ring.set_limit(limit);
    }

    /// The data in order.
    pub(super) const fn ring(&self) -> &Ring<'a> {
        &self.ring
    }

    /// The first sequence number of the data is `next`. Nothing was received yet.
    pub(super) const fn begin_at(&mut self, next: SeqNumber) {
        self.next = next;
    }

    /// The first sequence number that is missing.
    pub(super) const fn next(&self) -> SeqNumber {
        self.next
    }

    /// The out-of-order ranges, the one with the most recently received segment first.
    pub(super) fn ranges(&self) -> &[SeqRange] {
        self.ranges.get(..self.count as usize).unwrap_or_default()
    }

    /// The first number after all data held.
    pub(super) fn highest(&self) -> SeqNumber {
        let ends = self.ranges().iter().map(|range| range.end);
        ends.fold(self.next, SeqNumber::max)
    }

    /// The first contiguous part of `segment` that was received before (RFC 2883 section 4).
    pub(super) fn duplicate_part(&self, segment: SeqRange) -> Option<SeqRange> {
        if segment.is_empty() {
            return None;
        }
        if segment.start.before(self.next) {
            return Some(SeqRange::new(segment.start, segment.end.min(self.next)));
        }
        let held = self.ranges().iter().filter(|held| held.overlaps(segment));
        let lowest = held.min_by_key(|held| held.start.distance(self.next))?;
        Some(intersection(*lowest, segment))
    }

    /// Stores `bytes`, which begin at `start`, at or after [`next`](Self::next). Where data were
    /// received before, those stay.
    pub(super) fn store(&mut self, start: SeqNumber, bytes: &[u8]) -> Stored {
        if self.count == 0 && start == self.next {
            return self.append(bytes);
        }
        let offset = start.since(self.next) as usize;
        let fitting = bytes.len().min(self.ring.free().saturating_sub(offset));
        let beyond = length(bytes.len() - fitting);
        let bytes = bytes.get(..fitting).unwrap_or_default();
        let segment = SeqRange::from_len(start, length(fitting));
        if segment.is_empty() || !self.ring.reserve_behind(offset.saturating_add(fitting)) {
            return Stored { advanced: 0, dropped: beyond.saturating_add(self.missing(segment)) };
        }
        let fills_hole = start == self.next;
        let is_apart = !self.ranges().iter().any(|held| touches(held, segment));
        if is_apart && !fills_hole && !self.has_place() {
            return Stored { advanced: 0, dropped: beyond.saturating_add(segment.len()) };
        }
        self.fill(segment, bytes);
        let whole = self.take_touching(segment);
        if !fills_hole {
            self.put_first(whole);
            return Stored { advanced: 0, dropped: beyond };
        }
        self.ring.extend(whole.len() as usize);
        self.next = whole.end;
        Stored { advanced: whole.len(), dropped: beyond }
    }

    /// Stores the bytes that come next, while nothing waits behind a hole.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Stored {
        let taken = self.ring.push(bytes);
        self.next += length(taken);
        Stored { advanced: length(taken), dropped: length(bytes.len() - taken) }
    }

    /// Whether something waits behind a hole.
    pub(super) const fn has_holes(&self) -> bool {
        self.count > 0
    }

    /// Removes `n` bytes of the data in order.
    pub(super) fn consume(&mut self, n: usize) {
        self.ring.consume(n);
    }

    /// Gives owned memory back if it holds nothing.
    pub(super) fn release(&mut self) {
        if self.ring.is_empty() && self.count == 0 {
            self.ring.release();
            self.ranges.release();
        }
    }

    /// How many bytes of `segment` are not held.
    fn missing(&self, segment: SeqRange) -> u32 {
        let held = self.ranges().iter().filter(|held| held.overlaps(segment));
        held.fold(segment.len(), |missing, held| {
            missing.saturating_sub(intersection(*held, segment).len())
        })
    }

    /// Writes what of `segment` is not held.
    fn fill(&mut self, segment: SeqRange, bytes: &[u8]) {
        let mut from = segment.start;
        while from.before(segment.end) {
            // The range in which this number lies, or else the first one behind it.
            let mut held = SeqRange::new(segment.end, segment.end);
            for range in self.ranges() {
                if range.end.after(from) && range.start.before(held.start) {
                    held = *range;
                }
            }
            self.write(segment.start, bytes, SeqRange::new(from, held.start));
            from = held.end;
        }
    }

    /// Takes the ranges that overlap or adjoin `segment` out of the list; returns what they and the
    /// segment form together. The others keep their order.
    fn take_touching(&mut self, segment: SeqRange) -> SeqRange {
        let mut whole = segment;
        let mut kept = 0;
        for position in 0..self.count as usize {
            let Some(&held) = self.ranges.get(position) else {
                break;
            };
            if touches(&held, segment) {
                whole = SeqRange::new(whole.start.min(held.start), whole.end.max(held.end));
            } else if let Some(place) = self.ranges.get_mut(kept) {
                *place = held;
                kept += 1;
            }
        }
        self.count = kept as u32;
        whole
    }

    /// Puts a range before all others; there is a place for it.
    fn put_first(&mut self, new: SeqRange) {
        self.count += 1;
        let mut carried = new;
        for place in self.ranges.iter_mut().take(self.count as usize) {
            core::mem::swap(place, &mut carried);
        }
    }

    /// Writes the part `gap` of `bytes`, which begin at `start`. The memory has been reserved.
    fn write(&mut self, start: SeqNumber, bytes: &[u8], gap: SeqRange) {
        if gap.is_empty() {
            return;
        }
        let part = gap.start.since(start) as usize..gap.end.since(start) as usize;
        let offset = gap.start.since(self.next) as usize;
        let part = bytes.get(part).unwrap_or_default();
        self.ring.write_behind(offset, part);
    }

    /// Whether one more range can be kept.
    fn has_place(&mut self) -> bool {
        self.count < self.max_ranges
            && ((self.count as usize) < self.ranges.len()
                || self.ranges.push(SeqRange::default()).is_ok())
    }
}

/// Whether both overlap or adjoin.
fn touches(one: &SeqRange, other: SeqRange) -> bool {
    one.start.at_or_before(other.end) && other.start.at_or_before(one.end)
}

fn intersection(one: SeqRange, other: SeqRange) -> SeqRange {
    SeqRange::new(one.start.max(other.start), one.end.min(other.end))
}

/// A count of payload bytes. No segment is anywhere near 4 GiB long.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
