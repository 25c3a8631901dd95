//! The initial window (RFC 6928, allman98 section 3 and appendix A).

/// Segments in RFC 6928's initial window.
const STANDARD_SEGMENTS: u32 = 10;
/// Bytes in RFC 6928's initial window: 10 segments of 1,460 bytes.
const STANDARD_BYTES: u32 = 14_600;
/// Least number of segments in RFC 6928's initial window.
const STANDARD_LEAST_SEGMENTS: u32 = 2;
/// The largest window that TCP can express, in bytes (RFC 7323 section 2.3).
const LARGEST_WINDOW: u32 = 1 << 30;

/// How large the congestion window is when a connection starts, and the most it is after an idle
/// time.
///
/// The two knobs of allman98 (appendix A) bound it by a number of segments and by a number of
/// bytes, 0 meaning "not set"; if both are set the smaller decides, and if neither is, the
/// standard does: min(10 MSS, max(2 MSS, 14600)) (RFC 6928 section 2), the default.
///
/// ```
/// use ackclock::congestion::InitialWindow;
///
/// assert_eq!(InitialWindow::default().window(1460), 14_600);
/// assert_eq!(InitialWindow::segments(4).window(1460), 5_840);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InitialWindow {
    segments: u32,
    bytes: u32,
}

impl InitialWindow {
    /// At most `segments` segments and at most `bytes` bytes; 0: no such bound.
    pub const fn new(segments: u32, bytes: u32) -> Self {
        InitialWindow { segments, bytes }
    }

    /// So many segments; 0: the standard.
    pub const fn segments(segments: u32) -> Self {
        InitialWindow::new(segments, 0)
    }

    /// So many bytes, but at least one segment; 0: the standard.
    pub const fn bytes(bytes: u32) -> Self {
        InitialWindow::new(0, bytes)
    }

    /// Whether both bounds are within TCP's largest window, 1 GiB.
    pub const fn is_usable(&self) -> bool {
        self.segments <= LARGEST_WINDOW && self.bytes <= LARGEST_WINDOW
    }

    /// The window in bytes for segments of `mss` bytes: at least one segment.
    pub fn window(&self, mss: u32) -> u32 {
        let mss = mss.max(1);
        let by_segments = self.segments.saturating_mul(mss);
        let window = match (self.segments, self.bytes) {
            (0, 0) => standard(mss),
            (_, 0) => by_segments,
            (0, bytes) => bytes,
            (_, bytes) => by_segments.min(bytes),
        };
        window.max(mss)
    }
}

/// RFC 6928 section 2, equation 1.
fn standard(mss: u32) -> u32 {
    let least = mss.saturating_mul(STANDARD_LEAST_SEGMENTS);
    mss.saturating_mul(STANDARD_SEGMENTS).min(least.max(STANDARD_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_each_mss(window: InitialWindow) -> [u32; 3] {
        [536, 1460, 9000].map(|mss| window.window(mss))
    }

    #[test]
    fn the_standard_window_is_rfc_6928s() {
        // Ten segments; exactly both bounds; two segments, more than 14600 bytes.
        assert_eq!(for_each_mss(InitialWindow::default()), [5_360, 14_600, 18_000]);
        // 14600 bytes, between two segments and ten.
        assert_eq!(InitialWindow::default().window(4000), 14_600);
    }

    #[test]
    fn knobs_of_zero_mean_the_standard() {
        assert_eq!(InitialWindow::segments(0), InitialWindow::default());
        assert_eq!(InitialWindow::bytes(0), InitialWindow::default());
    }

    #[test]
    fn one_knob_alone_decides() {
        assert_eq!(for_each_mss(InitialWindow::segments(4)), [2_144, 5_840, 36_000]);
        // A single segment of 9000 bytes is more than 4380 bytes, but nothing less can be sent.
        assert_eq!(for_each_mss(InitialWindow::bytes(4380)), [4_380, 4_380, 9_000]);
    }

    #[test]
    fn the_lesser_of_both_knobs_decides() {
        // The two examples of allman98 appendix A.
        assert_eq!(InitialWindow::new(4, 4096).window(512), 2048);
        assert_eq!(InitialWindow::new(5, 4096).window(1024), 4096);
    }

    #[test]
    fn it_holds_at_least_one_segment_and_never_overflows() {
        assert_eq!(InitialWindow::new(1, 1).window(1460), 1460);
        assert_eq!(InitialWindow::default().window(0), 10);
        assert_eq!(InitialWindow::segments(u32::MAX).window(u32::MAX), u32::MAX);
        assert_eq!(InitialWindow::default().window(u32::MAX), u32::MAX);
    }

    #[test]
    fn a_window_beyond_one_gibibyte_is_not_usable() {
        assert!(InitialWindow::default().is_usable());
        assert!(InitialWindow::new(1 << 30, 1 << 30).is_usable());
        assert!(!InitialWindow::bytes((1 << 30) + 1).is_usable());
        assert!(!InitialWindow::segments((1 << 30) + 1).is_usable());
    }
}
