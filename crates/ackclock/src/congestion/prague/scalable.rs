//! The window where marks are counted: alpha/2 of it is given up once in a round trip with marks, and each ack
//! opens it for what it tells unmarked.
//!
//! Flows with short round trips would leave little to others, whose queue they keep short. So a round trip counts
//! as at least 25 ms once a connection is some hundred of them old: the marks of so long a time are answered once,
//! and the window grows by (RTT / 25 ms)^2 segments in a real one, which is one in the time of a longer connection's
//! bytes (section 2.4.4 of the draft, RFC 9331 section 4.3 item 4).

use super::extent::Extent;
use crate::congestion::delegation::delegate_to_window;
use crate::congestion::window::CongestionWindow;
use crate::congestion::{
    Ack, Congestion, CongestionController, Growth, HyStart, Marks, Start, micros, scaled,
};
use crate::time::{Duration, Instant};

/// The least round trip that counts, in microseconds.
const LEAST_VIRTUAL_RTT: u32 = 25_000;
/// Round trips after which short ones count as that long: before, a short transfer goes at its own pace.
const ROUNDS_AT_OWN_PACE: u16 = 500;
/// A queue that marks for L4S is a millisecond or two long. One that has made every packet of a round trip wait for
/// longer than this, in microseconds, marks as RFC 3168 has it, and may be shared with classic flows.
const CLASSIC_QUEUE: u32 = 5_000;
/// What is left of a window after such a mark, as a fraction (RFC 8511 section 3.1, as with Reno).
const LEFT_BY_CLASSIC_MARK: (u64, u64) = (4, 5);
/// Least window after a mark and least threshold, in segments.
const LEAST_SEGMENTS: u32 = 2;
/// A loss takes one of so many parts of the flight, as with Reno (RFC 5681 equation 4).
const GIVEN_UP_FOR_LOSS: u32 = 2;
/// How often in a second a quantum is sent: each is 250 us of the rate (RFC 9331 section 4.3 item 7).
const QUANTA_PER_SECOND: u64 = 4_000;
/// Windows in a round trip while slow start is far from its end; else one.
const SLOW_START_GAIN: u64 = 2;

/// No round-trip time yet.
const NO_SAMPLE: u32 = u32::MAX;

/// Prague's scalable law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scalable {
    window: CongestionWindow<HyStart>,
    extent: Extent,
    /// When the round trip is over whose bytes are being counted.
    round_ends: Instant,
    /// Until then marks tell of what the window was last reduced for.
    answered_until: Instant,
    /// Whether there are marks that the next ack counts, and the payload bytes of these.
    has_marks: bool,
    marked_bytes: u32,
    /// The window before and after the reduction for a mark that a loss may come with.
    marked: Option<(u32, u32)>,
    /// In microseconds; zero before the first sample.
    smoothed_rtt: u32,
    /// The least sample of the last round trip that is over, and of this one, in microseconds.
    least_rtts: [u32; 2],
    /// Round trips so far.
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

    /// The round trip that counts, in microseconds.
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

    /// Marks are answered once in a round trip: by alpha, but at least as Reno does if they seem to be of a classic
    /// queue.
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

    /// The bytes of an ack that open the window: those without a mark, as many of them as a connection with the
    /// round trip that counts would have acknowledged, and for its share of the window.
    fn credit(&self, ack: &Ack, marked: u32) -> u32 {
        let unmarked = ack.bytes_acked.saturating_sub(marked);
        let (rtt, counts) = (u64::from(self.smoothed_rtt), u64::from(self.virtual_rtt()));
        if rtt == counts {
            return unmarked;
        }
        // The round trip that counts is the longer one, and then 25 ms: below 2^30 times 2^30.
        let credit = (u64::from(unmarked) * rtt * rtt).checked_div(counts * counts);
        credit.map_or(unmarked, |credit| credit as u32)
    }

    /// The flight that a loss is to be answered for: a reduction for a mark of the same round trip counts as part
    /// of the answer.
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
