//! The least round-trip time, and ProbeRTT (sections 5.3.4 and 5.5.7).

use super::{AckPhase, Bbr, Flag, ProbeRttPhase, Sample, State, has_elapsed};
use crate::time::Duration;

/// MinRTTFilterLen, in milliseconds.
const MIN_RTT_FILTER_LEN: u32 = 10_000;
/// ProbeRTTInterval, in milliseconds.
const PROBE_RTT_INTERVAL: u32 = 5_000;
/// ProbeRTTDuration, in milliseconds.
const PROBE_RTT_DURATION: u32 = 200;

impl Bbr {
    /// UpdateMinRTT; returns BBR.probe_rtt_expired.
    pub(super) fn update_min_rtt(&mut self, sample: &Sample) -> bool {
        let now = sample.now_millis;
        let expired = has_elapsed(now, self.probe_rtt_min_stamp, PROBE_RTT_INTERVAL);
        if let Some(rtt) = sample.rtt
            && (rtt < self.probe_rtt_min_delay || expired)
        {
            self.probe_rtt_min_delay = rtt;
            self.probe_rtt_min_stamp = now;
        }
        let is_first = self.min_rtt == u32::MAX && self.probe_rtt_min_delay < u32::MAX;
        if self.probe_rtt_min_delay < self.min_rtt
            || has_elapsed(now, self.min_rtt_stamp, MIN_RTT_FILTER_LEN)
        {
            self.min_rtt = self.probe_rtt_min_delay;
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
        if is_first {
            self.init_pacing_rate(Duration::from_micros(u64::from(self.min_rtt)));
        }
        expired
    }

    /// CheckProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, sample: &Sample, probe_rtt_expired: bool) {
        if self.state != State::ProbeRtt && probe_rtt_expired && !self.is(Flag::IdleRestart) {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_phase = ProbeRttPhase::Draining;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round(sample.total_delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(sample);
        }
        if sample.delivered > 0 {
            self.set(Flag::IdleRestart, false);
        }
    }

    /// HandleProbeRTT: keeps the flight small for a given time, and for at least a round.
    fn handle_probe_rtt(&mut self, sample: &Sample) {
        if self.probe_rtt_phase == ProbeRttPhase::Draining {
            if sample.in_flight <= self.probe_rtt_cwnd() {
                self.phase_end_stamp = sample.now_millis.wrapping_add(PROBE_RTT_DURATION);
                self.probe_rtt_phase = ProbeRttPhase::Round;
                self.start_round(sample.total_delivered);
            }
            return;
        }
        if self.is(Flag::RoundStart) {
            self.probe_rtt_phase = ProbeRttPhase::Holding;
        }
        if self.probe_rtt_phase == ProbeRttPhase::Holding {
            let Sample { now_millis, random, total_delivered, .. } = *sample;
            self.check_probe_rtt_done(now_millis, random, total_delivered);
        }
    }

    /// CheckProbeRTTDone.
    pub(super) fn check_probe_rtt_done(&mut self, now: u32, random: u32, total_delivered: u32) {
        let is_held = self.probe_rtt_phase != ProbeRttPhase::Draining;
        if is_held && has_elapsed(now, self.phase_end_stamp, 0) {
            self.probe_rtt_min_stamp = now;
            // What a timeout has taken comes back when what was lost is repaired.
            if !self.is(Flag::TimedOut) {
                self.restore_cwnd();
            }
            self.exit_probe_rtt(now, random, total_delivered);
        }
    }

    /// ExitProbeRTT (section 5.3.4.4).
    fn exit_probe_rtt(&mut self, now: u32, random: u32, total_delivered: u32) {
        self.reset_short_term_model();
        if self.is(Flag::FullBwReached) {
            self.start_probe_bw_down(now, random, total_delivered);
            self.start_probe_bw_cruise();
        } else {
            self.enter_startup();
        }
    }
}
