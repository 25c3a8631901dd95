//! Pacing (draft-ietf-ccwg-bbr-06 sections 5.6.2 and 5.6.3) and the burst limit: when to send what the
//! windows allow.

use super::Sender;
use super::flight::Flight;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::tcp::{Pacing, Settings};
use crate::time::{Duration, Instant};

/// Pacing rate, in percent of a window per round-trip time, for congestion control without a rate of its own:
/// in slow start, and after it (Linux: `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`).
const SLOW_START_GAIN: u64 = 200;
const AVOIDANCE_GAIN: u64 = 120;
/// Quanta per second: a quantum is what the rate sends in a millisecond (section 5.6.3), ...
const QUANTA_PER_SECOND: u64 = 1_000;
/// ... at most this many bytes, ...
const LARGEST_QUANTUM: u64 = 64 * 1024;
/// ... and at least this many segments.
const LEAST_QUANTUM_SEGMENTS: u32 = 2;
/// How late a driver's timers may be without reducing the rate.
const TIMER_GRANULARITY: Duration = Duration::from_millis(1);

/// State of pacing and of the burst limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// C.next_send_time: when the next quantum may be sent.
    next_send_at: Instant,
    /// Bytes left of the last quantum.
    quantum_left: u32,
    /// Segments that may be sent before the next ack or timer.
    burst_left: u16,
    /// Whether data waits for `next_send_at`.
    waiting: bool,
}

impl Pacer {
    pub(super) fn new() -> Self {
        Pacer { next_send_at: Instant::ZERO, quantum_left: 0, burst_left: u16::MAX, waiting: false }
    }

    /// When the waiting data may be sent; [`Instant::FAR_FUTURE`] if none waits.
    pub(super) fn deadline(&self) -> Instant {
        if self.waiting { self.next_send_at } else { Instant::FAR_FUTURE }
    }

    pub(super) fn on_timeout(&mut self, now: Instant) {
        self.waiting &= self.next_send_at > now;
    }

    fn released(&self, now: Instant, quantum: u32) -> u32 {
        if self.next_send_at <= now { quantum } else { self.quantum_left }
    }

    fn on_sent(&mut self, now: Instant, bytes: u32, rate: u64, quantum: u32) {
        if self.next_send_at <= now {
            let late = now.saturating_since(self.next_send_at);
            let by_timer = self.quantum_left == 0 && late <= TIMER_GRANULARITY;
            self.next_send_at = if by_timer { self.next_send_at } else { now };
            self.quantum_left = quantum;
        }
        self.quantum_left = self.quantum_left.saturating_sub(bytes);
        self.next_send_at += time_to_send(bytes, rate);
        self.waiting = false;
    }
}

fn time_to_send(bytes: u32, rate: u64) -> Duration {
    Duration::from_nanos((u64::from(bytes) * 1_000_000_000).div_ceil(rate.max(1)))
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Pacing rate in bytes per second; `None`: as fast as the windows allow.
    pub(crate) fn pacing_rate(&self, settings: &Settings<P>) -> Option<u64> {
        match settings.pacing() {
            Pacing::Off => None,
            Pacing::Law => self.controller.pacing_rate(),
            Pacing::Always => self.controller.pacing_rate().or_else(|| self.windows_per_rtt()),
        }
    }

    fn windows_per_rtt(&self) -> Option<u64> {
        let window = self.controller.window();
        let slow_start = window < self.controller.slow_start_threshold();
        let gain = if slow_start { SLOW_START_GAIN } else { AVOIDANCE_GAIN };
        let per_window = u64::from(window) * (1_000_000_000 / 100) * gain;
        per_window.checked_div(self.rto.smoothed_rtt().as_nanos())
    }

    fn quantum(&self, settings: &Settings<P>, rate: u64) -> u32 {
        let least = self.mss().saturating_mul(LEAST_QUANTUM_SEGMENTS);
        let usual = (rate / QUANTA_PER_SECOND).min(LARGEST_QUANTUM) as u32;
        let quantum = self.controller.send_quantum().unwrap_or(usual.max(least));
        quantum.min(self.burst(settings)).max(self.mss())
    }

    /// The burst limit in bytes.
    fn burst(&self, settings: &Settings<P>) -> u32 {
        settings
            .burst_limit()
            .map_or(u32::MAX, |limit| self.mss().saturating_mul(limit.get().into()))
    }

    /// How many bytes pacing and the burst limit let go now, whatever the windows allow. After a full burst
    /// the sender waits for an ack or a timer, one of which will come while data is in flight.
    pub(super) fn released(&self, now: Instant, settings: &Settings<P>) -> u32 {
        let Some(pacer) = self.pacer.get() else {
            return u32::MAX;
        };
        if let Some(rate) = self.pacing_rate(settings) {
            return pacer.released(now, self.quantum(settings, rate));
        }
        match settings.burst_limit() {
            Some(_) if !self.flight.is_empty() => {
                self.mss().saturating_mul(pacer.burst_left.into())
            }
            _ => self.burst(settings),
        }
    }

    /// Notes that pacing holds data back.
    pub(super) fn wait_for_pacing(&mut self, now: Instant) {
        if let Some(pacer) = self.pacer.get_mut() {
            pacer.waiting = pacer.next_send_at > now;
        }
    }

    /// Allows the next burst, because an ack arrived or a timer expired.
    pub(super) fn allow_burst(&mut self, settings: &Settings<P>) {
        if let Some(pacer) = self.pacer.get_mut() {
            pacer.burst_left = settings.burst_limit().map_or(u16::MAX, |limit| limit.get());
        }
    }

    /// Notes that `bytes` bytes were sent. `idle`: nothing was in flight before.
    pub(super) fn pace(&mut self, now: Instant, settings: &Settings<P>, bytes: u32, idle: bool) {
        if let Some(rate) = self.pacing_rate(settings) {
            let quantum = self.quantum(settings, rate);
            if let Some(pacer) = self.pacer.get_mut() {
                pacer.on_sent(now, bytes, rate, quantum);
            }
        }
        if idle {
            self.allow_burst(settings);
        }
        if settings.burst_limit().is_some() {
            let segments = u16::try_from(bytes.div_ceil(self.mss())).unwrap_or(u16::MAX);
            if let Some(pacer) = self.pacer.get_mut() {
                pacer.burst_left = pacer.burst_left.saturating_sub(segments);
            }
        }
    }
}
