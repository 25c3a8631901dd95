//! Reno: additive increase, multiplicative decrease (RFC 5681).
//!
//! The window grows by a segment per round trip until a packet is dropped, and is then halved. After a
//! timeout, when the ack clock is lost, it starts again with one segment.

use super::delegation::delegate_to_window;
use super::parameters::{ParameterList, Parameters, parse_switch, switch};
use super::window::CongestionWindow;
use super::{
    Ack, Congestion, CongestionController, CongestionKind, Growth, HyStart, SlowStart,
    StandardSlowStart,
};
use core::fmt;

/// A loss reduces the flight by one part in this many: 1 - beta_loss = 1/2 (RFC 5681 equation 4).
const GIVEN_UP_FOR_LOSS: u32 = 2;
/// A congestion mark reduces it by one part in this many: 1 - beta_ecn = 1/5 (RFC 8511 section 3.1). A queue
/// that marks is shorter than one that overflows.
const GIVEN_UP_FOR_ECN: u32 = 5;
/// Least threshold, in segments (RFC 5681 equation 4).
const LEAST_THRESHOLD: u32 = 2;

/// Reno congestion control (RFC 5681), with byte counting (RFC 3465), and the alternative backoff of RFC 8511
/// for ECN.
///
/// The parameter is what may end the initial slow start before a loss: nothing, which costs nothing, or
/// [`HyStart`].
///
/// Textual form: `reno`, with the parameters `growth=RULE` ([`Growth`]) and `hystart=on`.
///
/// ```
/// use ackclock::congestion::{HyStart, Reno};
///
/// let plain: Reno = Reno::default();
/// let watched: Reno<HyStart> = Reno::default().with_hystart();
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reno<S = StandardSlowStart> {
    window: CongestionWindow<S>,
}

impl Reno {
    pub(super) const NAME: &'static str = "reno";

    /// Reno that counts acks by this rule.
    pub const fn new(growth: Growth) -> Self {
        Reno { window: CongestionWindow::new(growth) }
    }

    /// Reno with HyStart++ in the initial slow start (RFC 9406).
    #[must_use]
    pub const fn with_hystart(self) -> Reno<HyStart> {
        Reno { window: self.window.with_slow_start(HyStart::INITIAL) }
    }
}

impl<S: SlowStart> Reno<S> {
    /// The new threshold by RFC 5681 equation 4.
    fn reduced_threshold(&self, event: &Congestion) -> u32 {
        let given_up = match event.kind {
            CongestionKind::Ecn => event.flight_size.div_ceil(GIVEN_UP_FOR_ECN),
            _ => event.flight_size.div_ceil(GIVEN_UP_FOR_LOSS),
        };
        let least = self.window.mss().saturating_mul(LEAST_THRESHOLD);
        (event.flight_size - given_up).max(least)
    }
}

impl Parameters for Reno<Option<HyStart>> {
    const TAKES: &'static str = "growth=RULE and hystart=on or off";

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "growth" => self.window.set_growth(value.parse().ok()?),
            "hystart" => {
                let hystart = parse_switch(value)?.then_some(HyStart::INITIAL);
                self.window = self.window.with_slow_start(hystart);
            }
            _ => return None,
        }
        Some(())
    }

    fn write(&self, list: &mut ParameterList<'_, '_>) -> fmt::Result {
        let has_hystart = self.window.initial_slow_start().is_some();
        list.add("growth=", self.window.growth(), Growth::default())?;
        list.add("hystart=", switch(has_hystart), switch(false))
    }
}

impl From<Reno> for Reno<Option<HyStart>> {
    fn from(law: Reno) -> Self {
        Reno { window: law.window.with_slow_start(None) }
    }
}

impl From<Reno<HyStart>> for Reno<Option<HyStart>> {
    fn from(law: Reno<HyStart>) -> Self {
        Reno { window: law.window.with_slow_start(Some(law.window.initial_slow_start())) }
    }
}

impl Default for Reno {
    fn default() -> Self {
        Reno::new(Growth::default())
    }
}

impl<S: SlowStart> CongestionController for Reno<S> {
    delegate_to_window!(
        on_start on_known_threshold on_undo on_restart_after_idle on_unvalidated_window on_unvalidated_loss
        on_mss_change window slow_start_threshold
    );

