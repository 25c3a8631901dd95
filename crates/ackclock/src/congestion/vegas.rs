//! Vegas: a window that keeps a few segments in the queue, judged by delay (Brakmo & Peterson, "TCP Vegas:
//! End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13(8), 1995).
//!
//! Expected = cwnd/BaseRTT is the rate that the window would give without a queue, Actual = cwnd/RTT is the
//! rate that it gives; their difference times BaseRTT is how much of the connection's own data is queued.
//! Once per round trip the window grows by a segment if that is less than alpha segments, and shrinks by one
//! if it is more than beta. Slow start doubles the window only in every other round, so that the rounds
//! between can be measured, and ends when more than gamma is queued.
//!
//! Where the paper leaves a choice: the RTT of a round is the least of its samples, which delayed acks do not
//! increase; at the end of slow start the window is reduced by an eighth, as in known implementations; the
//! response to a loss is Reno's, since the paper's finer retransmission belongs to loss recovery.

use super::delegation::delegate_to_window;
use super::parameters::{ParameterList, Parameters};
use super::window::CongestionWindow;
use super::{Ack, Congestion, CongestionController, Growth, Start, micros, queue_estimate};
use core::cmp::Ordering;
use core::fmt;

/// Least threshold, and least window after a reduction by delay, in segments.
const LEAST_SEGMENTS: u32 = 2;
/// At its end, slow start reduces the window by one part in this many.
const SLOW_START_EXCESS: u32 = 8;
/// No round-trip time sample yet.
const NO_SAMPLE: u32 = u32::MAX;

/// Bounds for the queued data, in segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds {
    alpha: u8,
    beta: u8,
    gamma: u8,
}

impl Bounds {
    /// Between one and three segments in the bottleneck's queue, as in the paper, and one in slow start.
    const DEFAULT: Bounds = Bounds { alpha: 1, beta: 3, gamma: 1 };
}

/// TCP Vegas congestion control.
///
/// Textual form: `vegas`, with the parameters `alpha=SEGMENTS`, `beta=SEGMENTS` and `gamma=SEGMENTS`, each up
/// to 255, and `growth=RULE` ([`Growth`]) for slow start.
///
/// ```
/// use ackclock::congestion::{CongestionController, Vegas};
///
/// assert_eq!(Vegas::new(2, 4, 1).name(), "vegas");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vegas {
    window: CongestionWindow,
    bounds: Bounds,
    /// Least round-trip times of the connection and of this round, in microseconds.
    base_rtt: u32,
    round_rtt: u32,
    /// Whether slow start measures in this round instead of growing.
    measures: bool,
}

impl Vegas {
    pub(super) const NAME: &'static str = "vegas";

    /// Vegas that keeps between `alpha` and `beta` segments in the queue, and leaves slow start when there
    /// are more than `gamma`. A beta below alpha counts as alpha.
    pub const fn new(alpha: u8, beta: u8, gamma: u8) -> Self {
        Vegas {
            window: CongestionWindow::new(Growth::STANDARD),
            bounds: Bounds { alpha, beta, gamma },
            base_rtt: NO_SAMPLE,
            round_rtt: NO_SAMPLE,
            measures: false,
        }
    }

    /// Adjusts the window, once per round trip, to the queue that the last round trip has shown.
    fn on_round(&mut self, window_limited: bool) {
        let rtt = core::mem::replace(&mut self.round_rtt, NO_SAMPLE);
        if rtt == NO_SAMPLE {
            return;
        }
        let (cwnd, mss) = (self.window.cwnd(), self.window.mss());
        let queued =
            |segments: u8| queue_estimate::compare(cwnd, self.base_rtt, rtt, segments.into(), mss);
        let Bounds { alpha, beta, gamma } = self.bounds;
        let least = mss.saturating_mul(LEAST_SEGMENTS).min(cwnd);
        if self.window.in_slow_start() {
            if self.measures && queued(gamma) == Ordering::Greater {
                let kept = cwnd - cwnd / SLOW_START_EXCESS;
                self.window.avoid_congestion_at(kept.max(least));
            }
            self.measures = !self.measures;
        } else if queued(beta.max(alpha)) == Ordering::Greater {
            self.window.avoid_congestion_at(cwnd.saturating_sub(mss).max(least));
        } else if queued(alpha) == Ordering::Less && window_limited {
            self.window.avoid_congestion_at(cwnd.saturating_add(mss));
        }
    }

