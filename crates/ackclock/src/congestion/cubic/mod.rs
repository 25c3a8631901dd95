//! CUBIC: the window is a cubic function of the time since the last congestion (RFC 9438).
//!
//! After a loss the window returns quickly to near where the loss was, stays there for a while, and
//! then, if nothing is lost, looks for more, faster and faster. How fast does not depend on the
//! round-trip time, so that long paths are filled as soon as short ones. Where Reno would be
//! faster, on short paths, the window follows an estimate of Reno's.
//!
//! Windows are bytes, the curve's time is in milliseconds and everything is an integer: the cube of
//! the longest time that matters then fits into 64 bits. The curve depends on t - K only, so that
//! is what the state holds.

use super::{
    Ack, Congestion, CongestionController, CongestionKind, DEFAULT_MSS, Growth, Sent, Start,
};
use crate::time::{Duration, Instant};

/// beta_cubic = 0.7 (section 4.6), a fraction.
const BETA: (u64, u64) = (7, 10);
/// What fast convergence leaves of W_max: (1 + beta_cubic) / 2 (section 4.7).
const FAST_CONVERGENCE: (u64, u64) = (17, 20);
/// alpha_cubic = 3 (1 - beta_cubic) / (1 + beta_cubic) = 9/17 (section 4.3).
const ALPHA: (u64, u64) = (9, 17);
/// What alpha_cubic becomes when the window before the last reduction is reached.
const RENO_ALPHA: (u64, u64) = (1, 1);
/// 1/C in cubic milliseconds per segment; C = 0.4 segments per cubic second (section 5.1).
const MILLIS_CUBED_PER_SEGMENT: u64 = 2_500_000_000;
/// The longest time in milliseconds whose cube fits into 64 bits: 44 minutes.
const LONGEST_MILLIS: u32 = 2_642_245;
/// Least threshold, and least window after a loss, in segments (section 4.6).
const LEAST_SEGMENTS: u32 = 2;

/// RFC 9438's congestion control, with appropriate byte counting in slow start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cubic {
    mss: u32,
    cwnd: u32,
    /// What the last increase left over: so many parts of `cwnd` of a byte.
    remainder: u32,
    /// When time was last counted, in milliseconds, modulo 2^32.
    counted_until: u32,
    now: State,
    /// What `now` was before the last congestion event, as long as that can be taken back. The
    /// window was `cwnd_prior`.
    before_event: Option<State>,
}

/// What a congestion event changes and an undo brings back (section 4.9.2). Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    ssthresh: u32,
    cwnd_prior: u32,
    w_max: u32,
    /// The window that Reno would have.
    w_est: u32,
    /// Bytes acknowledged that have not yet made a segment of `w_est`.
    credit: u32,
    /// t - K in milliseconds: how long ago the curve passed W_max.
    since_plateau: i32,
    stage: Stage,
}

/// Where the window stands between two congestion events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The next congestion avoidance stage heads for `w_max`.
    BeforeAvoidance,
    /// In the slow start that follows a timeout: the next stage begins on the plateau.
    AfterTimeout,
    /// In congestion avoidance, on the curve.
    Avoidance,
}

impl State {
    const INITIAL: State = State {
        ssthresh: u32::MAX,
        cwnd_prior: 0,
        w_max: 0,
        w_est: 0,
        credit: 0,
        since_plateau: 0,
        stage: Stage::BeforeAvoidance,
    };
}

impl Cubic {
    pub(super) const NAME: &'static str = "cubic";

    /// Counts the time until `now` as part of t, also of the t that an undo would restore.
    fn count_time(&mut self, now: Instant) {
        // More than half the circle ahead is behind: time does not run backwards.
        let elapsed = modular_millis(now).wrapping_sub(self.counted_until).cast_signed();
        if elapsed < 0 {
            return;
        }
        self.skip_time(now);
        for state in [Some(&mut self.now), self.before_event.as_mut()].into_iter().flatten() {
            state.since_plateau = state.since_plateau.saturating_add(elapsed);
        }
    }

    /// Leaves the time until `now` out of t (section 5.8).
    fn skip_time(&mut self, now: Instant) {
        self.counted_until = modular_millis(now);
    }

