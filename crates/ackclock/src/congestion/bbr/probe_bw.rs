//! ProbeBW, with the phases DOWN, CRUISE, REFILL and UP (section 5.3.3).

use super::{AckPhase, Bbr, Flag, HEADROOM_PERCENT, INFINITY, Sample, State, has_elapsed, percent};

/// Least wait between probes, in milliseconds; up to a second is added at random (T_bbr).
const LEAST_PROBE_WAIT: u32 = 2_000;
/// Most rounds between probes; at random one less (T_reno_bound).
const RENO_ROUNDS: u32 = 63;
/// How often the growth of the long-term bound may double.
const MOST_SLOPE_ROUNDS: u8 = 30;

impl Bbr {
    /// StartProbeBW_DOWN.
    pub(super) fn start_probe_bw_down(
        &mut self,
        now_millis: u32,
        random: u32,
        total_delivered: u32,
    ) {
        self.reset_congestion_signals();
        self.pick_probe_wait(now_millis, random);
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round(total_delivered);
        self.state = State::ProbeBwDown;
    }

    /// StartProbeBW_CRUISE.
    pub(super) fn start_probe_bw_cruise(&mut self) {
        self.state = State::ProbeBwCruise;
    }

    /// StartProbeBW_REFILL.
    pub(super) fn start_probe_bw_refill(&mut self, total_delivered: u32) {
        self.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0;
        self.set(Flag::PrevProbePrecautionary, false);
        self.ack_phase = AckPhase::Refilling;
        self.start_round(total_delivered);
        self.state = State::ProbeBwRefill;
    }

    /// StartProbeBW_UP.
    fn start_probe_bw_up(&mut self, sample: &Sample) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round(sample.total_delivered);
        self.reset_full_bw(sample.delivery_rate);
        self.state = State::ProbeBwUp;
        self.raise_inflight_longterm_slope();
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_probe_bw_cycle_phase(&mut self, sample: &Sample) {
        if !self.is(Flag::FullBwReached) || self.adapt_long_term_model(sample) {
            return;
        }
        let state = self.state;
        match state {
            State::ProbeBwDown if self.is_time_to_probe_bw(sample) => {
                self.start_probe_bw_refill(sample.total_delivered);
            }
            State::ProbeBwDown if self.is_time_to_cruise(sample) => self.start_probe_bw_cruise(),
            State::ProbeBwCruise if self.is_time_to_probe_bw(sample) => {
                self.start_probe_bw_refill(sample.total_delivered);
            }
            State::ProbeBwRefill if self.is(Flag::RoundStart) => {
                self.set(Flag::BwProbeSample, true);
                self.start_probe_bw_up(sample);
            }
            State::ProbeBwUp if self.is_time_to_go_down(sample) => {
                self.set(Flag::PrevProbeTooHigh, false);
                let Sample { now_millis, random, total_delivered, .. } = *sample;
                self.start_probe_bw_down(now_millis, random, total_delivered);
            }
            _ => {}
        }
    }

    /// PickProbeWait.
    fn pick_probe_wait(&mut self, now_millis: u32, random: u32) {
        self.rounds_since_probe_up = (random & 1) as u8;
        let by_chance = ((random >> 16) * 1_000) >> 16;
        self.phase_end_stamp = now_millis.wrapping_add(LEAST_PROBE_WAIT + by_chance);
    }

    /// IsTimeToProbeBW.
    fn is_time_to_probe_bw(&self, sample: &Sample) -> bool {
        has_elapsed(sample.now_millis, self.phase_end_stamp, 0)
            || self.is_reno_coexistence_probe_time()
    }

    /// IsRenoCoexistenceProbeTime: whether Reno would have filled the path by now.
    fn is_reno_coexistence_probe_time(&self) -> bool {
        let reno_rounds = self.target_inflight().checked_div(self.mss).unwrap_or(0);
        u32::from(self.rounds_since_probe_up) >= reno_rounds.min(RENO_ROUNDS)
    }

    /// IsTimeToCruise.
    fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        sample.in_flight <= self.inflight_with_headroom()
            && sample.in_flight <= self.inflight(self.max_bw())
    }

    /// IsTimeToGoDown.
    fn is_time_to_go_down(&mut self, sample: &Sample) -> bool {
        // Precautionary bandwidth probing: deceleration (section 5.3.3.6).
        if self.is(Flag::PrevProbeTooHigh) && sample.in_flight >= self.inflight_longterm {
            self.set(Flag::PrevProbePrecautionary, true);
            return true;
        }
        if self.is_cwnd_limited() && self.cwnd >= self.inflight_longterm {
            // The bound limits the bandwidth, not the path.
            self.reset_full_bw(sample.delivery_rate);
            return false;
        }
        self.is(Flag::FullBwNow)
    }

    /// InflightWithHeadroom.
    pub(super) fn inflight_with_headroom(&self) -> u32 {
        if self.inflight_longterm == INFINITY {
            return INFINITY;
        }
        let headroom = percent(self.inflight_longterm, HEADROOM_PERCENT).max(self.mss);
        self.inflight_longterm.saturating_sub(headroom).max(self.min_pipe_cwnd())
    }

    /// RaiseInflightLongtermSlope: the bound grows twice as fast as in the last round.
    fn raise_inflight_longterm_slope(&mut self) {
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(MOST_SLOPE_ROUNDS + 1);
    }

    /// BBR.probe_up_acked_per_inc: bytes to be acknowledged for each segment by which the bound grows.
    fn probe_up_acked_per_inc(&self) -> u32 {
        let growth_this_round = self.bw_probe_up_rounds.saturating_sub(1);
        (self.cwnd >> growth_this_round.min(MOST_SLOPE_ROUNDS)).max(self.mss)
    }

    /// ProbeInflightLongtermUpward.
    fn probe_inflight_longterm_upward(&mut self, sample: &Sample) {
        if !self.is_cwnd_limited() || self.cwnd < self.inflight_longterm {
            return;
        }
        let per_inc = self.probe_up_acked_per_inc();
        let acked = self.bw_probe_up_acked.saturating_add(sample.newly_acked);
        let delta = acked.checked_div(per_inc).unwrap_or(0);
        self.bw_probe_up_acked = acked - delta * per_inc;
        self.inflight_longterm =
            self.inflight_longterm.saturating_add(delta.saturating_mul(self.mss));
        if self.is(Flag::RoundStart) {
            self.raise_inflight_longterm_slope();
        }
    }

    /// AdaptLongTermModel; returns whether it has decided on a phase transition.
    fn adapt_long_term_model(&mut self, sample: &Sample) -> bool {
        let round_start = self.is(Flag::RoundStart);
        if self.ack_phase == AckPhase::ProbeStarting && round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && round_start {
            // The last samples of the probe have arrived.
            self.set(Flag::BwProbeSample, false);
            self.ack_phase = AckPhase::Init;
            let probe_bw = self.state.is_probe_bw();
            if probe_bw && !sample.is_app_limited {
                self.advance_max_bw_filter();
            }
            // Precautionary bandwidth probing: acceleration (section 5.3.3.6).
            let was_safe =
                self.is(Flag::PrevProbePrecautionary) && !self.is(Flag::PrevProbeTooHigh);
            if probe_bw && was_safe {
                self.start_probe_bw_refill(sample.total_delivered);
                return true;
            }
        }
        if !self.is_inflight_too_high(sample) && self.inflight_longterm != INFINITY {
            self.inflight_longterm = self.inflight_longterm.max(sample.tx_in_flight);
            if self.state == State::ProbeBwUp {
                self.probe_inflight_longterm_upward(sample);
            }
        }
        false
    }
}
