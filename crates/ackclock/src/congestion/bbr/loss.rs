//! Losses and spurious loss detection (sections 5.5.10 and 5.5.11).

use super::{BETA_PERCENT, Bbr, Flag, LOSS_THRESH_PERCENT, Loss, Rate, Sample, State};
use super::{millis, percent};

impl Bbr {
    /// OnEnterRTO and OnEnterFastRecovery (section 5.6.4.4).
    pub(super) fn enter_recovery(&mut self) {
        self.save_state_upon_loss();
        self.undo_cwnd = self.cwnd;
        self.set(Flag::InRecovery, true);
    }

    /// Leaves recovery, as everything is repaired (section 5.6.4.4).
    pub(super) fn leave_recovery(&mut self) {
        self.end_recovery();
        self.restore_cwnd();
    }

    fn end_recovery(&mut self) {
        self.set(Flag::InRecovery, false);
        self.set(Flag::TimedOut, false);
    }

    /// SaveStateUponLoss (section 5.5.11.1).
    pub(super) fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo_state = None;
        self.undo_bw_shortterm = self.bw_shortterm;
        self.undo_inflight_shortterm = self.inflight_shortterm;
        self.undo_inflight_longterm = self.inflight_longterm;
    }

    /// NoteLoss (section 5.5.10.2).
    fn note_loss(&mut self, total_delivered: u32) {
        if !self.is(Flag::LossInRound) {
            self.loss_round_delivered = total_delivered;
            self.save_state_upon_loss();
        }
        self.set(Flag::LossInRound, true);
    }

    /// HandleLostPacket (section 5.5.10.2).
    pub(super) fn handle_loss(&mut self, loss: &Loss) {
        self.note_loss(loss.total_delivered);
        let ranges = u8::try_from(loss.ranges.max(1)).unwrap_or(u8::MAX);
        self.lost_ranges = self.lost_ranges.saturating_add(ranges);
        let Loss { flight_when_sent, lost_since_sent, .. } = *loss;
        if self.is(Flag::BwProbeSample) && self.is_too_high(lost_since_sent, flight_when_sent) {
            let safe = inflight_at_loss(loss);
            let now = millis(loss.now);
            self.handle_inflight_too_high(
                safe,
                loss.app_limited,
                now,
                loss.random,
                loss.total_delivered,
            );
        }
    }

    /// Responds to ECN-Echo as to a loss that shows that the flight is too high.
    pub(super) fn respond_to_ecn(&mut self, sample: &Sample) {
        if !self.is(Flag::EcnEcho) {
            return;
        }
        self.set(Flag::EcnEcho, false);
        self.note_loss(sample.total_delivered);
        if self.state == State::Startup && !self.is(Flag::FullBwReached) {
            self.leave_startup_by_congestion();
        } else if self.is(Flag::BwProbeSample) {
            self.handle_inflight_too_high(
                sample.tx_in_flight,
                sample.is_app_limited,
                sample.now_millis,
                sample.random,
                sample.total_delivered,
            );
        }
    }

    /// IsInflightTooHigh (section 5.5.10.2).
    pub(super) fn is_inflight_too_high(&self, sample: &Sample) -> bool {
        self.is_too_high(sample.lost, sample.tx_in_flight)
    }

    fn is_too_high(&self, lost: u32, tx_in_flight: u32) -> bool {
        u64::from(lost) * 100 > u64::from(tx_in_flight) * LOSS_THRESH_PERCENT
            || (lost > 0 && !self.is(Flag::SelectiveAcks))
    }

    /// HandleInflightTooHigh (section 5.5.10.2).
    fn handle_inflight_too_high(
        &mut self,
        tx_in_flight: u32,
        is_app_limited: bool,
        now_millis: u32,
        random: u32,
        total_delivered: u32,
    ) {
        self.set(Flag::PrevProbeTooHigh, true);
        // Only one reaction to each probe.
        self.set(Flag::BwProbeSample, false);
        if !is_app_limited {
            let least = percent(self.target_inflight(), BETA_PERCENT);
            self.inflight_longterm = tx_in_flight.max(least);
        }
        if self.state == State::ProbeBwUp {
            self.undo_state = Some(State::ProbeBwUp);
            self.start_probe_bw_down(now_millis, random, total_delivered);
        }
    }

    /// HandleSpuriousLossDetection (section 5.5.11.2).
    pub(super) fn handle_spurious_loss_detection(&mut self) {
        self.cwnd = self.cwnd.max(self.undo_cwnd);
        self.bound_cwnd();
        self.end_recovery();
        self.set(Flag::EcnEcho, false);
        self.set(Flag::LossInRound, false);
        self.reset_full_bw(Rate::ZERO);
        self.bw_shortterm = self.bw_shortterm.max(self.undo_bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo_inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo_inflight_longterm);
        let undo_state = self.undo_state.take();
        let in_probe_rtt = self.state == State::ProbeRtt;
        match undo_state {
            Some(State::Startup) if self.state != State::Startup => {
                self.set(Flag::FullBwReached, false);
                if !in_probe_rtt {
                    self.enter_startup();
                }
            }
            Some(State::ProbeBwUp) if self.state != State::ProbeBwUp && !in_probe_rtt => {
                self.start_probe_bw_refill(self.next_round_delivered);
                self.set(Flag::RoundPending, true);
            }
            _ => {}
        }
    }
}

/// InflightAtLoss (section 5.5.10.2): the flight at which losses crossed the threshold. All data found lost
/// at once is treated as one packet.
fn inflight_at_loss(loss: &Loss) -> u32 {
    let inflight_prev = loss.flight_when_sent.saturating_sub(loss.bytes);
    let lost_prev = loss.lost_since_sent.saturating_sub(loss.bytes);
    let tolerated = u64::from(inflight_prev) * LOSS_THRESH_PERCENT;
    let lost_prefix =
        tolerated.saturating_sub(u64::from(lost_prev) * 100) / (100 - LOSS_THRESH_PERCENT);
    inflight_prev.saturating_add(u32::try_from(lost_prefix).unwrap_or(u32::MAX))
}
