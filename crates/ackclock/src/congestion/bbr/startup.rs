//! Startup and Drain (sections 5.3.1 and 5.3.2).

use super::{Bbr, Flag, Rate, Sample, State};

/// The pipe counts as full when a round does not find this bandwidth, in percent of the known one, ...
const FULL_BW_GROWTH_PERCENT: u32 = 125;
/// ... in this many rounds.
const FULL_BW_ROUNDS: u8 = 3;
/// BBRStartupFullLossCnt: fewer losses in a round may be noise.
const FULL_LOSS_COUNT: u8 = 6;
/// Most rounds of Drain.
const DRAIN_ROUNDS: u8 = 3;

impl Bbr {
    /// EnterStartup.
    pub(super) fn enter_startup(&mut self) {
        self.state = State::Startup;
    }

    /// ResetFullBW, with the bandwidth to compare further growth with.
    pub(super) fn reset_full_bw(&mut self, baseline: Rate) {
        self.full_bw = baseline;
        self.full_bw_count = 0;
        self.set(Flag::FullBwNow, false);
    }

    /// CheckFullBWReached (section 5.3.1.2).
    pub(super) fn check_full_bw_reached(&mut self, sample: &Sample) {
        if self.is(Flag::FullBwNow) || !self.is(Flag::RoundStart) || sample.is_app_limited {
            return;
        }
        if sample.delivery_rate >= self.full_bw.percent(FULL_BW_GROWTH_PERCENT) {
            self.reset_full_bw(sample.delivery_rate);
            return;
        }
        self.full_bw_count = self.full_bw_count.saturating_add(1);
        if self.full_bw_count >= FULL_BW_ROUNDS {
            self.set(Flag::FullBwNow, true);
            self.set(Flag::FullBwReached, true);
        }
    }

    /// CheckStartupDone.
    pub(super) fn check_startup_done(&mut self, sample: &Sample, loss_round_start: bool) {
        self.check_startup_high_loss(sample, loss_round_start);
        if self.state == State::Startup && self.is(Flag::FullBwReached) {
            self.enter_drain();
        }
    }

    /// CheckStartupHighLoss (section 5.3.1.3). A loss round begins with the first loss, so when it ends there
    /// has been a round of recovery.
    fn check_startup_high_loss(&mut self, sample: &Sample, loss_round_start: bool) {
        let selective = self.is(Flag::SelectiveAcks);
        let one_is_enough = !selective && self.lost_ranges > 0;
        let full_loss = self.lost_ranges >= FULL_LOSS_COUNT && self.is_inflight_too_high(sample);
        if self.state == State::Startup
            && !self.is(Flag::FullBwReached)
            && sample.in_fast_recovery
            && (one_is_enough || (loss_round_start && full_loss))
        {
            self.leave_startup_by_congestion();
        }
        if loss_round_start {
            self.lost_ranges = 0;
        }
    }

    /// Leaves Startup, because losses or congestion marks show that the pipe is full.
    pub(super) fn leave_startup_by_congestion(&mut self) {
        self.undo_state = Some(State::Startup);
        self.set(Flag::FullBwNow, true);
        self.set(Flag::FullBwReached, true);
        let bdp = self.bdp(self.bw()).unwrap_or(0);
        self.inflight_longterm = bdp.max(self.inflight_latest);
    }

    /// EnterDrain.
    fn enter_drain(&mut self) {
        self.state = State::Drain;
        self.drain_rounds = 0;
    }

    /// CheckDrainDone.
    pub(super) fn check_drain_done(&mut self, sample: &Sample) {
        let drained = sample.in_flight <= self.inflight(self.bw());
        if self.state == State::Drain && (drained || self.drain_rounds > DRAIN_ROUNDS) {
            self.start_probe_bw_down(sample.now_millis, sample.random, sample.total_delivered);
        }
    }
}
