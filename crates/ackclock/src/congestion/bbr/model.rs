//! Model of the path's bandwidth, in the long term and in the last round (sections 5.5.1 to 5.5.6 and
//! 5.5.10.3).

use super::{BETA_PERCENT, Bbr, Flag, INFINITY, Rate, Sample, at_or_after, percent};

impl Bbr {
    /// BBR.max_bw.
    pub(super) fn max_bw(&self) -> Rate {
        let [this_cycle, last_cycle] = self.max_bw_filter;
        this_cycle.max(last_cycle)
    }

    /// BBR.bw (BoundBWForModel).
    pub(super) fn bw(&self) -> Rate {
        self.max_bw().min(self.bw_shortterm)
    }

    /// StartRound: the round ends when data sent from now on is acknowledged.
    pub(super) fn start_round(&mut self, total_delivered: u32) {
        self.next_round_delivered = total_delivered;
    }

    /// UpdateRound.
    fn update_round(&mut self, sample: &Sample) {
        if self.is(Flag::RoundPending) {
            self.set(Flag::RoundPending, false);
            self.start_round(sample.total_delivered);
        }
        let ends = |prior| at_or_after(prior, self.next_round_delivered);
        let round_start = sample.prior_delivered.is_some_and(ends);
        self.set(Flag::RoundStart, round_start);
        if round_start {
            self.start_round(sample.total_delivered);
            self.rounds_since_probe_up = self.rounds_since_probe_up.saturating_add(1);
            self.drain_rounds = self.drain_rounds.saturating_add(1);
            self.set(Flag::WindowFilledBefore, self.is(Flag::WindowFilled));
            self.set(Flag::WindowFilled, false);
        }
    }

    /// C.is_cwnd_limited.
    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.is(Flag::WindowFilled) || self.is(Flag::WindowFilledBefore)
    }

    /// UpdateMaxBw: a sample limited by the application only shows that the path has at least this bandwidth.
    fn update_max_bw(&mut self, sample: &Sample) {
        let rate = sample.delivery_rate;
        if rate > Rate::ZERO && (rate >= self.max_bw() || !sample.is_app_limited) {
            let [this_cycle, _] = &mut self.max_bw_filter;
            *this_cycle = rate.max(*this_cycle);
        }
    }

    /// AdvanceMaxBwFilter. A cycle without samples keeps the values of the last one.
    pub(super) fn advance_max_bw_filter(&mut self) {
        let [this_cycle, _] = self.max_bw_filter;
        if this_cycle > Rate::ZERO {
            self.max_bw_filter = [Rate::ZERO, this_cycle];
        }
    }

    /// UpdateLatestDeliverySignals; returns BBR.loss_round_start.
    pub(super) fn update_latest_delivery_signals(&mut self, sample: &Sample) -> bool {
        self.bw_latest = self.bw_latest.max(sample.delivery_rate);
        self.inflight_latest = self.inflight_latest.max(sample.delivered);
        let ends = |prior| at_or_after(prior, self.loss_round_delivered);
        let loss_round_start = sample.prior_delivered.is_some_and(ends);
        if loss_round_start {
            self.loss_round_delivered = sample.total_delivered;
        }
        loss_round_start
    }

    /// AdvanceLatestDeliverySignals.
    pub(super) fn advance_latest_delivery_signals(
        &mut self,
        sample: &Sample,
        loss_round_start: bool,
    ) {
        if loss_round_start {
            self.bw_latest = sample.delivery_rate;
            self.inflight_latest = sample.delivered;
        }
    }

    /// ResetCongestionSignals.
    pub(super) fn reset_congestion_signals(&mut self) {
        self.set(Flag::LossInRound, false);
        self.bw_latest = Rate::ZERO;
        self.inflight_latest = 0;
    }

    /// UpdateCongestionSignals.
    pub(super) fn update_congestion_signals(&mut self, sample: &Sample, loss_round_start: bool) {
        self.update_round(sample);
        self.update_max_bw(sample);
        if loss_round_start {
            self.adapt_lower_bounds_from_congestion();
            self.set(Flag::LossInRound, false);
        }
    }

    /// AdaptLowerBoundsFromCongestion, once per round: lowers the bounds to what is delivered.
    fn adapt_lower_bounds_from_congestion(&mut self) {
        if self.state.is_probing_bandwidth() || !self.is(Flag::LossInRound) {
            return;
        }
        // InitLowerBounds.
        if self.bw_shortterm == Rate::INFINITY {
            self.bw_shortterm = self.max_bw();
        }
        if self.inflight_shortterm == INFINITY {
            self.inflight_shortterm = self.cwnd;
        }
        // LossLowerBounds.
        self.bw_shortterm = self.bw_latest.max(self.bw_shortterm.percent(BETA_PERCENT));
        self.inflight_shortterm =
            self.inflight_latest.max(percent(self.inflight_shortterm, BETA_PERCENT));
    }

    /// ResetShortTermModel.
    pub(super) fn reset_short_term_model(&mut self) {
        self.bw_shortterm = Rate::INFINITY;
        self.inflight_shortterm = INFINITY;
    }
}