    /// The new threshold by RFC 5681 equation 4.
    fn reduced_threshold(&self, flight_size: u32) -> u32 {
        (flight_size / 2).max(self.window.mss().saturating_mul(LEAST_SEGMENTS))
    }
}

impl Default for Vegas {
    fn default() -> Self {
        let Bounds { alpha, beta, gamma } = Bounds::DEFAULT;
        Vegas::new(alpha, beta, gamma)
    }
}

impl Parameters for Vegas {
    const TAKES: &'static str =
        "alpha=SEGMENTS, beta=SEGMENTS, gamma=SEGMENTS, each up to 255, and growth=RULE";

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "alpha" => self.bounds.alpha = value.parse().ok()?,
            "beta" => self.bounds.beta = value.parse().ok()?,
            "gamma" => self.bounds.gamma = value.parse().ok()?,
            "growth" => self.window.set_growth(value.parse().ok()?),
            _ => return None,
        }
        Some(())
    }

    fn write(&self, list: &mut ParameterList<'_, '_>) -> fmt::Result {
        list.add("alpha=", self.bounds.alpha, Bounds::DEFAULT.alpha)?;
        list.add("beta=", self.bounds.beta, Bounds::DEFAULT.beta)?;
        list.add("gamma=", self.bounds.gamma, Bounds::DEFAULT.gamma)?;
        list.add("growth=", self.window.growth(), Growth::default())
    }
}

