//! Which blocks a SACK option reports (RFC 2018 section 4, RFC 2883 section 4).

use super::ranges::Ranges;
use crate::seq::{SeqNumber, SeqRange};
use crate::wire::SackBlocks;

/// What to report beyond the ranges that are held out of order.
#[derive(Clone, Copy, Debug)]
pub(super) struct SackReport {
    enabled: bool,
    /// What was received twice; empty: nothing.
    duplicate: SeqRange,
}

impl SackReport {
    /// Nothing to report; nothing ever if SACK was not agreed on.
    pub(super) const fn new(enabled: bool) -> Self {
        SackReport { enabled, duplicate: SeqRange::new(SeqNumber(0), SeqNumber(0)) }
    }

    /// The most recent segment contained `duplicate`, data that had been received before.
    pub(super) fn on_duplicate(&mut self, duplicate: SeqRange) {
        self.duplicate = duplicate;
    }

    /// The duplicate was reported; each is reported once (RFC 2883 section 4).
    pub(super) fn on_sent(&mut self) {
        self.duplicate = SeqRange::default();
    }

    /// Whether there is a block to report beside the ranges.
    pub(super) const fn has_block(&self) -> bool {
        self.enabled && !self.duplicate.is_empty()
    }

    /// Puts blocks into an option that has none: the duplicate, then the range that encloses it if it
    /// lies above the cumulative ack, then the other `ranges`, those with the most recently received
    /// segments first.
    pub(super) fn fill<'a>(&self, option: &mut SackBlocks, ranges: &impl Ranges<'a>) {
        if !self.enabled {
            return;
        }
        let mut enclosing = None;
        if !self.duplicate.is_empty() {
            option.push(self.duplicate);
            let overlapping = ranges.overlapping(self.duplicate);
            enclosing = overlapping.filter(|range| range.covers(self.duplicate));
            if let Some(range) = enclosing {
                option.push(range);
            }
        }
        for range in ranges.recent_first() {
            if Some(range) != enclosing && !option.push(range) {
                break;
            }
        }
    }
}
