//! The ranges with the most recently received segments (RFC 2018 section 4).

use crate::wire::SackBlocks;
use core::ops::Range;

/// The places, in a list of ranges, of those that were extended last: as many as a SACK option reports, the
/// most recent first.
#[derive(Debug)]
pub(super) struct Recent([u16; SackBlocks::MAX]);

/// Marks an unused entry.
const NONE: u16 = u16::MAX;

impl Default for Recent {
    fn default() -> Self {
        Recent([NONE; SackBlocks::MAX])
    }
}

impl Recent {
    /// Most ranges that a list may hold, so that each place fits an entry.
    pub(super) const MOST: u16 = NONE - 1;

    /// The places, the most recent one first.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.0.into_iter().filter(|place| *place != NONE).map(usize::from)
    }

    /// Whether the range at `place` is one of the recent ones.
    pub(super) fn contains(&self, place: usize) -> bool {
        self.0.iter().any(|recent| usize::from(*recent) == place && *recent != NONE)
    }

    /// Notes that a segment became part of the range at `place`.
    pub(super) fn touch(&mut self, place: usize) {
        let place = u16::try_from(place).unwrap_or(NONE);
        let position = |wanted: u16| self.0.iter().position(|recent| *recent == wanted);
        // `place` moves to the front; its old entry goes, or an unused one, or the oldest.
        let goes = position(place).or_else(|| position(NONE)).unwrap_or(self.0.len() - 1);
        if let Some([first, others @ ..]) = self.0.get_mut(..=goes) {
            let mut carried = core::mem::replace(first, place);
            others.iter_mut().for_each(|other| core::mem::swap(other, &mut carried));
        }
    }

    /// Renumbers, because a range was inserted at `place`.
    pub(super) fn on_inserted(&mut self, place: usize) {
        for recent in &mut self.0 {
            if *recent != NONE && usize::from(*recent) >= place {
                *recent = recent.saturating_add(1);
            }
        }
    }

    /// Renumbers, because the ranges at `places` were removed.
    pub(super) fn on_removed(&mut self, places: Range<usize>) {
        let removed = u16::try_from(places.len()).unwrap_or(NONE);
        for recent in &mut self.0 {
            let place = usize::from(*recent);
            if places.contains(&place) {
                *recent = NONE;
            } else if *recent != NONE && place >= places.end {
                *recent = recent.saturating_sub(removed);
            }
        }
    }
}
