//! BBR version 3: congestion control by a model of the path (draft-ietf-ccwg-bbr-06).
//!
//! BBR learns the bandwidth of the path from delivery rates, its round-trip time from samples, and from both
//! how much data the path holds. It sends at that bandwidth; from time to time a little faster, to find out
//! whether there is more, and then a little slower, to drain the queue that this has built. Losses matter
//! only if there are many: a probe that loses more than two percent was too high, and while it is not
//! probing, the sender lowers its bounds to what is delivered.
//!
//! Each file is a section of the draft; names are the draft's, without the prefix `BBR.`. Choices that the
//! draft leaves open, and differences:
//!
//! - The window grows only while the flight reaches half of it ([`Ack::window_limited`]), so that a window
//!   that is not used does not grow. In the draft it grows by whatever is delivered. What ProbeRTT, a
//!   recovery or a timeout has taken is restored at once, whatever is in flight.
//! - ProbeRTT that ends after a timeout leaves the window to its repair. In the draft it takes back what the timeout
//!   has reduced, while what was lost is still to be sent again.
//! - ECN, which the draft leaves open (section 3.7), counts like a round with losses; while probing, it shows
//!   that the probe was too high.
//! - All data that one detection finds lost counts as one packet in section 5.5.10.2.
//! - The filter of ACK aggregation has two halves of five rounds.

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

/// PacingMarginPercent: pacing 1 % below the estimated bandwidth lets queues drain.
const PACING_MARGIN_PERCENT: u32 = 1;
/// MinPipeCwnd, in segments: enough for a peer that acks every second segment.
const MIN_PIPE_SEGMENTS: u32 = 4;
/// LossThresh: share of the flight, in percent, that a bandwidth probe may lose.
const LOSS_THRESH_PERCENT: u64 = 2;
/// Beta: share of a bound that remains after a round with losses, in percent.
const BETA_PERCENT: u32 = 70;
/// Headroom: share of the largest safe flight that is left free, in percent.
const HEADROOM_PERCENT: u32 = 15;
/// A volume of data without bound.
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
            // 4 ln 2: the least gain with which the rate doubles in each round.
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

/// BBR.ack_phase: what acks tell about bandwidth probing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// Progress of ProbeRTT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProbeRttPhase {
    /// The flight is still too large.
    Draining,
    /// The flight is small enough, but for less than a round.
    Round,
    /// The flight was small enough for a round.
    Holding,
}

/// Boolean state, one bit for each.
#[derive(Clone, Copy, Debug)]
enum Flag {
    /// BBR.round_start: this ack begins a round.
    RoundStart,
    /// The next ack begins the next round.
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
    /// A recovery is in progress.
    InRecovery,
    /// It began with a timeout, or one came in it.
    TimedOut,
    /// The ack carried ECN-Echo.
    EcnEcho,
    /// C.is_cwnd_limited: the flight has filled the window in this round; and in the last one.
    WindowFilled,
    WindowFilledBefore,
}

/// BBR version 3 (draft-ietf-ccwg-bbr-06). It needs pacing and delivery rate samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bbr {
    /// C.SMSS.
    mss: u32,
    /// C.InitialCwnd.
    initial_cwnd: u32,
    cwnd: u32,
    /// The last known good window, and the one before the last congestion.
    prior_cwnd: u32,
    undo_cwnd: u32,
    pacing_rate: Rate,
    /// BBR.max_bw_filter: the largest bandwidth in this ProbeBW cycle, and in the last one.
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
    /// BBR.min_rtt in microseconds; `u32::MAX` before the first sample.
    min_rtt: u32,
    probe_rtt_min_delay: u32,
    /// In milliseconds modulo 2^32, as all points in time here but one.
    min_rtt_stamp: u32,
    probe_rtt_min_stamp: u32,
    /// BBR.probe_rtt_done_stamp in ProbeRTT, otherwise BBR.cycle_stamp + BBR.bw_probe_wait.
    phase_end_stamp: u32,
    /// In microseconds modulo 2^32.
    extra_acked_interval_start: u32,
    extra_acked_delivered: u32,
    /// The largest value in the last few rounds, and in those before.
    extra_acked_filter: [u32; 2],
    next_round_delivered: u32,
    loss_round_delivered: u32,
    bw_probe_up_acked: u32,
    state: State,
    undo_state: Option<State>,
    ack_phase: AckPhase,
    probe_rtt_phase: ProbeRttPhase,
    /// Rounds that the current half of the filter covers so far.
    extra_acked_rounds: u8,
    full_bw_count: u8,
    drain_rounds: u8,
    bw_probe_up_rounds: u8,
    rounds_since_probe_up: u8,
    /// Number of ranges found lost in this loss round.
    lost_ranges: u8,
    flags: u16,
}

/// What an ack tells: RS, and some of C.
#[derive(Clone, Copy, Debug)]
struct Sample {
    now_millis: u32,
    now_micros: u32,
    /// RS.delivery_rate, RS.delivered, RS.is_app_limited; zero or false without a sample.
    delivery_rate: Rate,
    delivered: u32,
    is_app_limited: bool,
    /// RS.prior_delivered; `None` without a sample.
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

/// A time in milliseconds modulo 2^32.
fn millis(at: Instant) -> u32 {
    at.as_millis() as u32
}

/// A time in microseconds modulo 2^32.
fn micros(at: Instant) -> u32 {
    (at.as_nanos() / 1_000) as u32
}

/// Whether `now` is later than `then` by more than `span`; all in milliseconds.
fn has_elapsed(now: u32, then: u32, span: u32) -> bool {
    now.wrapping_sub(then.wrapping_add(span)) as i32 > 0
}

/// Whether `delivered` is at or after `mark`, both in bytes modulo 2^32.
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

    /// BBR before a connection exists.
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
            // There is no random number here: use the least wait before the next probe.
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
        // A FIN is in flight too, if there is one.
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
                self.set(Flag::TimedOut, true);
                // Section 5.6.4.4: a window of one segment.
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

    /// None: BBR has no slow start.
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
