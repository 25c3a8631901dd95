//! CUBIC: the window is a cubic function of the time since the last congestion event (RFC 9438).
//!
//! After a loss the window quickly returns to near its size at the loss, stays there for a while (the
//! plateau), and then, if nothing is lost, probes for more at a growing pace. The pace does not depend on the
//! round-trip time, so that long paths are filled as fast as short ones. On short paths, where Reno would be
//! faster, the window follows an estimate of Reno's.
//!
//! Windows are in bytes, times of the curve in milliseconds, and all values are integers: the cube of the
//! longest time that matters then fits into 64 bits. The curve depends only on t - K, which is what the state
//! holds.

use super::hystart_linux::LinuxHyStart;
use super::parameters::{ParameterList, Parameters};
use super::window::within_bounds;
use super::{
    Ack, Congestion, CongestionController, CongestionKind, DEFAULT_MSS, Growth, HyStart, Sent,
    SlowStart, Start, scaled,
};
use crate::time::{Duration, Instant};
use core::fmt;
use core::str::FromStr;

/// beta_cubic = 0.7 (section 4.6), as a fraction.
const BETA: (u64, u64) = (7, 10);
/// beta_ecn = 0.85 for CUBIC (RFC 8511 section 3.1): a queue that marks is shorter than one that overflows.
const BETA_ECN: (u64, u64) = (17, 20);
/// Share of W_max that remains after fast convergence: (1 + beta_cubic) / 2 (section 4.7).
const FAST_CONVERGENCE: (u64, u64) = (17, 20);
/// alpha_cubic = 3 (1 - beta_cubic) / (1 + beta_cubic) = 9/17 (section 4.3).
const ALPHA: (u64, u64) = (9, 17);
/// Value of alpha_cubic from when the window before the last reduction is reached.
const RENO_ALPHA: (u64, u64) = (1, 1);
/// 1/C in cubic milliseconds per segment; C = 0.4 segments per cubic second (section 5.1).
const MILLIS_CUBED_PER_SEGMENT: u64 = 2_500_000_000;
/// The longest time in milliseconds whose cube fits into 64 bits: 44 minutes.
const LONGEST_MILLIS: u32 = 2_642_245;
/// Least threshold, and least window after a loss, in segments (section 4.6).
const LEAST_SEGMENTS: u32 = 2;

/// CUBIC congestion control (RFC 9438), with byte counting (RFC 3465), HyStart++ (RFC 9406) in the initial
/// slow start, and the alternative backoff of RFC 8511 for ECN.
///
/// Textual form: `cubic`, with the parameters `growth=RULE` ([`Growth`]) and `hystart=off`, or `hystart=linux`
/// for the rule of Linux's CUBIC in place of HyStart++.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cubic {
    growth: Growth,
    watch: Watch,
    mss: u32,
    cwnd: u32,
    /// Remainder of the last increase, in 1/`cwnd` of a byte.
    remainder: u32,
    /// Until when time has been counted, in milliseconds.
    counted_until: u64,
    now: State,
    /// The value of `now` before the last congestion event, while that can be undone. The window then was
    /// `cwnd_prior`.
    before_event: Option<State>,
}

/// The rule that ends the initial slow start, besides a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Watch {
    Nothing,
    HyStart,
    /// Linux's HyStart.
    Linux,
}

impl FromStr for Watch {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "on" => Ok(Watch::HyStart),
            "linux" => Ok(Watch::Linux),
            "off" => Ok(Watch::Nothing),
            _ => Err(()),
        }
    }
}

impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Watch::HyStart => "on",
            Watch::Linux => "linux",
            Watch::Nothing => "off",
        })
    }
}

/// State that a congestion event changes and an undo restores (section 4.9.2). Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    ssthresh: u32,
    cwnd_prior: u32,
    w_max: u32,
    stage: Stage,
}

/// Stage of the window between two congestion events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The initial slow start, supervised by HyStart++.
    InitialSlowStart(HyStart),
    /// The initial slow start, supervised by Linux's HyStart.
    InitialAsLinux(LinuxHyStart),
    /// Not in congestion avoidance yet; its next stage aims at `w_max`.
    BeforeAvoidance,
    /// The slow start after a timeout: the next stage begins on the plateau.
    AfterTimeout,
    /// Congestion avoidance.
    Avoidance(Curve),
}

/// Position on the curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Curve {
    /// t - K in milliseconds: how long ago the curve passed W_max (negative before that).
    since_plateau: i32,
    /// The window that Reno would have, in bytes.
    w_est: u32,
    /// Bytes acknowledged that have not yet added a segment to `w_est`.
    credit: u32,
}

