//! Search for the largest packet that a path carries (RFC 4821 section 7, RFC 8899 section 5): which size to
//! probe next, and what follows from the outcome of a probe. Sizes are those of IP packets, in bytes.

use crate::time::{Duration, Instant};

/// Common MTUs, one of which is that of most paths (RFC 4821 section 7.3): the IPv6 minimum, many tunnels, PPPoE,
/// Ethernet, and Ethernet with jumbo frames. Smaller ones are tried first: a probe that passes costs nothing,
/// but one that is lost must be retransmitted.
const COMMON_SIZES: [u16; 5] = [1_280, 1_400, 1_492, 1_500, 9_000];
/// Least difference in bytes between a size that passes and one that does not for which the search goes on.
/// Between common sizes it halves the difference.
const WORTH_SEARCHING: u16 = 16;
/// Number of lost probes after which a size is too large (RFC 8899 section 5.1.2: MAX_PROBES). A single one may
/// have been lost for another reason.
const MAX_PROBES: u8 = 3;
/// Time from the end of a search until larger sizes are tried again (RFC 8899 section 5.1.1: PMTU_RAISE_TIMER;
/// RFC 4821 section 7.3).
const RAISE_AFTER: Duration = Duration::from_secs(600);

/// Stage of the search for a path's MTU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum SearchStage {
    /// Not begun, because no black hole was found yet.
    #[default]
    Waiting,
    /// Sizes are left to probe.
    Searching,
    /// The largest size is known; after ten minutes a new search begins.
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

/// Snapshot of the search for a path's MTU (RFC 4821), with the number of its probes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PathSearch {
    /// Stage of the search.
    pub stage: SearchStage,
    /// Largest packet that the path is known to carry, in bytes (`search_low`).
    pub low: u32,
    /// Largest packet that the path may carry, in bytes (`search_high`).
    pub high: u32,
    /// Number of probes sent.
    pub probes_sent: u32,
    /// Number of probes lost because the path does not carry them.
    pub probes_lost: u32,
}

/// What the upper bound `high` is known from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Source {
    /// The link and the peer accept no larger packets.
    #[default]
    Link,
    /// A router has reported it.
    Router,
    /// Probes of one byte more were lost.
    Loss,
}

/// State of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Search {
    pub(super) stage: SearchStage,
    /// Largest size known to pass (`search_low`).
    pub(super) low: u16,
    /// Largest size that may pass (`search_high`).
    pub(super) high: u16,
    source: Source,
    /// Number of lost probes of the size that is probed now.
    lost: u8,
    /// Earliest time of the next probe; of the next search once this one is complete.
    resume_at: Instant,
}

impl Search {
    /// Begins a search between `low`, a size that passes, and `bound`, the largest that the link and the peer
    /// accept.
    pub(super) fn begin(&mut self, now: Instant, low: u16, bound: u16) {
        *self = Search {
            stage: SearchStage::Searching,
            low: low.min(bound),
            high: bound,
            resume_at: now,
            ..Search::default()
        };
    }

    /// Ends the search with a size that is known from another source, which also decides when to search again.
    pub(super) fn set_known(&mut self, size: u16) {
        *self = Search {
            stage: SearchStage::Complete,
            low: size,
            high: size,
            resume_at: Instant::FAR_FUTURE,
            ..Search::default()
        };
    }

    /// Whether it is time to try larger sizes again.
    pub(super) fn is_raise_due(&self, now: Instant) -> bool {
        self.stage == SearchStage::Complete && now >= self.resume_at
    }