    /// Section 4.10: RFC 5681's slow start, up to the threshold and not beyond.
    fn slow_start(&mut self, bytes_acked: u32) {
        let repairs_loss = self.now.stage == Stage::AfterTimeout;
        let increase = Growth::default().slow_start_increase(bytes_acked, self.mss, repairs_loss);
        self.cwnd = self.cwnd.saturating_add(increase).min(self.now.ssthresh);
    }

    /// The start of a congestion avoidance stage, t = 0: where the curve begins (section 4.2, figure
    /// 2). Beyond W_max, and in the first stage after a timeout (section 4.8), on its plateau.
    fn begin_avoidance(&mut self) {
        let state = &mut self.now;
        if state.stage == Stage::AfterTimeout || state.w_max < self.cwnd {
            state.w_max = self.cwnd;
        }
        let k = time_to_grow(state.w_max - self.cwnd, self.mss);
        state.since_plateau = 0i32.saturating_sub_unsigned(k);
        state.w_est = self.cwnd;
        state.credit = 0;
        state.stage = Stage::Avoidance;
        self.remainder = 0;
    }

    fn avoid_congestion(&mut self, bytes_acked: u32, smoothed_rtt: Duration) {
        if self.now.stage != Stage::Avoidance {
            self.begin_avoidance();
        }
        self.advance_reno_estimate(bytes_acked);
        let t = self.now.since_plateau;
        if self.w_cubic(t) < self.now.w_est {
            // Section 4.3: the Reno-friendly region. An ack never closes the window.
            self.cwnd = self.cwnd.max(self.now.w_est);
        } else {
            let rtt = u32::try_from(smoothed_rtt.as_millis()).unwrap_or(u32::MAX);
            let target = self.w_cubic(t.saturating_add_unsigned(rtt));
            self.approach(target, bytes_acked);
        }
    }

    /// Section 4.3, figure 4, by whole segments with the rest in `credit`.
    fn advance_reno_estimate(&mut self, bytes_acked: u32) {
        let state = &mut self.now;
        let alpha = if state.w_est >= state.cwnd_prior { RENO_ALPHA } else { ALPHA };
        let price = (u64::from(self.cwnd) * alpha.1).div_ceil(alpha.0);
        let credit = u64::from(state.credit) + u64::from(bytes_acked);
        let left = match credit.checked_sub(price) {
            Some(left) => {
                state.w_est = state.w_est.saturating_add(self.mss);
                left
            }
            None => credit,
        };
        state.credit = u32::try_from(left).unwrap_or(u32::MAX);
    }

    /// Sections 4.4 and 4.5: (target - cwnd) / cwnd for each segment acknowledged, where the target
    /// is at least the window and at most one and a half of it (section 4.2).
    fn approach(&mut self, target: u32, bytes_acked: u32) {
        let distance = u64::from(target.saturating_sub(self.cwnd).min(self.cwnd / 2));
        let cwnd = u64::from(self.cwnd.max(1));
        let parts = distance * u64::from(bytes_acked) + u64::from(self.remainder);
        let increase = (parts / cwnd).min(distance);
        self.remainder = u32::try_from(parts % cwnd).unwrap_or(0);
        self.cwnd = self.cwnd.saturating_add(u32::try_from(increase).unwrap_or(u32::MAX));
    }

    /// Section 4.2, figure 1: C (t - K)^3 + W_max, rounded towards W_max.
    fn w_cubic(&self, since_plateau: i32) -> u32 {
        let millis = u64::from(since_plateau.unsigned_abs().min(LONGEST_MILLIS));
        let cube = millis * millis * millis;
        let mss = u64::from(self.mss);
        let whole = (cube / MILLIS_CUBED_PER_SEGMENT).saturating_mul(mss);
        // Below 2^64: 2.5e9 times a size.
        let part = cube % MILLIS_CUBED_PER_SEGMENT * mss / MILLIS_CUBED_PER_SEGMENT;
        let offset = u32::try_from(whole.saturating_add(part)).unwrap_or(u32::MAX);
        if since_plateau < 0 {
            self.now.w_max.saturating_sub(offset)
        } else {
            self.now.w_max.saturating_add(offset)
        }
    }

