//! The congestion window if marks are counted: once per round trip with marks it is reduced by alpha/2 of it,
//! and each ack makes it grow by the bytes that were not marked.
//!
//! Flows with short round trips would leave little to others with which they share a short queue. So once a
//! connection is some hundred round trips old, a round trip counts as at least 25 ms (the virtual round
//! trip): marks within this time reduce the window only once, and it grows by (RTT / 25 ms)^2 segments per
//! real round trip, that is, at the pace of a connection with a round-trip time of 25 ms (section 2.4.4 of
//! the draft, RFC 9331 section 4.3 item 4).

use super::extent::Extent;
use crate::congestion::delegation::delegate_to_window;
use crate::congestion::window::CongestionWindow;
use crate::congestion::{
    Ack, Congestion, CongestionController, Growth, HyStart, Marks, Start, micros, scaled,
};
use crate::time::{Duration, Instant};

/// Least virtual round-trip time, in microseconds.
const LEAST_VIRTUAL_RTT: u32 = 25_000;
/// Number of round trips before virtual round-trip times apply; until then, a short transfer has its own
/// pace.
const ROUNDS_AT_OWN_PACE: u16 = 500;
/// Queueing delay, in microseconds, above which a queue counts as a classic one. A queue that marks for L4S
/// is a millisecond or two long; one in which every packet of a round trip has waited longer than this marks
/// as in RFC 3168, and may be shared with classic flows.
const CLASSIC_QUEUE: u32 = 5_000;
/// Share of the window that remains after a mark by a classic queue (RFC 8511 section 3.1, as with Reno).
const LEFT_BY_CLASSIC_MARK: (u64, u64) = (4, 5);
/// Least window after a mark and least threshold, in segments.
const LEAST_SEGMENTS: u32 = 2;
/// A loss reduces the flight by one part in this many, as with Reno (RFC 5681 equation 4).
const GIVEN_UP_FOR_LOSS: u32 = 2;
/// Number of quanta sent per second: each is 250 us of the rate (RFC 9331 section 4.3 item 7).
const QUANTA_PER_SECOND: u64 = 4_000;
/// Pacing gain in windows per round trip while slow start is far from its end; otherwise one.
const SLOW_START_GAIN: u64 = 2;

/// No round-trip time sample yet.
const NO_SAMPLE: u32 = u32::MAX;

/// State of Prague if the peer counts marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scalable {
    window: CongestionWindow<HyStart>,
    extent: Extent,
    /// When the round trip ends whose bytes are being counted.
    round_ends: Instant,
    /// Until when marks belong to the round trip of the last reduction.
    answered_until: Instant,
    /// Whether there are marks that belong to the next ack, and their payload bytes.
    has_marks: bool,
    marked_bytes: u32,
    /// The window before and after the last reduction for a mark, which a loss may accompany.
    marked: Option<(u32, u32)>,
    /// Smoothed round-trip time in microseconds; zero before the first sample.
    smoothed_rtt: u32,
    /// Least round-trip time samples of the last complete round trip and of this one, in microseconds.
    least_rtts: [u32; 2],
    /// Number of round trips so far.
    rounds: u16,
}

impl Scalable {
    pub(super) const fn new() -> Self {
        let window = CongestionWindow::new(Growth::STANDARD);
        Scalable {
            window: window.with_slow_start(HyStart::INITIAL),
            extent: Extent::NONE,
            round_ends: Instant::ZERO,
            answered_until: Instant::ZERO,
            has_marks: false,
            marked_bytes: 0,
            marked: None,
            smoothed_rtt: 0,
            least_rtts: [NO_SAMPLE; 2],
            rounds: 0,
        }
    }

    /// The virtual round-trip time, in microseconds.
    fn virtual_rtt(&self) -> u32 {
        if self.rounds < ROUNDS_AT_OWN_PACE {
            self.smoothed_rtt
        } else {
            self.smoothed_rtt.max(LEAST_VIRTUAL_RTT)
        }
    }

    fn round_from(&self, now: Instant) -> Instant {
        now + Duration::from_micros(self.virtual_rtt().into())
    }

    fn begin_round(&mut self, now: Instant) {
        self.least_rtts = [self.least_rtts[1], NO_SAMPLE];
        self.round_ends = self.round_from(now);
    }

    /// Whether packets have waited too long for a queue that marks for L4S (RFC 9331 section 4.3 item 3).
    fn is_queue_classic(&self, min_rtt: Duration) -> bool {
        let least = self.least_rtts[0].min(self.least_rtts[1]);
        least != NO_SAMPLE && least.saturating_sub(micros(min_rtt)) > CLASSIC_QUEUE
    }

