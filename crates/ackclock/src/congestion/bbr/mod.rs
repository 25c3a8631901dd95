//! BBR, version 3: a law that follows a model of the path (draft-ietf-ccwg-bbr-06).
//!
//! From what is delivered BBR learns the bandwidth of the path, from round-trip times its length,
//! and from both how much the path holds. It sends at that bandwidth, a little more now and then to
//! see whether there is more, and a little less afterwards to drain what that queued. Losses count
//! when they are many: a probe that loses more than two percent was too high, and while it is not
//! probing the sender follows what is delivered down.
//!
//! Each file is a section of the draft; names are the draft's, without the prefix `BBR.`. Where it
//! leaves room, or this differs:
//!
//! - The window grows only while the flight reaches half of it ([`Ack::window_limited`]), so that a
//!   window that nothing fills stays what it was. In the draft it grows with whatever is delivered.
//!   What ProbeRTT, a recovery or a timeout has taken comes back at once, whatever is in flight.
//! - ECN, which the draft leaves open (section 3.7), says what a round with losses says; while
//!   probing, that the probe was too high.
//! - All that one detection finds lost counts as one packet of section 5.5.10.2.
//! - The filter of aggregation has two halves of five rounds.

mod aggregation;
mod control;
mod loss;
mod model;
mod probe_bw;
mod probe_rtt;
mod rate;
mod startup;
#[cfg(test)]
mod tests;

use super::{
    Ack, Congestion, CongestionController, CongestionKind, DEFAULT_MSS, DeliveryRate,
    LARGEST_WINDOW, Loss, Sent, Start,
};
use crate::time::{Duration, Instant};
use rate::Rate;

/// Pacing at 1 % below the bandwidth found lets queues drain (PacingMarginPercent).
const PACING_MARGIN_PERCENT: u32 = 1;
/// MinPipeCwnd, in segments: enough for a peer that acks every second one.
const MIN_PIPE_SEGMENTS: u32 = 4;
/// LossThresh: the share that may be lost of a flight that probes for bandwidth, in percent.
const LOSS_THRESH_PERCENT: u64 = 2;
/// Beta: what is left of a bound after a round with losses, in percent.
const BETA_PERCENT: u32 = 70;
/// Headroom: what is left free of the largest safe flight, in percent.
const HEADROOM_PERCENT: u32 = 15;
/// No bound on a volume of data.
const INFINITY: u32 = u32::MAX;

/// BBR.state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    ProbeBwDown,
    ProbeBwCruise,
    ProbeBwRefill,
    ProbeBwUp,
    ProbeRtt,
}

impl State {
    /// BBR.pacing_gain, in percent (section 5.6.1).
    fn pacing_gain(self) -> u32 {
        match self {
            // 4 ln 2, the least with which the rate doubles each round.
            State::Startup => 277,
            State::Drain => 50,
            State::ProbeBwDown => 90,
            State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeRtt => 100,
            State::ProbeBwUp => 125,
        }
    }

    /// BBR.cwnd_gain, in percent (section 5.6.1).
    fn cwnd_gain(self) -> u32 {
        match self {
            State::ProbeBwUp => 225,
            State::ProbeRtt => 50,
            _ => 200,
        }
    }

    /// IsInAProbeBWState.
    fn is_probe_bw(self) -> bool {
        use State::{ProbeBwCruise, ProbeBwDown, ProbeBwRefill, ProbeBwUp};
        matches!(self, ProbeBwDown | ProbeBwCruise | ProbeBwRefill | ProbeBwUp)
    }

    /// IsProbingBW.
    fn is_probing_bandwidth(self) -> bool {
        matches!(self, State::Startup | State::ProbeBwRefill | State::ProbeBwUp)
    }
}

/// BBR.ack_phase: what acks say about bandwidth probing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// How far ProbeRTT has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProbeRttPhase {
    /// The flight is still too large.
    Draining,
    /// It is small, for less than a round.
    Round,
    /// It was small for a round.
    Holding,
}

