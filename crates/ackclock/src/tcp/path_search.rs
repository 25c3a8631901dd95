//! The search for the largest packet that a path carries (RFC 4821 section 7, RFC 8899 section 5): which
//! size to probe next, and what follows from what became of a probe. Sizes are those of IP packets, in
//! bytes.

use crate::time::{Duration, Instant};

/// Sizes of which one is the MTU of most paths (RFC 4821 section 7.3): IPv6's least, that of many tunnels,
/// PPPoE's, Ethernet's, and that of Ethernet's jumbo frames. They are tried from below: what passes costs
/// nothing, and what does not must be sent again.
const COMMON_SIZES: [u16; 5] = [1_280, 1_400, 1_492, 1_500, 9_000];
/// Between them and the size that is too large the search halves what is left, until that is less than this.
const WORTH_SEARCHING: u16 = 16;
/// MAX_PROBES (RFC 8899 section 5.1.2): a size is too large once so many probes of it were lost. One may have
/// been lost for another reason.
const MAX_PROBES: u8 = 3;
/// PMTU_RAISE_TIMER (RFC 8899 section 5.1.1; RFC 4821 section 7.3): when larger sizes are tried again.
const RAISE_AFTER: Duration = Duration::from_secs(600);

/// How far the search for a path's MTU is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum SearchStage {
    /// It has not begun: no black hole was found yet.
    #[default]
    Waiting,
    /// There are sizes left to probe.
    Searching,
    /// The largest size is known, for ten minutes.
    Complete,
}

impl SearchStage {
    /// `waiting`, `searching` or `complete`.
    pub fn name(self) -> &'static str {
        match self {
            SearchStage::Waiting => "waiting",
            SearchStage::Searching => "searching",
            SearchStage::Complete => "complete",
        }
    }
}

/// A snapshot of the search for a path's MTU (RFC 4821), and what it has sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PathSearch {
    /// How far it is.
    pub stage: SearchStage,
    /// The largest packet that the path is known to carry, in bytes (`search_low`).
    pub low: u32,
    /// The largest packet that it may carry, in bytes (`search_high`).
    pub high: u32,
    /// Probes sent.
    pub probes_sent: u32,
    /// Probes that the path has not carried.
    pub probes_lost: u32,
}

/// What is known of `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Top {
    /// It is what the link and the peer take.
    #[default]
    Bound,
    /// A router has told it.
    Told,
    /// One byte more was too much.
    Failed,
}

/// Where the search is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Search {
    pub(super) stage: SearchStage,
    /// `search_low`: packets of this size pass.
    pub(super) low: u16,
    /// `search_high`: no larger ones do.
    pub(super) high: u16,
    top: Top,
    /// Probes of the size in question that were lost.
    lost: u8,
    /// When the next probe may go, or when the search begins again.
    resume_at: Instant,
}

impl Search {
    /// It begins, between a size that passes and the largest that the link and the peer take.
    pub(super) fn begin(&mut self, now: Instant, low: u16, bound: u16) {
        *self = Search {
            stage: SearchStage::Searching,
            low: low.min(bound),
            high: bound,
            resume_at: now,
            ..Search::default()
        };
    }

    /// The size is known from elsewhere, and whoever knows it says when to search again.
    pub(super) fn know(&mut self, size: u16) {
        *self = Search {
            stage: SearchStage::Complete,
            low: size,
            high: size,
            resume_at: Instant::FAR_FUTURE,
            ..Search::default()
        };
    }

    /// Whether larger sizes are to be tried again.
    pub(super) fn is_old(&self, now: Instant) -> bool {
        self.stage == SearchStage::Complete && now >= self.resume_at
    }

    /// The size to probe now. The search ends when there is none left that would be worth it.
    pub(super) fn next(&mut self, now: Instant) -> Option<u16> {
        if self.stage != SearchStage::Searching || now < self.resume_at {
            return None;
        }
        let size = self.candidate();
        if size.is_none() {
            self.stage = SearchStage::Complete;
            self.resume_at = now + RAISE_AFTER;
        }
        size
    }

    fn candidate(&self) -> Option<u16> {
        let left = self.high.saturating_sub(self.low);
        if left == 0 {
            return None;
        }
        if self.top == Top::Told {
            return Some(self.high);
        }
        let within = |size: &u16| (self.low + 1..=self.high).contains(size);
        let common = COMMON_SIZES.into_iter().find(within);
        // What a size of which it was just found that it does not pass leaves is hardly more than it.
        common.filter(|_| left >= WORTH_SEARCHING || self.top == Top::Bound).or(match self.top {
            Top::Failed if left < WORTH_SEARCHING => None,
            Top::Failed => Some(self.high - left / 2),
            Top::Bound | Top::Told => Some(self.high),
        })
    }

    /// A probe has arrived (RFC 4821 section 7.6.1).
    pub(super) fn on_success(&mut self, size: u16) {
        self.low = self.low.max(size);
        self.lost = 0;
    }

    /// A probe alone was lost (section 7.6.2). There must be no other that may be lost without being taken
    /// for congestion until `resume_at`.
    pub(super) fn on_failure(&mut self, size: u16, resume_at: Instant) {
        if size > self.high {
            // A router has told why.
            return;
        }
        self.resume_at = resume_at;
        self.lost += 1;
        if self.lost >= MAX_PROBES {
            self.lost = 0;
            self.high = (size - 1).max(self.low);
            self.top = Top::Failed;
        }
    }

