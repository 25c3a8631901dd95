//! Tahoe: slow start after every loss (jacobson88 section 3 and appendix B).
//!
//! Any congestion, however detected, sets the threshold to half the window, and the window to one segment.
//! There is no fast recovery.

use super::delegation::delegate_to_window;
use super::parameters::{ParameterList, Parameters};
use super::window::CongestionWindow;
use super::{Ack, Congestion, CongestionController, Growth};
use core::fmt;

/// Least threshold, in segments, as in 4.3BSD-Tahoe; the paper leaves it open.
const LEAST_THRESHOLD: u32 = 2;

/// Tahoe congestion control (jacobson88 appendix B).
///
/// Textual form: `tahoe`, with the parameter `growth=RULE` ([`Growth`], by default `per-ack`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tahoe {
    window: CongestionWindow,
}

impl Tahoe {
    pub(super) const NAME: &'static str = "tahoe";

    /// Tahoe that counts acks by this rule.
    pub const fn new(growth: Growth) -> Self {
        Tahoe { window: CongestionWindow::new(growth) }
    }

    /// The new threshold: half of the window that was in use, in whole segments.
    fn reduced_threshold(&self, flight_size: u32) -> u32 {
        let mss = self.window.mss();
        let half = self.window.cwnd().min(flight_size) / 2;
        let segments = half.checked_div(mss).unwrap_or(0).max(LEAST_THRESHOLD);
        segments.saturating_mul(mss)
    }
}

impl Default for Tahoe {
    /// Tahoe that grows per ack, as in the paper.
    fn default() -> Self {
        Tahoe::new(Growth::PerAck)
    }
}

impl Parameters for Tahoe {
    const TAKES: &'static str = "growth=RULE";

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        (name == "growth").then_some(())?;
        self.window.set_growth(value.parse().ok()?);
        Some(())
    }

    fn write(&self, list: &mut ParameterList<'_, '_>) -> fmt::Result {
        list.add("growth=", self.window.growth(), Growth::PerAck)
    }
}

impl CongestionController for Tahoe {
    delegate_to_window!(
        on_start on_known_threshold on_undo on_restart_after_idle on_unvalidated_window on_mss_change window
        slow_start_threshold
    );

    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Recovery is a slow start here, so the window grows in it too.
    fn on_ack(&mut self, ack: &Ack) {
        self.window.grow(ack);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.window.remember(event.kind);
        let reduced = self.reduced_threshold(event.flight_size);
        self.window.slow_start_again(reduced);
    }

    /// No: the window is reduced to one segment at once.
    fn wants_prr(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::CongestionKind;
    use crate::congestion::tests::{acked, congestion, sizes, start};
    use crate::time::Instant;
    use CongestionKind::{Ecn, FastRetransmit, RepeatedTimeout, Timeout};

    const MSS: u32 = 512;

    fn tahoe(segments: u32) -> Tahoe {
        let mut tahoe = Tahoe::default();
        tahoe.on_start(&start(MSS, segments * MSS));
        tahoe
    }

    #[test]
    fn any_congestion_starts_again_with_one_segment() {
        for kind in [FastRetransmit, Ecn, Timeout, RepeatedTimeout] {
            let mut tahoe = tahoe(9);
            tahoe.on_congestion(&congestion(kind, 9 * MSS));
            // Half of nine segments, in whole segments.
            assert_eq!(sizes(&tahoe), (MSS, 4 * MSS));
        }
    }

    #[test]
    fn the_threshold_is_half_of_what_was_in_use() {
        let mut little_in_flight = tahoe(32);
        little_in_flight.on_congestion(&congestion(Timeout, 12 * MSS));
        assert_eq!(little_in_flight.slow_start_threshold(), 6 * MSS);
        let mut more_in_flight_than_the_window = tahoe(8);
        more_in_flight_than_the_window.on_congestion(&congestion(Timeout, 40 * MSS));
        assert_eq!(more_in_flight_than_the_window.slow_start_threshold(), 4 * MSS);
    }

    #[test]
    fn a_second_timeout_lowers_the_threshold_to_its_minimum() {
        let mut tahoe = tahoe(32);
        tahoe.on_congestion(&congestion(Timeout, 32 * MSS));
        tahoe.on_congestion(&congestion(RepeatedTimeout, 32 * MSS));
        assert_eq!(sizes(&tahoe), (MSS, 2 * MSS));
    }

    /// Appendix B, worked by hand: after a loss at 8 segments the window doubles to 4 and then
    /// gains one segment per window of acks.
    #[test]
    fn slow_start_hands_over_to_avoidance_at_half_the_window() {
        let mut tahoe = tahoe(8);
        tahoe.on_congestion(&congestion(FastRetransmit, 8 * MSS));
        let windows: [u32; 12] = core::array::from_fn(|_| {
            let mut ack = acked(MSS);
            ack.in_recovery = true;
            tahoe.on_ack(&ack);
            tahoe.window() / MSS
        });
        assert_eq!(windows, [2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6]);
    }

    #[test]
    fn a_false_alarm_is_taken_back() {
        let mut tahoe = tahoe(8);
        tahoe.on_congestion(&congestion(Timeout, 8 * MSS));
        tahoe.on_undo(Instant::ZERO);
        assert_eq!(sizes(&tahoe), (8 * MSS, u32::MAX));
    }

    #[test]
    fn it_does_without_proportional_rate_reduction() {
        assert!(!tahoe(1).wants_prr());
    }
}