/// What is so or not, a bit each.
#[derive(Clone, Copy, Debug)]
enum Flag {
    /// BBR.round_start: this ack begins a round.
    RoundStart,
    /// The next ack is the one from which a round is counted.
    RoundPending,
    IdleRestart,
    FullBwReached,
    FullBwNow,
    LossInRound,
    BwProbeSample,
    PrevProbeTooHigh,
    PrevProbePrecautionary,
    /// C.has_selective_acks.
    SelectiveAcks,
    /// Losses are being repaired.
    InRecovery,
    /// A congestion mark was echoed.
    EcnEcho,
    /// C.is_cwnd_limited: the flight filled the window in this round, in the last one.
    WindowFilled,
    WindowFilledBefore,
}

/// BBR, version 3 (draft-ietf-ccwg-bbr-06). It needs pacing and delivery rate samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bbr {
    /// C.SMSS.
    mss: u32,
    /// C.InitialCwnd.
    initial_cwnd: u32,
    cwnd: u32,
    /// The last known good one, and that before the last congestion.
    prior_cwnd: u32,
    undo_cwnd: u32,
    pacing_rate: Rate,
    /// BBR.max_bw_filter: the largest in this ProbeBW cycle and the last one.
    max_bw_filter: [Rate; 2],
    bw_shortterm: Rate,
    bw_latest: Rate,
    full_bw: Rate,
    undo_bw_shortterm: Rate,
    inflight_longterm: u32,
    inflight_shortterm: u32,
    inflight_latest: u32,
    undo_inflight_longterm: u32,
    undo_inflight_shortterm: u32,
    /// In microseconds; `u32::MAX` before the first sample.
    min_rtt: u32,
    probe_rtt_min_delay: u32,
    /// In milliseconds modulo 2^32, as all points in time but one.
    min_rtt_stamp: u32,
    probe_rtt_min_stamp: u32,
    /// BBR.probe_rtt_done_stamp in ProbeRTT, else BBR.cycle_stamp + BBR.bw_probe_wait.
    phase_end_stamp: u32,
    /// In microseconds modulo 2^32.
    extra_acked_interval_start: u32,
    extra_acked_delivered: u32,
    /// The largest in these rounds and those before.
    extra_acked_filter: [u32; 2],
    next_round_delivered: u32,
    loss_round_delivered: u32,
    bw_probe_up_acked: u32,
    state: State,
    undo_state: Option<State>,
    ack_phase: AckPhase,
    probe_rtt_phase: ProbeRttPhase,
    /// Rounds in a half of the filter.
    extra_acked_rounds: u8,
    full_bw_count: u8,
    drain_rounds: u8,
    bw_probe_up_rounds: u8,
    rounds_since_probe_up: u8,
    /// Ranges of sequence numbers found lost in this loss round.
    lost_ranges: u8,
    flags: u16,
}

/// What one ack tells: RS and some of C.
#[derive(Clone, Copy, Debug)]
struct Sample {
    now_millis: u32,
    now_micros: u32,
    /// RS.delivery_rate, RS.delivered, RS.is_app_limited; zero if there is no sample.
    delivery_rate: Rate,
    delivered: u32,
    is_app_limited: bool,
    /// RS.prior_delivered, if there is a sample.
    prior_delivered: Option<u32>,
    /// C.delivered.
    total_delivered: u32,
    tx_in_flight: u32,
    lost: u32,
    newly_acked: u32,
    /// C.inflight.
    in_flight: u32,
    /// RS.rtt in microseconds.
    rtt: Option<u32>,
    in_fast_recovery: bool,
    random: u32,
}

impl Sample {
    fn new(ack: &Ack, known_delivered: u32) -> Self {
        let delivery = ack.delivery.unwrap_or_default();
        let DeliveryRate { delivered, app_limited, flight_when_sent, lost, .. } = delivery;
        let rtt = delivery.rtt.or(ack.rtt);
        Sample {
            now_millis: millis(ack.now),
            now_micros: micros(ack.now),
            delivery_rate: Rate::of(&delivery),
            delivered,
            is_app_limited: app_limited,
            prior_delivered: ack.delivery.map(|delivery| delivery.prior_delivered),
            total_delivered: ack.delivery.map_or(known_delivered, |it| it.total_delivered),
            tx_in_flight: flight_when_sent,
            lost,
            newly_acked: ack.bytes_delivered,
            in_flight: ack.flight_after,
            rtt: rtt.map(|rtt| u32::try_from(rtt.as_micros()).unwrap_or(INFINITY).max(1)),
            in_fast_recovery: ack.in_recovery,
            random: ack.random,
        }
    }
}