    /// The size to probe now. The search ends when no size is left that would be worth a probe.
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
        if self.source == Source::Router {
            return Some(self.high);
        }
        let within = |size: &u16| (self.low + 1..=self.high).contains(size);
        let common = COMMON_SIZES.into_iter().find(within);
        // So little below a size that was found too large, not even a common size is worth a probe.
        common.filter(|_| left >= WORTH_SEARCHING || self.source == Source::Link).or(
            match self.source {
                Source::Loss if left < WORTH_SEARCHING => None,
                Source::Loss => Some(self.high - left / 2),
                Source::Link | Source::Router => Some(self.high),
            },
        )
    }

    /// Records that a probe has arrived (RFC 4821 section 7.6.1).
    pub(super) fn on_success(&mut self, size: u16) {
        self.low = self.low.max(size);
        self.lost = 0;
    }

    /// Records that only the probe was lost (section 7.6.2). No other probe may be sent until `resume_at`, as its
    /// loss would not count as congestion either.
    pub(super) fn on_failure(&mut self, size: u16, resume_at: Instant) {
        if size > self.high {
            // A router has already reported that the probe was too large.
            return;
        }
        self.resume_at = resume_at;
        self.lost += 1;
        if self.lost >= MAX_PROBES {
            self.lost = 0;
            self.high = (size - 1).max(self.low);
            self.source = Source::Loss;
        }
    }

    /// Records that not all packets of `size` bytes pass although a probe has, as if probes of that size were
    /// lost; `low` is the largest size known to pass (RFC 4821 section 7.8). The next probe may be sent at
    /// `resume_at`.
    pub(super) fn refute(&mut self, size: u16, low: u16, resume_at: Instant) {
        let high = size.saturating_sub(1).max(low);
        let (stage, source) = (SearchStage::Searching, Source::Loss);
        *self = Search { stage, low, high, source, lost: 0, resume_at };
    }

    /// Handles a router's report that it carries at most `size` bytes, and not the probe of `probed` bytes. It is
    /// believed if it is possible (RFC 8899 section 4.6.2).
    pub(super) fn on_reported(&mut self, size: u32, probed: u16) {
        let reported = u16::try_from(size).unwrap_or(u16::MAX);
        if (self.low..probed).contains(&reported) && reported < self.high {
            (self.high, self.source, self.lost) = (reported, Source::Router, 0);
        }
    }

    /// Ends the search, if it has begun: the path MTU of `size` bytes is known without a probe.
    pub(super) fn narrow(&mut self, size: u16) {
        if self.stage != SearchStage::Waiting {
            self.set_known(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const NOW: Instant = Instant::from_secs(1);

    /// The sizes probed on a path with this MTU, repetitions left out, and the size that is found.
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
    fn the_limit_of_the_link_is_probed_even_if_it_is_no_common_size() {
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
    fn the_size_reported_by_a_router_is_probed_next() {
        let mut search = Search::default();
        search.begin(NOW, 1_280, 9_000);
        search.on_reported(1_300, 1_400);
        assert_eq!(search.next(NOW), Some(1_300));
        search.on_failure(1_400, NOW + RAISE_AFTER);
        assert_eq!(search.next(NOW), Some(1_300), "its loss is explained");
        search.on_success(1_300);
        assert_eq!((search.next(NOW), search.stage), (None, SearchStage::Complete));
    }

    #[test]
    fn an_impossible_report_of_a_router_is_ignored() {
        let mut search = Search::default();
        search.begin(NOW, 1_280, 1_500);
        let before = search;
        for reported in [0, 1_279, 1_400, 1_500, 70_000] {
            search.on_reported(reported, 1_400);
            assert_eq!(search, before, "{reported}");
        }
    }

    #[test]
    fn after_ten_minutes_larger_sizes_are_tried_again() {
        let mut search = Search::default();
        search.begin(NOW, 1_500, 1_500);
        assert_eq!(search.next(NOW), None);
        assert!(!search.is_raise_due(NOW + Duration::from_secs(599)));
        assert!(search.is_raise_due(NOW + RAISE_AFTER));
    }

    #[test]
    fn a_lost_probe_delays_the_next_one() {
        let mut search = Search::default();
        search.begin(NOW, 1_400, 1_500);
        let later = NOW + Duration::from_secs(4);
        search.on_failure(1_492, later);
        assert_eq!((search.next(NOW), search.next(later)), (None, Some(1_492)));
    }
}