    /// Packets of `size` bytes do not pass always, though a probe has: as if probes of it had failed, and what
    /// passes is `low` (RFC 4821 section 7.8). The next probe may go at `resume_at`.
    pub(super) fn refute(&mut self, size: u16, low: u16, resume_at: Instant) {
        let high = size.saturating_sub(1).max(low);
        let (stage, top) = (SearchStage::Searching, Top::Failed);
        *self = Search { stage, low, high, top, lost: 0, resume_at };
    }

    /// A router has told that it carries packets of `size` at most, and not the one of `probed`; believed if
    /// that can be (RFC 8899 section 4.6.2).
    pub(super) fn on_told(&mut self, size: u32, probed: u16) {
        let told = u16::try_from(size).unwrap_or(u16::MAX);
        if (self.low..probed).contains(&told) && told < self.high {
            (self.high, self.top, self.lost) = (told, Top::Told, 0);
        }
    }

    /// Packets of more than `size` do not pass, which is known without a probe.
    pub(super) fn narrow(&mut self, size: u16) {
        if self.stage != SearchStage::Waiting {
            self.know(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const NOW: Instant = Instant::from_secs(1);

    /// The sizes probed on a path of that MTU, the same one once, and what is found then.
    fn search(low: u16, bound: u16, mtu: u16) -> (Vec<u16>, u16) {
        let mut search = Search::default();
        search.begin(NOW, low, bound);
        let mut probed = Vec::new();
        while let Some(size) = search.next(NOW) {
            assert!(size > search.low && size <= search.high, "{size} of {search:?}");
            if probed.last() != Some(&size) {
                probed.push(size);
            }
            if size <= mtu {
                search.on_success(size);
            } else {
                search.on_failure(size, NOW);
            }
        }
        assert_eq!(search.stage, SearchStage::Complete);
        (probed, search.low)
    }

    #[test]
    fn common_sizes_are_found_from_below() {
        assert_eq!(search(1_064, 1_500, 1_500), (Vec::from([1_280, 1_400, 1_492, 1_500]), 1_500));
        assert_eq!(search(1_064, 1_500, 1_492), (Vec::from([1_280, 1_400, 1_492, 1_500]), 1_492));
        let jumbo = [1_280, 1_400, 1_492, 1_500, 9_000];
        assert_eq!(search(1_064, 9_000, 9_000), (Vec::from(jumbo), 9_000));
    }

    #[test]
    fn any_size_is_found_to_within_16_bytes() {
        for mtu in 1_064..=9_100 {
            let (probed, found) = search(1_064, 9_100, mtu);
            let is_near = found <= mtu && mtu - found < WORTH_SEARCHING;
            assert!(is_near, "{found} of {mtu}");
            assert!(probed.len() <= 16, "{mtu}: {probed:?}");
        }
    }

    #[test]
    fn a_size_that_is_no_common_one_is_probed_if_it_is_all_that_the_link_takes() {
        assert_eq!(search(1_064, 1_436, 1_436), (Vec::from([1_280, 1_400, 1_436]), 1_436));
        assert_eq!(search(1_064, 1_070, 1_070), (Vec::from([1_070]), 1_070));
        assert_eq!(search(1_500, 1_500, 1_500), (Vec::new(), 1_500));
    }

    #[test]
    fn a_size_is_too_large_once_three_probes_were_lost() {
        let mut search = Search::default();
        search.begin(NOW, 1_400, 1_500);
        for lost in 1..=3 {
            assert_eq!((search.next(NOW), search.high), (Some(1_492), 1_500), "{lost}");
            search.on_failure(1_492, NOW);
        }
        assert_eq!((search.next(NOW), search.high), (Some(1_446), 1_491));
        search.on_failure(1_446, NOW);
        search.on_success(1_446);
        search.on_failure(1_469, NOW);
        assert_eq!(search.high, 1_491, "the one of another size does not count");
    }

    #[test]
    fn what_a_router_tells_is_probed_next() {
        let mut search = Search::default();
        search.begin(NOW, 1_280, 9_000);
        search.on_told(1_300, 1_400);
        assert_eq!(search.next(NOW), Some(1_300));
        search.on_failure(1_400, NOW + RAISE_AFTER);
        assert_eq!(search.next(NOW), Some(1_300), "its loss is explained");
        search.on_success(1_300);
        assert_eq!((search.next(NOW), search.stage), (None, SearchStage::Complete));
    }

    #[test]
    fn a_router_that_cannot_be_right_is_not_believed() {
        let mut search = Search::default();
        search.begin(NOW, 1_280, 1_500);
        let before = search;
        for told in [0, 1_279, 1_400, 1_500, 70_000] {
            search.on_told(told, 1_400);
            assert_eq!(search, before, "{told}");
        }
    }

    #[test]
    fn after_ten_minutes_the_search_is_old() {
        let mut search = Search::default();
        search.begin(NOW, 1_500, 1_500);
        assert_eq!(search.next(NOW), None);
        assert!(!search.is_old(NOW + Duration::from_secs(599)));
        assert!(search.is_old(NOW + RAISE_AFTER));
    }

    #[test]
    fn a_lost_probe_holds_the_next_one_up() {
        let mut search = Search::default();
        search.begin(NOW, 1_400, 1_500);
        let later = NOW + Duration::from_secs(4);
        search.on_failure(1_492, later);
        assert_eq!((search.next(NOW), search.next(later)), (None, Some(1_492)));
    }
}
