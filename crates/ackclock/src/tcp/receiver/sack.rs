//! The blocks of a SACK option: out-of-order ranges and D-SACK (RFC 2018 section 4, RFC 2883 section 4).

use super::ranges::Ranges;
use crate::seq::{SeqNumber, SeqRange};
use crate::wire::SackBlocks;

/// Duplicates to report by D-SACK, beside the out-of-order ranges.
#[derive(Clone, Copy, Debug)]
pub(super) struct SackReport {
    enabled: bool,
    /// First sequence numbers of the duplicates, in the order in which they are to be reported.
    starts: [SeqNumber; DUPLICATES],
    /// Lengths of the duplicates in bytes; 0 from the first unused entry on.
    lengths: [u16; DUPLICATES],
}

/// Most duplicates that wait to be reported, each by its own ack; one more replaces the last. Adjoining
/// duplicates count as one.
const DUPLICATES: usize = 3;

impl SackReport {
    /// No duplicates; if SACK was not agreed on (`enabled` is false) there are never any.
    pub(super) const fn new(enabled: bool) -> Self {
        SackReport { enabled, starts: [SeqNumber(0); DUPLICATES], lengths: [0; DUPLICATES] }
    }

    /// Whether SACK was agreed on.
    pub(super) const fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Notes that the most recent segment contained `duplicate`, data that had been received before.
    pub(super) fn on_duplicate(&mut self, duplicate: SeqRange) {
        if !self.enabled {
            return;
        }
        let len = u16::try_from(duplicate.len()).unwrap_or(u16::MAX);
        for (start, known) in self.starts.iter_mut().zip(&mut self.lengths) {
            if *known == 0 {
                (*start, *known) = (duplicate.start, len);
                return;
            }
            if *start + u32::from(*known) == duplicate.start
                && let Some(both) = known.checked_add(len)
            {
                *known = both;
                return;
            }
        }
        let ([.., start], [.., known]) = (&mut self.starts, &mut self.lengths);
        (*start, *known) = (duplicate.start, len);
    }

    /// Notes that the first duplicate was reported; each is reported once (RFC 2883 section 4).
    pub(super) fn on_sent(&mut self) {
        if !self.has_block() {
            return;
        }
        self.starts.rotate_left(1);
        self.lengths.rotate_left(1);
        let [.., last] = &mut self.lengths;
        *last = 0;
    }

    /// The duplicate to report next; empty if there is none.
    fn duplicate(&self) -> SeqRange {
        let ([start, ..], [length, ..]) = (self.starts, self.lengths);
        SeqRange::from_len(start, length.into())
    }

    /// Whether there is a duplicate to report.
    pub(super) const fn has_block(&self) -> bool {
        let [first, ..] = self.lengths;
        first > 0
    }

    /// Adds blocks to an option: the duplicate first, then the range that encloses it if that lies above the
    /// cumulative ack, then the other `ranges`, those with the most recently received segments first.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) fn fill<'a>(&self, option: &mut SackBlocks, ranges: &impl Ranges<'a>) {
        if !self.enabled {
            return;
        }
        let mut enclosing = None;
        let duplicate = self.duplicate();
        if !duplicate.is_empty() {
            option.append(duplicate);
            let overlapping = ranges.overlapping(duplicate);
            enclosing = overlapping.filter(|range| range.covers(duplicate));
            if let Some(range) = enclosing {
                option.append(range);
            }
        }
        for range in ranges.recent_first() {
            if Some(range) != enclosing && !option.append(range) {
                break;
            }
        }
    }
}
