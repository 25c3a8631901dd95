//! Veno: Reno that estimates, before it halves its window, whether the network was congested (paper veno,
//! section 2.2).
//!
//! By the round-trip time it estimates how many of the connection's own segments wait in the bottleneck's
//! queue: of the window, the part that would suffice with BaseRTT is on the wire, and the rest is queued (the
//! backlog). A loss with hardly any backlog is probably a radio error, so the window is reduced only by a
//! fifth. And while the backlog is large the window grows half as fast, which keeps the connection longer
//! near the point at which the path is just full. The backlog is calculated once per round trip, at the ack
//! of a tagged packet.
//!
//! Where the paper leaves a choice: the RTT of a round is the least of its samples, which delayed acks do not
//! increase; the initial slow start is Reno's, so a loss that ends it halves the window; later slow starts
//! keep the state last found in congestion avoidance, as it is only recalculated there; the round-trip time
//! of the handshake, which is not that of a data segment, is not used as BaseRTT.

use super::delegation::delegate_to_window;
use super::parameters::{ParameterList, Parameters};
use super::window::CongestionWindow;
use super::{
    Ack, Congestion, CongestionController, CongestionKind, Growth, Start, micros, queue_estimate,
};
use crate::time::Instant;
use core::cmp::Ordering;
use core::fmt;

/// Backlog in segments beyond which the window grows on every other ack only (beta of section 2.2).
const CONGESTED_ABOVE: u32 = 3;
/// Backlog in segments up to which a loss counts as random (alpha of section 2.2).
const RANDOM_LOSS_UP_TO: u8 = 1;
/// Least threshold, in segments (RFC 5681 equation 4).
const LEAST_THRESHOLD: u32 = 2;
/// No round-trip time sample yet.
const NO_SAMPLE: u32 = u32::MAX;

/// SACK TCP Veno congestion control.
///
/// Textual form: `veno`, with the parameters `threshold=SEGMENTS` (see
/// [`random_loss_up_to`](Self::random_loss_up_to)), `base-rtt=keep` or `reset` (see
/// [`keeping_base_rtt`](Self::keeping_base_rtt)) and `growth=RULE` ([`Growth`]).
///
/// ```
/// use ackclock::congestion::{CongestionController, Veno};
///
/// let law = Veno::default().random_loss_up_to(3).keeping_base_rtt();
/// assert_eq!(law.name(), "veno");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Veno {
    window: CongestionWindow,
    /// BaseRTT: the least round-trip time, in microseconds.
    base_rtt: u32,
    /// Value of `base_rtt` before the last congestion event.
    base_rtt_before: u32,
    /// Least round-trip time of this round, in microseconds.
    round_rtt: u32,
    random_loss_up_to: u8,
    keeps_base_rtt: bool,
    /// The paper's `equilibrium_arrival`.
    equilibrium_reached: bool,
    /// Whether the backlog was above beta when it was last calculated.
    congested: bool,
    /// Whether the last ack made the window grow, so that in congestion the next one does not.
    last_ack_counted: bool,
}

impl Veno {
    pub(super) const NAME: &'static str = "veno";

    /// Veno that counts acks by this rule.
    pub const fn new(growth: Growth) -> Self {
        Veno {
            window: CongestionWindow::new(growth),
            base_rtt: NO_SAMPLE,
            base_rtt_before: NO_SAMPLE,
            round_rtt: NO_SAMPLE,
            random_loss_up_to: RANDOM_LOSS_UP_TO,
            keeps_base_rtt: false,
            // Until congestion avoidance has measured the backlog, Veno behaves as Reno.
            equilibrium_reached: true,
            congested: false,
            last_ack_counted: false,
        }
    }

    /// Treats a loss as random if the backlog was at most this many segments. The default is 1, the alpha of
    /// the paper's pseudocode; later descriptions of Veno use 3, its beta.
    pub const fn random_loss_up_to(self, segments: u8) -> Self {
        Veno { random_loss_up_to: segments, ..self }
    }

    /// Keeps BaseRTT for the whole connection. By default, as in the paper, it is measured anew after each
    /// fast retransmit and each timeout.
    pub const fn keeping_base_rtt(self) -> Self {
        Veno { keeps_base_rtt: true, ..self }
    }