impl State {
    const INITIAL: State =
        State { ssthresh: u32::MAX, cwnd_prior: 0, w_max: 0, stage: Stage::BeforeAvoidance };
}

impl Cubic {
    pub(super) const NAME: &'static str = "cubic";

    /// CUBIC that counts acks by this rule, in slow start and after it.
    pub const fn new(growth: Growth) -> Self {
        Cubic {
            growth,
            watch: Watch::HyStart,
            mss: DEFAULT_MSS,
            cwnd: DEFAULT_MSS,
            remainder: 0,
            counted_until: 0,
            now: State::INITIAL,
            before_event: None,
        }
    }

    /// CUBIC with the slow start of RFC 5681.
    #[must_use]
    pub const fn without_hystart(self) -> Self {
        Cubic { watch: Watch::Nothing, ..self }
    }

    /// Counts the time until `now` as part of t, also of the t that an undo would restore.
    fn count_time(&mut self, now: Instant) {
        let elapsed = now.as_millis().saturating_sub(self.counted_until);
        if elapsed == 0 {
            return;
        }
        let elapsed = elapsed.min(i32::MAX as u64) as i32;
        self.skip_time(now);
        for state in [Some(&mut self.now), self.before_event.as_mut()].into_iter().flatten() {
            if let Stage::Avoidance(curve) = &mut state.stage {
                curve.since_plateau = curve.since_plateau.saturating_add(elapsed);
            }
        }
    }

    /// Excludes the time until `now` from t (section 5.8).
    fn skip_time(&mut self, now: Instant) {
        self.counted_until = now.as_millis();
    }

    /// Slow start as in RFC 5681, up to the threshold and not beyond (section 4.10).
    fn slow_start(&mut self, ack: &Ack) {
        let divisor = match &mut self.now.stage {
            Stage::InitialSlowStart(hystart) => hystart.on_ack(ack),
            Stage::InitialAsLinux(hystart) => {
                (!hystart.ends_slow_start(ack, self.cwnd, self.mss)).then_some(1)
            }
            _ => Some(1),
        };
        let Some(divisor) = divisor else {
            self.now.ssthresh = self.cwnd;
            self.now.stage = Stage::BeforeAvoidance;
            return;
        };
        if grows(ack) {
            let repairs_loss = self.now.stage == Stage::AfterTimeout;
            let counted = self.growth.counted(ack);
            let increase = self.growth.slow_start_increase(counted, self.mss, repairs_loss);
            let increase = increase.checked_div(divisor).unwrap_or(increase);
            let cwnd = self.cwnd.saturating_add(increase).min(self.now.ssthresh);
            self.cwnd = within_bounds(cwnd, self.mss);
        }
    }

    /// Begins a congestion avoidance stage at t = 0, at the right point of the curve (section 4.2, figure 2).
    /// It is on the plateau if the window exceeds W_max, as after the initial slow start (section 4.10), and
    /// in the first stage after a timeout (section 4.8).
    fn begin_avoidance(&mut self) -> Curve {
        let state = &mut self.now;
        if state.stage == Stage::AfterTimeout || state.w_max < self.cwnd {
            state.w_max = self.cwnd;
        }
        let k = time_to_grow(state.w_max - self.cwnd, self.mss);
        self.remainder = 0;
        Curve { since_plateau: 0i32.saturating_sub_unsigned(k), w_est: self.cwnd, credit: 0 }
    }

    fn avoid_congestion(&mut self, bytes_acked: u32, smoothed_rtt: Duration) {
        let mut curve = match self.now.stage {
            Stage::Avoidance(curve) => curve,
            _ => self.begin_avoidance(),
        };
        let bytes_acked = self.growth.avoidance_credit(bytes_acked, self.mss);
        self.advance_reno_estimate(&mut curve, bytes_acked);
        let t = curve.since_plateau;
        if self.w_cubic(t) < curve.w_est {
            // Section 4.3: the Reno-friendly region. An ack never reduces the window.
            self.cwnd = within_bounds(self.cwnd.max(curve.w_est), self.mss);
        } else {
            let rtt = u32::try_from(smoothed_rtt.as_millis()).unwrap_or(u32::MAX);
            let target = self.w_cubic(t.saturating_add_unsigned(rtt));
            self.approach(target, bytes_acked);
        }
        self.now.stage = Stage::Avoidance(curve);
    }