/// Milliseconds modulo 2^32.
fn millis(at: Instant) -> u32 {
    at.as_millis() as u32
}

/// Microseconds modulo 2^32.
fn micros(at: Instant) -> u32 {
    (at.as_nanos() / 1_000) as u32
}

/// Whether `now` is after `then` by more than `span`, all in milliseconds.
fn has_elapsed(now: u32, then: u32, span: u32) -> bool {
    now.wrapping_sub(then.wrapping_add(span)) as i32 > 0
}

/// Whether so much was delivered after so much, modulo 2^32.
fn at_or_after(delivered: u32, mark: u32) -> bool {
    delivered.wrapping_sub(mark) as i32 >= 0
}

fn percent(size: u32, percent: u32) -> u32 {
    let scaled = u64::from(size) * u64::from(percent) / 100;
    u32::try_from(scaled).unwrap_or(u32::MAX)
}

impl Default for Bbr {
    fn default() -> Self {
        Self::new()
    }
}

impl Bbr {
    pub(super) const NAME: &'static str = "bbr";

    /// As it begins.
    pub const fn new() -> Self {
        Bbr {
            mss: DEFAULT_MSS,
            initial_cwnd: DEFAULT_MSS,
            cwnd: DEFAULT_MSS,
            prior_cwnd: 0,
            undo_cwnd: 0,
            pacing_rate: Rate::INFINITY,
            max_bw_filter: [Rate::ZERO; 2],
            bw_shortterm: Rate::INFINITY,
            bw_latest: Rate::ZERO,
            full_bw: Rate::ZERO,
            undo_bw_shortterm: Rate::ZERO,
            inflight_longterm: INFINITY,
            inflight_shortterm: INFINITY,
            inflight_latest: 0,
            undo_inflight_longterm: 0,
            undo_inflight_shortterm: 0,
            min_rtt: INFINITY,
            probe_rtt_min_delay: INFINITY,
            min_rtt_stamp: 0,
            probe_rtt_min_stamp: 0,
            phase_end_stamp: 0,
            extra_acked_interval_start: 0,
            extra_acked_delivered: 0,
            extra_acked_filter: [0; 2],
            next_round_delivered: 0,
            loss_round_delivered: 0,
            bw_probe_up_acked: 0,
            state: State::Startup,
            undo_state: None,
            ack_phase: AckPhase::Init,
            probe_rtt_phase: ProbeRttPhase::Draining,
            extra_acked_rounds: 0,
            full_bw_count: 0,
            drain_rounds: 0,
            bw_probe_up_rounds: 0,
            rounds_since_probe_up: 0,
            lost_ranges: 0,
            flags: 0,
        }
    }

    fn is(&self, flag: Flag) -> bool {
        self.flags & (1 << flag as u16) != 0
    }

    fn set(&mut self, flag: Flag, on: bool) {
        let bit = 1 << flag as u16;
        self.flags = if on { self.flags | bit } else { self.flags & !bit };
    }

    /// MinPipeCwnd.
    fn min_pipe_cwnd(&self) -> u32 {
        self.mss.saturating_mul(MIN_PIPE_SEGMENTS)
    }

    /// HandleRestartFromIdle (section 5.4.1).
    fn handle_restart_from_idle(&mut self, now: Instant) {
        self.set(Flag::IdleRestart, true);
        self.extra_acked_interval_start = micros(now);
        if self.state.is_probe_bw() {
            self.set_pacing_rate_with_gain(100);
        } else if self.state == State::ProbeRtt {
            // Nothing random is at hand: the least wait before the next probe will do.
            self.check_probe_rtt_done(millis(now), 0, self.next_round_delivered);
        }
    }