    /// Compares the backlog N = cwnd - cwnd * BaseRTT / RTT of the round that ends with the thresholds.
    fn measure_backlog(&mut self) {
        let rtt = core::mem::replace(&mut self.round_rtt, NO_SAMPLE);
        if rtt == NO_SAMPLE {
            return;
        }
        let (cwnd, mss) = (self.window.cwnd(), self.window.mss());
        let exceeds = |segments: u32| {
            queue_estimate::compare(cwnd, self.base_rtt, rtt, segments, mss) == Ordering::Greater
        };
        let (equilibrium, congested) =
            (exceeds(self.random_loss_up_to.into()), exceeds(CONGESTED_ABOVE));
        self.equilibrium_reached = equilibrium;
        self.congested = congested;
    }

    /// Whether this ack makes the window grow: in congestion every other ack does, otherwise every ack.
    fn counts_this_ack(&mut self) -> bool {
        self.last_ack_counted = !(self.congested && self.last_ack_counted);
        self.last_ack_counted
    }

    /// The new threshold. The paper reduces the window, not FlightSize.
    fn reduced_threshold(&self, kind: CongestionKind) -> u32 {
        let cwnd = self.window.cwnd();
        let reduced = if kind == CongestionKind::FastRetransmit && !self.equilibrium_reached {
            cwnd - cwnd.div_ceil(5)
        } else {
            cwnd / 2
        };
        reduced.max(self.window.mss().saturating_mul(LEAST_THRESHOLD))
    }
}

impl Default for Veno {
    fn default() -> Self {
        Veno::new(Growth::default())
    }
}

impl Parameters for Veno {
    const TAKES: &'static str =
        "threshold=SEGMENTS up to 255, base-rtt=keep or reset, and growth=RULE";

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match (name, value) {
            ("threshold", _) => self.random_loss_up_to = value.parse().ok()?,
            ("base-rtt", "keep") => self.keeps_base_rtt = true,
            ("base-rtt", "reset") => self.keeps_base_rtt = false,
            ("growth", _) => self.window.set_growth(value.parse().ok()?),
            _ => return None,
        }
        Some(())
    }

    fn write(&self, list: &mut ParameterList<'_, '_>) -> fmt::Result {
        let base_rtt = |keeps| if keeps { "keep" } else { "reset" };
        list.add("threshold=", self.random_loss_up_to, RANDOM_LOSS_UP_TO)?;
        list.add("base-rtt=", base_rtt(self.keeps_base_rtt), base_rtt(false))?;
        list.add("growth=", self.window.growth(), Growth::default())
    }
}

impl CongestionController for Veno {
    delegate_to_window!(
        on_known_threshold on_restart_after_idle on_unvalidated_window on_unvalidated_loss on_mss_change window
        slow_start_threshold
    );

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn on_start(&mut self, start: &Start) {
        let fresh = Veno::default();
        self.window.start(start);
        *self = Veno {
            window: self.window,
            random_loss_up_to: self.random_loss_up_to,
            keeps_base_rtt: self.keeps_base_rtt,
            ..fresh
        };
    }

