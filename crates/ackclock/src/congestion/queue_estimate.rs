//! Estimate of how much of a window waits in the path's queue.

use core::cmp::Ordering;

/// Compares the queued part of a window of `cwnd` bytes with `segments` segments of `mss` bytes. The
/// round-trip time is `rtt`, and without a queue it would be `base_rtt`; both are in microseconds. In terms
/// of Vegas and Veno the queued part is (cwnd/BaseRTT - cwnd/RTT) BaseRTT.
pub(super) fn compare(cwnd: u32, base_rtt: u32, rtt: u32, segments: u32, mss: u32) -> Ordering {
    // Both sides are multiplied by RTT.
    let queued = u64::from(cwnd) * u64::from(rtt.saturating_sub(base_rtt));
    let segment = u64::from(mss) * u64::from(rtt);
    queued.cmp(&segment.saturating_mul(segments.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::{Equal, Greater, Less};

    /// 20 segments, 100 ms of which 95 are the path's: exactly one is queued.
    #[test]
    fn what_is_queued_is_the_windows_share_of_the_delay() {
        let compare = |base_rtt, rtt, segments| compare(20_000, base_rtt, rtt, segments, 1_000);
        assert_eq!(compare(95_000, 100_000, 0), Greater);
        assert_eq!(compare(95_000, 100_000, 1), Equal);
        assert_eq!(compare(94_999, 100_000, 1), Greater);
        assert_eq!(compare(95_001, 100_000, 1), Less);
        assert_eq!(compare(100_001, 100_000, 0), Equal);
    }

    #[test]
    fn the_largest_numbers_are_compared_too() {
        assert_eq!(compare(u32::MAX, 0, u32::MAX, 1, u32::MAX), Equal);
        assert_eq!(compare(u32::MAX, 0, u32::MAX, u32::MAX, u32::MAX), Less);
    }
}
