//! No congestion control: only the peer's window limits the sender, as in 4.3BSD before Tahoe
//! (jacobson88 section 1; the sender of its figures 3, 8 and 10).
//!
//! It demonstrates congestion collapse. Do not use it on a shared network.

use super::parameters::Parameters;
use super::window::within_bounds;
use super::{Ack, Congestion, CongestionController, DEFAULT_MSS, LARGEST_WINDOW, Start};

/// No congestion window: always the largest that TCP can express.
///
/// Textual form: `none`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoControl {
    mss: u32,
}

impl NoControl {
    pub(super) const NAME: &'static str = "none";
}

impl NoControl {
    /// The algorithm before a connection exists.
    pub const fn new() -> Self {
        NoControl { mss: DEFAULT_MSS }
    }
}

impl Default for NoControl {
    fn default() -> Self {
        Self::new()
    }
}

impl Parameters for NoControl {}

impl CongestionController for NoControl {
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
        within_bounds(LARGEST_WINDOW, self.mss)
    }

    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }

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

    #[test]
    fn nothing_makes_the_window_smaller_than_any_peers() {
        let mut none = NoControl::default();
        none.on_start(&start(512, 512));
        none.on_congestion(&congestion(CongestionKind::Timeout, 1 << 16));
        none.on_ack(&acked(512));
        assert_eq!((none.window(), none.wants_prr()), (1 << 30, false));
    }
}