impl CongestionController for Vegas {
    delegate_to_window!(
        on_known_threshold on_undo on_restart_after_idle on_unvalidated_window on_unvalidated_loss on_mss_change window
        slow_start_threshold
    );

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn on_start(&mut self, start: &Start) {
        self.window.start(start);
        let Bounds { alpha, beta, gamma } = self.bounds;
        *self = Vegas { window: self.window, ..Vegas::new(alpha, beta, gamma) };
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.in_recovery {
            self.round_rtt = NO_SAMPLE;
            return;
        }
        if ack.new_round {
            self.on_round(ack.window_limited);
        }
        if let Some(rtt) = ack.rtt.map(micros) {
            self.base_rtt = self.base_rtt.min(rtt);
            self.round_rtt = self.round_rtt.min(rtt);
        }
        if self.window.in_slow_start() && !self.measures {
            self.window.grow(ack);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.window.remember(event.kind);
        let reduced = self.reduced_threshold(event.flight_size);
        self.window.reduce(event.kind, reduced);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::CongestionKind::{FastRetransmit, RepeatedTimeout, Timeout};
    use crate::congestion::tests::{acked, congestion, sizes, start};
    use crate::time::{Duration, Instant};

    const MSS: u32 = 1000;

    fn vegas(segments: u32) -> Vegas {
        let mut vegas = Vegas::default();
        vegas.on_start(&start(MSS, segments * MSS));
        vegas
    }

    /// In congestion avoidance at 20 segments, with a BaseRTT of 100 ms.
    fn avoiding() -> Vegas {
        let mut vegas = vegas(20);
        vegas.on_congestion(&congestion(FastRetransmit, 40 * MSS));
        vegas.window.avoid_congestion_at(20 * MSS);
        vegas.base_rtt = 100_000;
        vegas
    }

    /// A round of so many acks of a segment each.
    fn round(vegas: &mut Vegas, rtt_millis: u64, acks: u32) {
        for n in 0..acks {
            let rtt = Some(Duration::from_millis(rtt_millis));
            vegas.on_ack(&Ack { rtt, new_round: n == 0, ..acked(MSS) });
        }
    }

    /// By how many segments a round of that time changes a window of 20, which has
    /// 20 (RTT - 100) / RTT of them in the queue.
    fn change_after(rtt_millis: u64) -> i64 {
        let mut vegas = avoiding();
        round(&mut vegas, rtt_millis, 20);
        let before = i64::from(vegas.window());
        vegas.on_ack(&Ack { new_round: true, ..acked(MSS) });
        (i64::from(vegas.window()) - before) / i64::from(MSS)
    }

    #[test]
    fn less_than_alpha_in_the_queue_opens_the_window_by_a_segment_a_round() {
        // One segment is queued at 105.26 ms.
        assert_eq!(change_after(100), 1);
        assert_eq!(change_after(105), 1);
        assert_eq!(change_after(106), 0);
    }

    #[test]
    fn more_than_beta_in_the_queue_closes_it_by_a_segment_a_round() {
        // Three are at 117.65 ms.
        assert_eq!(change_after(117), 0);
        assert_eq!(change_after(118), -1);
        assert_eq!(change_after(900), -1);
    }

    #[test]
    fn it_shrinks_to_two_segments_at_least() {
        let mut vegas = avoiding();
        vegas.bounds = Bounds { alpha: 0, beta: 0, gamma: 0 };
        for _ in 0..30 {
            round(&mut vegas, 900, 1);
        }
        assert_eq!(vegas.window(), 2 * MSS);
    }

    #[test]
    fn a_window_that_does_not_limit_the_sender_does_not_grow() {
        let mut vegas = avoiding();
        round(&mut vegas, 100, 20);
        let before = vegas.window();
        vegas.on_ack(&Ack { new_round: true, window_limited: false, ..acked(MSS) });
        assert_eq!(vegas.window(), before);
    }

    #[test]
    fn slow_start_doubles_in_every_other_round() {
        let mut vegas = vegas(2);
        let windows: [u32; 6] = core::array::from_fn(|_| {
            let acks = vegas.window() / MSS;
            round(&mut vegas, 100, acks);
            vegas.window() / MSS
        });
        assert_eq!(windows, [4, 4, 8, 8, 16, 16]);
    }

    #[test]
    fn slow_start_ends_when_more_than_gamma_is_queued() {
        let mut vegas = vegas(8);
        round(&mut vegas, 100, 8);
        assert_eq!(vegas.window(), 16 * MSS);
        // 16 * 10 / 110 = 1.45 segments.
        round(&mut vegas, 110, 16);
        assert_eq!(sizes(&vegas), (16 * MSS, u32::MAX));
        vegas.on_ack(&Ack { new_round: true, ..acked(MSS) });
        assert_eq!(sizes(&vegas), (14 * MSS, 14 * MSS));
    }

    #[test]
    fn losses_are_answered_as_in_reno() {
        let mut vegas = avoiding();
        vegas.on_congestion(&congestion(FastRetransmit, 20 * MSS));
        assert_eq!(sizes(&vegas), (10 * MSS, 10 * MSS));
        vegas.on_congestion(&congestion(Timeout, 10 * MSS));
        vegas.on_congestion(&congestion(RepeatedTimeout, MSS));
        assert_eq!(sizes(&vegas), (MSS, 5 * MSS));
        vegas.on_undo(Instant::ZERO);
        assert_eq!(sizes(&vegas), (10 * MSS, 10 * MSS));
    }

    #[test]
    fn samples_of_a_recovery_say_nothing_of_the_queue() {
        let mut vegas = avoiding();
        round(&mut vegas, 900, 20);
        let window = vegas.window();
        vegas.on_ack(&Ack { in_recovery: true, ..acked(MSS) });
        vegas.on_ack(&Ack { new_round: true, ..acked(MSS) });
        assert_eq!(vegas.window(), window);
    }

    #[test]
    fn the_bounds_are_parameters() {
        let mut vegas = Vegas::new(2, 1, 0);
        vegas.on_start(&start(MSS, 20 * MSS));
        assert_eq!(vegas.bounds, Bounds { alpha: 2, beta: 1, gamma: 0 });
        vegas.window.avoid_congestion_at(20 * MSS);
        vegas.base_rtt = 100_000;
        let mut change = |rtt_millis| {
            let before = vegas.window();
            round(&mut vegas, rtt_millis, 2);
            vegas.on_ack(&Ack { new_round: true, ..acked(MSS) });
            i64::from(vegas.window()) - i64::from(before)
        };
        // Between alpha = 2 and beta, which counts as no less, there is nothing.
        assert_eq!((change(111), change(113)), (1_000, -1_000));
    }
}