    /// Advances the estimate of Reno's window (section 4.3, figure 4) by whole segments; the rest stays in
    /// `credit`.
    fn advance_reno_estimate(&self, curve: &mut Curve, bytes_acked: u32) {
        let alpha = if curve.w_est >= self.now.cwnd_prior { RENO_ALPHA } else { ALPHA };
        let window = self.growth.avoidance_price(self.cwnd, self.mss);
        let price = (u64::from(window) * alpha.1).div_ceil(alpha.0);
        let credit = u64::from(curve.credit) + u64::from(bytes_acked);
        let left = match credit.checked_sub(price) {
            Some(left) => {
                curve.w_est = curve.w_est.saturating_add(self.mss);
                left
            }
            None => credit,
        };
        curve.credit = u32::try_from(left).unwrap_or(u32::MAX);
    }

    /// Moves the window toward the target: by (target - cwnd) / cwnd for each segment acknowledged (sections
    /// 4.4 and 4.5), where the target is at least the window and at most one and a half times it (section
    /// 4.2).
    fn approach(&mut self, target: u32, bytes_acked: u32) {
        let distance = u64::from(target.saturating_sub(self.cwnd).min(self.cwnd / 2));
        let cwnd = u64::from(self.cwnd.max(1));
        let parts = distance * u64::from(bytes_acked) + u64::from(self.remainder);
        let increase = (parts / cwnd).min(distance);
        self.remainder = u32::try_from(parts % cwnd).unwrap_or(0);
        let cwnd = self.cwnd.saturating_add(u32::try_from(increase).unwrap_or(u32::MAX));
        self.cwnd = within_bounds(cwnd, self.mss);
    }

    /// W_cubic: C (t - K)^3 + W_max, rounded towards W_max (section 4.2, figure 1).
    fn w_cubic(&self, since_plateau: i32) -> u32 {
        let millis = u64::from(since_plateau.unsigned_abs().min(LONGEST_MILLIS));
        let cube = millis * millis * millis;
        let mss = u64::from(self.mss);
        let whole = (cube / MILLIS_CUBED_PER_SEGMENT).saturating_mul(mss);
        // Less than 2^64: 2.5e9 times a size.
        let part = cube % MILLIS_CUBED_PER_SEGMENT * mss / MILLIS_CUBED_PER_SEGMENT;
        let offset = u32::try_from(whole.saturating_add(part)).unwrap_or(u32::MAX);
        if since_plateau < 0 {
            self.now.w_max.saturating_sub(offset)
        } else {
            self.now.w_max.saturating_add(offset)
        }
    }

    /// Stores what is needed to undo the coming reduction, as `CongestionWindow::remember` does.
    fn remember(&mut self, kind: CongestionKind) {
        if kind != CongestionKind::RepeatedTimeout || self.before_event.is_none() {
            self.before_event = Some(self.now);
            self.now.cwnd_prior = self.cwnd;
        }
    }

    /// Reduces W_max (section 4.7), then threshold and window (section 4.6). Congestion never enlarges the
    /// window.
    fn reduce(&mut self, kind: CongestionKind, flight_size: u32) {
        let converging = self.cwnd < self.now.w_max;
        self.now.w_max = if converging { scaled(self.cwnd, FAST_CONVERGENCE) } else { self.cwnd };
        let beta = if kind == CongestionKind::Ecn { BETA_ECN } else { BETA };
        let reduced = scaled(flight_size, beta);
        self.now.ssthresh = reduced.max(self.mss.saturating_mul(LEAST_SEGMENTS));
        self.now.stage = Stage::BeforeAvoidance;
        let cwnd =
            if kind == CongestionKind::Ecn { reduced.max(self.mss) } else { self.now.ssthresh };
        self.cwnd = self.cwnd.min(cwnd);
    }

    /// Starts slow start with a window of one segment, as Reno does (section 4.8).
    fn slow_start_again(&mut self) {
        self.cwnd = self.mss;
        self.now.stage = Stage::AfterTimeout;
    }

    /// Leaves the curve, as the window or the segment size is no longer what it was computed for: a new stage
    /// begins.
    fn leave_avoidance(&mut self) {
        if let Stage::Avoidance(_) = self.now.stage {
            self.now.stage = Stage::BeforeAvoidance;
        }
    }
}

/// Whether an ack may make the window grow: it acknowledges new data, and the window was full.
fn grows(ack: &Ack) -> bool {
    ack.bytes_acked > 0 && ack.window_limited
}

/// K in milliseconds: the time to grow by `bytes` up to the plateau (section 4.2, figure 2). It is rounded
/// up, so that the curve does not begin above the window.
fn time_to_grow(bytes: u32, mss: u32) -> u32 {
    let cube = (u64::from(bytes) * MILLIS_CUBED_PER_SEGMENT).div_ceil(u64::from(mss.max(1)));
    let root = cube_root(cube);
    if u64::from(root).pow(3) < cube { root + 1 } else { root }
}