    /// UpdateModelAndState (section 5.2.3).
    fn update_model_and_state(&mut self, sample: &Sample) {
        let loss_round_start = self.update_latest_delivery_signals(sample);
        self.update_congestion_signals(sample, loss_round_start);
        self.update_ack_aggregation(sample);
        self.check_full_bw_reached(sample);
        self.check_startup_done(sample, loss_round_start);
        self.check_drain_done(sample);
        self.update_probe_bw_cycle_phase(sample);
        let probe_rtt_expired = self.update_min_rtt(sample);
        self.check_probe_rtt(sample, probe_rtt_expired);
        self.advance_latest_delivery_signals(sample, loss_round_start);
    }
}

impl CongestionController for Bbr {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// OnInit (section 5.2.1).
    fn on_start(&mut self, start: &Start) {
        let rtt = start.rtt.filter(|rtt| !rtt.is_zero());
        let now = millis(start.now);
        *self = Bbr {
            mss: start.mss.max(1),
            initial_cwnd: start.initial_window,
            cwnd: start.initial_window,
            min_rtt: rtt.map_or(INFINITY, |rtt| rtt.as_micros().min(u64::from(INFINITY)) as u32),
            min_rtt_stamp: now,
            probe_rtt_min_stamp: now,
            extra_acked_interval_start: micros(start.now),
            next_round_delivered: start.delivered,
            loss_round_delivered: start.delivered,
            ..Bbr::default()
        };
        self.set(Flag::SelectiveAcks, start.selective_acks);
        self.init_pacing_rate(rtt.unwrap_or(Duration::from_millis(1)));
        self.bound_cwnd();
    }

    fn on_sent(&mut self, sent: &Sent) {
        // A FIN is in flight too.
        let was_idle = sent.in_flight <= sent.bytes.saturating_add(1);
        // What a timeout has taken for lost is not in flight, which is no idle time: the window stays that of a loss.
        if was_idle && sent.app_limited && !self.is(Flag::InRecovery) {
            self.handle_restart_from_idle(sent.now);
        }
        if sent.in_flight.saturating_add(self.mss) > self.cwnd {
            self.set(Flag::WindowFilled, true);
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        let sample = Sample::new(ack, self.next_round_delivered);
        if self.is(Flag::InRecovery) && !ack.in_recovery && !ack.after_timeout {
            self.leave_recovery();
        }
        self.respond_to_ecn(&sample);
        self.update_model_and_state(&sample);
        self.set_pacing_rate_with_gain(self.state.pacing_gain());
        self.set_cwnd(&sample, ack.window_limited);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.handle_loss(loss);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        match event.kind {
            CongestionKind::FastRetransmit => self.enter_recovery(),
            CongestionKind::Ecn => {
                self.save_state_upon_loss();
                self.undo_cwnd = self.cwnd;
                self.set(Flag::EcnEcho, true);
            }
            CongestionKind::Timeout => {
                self.enter_recovery();
                // Section 5.6.4.4: what allows one segment to be sent.
                self.cwnd = self.mss;
            }
            CongestionKind::RepeatedTimeout => self.cwnd = self.mss,
        }
    }

    fn on_recovery_exit(&mut self, _now: Instant, _in_flight: u32) {
        self.leave_recovery();
    }

    fn on_undo(&mut self, _now: Instant) {
        self.handle_spurious_loss_detection();
    }

    fn on_mss_change(&mut self, mss: u32) {
        self.mss = mss.max(1);
        self.bound_cwnd();
    }

    fn window(&self) -> u32 {
        self.cwnd
    }

    /// There is none: BBR does not slow-start.
    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }

    fn pacing_rate(&self) -> Option<u64> {
        Some(self.pacing_rate.bytes_per_second().max(1))
    }

    fn send_quantum(&self) -> Option<u32> {
        Some(self.quantum())
    }

    fn wants_prr(&self) -> bool {
        false
    }

    fn wants_delivery_rate(&self) -> bool {
        true
    }

    fn limits_itself(&self) -> bool {
        self.state == State::ProbeRtt
    }
}
