//! A constant congestion window: no congestion control at all.
//!
//! For experiments in closed networks: the fixed windows of zhang91 section 4, and a reference for other
//! algorithms. Do not use it on a shared network.

use super::parameters::{ParameterList, Parameters, Size};
use super::window::within_bounds;
use super::{Ack, Congestion, CongestionController, DEFAULT_MSS, Start};
use core::fmt;

/// The default window, in segments.
const DEFAULT_SEGMENTS: u32 = 64;

/// A constant congestion window.
///
/// Textual form: `fixed:20` for 20 segments, or `fixed:32k` for bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixed {
    size: Size,
    mss: u32,
}

impl Fixed {
    pub(super) const NAME: &'static str = "fixed";

    /// A window of this many bytes, but at least one segment.
    pub const fn bytes(bytes: u32) -> Self {
        Fixed { size: Size::Bytes(bytes), mss: DEFAULT_MSS }
    }

    /// A window of this many segments, but at least one.
    pub const fn segments(segments: u32) -> Self {
        Fixed { size: Size::Segments(segments), mss: DEFAULT_MSS }
    }
}

impl Default for Fixed {
    /// A window of 64 segments.
    fn default() -> Self {
        Fixed::segments(DEFAULT_SEGMENTS)
    }
}

impl Parameters for Fixed {
    const TAKES: &'static str =
        "a number of segments, as in fixed:20, or of bytes, as in fixed:32k";

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        self.size = if value.is_empty() { name.parse().ok()? } else { return None };
        Some(())
    }

    fn write(&self, list: &mut ParameterList<'_, '_>) -> fmt::Result {
        list.add("", self.size, Size::Segments(DEFAULT_SEGMENTS))
    }
}

impl CongestionController for Fixed {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn on_start(&mut self, start: &Start) {
        self.mss = start.mss.max(1);
    }

    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _event: &Congestion) {}

    fn on_mss_change(&mut self, mss: u32) {
        self.mss = mss.max(1);
    }

    fn window(&self) -> u32 {
        let bytes = match self.size {
            Size::Bytes(bytes) => bytes,
            Size::Segments(segments) => segments.saturating_mul(self.mss),
        };
        within_bounds(bytes, self.mss)
    }

    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }

    /// No: the window stays the same in recovery.
    fn wants_prr(&self) -> bool {
        false
    }

    fn is_constant(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::CongestionKind;
    use crate::congestion::tests::{acked, congestion, start};

    fn started(mut fixed: Fixed) -> Fixed {
        fixed.on_start(&start(1000, 10_000));
        fixed
    }

    #[test]
    fn the_window_is_what_was_asked_for() {
        assert_eq!(started(Fixed::segments(7)).window(), 7_000);
        assert_eq!(started(Fixed::bytes(7_777)).window(), 7_777);
        assert_eq!(started(Fixed::default()).window(), 64_000);
    }

    #[test]
    fn it_is_at_least_one_segment() {
        assert_eq!(started(Fixed::segments(0)).window(), 1_000);
        assert_eq!(started(Fixed::bytes(1)).window(), 1_000);
    }

    #[test]
    fn no_event_changes_it() {
        let mut fixed = started(Fixed::segments(7));
        fixed.on_ack(&acked(7_000));
        fixed.on_congestion(&congestion(CongestionKind::Timeout, 7_000));
        assert_eq!((fixed.window(), fixed.wants_prr()), (7_000, false));
    }

    #[test]
    fn segments_follow_the_segment_size_and_bytes_do_not() {
        let [mut segments, mut bytes] = [Fixed::segments(7), Fixed::bytes(7_000)].map(started);
        segments.on_mss_change(500);
        bytes.on_mss_change(500);
        assert_eq!((segments.window(), bytes.window()), (3_500, 7_000));
    }
}
