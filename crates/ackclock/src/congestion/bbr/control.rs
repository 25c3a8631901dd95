//! Pacing rate, send quantum and congestion window (section 5.6).

use super::percent;
use super::{Bbr, Flag, INFINITY, LARGEST_WINDOW, PACING_MARGIN_PERCENT, Rate, Sample, State};
use crate::time::Duration;

/// Length of a quantum in microseconds: it is what the pacing rate sends in a millisecond, ...
const QUANTUM_MICROS: u32 = 1_000;
/// ... at most this many bytes, ...
const LARGEST_QUANTUM: u32 = 64 * 1024;
/// ... and at least this many segments.
const LEAST_QUANTUM_SEGMENTS: u32 = 2;
/// Number of quanta that batching in hosts and links may add to the flight (section 5.5.8.1).
const OFFLOAD_QUANTA: u32 = 3;

impl Bbr {
    /// InitPacingRate (section 5.6.2).
    pub(super) fn init_pacing_rate(&mut self, rtt: Duration) {
        let nominal = Rate::per(self.initial_cwnd, rtt);
        self.pacing_rate = nominal.percent(State::Startup.pacing_gain());
    }

    /// SetPacingRateWithGain (section 5.6.2): until the pipe is full the rate only grows.
    pub(super) fn set_pacing_rate_with_gain(&mut self, gain: u32) {
        let rate = self.bw().percent(gain).percent(100 - PACING_MARGIN_PERCENT);
        let known = rate > Rate::ZERO;
        if known && (self.is(Flag::FullBwReached) || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// C.send_quantum (section 5.6.3).
    pub(super) fn quantum(&self) -> u32 {
        let least = self.mss.saturating_mul(LEAST_QUANTUM_SEGMENTS);
        self.pacing_rate.bytes_in(QUANTUM_MICROS).min(LARGEST_QUANTUM).max(least)
    }

    /// BBR.bdp for a bandwidth, in bytes; `None` before the first round-trip time sample.
    pub(super) fn bdp(&self, bw: Rate) -> Option<u32> {
        (self.min_rtt != INFINITY).then(|| bw.bytes_in(self.min_rtt))
    }

    /// BDPMultiple (section 5.6.4.2).
    fn bdp_multiple(&self, bw: Rate, gain: u32) -> u32 {
        self.bdp(bw).map_or(self.initial_cwnd, |bdp| percent(bdp, gain))
    }

    /// QuantizationBudget (section 5.6.4.2).
    fn quantization_budget(&self, inflight: u32) -> u32 {
        let offload_budget = self.quantum().saturating_mul(OFFLOAD_QUANTA);
        let budget = inflight.max(offload_budget).max(self.min_pipe_cwnd());
        match self.state {
            State::ProbeBwUp => budget.saturating_add(self.mss.saturating_mul(2)),
            _ => budget,
        }
    }

    /// Inflight (section 5.6.4.2) with a gain of 1: one bandwidth-delay product.
    pub(super) fn inflight(&self, bw: Rate) -> u32 {
        self.quantization_budget(self.bdp_multiple(bw, 100))
    }

    /// BBR.max_inflight (section 5.6.4.2).
    pub(super) fn max_inflight(&self) -> u32 {
        let inflight = self.bdp_multiple(self.bw(), self.state.cwnd_gain());
        self.quantization_budget(inflight.saturating_add(self.extra_acked()))
    }

    /// TargetInflight (section 5.3.3.8.3): one bandwidth-delay product, or the window if congestion has
    /// reduced it below that.
    pub(super) fn target_inflight(&self) -> u32 {
        self.bdp_multiple(self.bw(), 100).min(self.cwnd)
    }

    /// ProbeRTTCwnd (section 5.6.4.5).
    pub(super) fn probe_rtt_cwnd(&self) -> u32 {
        let gain = State::ProbeRtt.cwnd_gain();
        self.bdp_multiple(self.bw(), gain).max(self.min_pipe_cwnd())
    }

    /// SetCwnd (section 5.6.4.6).
    pub(super) fn set_cwnd(&mut self, sample: &Sample, window_limited: bool) {
        let max_inflight = self.max_inflight();
        let growth = if window_limited { sample.newly_acked } else { 0 };
        let grown = self.cwnd.saturating_add(growth);
        // The initial window has not been delivered yet: too early to judge.
        let is_new = sample.total_delivered < self.initial_cwnd;
        if self.is(Flag::FullBwReached) {
            self.cwnd = grown.min(max_inflight);
        } else if self.cwnd < max_inflight || is_new {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd_for_model();
        self.bound_cwnd();
    }

    /// BoundCwndForModel (section 5.6.4.7).
    fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state {
            State::ProbeRtt | State::ProbeBwCruise => self.inflight_with_headroom(),
            state if state.is_probe_bw() => self.inflight_longterm,
            _ => INFINITY,
        };
        let cap = cap.min(self.inflight_shortterm).max(self.min_pipe_cwnd());
        self.cwnd = self.cwnd.min(cap);
    }

    /// Applies the bounds that do not depend on the model.
    pub(super) fn bound_cwnd(&mut self) {
        self.cwnd = self.cwnd.min(LARGEST_WINDOW).max(self.mss);
    }

    /// SaveCwnd (section 5.6.4.4).
    pub(super) fn save_cwnd(&mut self) {
        let is_good = !self.is(Flag::InRecovery) && self.state != State::ProbeRtt;
        self.prior_cwnd = if is_good { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// RestoreCwnd (section 5.6.4.4).
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        self.bound_cwnd();
    }
}