    /// Responds to marks once per round trip: by alpha, but at least as Reno does if they seem to come from a
    /// classic queue.
    fn answer_marks(&mut self, now: Instant, min_rtt: Duration) {
        if self.extent.note_mark() {
            self.begin_round(now);
        }
        if now < self.answered_until {
            return;
        }
        let before = self.window.cwnd();
        let least = self.window.mss().saturating_mul(LEAST_SEGMENTS);
        let mut reduced = self.extent.reduced(before);
        if self.is_queue_classic(min_rtt) {
            reduced = reduced.min(scaled(before, LEFT_BY_CLASSIC_MARK));
        }
        let reduced = reduced.max(least).min(before);
        self.window.reduce_for_marks(reduced);
        self.marked = Some((before, reduced));
        self.answered_until = self.round_from(now);
    }

    /// The bytes of an ack that count for the growth of the window: those without a mark, scaled down to what
    /// a connection with the virtual round-trip time would have acknowledged, and to its share of growth.
    fn credit(&self, ack: &Ack, marked: u32) -> u32 {
        let unmarked = ack.bytes_acked.saturating_sub(marked);
        let (rtt, counts) = (u64::from(self.smoothed_rtt), u64::from(self.virtual_rtt()));
        if rtt == counts {
            return unmarked;
        }
        // If the two differ, `counts` is the longer one, 25 ms, so the product is below 2^30 times 2^30.
        let credit = (u64::from(unmarked) * rtt * rtt).checked_div(counts * counts);
        credit.map_or(unmarked, |credit| credit as u32)
    }

    /// FlightSize to respond to after a loss: a reduction for a mark in the same round trip counts as part of
    /// the response.
    fn flight_before_marks(&self, event: &Congestion) -> u32 {
        let Some((before, after)) = self.marked.filter(|_| event.now < self.answered_until) else {
            return event.flight_size;
        };
        let flight = (u64::from(event.flight_size) * u64::from(before)).checked_div(after.into());
        let flight = flight.map_or(u32::MAX, |bytes| u32::try_from(bytes).unwrap_or(u32::MAX));
        flight.min(before.max(event.flight_size))
    }
}

impl CongestionController for Scalable {
    delegate_to_window!(
        on_undo on_restart_after_idle on_unvalidated_window on_unvalidated_loss on_mss_change
        window slow_start_threshold
    );

    fn name(&self) -> &'static str {
        super::Prague::NAME
    }

    fn on_start(&mut self, start: &Start) {
        *self = Scalable::new();
        self.window.start(start);
        self.smoothed_rtt = start.rtt.map_or(0, micros);
        self.begin_round(start.now);
    }

    fn on_marks(&mut self, marks: &Marks) {
        self.has_marks |= marks.packets > 0;
        self.marked_bytes = self.marked_bytes.saturating_add(marks.bytes);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let (has_marks, marked_bytes) =
            (core::mem::take(&mut self.has_marks), core::mem::take(&mut self.marked_bytes));
        self.smoothed_rtt = micros(ack.smoothed_rtt);
        self.rounds = self.rounds.saturating_add(ack.new_round.into());
        if let Some(rtt) = ack.rtt {
            self.least_rtts[1] = self.least_rtts[1].min(micros(rtt));
        }
        self.extent.count(ack.bytes_delivered, marked_bytes);
        if ack.now >= self.round_ends {
            self.extent.end_round();
            self.begin_round(ack.now);
        }
        if has_marks {
            self.answer_marks(ack.now, ack.min_rtt);
        }
        if ack.in_recovery {
            return;
        }
        if self.window.in_slow_start() {
            self.window.grow(ack);
        } else if ack.window_limited {
            self.window.gain(self.credit(ack, marked_bytes));
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let flight = self.flight_before_marks(event);
        let least = self.window.mss().saturating_mul(LEAST_SEGMENTS);
        let reduced = (flight - flight.div_ceil(GIVEN_UP_FOR_LOSS)).max(least);
        self.window.remember(event.kind);
        self.window.reduce(event.kind, reduced);
        self.marked = None;
        self.answered_until = self.round_from(event.now);
    }

    fn pacing_rate(&self) -> Option<u64> {
        let (window, threshold) = (self.window.cwnd(), self.window.ssthresh());
        let gain = if window < threshold / 2 { SLOW_START_GAIN } else { 1 };
        let rate = (u64::from(window) * gain * 1_000_000).checked_div(self.smoothed_rtt.into());
        rate.map(|rate| rate.max(1))
    }

    fn send_quantum(&self) -> Option<u32> {
        let quantum = self.pacing_rate()? / QUANTA_PER_SECOND;
        Some(u32::try_from(quantum).unwrap_or(u32::MAX).max(1))
    }

    fn counts_marks(&self) -> bool {
        true
    }

    fn wants_l4s(&self) -> bool {
        true
    }
}