    fn name(&self) -> &'static str {
        Reno::NAME
    }

    fn on_ack(&mut self, ack: &Ack) {
        if !ack.in_recovery {
            self.window.grow(ack);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.may_be_undone {
            self.window.remember(event.kind);
        }
        let reduced = self.reduced_threshold(event);
        self.window.reduce(event.kind, reduced);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::{acked, congestion, sizes, start};
    use crate::time::Instant;
    use CongestionKind::{Ecn, FastRetransmit, RepeatedTimeout, Timeout};

    const MSS: u32 = 1460;

    fn reno() -> Reno {
        let mut reno = Reno::default();
        reno.on_start(&start(MSS, 10 * MSS));
        reno
    }

    #[test]
    fn it_starts_with_the_initial_window_and_no_threshold() {
        assert_eq!(sizes(&reno()), (14_600, u32::MAX));
    }

    #[test]
    fn a_fast_retransmit_halves_the_flight() {
        let mut reno = reno();
        reno.on_congestion(&congestion(FastRetransmit, 10 * MSS + 1));
        assert_eq!(sizes(&reno), (7_300, 7_300));
    }

    #[test]
    fn it_is_the_flight_and_not_the_window_that_is_halved() {
        let mut reno = reno();
        reno.on_congestion(&congestion(FastRetransmit, 6 * MSS));
        assert_eq!(sizes(&reno), (3 * MSS, 3 * MSS));
    }

    #[test]
    fn the_threshold_is_at_least_two_segments() {
        for kind in [FastRetransmit, Ecn] {
            let mut reno = reno();
            reno.on_congestion(&congestion(kind, MSS));
            assert_eq!(sizes(&reno), (2 * MSS, 2 * MSS));
        }
    }

    #[test]
    fn a_congestion_mark_costs_a_fifth_of_the_flight() {
        let mut reno = reno();
        reno.on_congestion(&congestion(Ecn, 10 * MSS));
        assert_eq!(sizes(&reno), (8 * MSS, 8 * MSS));
    }

    #[test]
    fn a_timeout_starts_again_with_one_segment() {
        let mut reno = reno();
        reno.on_congestion(&congestion(Timeout, 10 * MSS));
        assert_eq!(sizes(&reno), (MSS, 5 * MSS));
    }

    #[test]
    fn a_repeated_timeout_keeps_the_threshold() {
        let mut reno = reno();
        reno.on_congestion(&congestion(Timeout, 10 * MSS));
        reno.on_congestion(&congestion(RepeatedTimeout, MSS));
        assert_eq!(sizes(&reno), (MSS, 5 * MSS));
    }

    #[test]
    fn the_window_stands_still_in_recovery() {
        let mut reno = reno();
        let mut ack = acked(2 * MSS);
        ack.in_recovery = true;
        reno.on_ack(&ack);
        assert_eq!(reno.window(), 10 * MSS);
        ack.in_recovery = false;
        reno.on_ack(&ack);
        assert_eq!(reno.window(), 12 * MSS);
    }

    #[test]
    fn a_false_alarm_is_taken_back() {
        for kind in [FastRetransmit, Ecn, Timeout] {
            let mut reno = reno();
            reno.on_ack(&acked(MSS));
            let before = sizes(&reno);
            reno.on_congestion(&congestion(kind, 11 * MSS));
            assert_ne!(sizes(&reno), before);
            reno.on_undo(Instant::ZERO);
            assert_eq!(sizes(&reno), before);
        }
    }

    /// The sawtooth of RFC 5681: from half a window back to it, one segment per round trip.
    #[test]
    fn a_halved_window_grows_back_in_as_many_rounds_as_it_lost_segments() {
        let mut reno = reno();
        reno.on_congestion(&congestion(FastRetransmit, 10 * MSS));
        let windows: [u32; 5] = core::array::from_fn(|_| {
            for _ in 0..reno.window() / MSS {
                reno.on_ack(&acked(MSS));
            }
            reno.window() / MSS
        });
        assert_eq!(windows, [6, 7, 8, 9, 10]);
    }

    #[test]
    fn an_idle_connection_restarts_with_the_restart_window() {
        let mut reno = reno();
        for _ in 0..10 {
            reno.on_ack(&acked(2 * MSS));
        }
        assert_eq!(reno.window(), 30 * MSS);
        reno.on_restart_after_idle(Instant::ZERO, 10 * MSS);
        assert_eq!(reno.window(), 10 * MSS);
    }
}