    fn on_ack(&mut self, ack: &Ack) {
        let rtt = ack.rtt.map_or(NO_SAMPLE, micros);
        self.base_rtt = self.base_rtt.min(rtt);
        if ack.in_recovery {
            self.round_rtt = NO_SAMPLE;
            return;
        }
        self.round_rtt = self.round_rtt.min(rtt);
        if self.window.in_slow_start() {
            if ack.new_round {
                self.round_rtt = NO_SAMPLE;
            }
            self.window.grow(ack);
            return;
        }
        if ack.new_round {
            self.measure_backlog();
        }
        if ack.bytes_acked > 0 && self.counts_this_ack() {
            self.window.grow(ack);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if self.window.remember(event.kind) {
            self.base_rtt_before = self.base_rtt;
        }
        let reduced = self.reduced_threshold(event.kind);
        self.window.reduce(event.kind, reduced);
        if !self.keeps_base_rtt && event.kind != CongestionKind::Ecn {
            self.base_rtt = NO_SAMPLE;
        }
    }

    fn on_undo(&mut self, _now: Instant) {
        if self.window.undo() {
            self.base_rtt = self.base_rtt.min(self.base_rtt_before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::{acked, congestion, sizes, start};
    use crate::time::Duration;
    use CongestionKind::{Ecn, FastRetransmit, RepeatedTimeout, Timeout};

    const MSS: u32 = 1000;
    const BASE_MILLIS: u64 = 90;

    /// An ack of so many bytes with a sample, that of a round's tagged packet.
    fn measured(bytes: u32, rtt_millis: u64) -> Ack {
        Ack { rtt: Some(Duration::from_millis(rtt_millis)), new_round: true, ..acked(bytes) }
    }

    /// In congestion avoidance at 20 segments, with a BaseRTT of 90 ms.
    fn avoiding(mut veno: Veno) -> Veno {
        veno.on_start(&start(MSS, 40 * MSS));
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(sizes(&veno), (20 * MSS, 20 * MSS));
        veno.on_ack(&measured(0, BASE_MILLIS));
        veno
    }

    /// What a loss leaves of 20 segments after the last sample was so long.
    fn after_loss(veno: Veno, rtt_millis: u64, kind: CongestionKind) -> (u32, u32) {
        let mut veno = avoiding(veno);
        veno.on_ack(&measured(0, rtt_millis));
        veno.on_congestion(&congestion(kind, 0));
        sizes(&veno)
    }

    /// 20 segments: N = 20 (RTT - 90) / RTT. N = 1 at 94.74 ms, N = 3 at 105.88 ms.
    #[test]
    fn a_loss_with_at_most_one_segment_queued_costs_a_fifth() {
        let veno = Veno::default();
        assert_eq!(after_loss(veno, 90, FastRetransmit), (16 * MSS, 16 * MSS));
        assert_eq!(after_loss(veno, 94, FastRetransmit), (16 * MSS, 16 * MSS));
        assert_eq!(after_loss(veno, 95, FastRetransmit), (10 * MSS, 10 * MSS));
        assert_eq!(after_loss(veno, 105, FastRetransmit), (10 * MSS, 10 * MSS));
    }

    #[test]
    fn a_later_description_takes_up_to_three_segments_for_random() {
        let veno = Veno::default().random_loss_up_to(3);
        assert_eq!(after_loss(veno, 105, FastRetransmit), (16 * MSS, 16 * MSS));
        assert_eq!(after_loss(veno, 106, FastRetransmit), (10 * MSS, 10 * MSS));
    }

    /// 20 segments, 100 ms, BaseRTT 95 ms: N is exactly one.
    #[test]
    fn exactly_the_threshold_is_still_random() {
        let mut veno = Veno::default();
        veno.on_start(&start(MSS, 40 * MSS));
        veno.on_congestion(&congestion(FastRetransmit, 0));
        veno.on_ack(&measured(0, 95));
        veno.on_ack(&measured(0, 100));
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(veno.window(), 16 * MSS);
    }

    #[test]
    fn a_timeout_and_a_mark_halve_whatever_the_backlog() {
        let veno = Veno::default();
        assert_eq!(after_loss(veno, 90, Timeout), (MSS, 10 * MSS));
        assert_eq!(after_loss(veno, 90, Ecn), (10 * MSS, 10 * MSS));
    }

    #[test]
    fn a_repeated_timeout_keeps_the_threshold() {
        let mut veno = avoiding(Veno::default());
        veno.on_congestion(&congestion(Timeout, 0));
        veno.on_congestion(&congestion(RepeatedTimeout, 0));
        assert_eq!(sizes(&veno), (MSS, 10 * MSS));
    }

    #[test]
    fn the_threshold_is_at_least_two_segments() {
        let mut veno = Veno::default();
        veno.on_start(&start(MSS, 2 * MSS));
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(sizes(&veno), (2 * MSS, 2 * MSS));
    }

    #[test]
    fn the_initial_slow_start_is_renos() {
        let mut veno = Veno::default();
        veno.on_start(&start(MSS, 10 * MSS));
        veno.on_ack(&measured(2 * MSS, 90));
        // More than half the window queued would be congestion by far.
        veno.on_ack(&measured(2 * MSS, 200));
        assert_eq!(sizes(&veno), (14 * MSS, u32::MAX));
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(sizes(&veno), (7 * MSS, 7 * MSS));
    }

    #[test]
    fn beyond_three_segments_of_backlog_every_other_ack_counts() {
        let grown_after_40_acks = |rtt_millis| {
            let mut veno = avoiding(Veno::default());
            for _ in 0..40 {
                veno.on_ack(&measured(MSS, rtt_millis));
            }
            veno.window() / MSS
        };
        // 40 acks: 20 for the first segment, 19 of 21 for the second. In congestion 20 of them
        // count; 20 (106 - 90) / 106 is 3.02 segments.
        assert_eq!(grown_after_40_acks(90), 21);
        assert_eq!(grown_after_40_acks(100), 21);
        assert_eq!(grown_after_40_acks(106), 21);
        let mut acks = [90, 105, 106, 200].map(|rtt_millis| {
            let mut veno = avoiding(Veno::default());
            (1..).find(|_| {
                veno.on_ack(&measured(MSS, rtt_millis));
                veno.window() == 21 * MSS
            })
        });
        acks.sort_unstable();
        assert_eq!(acks, [Some(20), Some(20), Some(39), Some(39)]);
    }

    /// 180 ms would be half the window queued, or an ack that was delayed for as long as the path is.
    #[test]
    fn the_least_sample_of_a_round_decides() {
        let after_round = |samples: [u64; 2]| {
            let mut veno = avoiding(Veno::default());
            for (number, rtt_millis) in (0..).zip(samples) {
                veno.on_ack(&Ack { new_round: number == 1, ..measured(0, rtt_millis) });
            }
            veno.on_congestion(&congestion(FastRetransmit, 0));
            veno.window() / MSS
        };
        assert_eq!(after_round([90, 180]), 16);
        assert_eq!(after_round([180, 90]), 16);
        assert_eq!(after_round([180, 180]), 10);
    }

    /// After a timeout, of which the path has emptied.
    #[test]
    fn samples_of_slow_start_do_not_count_for_the_first_round_after_it() {
        let mut veno = avoiding(Veno::default());
        veno.on_congestion(&congestion(CongestionKind::Timeout, 20 * MSS));
        while veno.window.in_slow_start() {
            veno.on_ack(&measured(MSS, BASE_MILLIS));
        }
        veno.on_ack(&measured(0, 180));
        let before = veno.window();
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(veno.window(), before / 2);
    }

    #[test]
    fn within_a_round_the_backlog_stays_as_last_calculated() {
        let mut veno = avoiding(Veno::default());
        veno.on_ack(&Ack { new_round: false, ..measured(0, 180) });
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(veno.window(), 16 * MSS);
    }

    #[test]
    fn an_ack_without_a_sample_leaves_the_backlog_as_last_measured() {
        let mut veno = avoiding(Veno::default());
        veno.on_ack(&measured(0, 90));
        veno.on_ack(&acked(MSS));
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(veno.window(), 16 * MSS);
    }

    /// After a reset the next sample is the least there is, so nothing seems to be queued.
    #[test]
    fn base_rtt_is_measured_anew_after_a_loss_unless_it_is_kept() {
        let second_loss = |veno| {
            let mut veno = avoiding(veno);
            veno.on_congestion(&congestion(FastRetransmit, 0));
            let window = veno.window();
            veno.on_ack(&measured(0, 180));
            veno.on_congestion(&congestion(FastRetransmit, 0));
            (window / MSS, veno.window())
        };
        assert_eq!(second_loss(Veno::default()), (16, 12_800));
        assert_eq!(second_loss(Veno::default().keeping_base_rtt()), (16, 8_000));
    }

    #[test]
    fn a_false_alarm_is_taken_back() {
        for kind in [FastRetransmit, Ecn, Timeout] {
            let mut veno = avoiding(Veno::default());
            veno.on_ack(&acked(7 * MSS));
            veno.on_congestion(&congestion(kind, 0));
            veno.on_undo(Instant::ZERO);
            assert_eq!(sizes(&veno), (20 * MSS, 20 * MSS));
            veno.on_ack(&acked(13 * MSS));
            assert_eq!(veno.window(), 21 * MSS);
        }
    }

    /// BaseRTT is still 90 ms, so that a round of 180 ms means a full queue.
    #[test]
    fn a_false_alarm_does_not_cost_the_base_rtt() {
        let mut veno = avoiding(Veno::default());
        veno.on_congestion(&congestion(FastRetransmit, 0));
        veno.on_undo(Instant::ZERO);
        veno.on_ack(&measured(0, 180));
        veno.on_congestion(&congestion(FastRetransmit, 0));
        assert_eq!(veno.window(), 10 * MSS);
    }

    #[test]
    fn a_new_connection_keeps_the_parameters_only() {
        let parameters = Veno::default().random_loss_up_to(3).keeping_base_rtt();
        let mut used = avoiding(parameters);
        let mut unused = parameters;
        used.on_start(&start(MSS, 10 * MSS));
        unused.on_start(&start(MSS, 10 * MSS));
        assert_eq!(used, unused);
    }
}