    /// Keeps what is needed to take the coming reduction back, as `LossWindow::remember` does.
    fn remember(&mut self, kind: CongestionKind) {
        if kind != CongestionKind::RepeatedTimeout || self.before_event.is_none() {
            self.before_event = Some(self.now);
            self.now.cwnd_prior = self.cwnd;
        }
    }

    /// Sections 4.7 and 4.6: W_max, then threshold and window. Congestion never opens the window.
    fn reduce(&mut self, kind: CongestionKind, flight_size: u32) {
        let converging = self.cwnd < self.now.w_max;
        self.now.w_max = if converging { scaled(self.cwnd, FAST_CONVERGENCE) } else { self.cwnd };
        let reduced = scaled(flight_size, BETA);
        self.now.ssthresh = reduced.max(self.mss.saturating_mul(LEAST_SEGMENTS));
        self.now.stage = Stage::BeforeAvoidance;
        let cwnd =
            if kind == CongestionKind::Ecn { reduced.max(self.mss) } else { self.now.ssthresh };
        self.cwnd = self.cwnd.min(cwnd);
    }

    /// Section 4.8: with one segment, as Reno.
    fn slow_start_again(&mut self) {
        self.cwnd = self.mss;
        self.now.stage = Stage::AfterTimeout;
    }

    /// The window or its unit is not what the curve was drawn for: a new stage begins.
    fn leave_avoidance(&mut self) {
        if self.now.stage == Stage::Avoidance {
            self.now.stage = Stage::BeforeAvoidance;
        }
    }
}

/// A size times a fraction not above one, rounded down.
fn scaled(size: u32, (numerator, denominator): (u64, u64)) -> u32 {
    u32::try_from(u64::from(size) * numerator / denominator).unwrap_or(size)
}

/// Milliseconds since the origin, modulo 2^32.
fn modular_millis(now: Instant) -> u32 {
    (now.as_millis() & u64::from(u32::MAX)) as u32
}

/// K in milliseconds, rounded up so that the curve does not begin above the window: how long it takes
/// to grow by so many bytes up to its plateau (section 4.2, figure 2).
fn time_to_grow(bytes: u32, mss: u32) -> u32 {
    let cube = (u64::from(bytes) * MILLIS_CUBED_PER_SEGMENT).div_ceil(u64::from(mss.max(1)));
    let root = cube_root(cube);
    if u64::from(root).pow(3) < cube { root + 1 } else { root }
}

/// The largest integer whose cube is not above `n`, found bit by bit.
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
        Cubic {
            mss: DEFAULT_MSS,
            cwnd: DEFAULT_MSS,
            remainder: 0,
            counted_until: 0,
            now: State::INITIAL,
            before_event: None,
        }
    }
}

impl CongestionController for Cubic {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn on_start(&mut self, start: &Start) {
        let mss = start.mss.max(1);
        *self = Cubic {
            mss,
            cwnd: start.initial_window.max(mss),
            counted_until: modular_millis(start.now),
            ..Cubic::default()
        };
    }

    /// An idle time, which ends with nothing else in flight, is no part of t.
    fn on_sent(&mut self, sent: &Sent) {
        if sent.in_flight <= sent.bytes {
            self.skip_time(sent.now);
        }
    }

    /// Nor is the time in which the window did not limit the sender.
    fn on_ack(&mut self, ack: &Ack) {
        if ack.window_limited || ack.in_recovery {
            self.count_time(ack.now);
        } else {
            self.skip_time(ack.now);
        }
        if ack.in_recovery || ack.bytes_acked == 0 || !ack.window_limited {
            return;
        }
        if self.cwnd < self.now.ssthresh {
            self.slow_start(ack.bytes_acked);
        } else {
            self.avoid_congestion(ack.bytes_acked, ack.smoothed_rtt);
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

    /// Section 4.9: unless the window has outgrown the event, all is as if it had not been; t_epoch
    /// too, so that the time since counts.
    fn on_undo(&mut self, now: Instant) {
        self.count_time(now);
        if let Some(before) = self.before_event.take()
            && self.cwnd <= self.now.cwnd_prior
        {
            self.cwnd = self.now.cwnd_prior;
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

    fn on_mss_change(&mut self, mss: u32) {
        self.mss = mss.max(1);
        self.cwnd = self.cwnd.max(self.mss);
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
