//! Estimate of the payload of the peer's full-sized segments, by the segments that arrive.
//!
//! The MSS that we announced is only an upper bound, since the peer's link or the path may allow less.
//! Counted by that bound, only every third segment or fewer would be acknowledged, which RFC 5681 section 4.2
//! wants prevented.

/// The MSS in bytes that every peer may use (RFC 9293 section 3.7.1, MUST-15): the estimate before anything
/// has arrived, unless less was announced.
const DEFAULT_MSS: u16 = 536;

/// The estimate, made by Linux's rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct FullSize {
    size: u16,
    /// Length of the last segment if it was shorter than the estimate but may have been full-sized; else 0.
    candidate: u16,
}

impl FullSize {
    /// The initial estimate; `announced` is the largest payload that the peer may send, in bytes.
    pub(super) fn new(announced: u16) -> Self {
        FullSize { size: announced.min(DEFAULT_MSS), candidate: 0 }
    }

    /// Updates the estimate by a segment of `len` bytes, of the `announced` ones that it may have at most.
    /// `last`: the segment says that nothing follows it for now (PSH or FIN).
    ///
    /// A segment longer than the estimate becomes the estimate at once. A shorter one does if another of the
    /// same length follows, unless both may have been short because the peer had no more to send.
    pub(super) fn on_segment(&mut self, len: u32, announced: u32, last: bool) {
        // No segment is longer than 65,535 bytes.
        let len = u16::try_from(len.min(announced)).unwrap_or(u16::MAX);
        let may_be_full = len > 0 && (!last || len >= DEFAULT_MSS);
        if len >= self.size || (may_be_full && len == self.candidate) {
            (self.size, self.candidate) = (len, 0);
        } else {
            self.candidate = if may_be_full { len } else { 0 };
        }
    }

    /// The estimate in bytes.
    pub(super) fn bytes(&self) -> u32 {
        self.size.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(segments: &[(u32, bool)]) -> u32 {
        let mut size = FullSize::new(1_460);
        for &(len, last) in segments {
            size.on_segment(len, 1_460, last);
        }
        size.bytes()
    }

    #[test]
    fn the_longest_segment_is_full_sized() {
        assert_eq!(after(&[]), 536);
        assert_eq!(after(&[(100, true)]), 536);
        assert_eq!(after(&[(1_000, false)]), 1_000);
        assert_eq!(after(&[(1_000, false), (1_200, true)]), 1_200);
        assert_eq!(after(&[(60_000, false)]), 1_460, "what a link has put together");
    }

    #[test]
    fn two_shorter_ones_in_succession_are_full_sized() {
        let long = (1_460, false);
        assert_eq!(after(&[long, (1_000, false), (1_000, false)]), 1_000);
        assert_eq!(after(&[long, (1_000, true), (1_000, true)]), 1_000);
        assert_eq!(after(&[long, (1_000, false), (900, false)]), 1_460);
        assert_eq!(after(&[long, (1_000, false), long, (1_000, false)]), 1_460);
        assert_eq!(after(&[long, (300, true), (300, true)]), 1_460, "two small messages");
        assert_eq!(after(&[long, (300, false), (300, false)]), 300);
    }

    #[test]
    fn a_small_mss_that_was_announced_bounds_it() {
        let mut size = FullSize::new(200);
        assert_eq!(size.bytes(), 200);
        size.on_segment(0, 200, true);
        assert_eq!(size.bytes(), 200);
    }
}