/// The largest integer whose cube is at most `n`, determined bit by bit.
fn cube_root(n: u64) -> u32 {
    let mut root = 0u32;
    // The cube root of 2^64 has 22 bits.
    for bit in (0..22).rev() {
        let candidate = root | 1 << bit;
        if u64::from(candidate).checked_pow(3).is_some_and(|cube| cube <= n) {
            root = candidate;
        }
    }
    root
}

impl Default for Cubic {
    fn default() -> Self {
        Cubic::new(Growth::STANDARD)
    }
}

impl Parameters for Cubic {
    const TAKES: &'static str = "growth=RULE and hystart=on, linux or off";

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "growth" => self.growth = value.parse().ok()?,
            "hystart" => self.watch = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }

    fn write(&self, list: &mut ParameterList<'_, '_>) -> fmt::Result {
        list.add("growth=", self.growth, Growth::default())?;
        list.add("hystart=", self.watch, Watch::HyStart)
    }
}

impl CongestionController for Cubic {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn on_start(&mut self, start: &Start) {
        let mss = start.mss.max(1);
        let mut now = State::INITIAL;
        now.stage = match self.watch {
            Watch::Nothing => now.stage,
            Watch::HyStart => Stage::InitialSlowStart(HyStart::INITIAL),
            Watch::Linux => Stage::InitialAsLinux(LinuxHyStart::INITIAL),
        };
        *self = Cubic {
            watch: self.watch,
            mss,
            cwnd: within_bounds(start.initial_window, mss),
            counted_until: start.now.as_millis(),
            now,
            ..Cubic::new(self.growth)
        };
    }

    fn on_known_threshold(&mut self, threshold: u32) {
        self.now.ssthresh = threshold;
    }

    /// Excludes an idle period from t, which ends when data is sent with nothing else in flight.
    fn on_sent(&mut self, sent: &Sent) {
        if sent.in_flight <= sent.bytes {
            self.skip_time(sent.now);
        }
    }

    /// Excludes from t the time in which the window did not limit the sender.
    fn on_ack(&mut self, ack: &Ack) {
        if ack.window_limited || ack.in_recovery {
            self.count_time(ack.now);
        } else {
            self.skip_time(ack.now);
        }
        if ack.in_recovery {
            return;
        }
        if self.cwnd < self.now.ssthresh {
            self.slow_start(ack);
        } else if grows(ack) {
            self.avoid_congestion(self.growth.counted(ack), ack.smoothed_rtt);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.remember(event.kind);
        match event.kind {
            CongestionKind::FastRetransmit | CongestionKind::Ecn => {
                self.reduce(event.kind, event.flight_size);
            }
            CongestionKind::Timeout => {
                self.reduce(event.kind, event.flight_size);
                self.slow_start_again();
            }
            CongestionKind::RepeatedTimeout => self.slow_start_again(),
        }
    }

    /// Undoes the last event (section 4.9): everything is as if it had not happened, unless the window has
    /// grown beyond that since; t_epoch too, so that the time since then counts.
    fn on_undo(&mut self, now: Instant) {
        self.count_time(now);
        if let Some(before) = self.before_event.take()
            && self.cwnd <= self.now.cwnd_prior
        {
            self.cwnd = within_bounds(self.now.cwnd_prior, self.mss);
            self.now = before;
        }
    }

    fn on_restart_after_idle(&mut self, _now: Instant, restart_window: u32) {
        if restart_window < self.cwnd {
            self.cwnd = restart_window.max(self.mss);
            self.leave_avoidance();
        }
        self.before_event = None;
    }

    fn on_unvalidated_window(&mut self, now: Instant, least: u32) {
        self.now.ssthresh = self.now.ssthresh.max(self.cwnd - self.cwnd / 4);
        self.on_restart_after_idle(now, (self.cwnd / 2).max(least));
    }

    fn on_unvalidated_loss(&mut self, _now: Instant, window: u32) {
        self.cwnd = within_bounds(window, self.mss);
        self.now.ssthresh = self.now.ssthresh.min(self.cwnd);
        self.leave_avoidance();
    }

    fn on_mss_change(&mut self, mss: u32) {
        self.mss = mss.max(1);
        self.cwnd = within_bounds(self.cwnd, self.mss);
        self.leave_avoidance();
    }

    fn window(&self) -> u32 {
        self.cwnd
    }

    fn slow_start_threshold(&self) -> u32 {
        self.now.ssthresh
    }
}

#[cfg(test)]
mod tests;
