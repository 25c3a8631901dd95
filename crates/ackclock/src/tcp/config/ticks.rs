//! Ticking clocks: BSD checked its timers every 500 ms, and its delayed acks every 200 ms.

use crate::UnknownWord;
use crate::time::{Duration, Instant};
use core::fmt;
use core::num::NonZeroU16;
use core::str::FromStr;

/// Coarse clock for the retransmission timer. Round-trip times are counted in its ticks, and the timer expires
/// at a tick. All connections of a stack share the phase of the ticks, which follows from the stack's secret.
///
/// Textual form: `500ms/2`, the length of a tick and the least timeout in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticks {
    /// Length of a tick in milliseconds.
    pub millis: NonZeroU16,
    /// Least timeout in ticks, the first of which is usually cut short; 0 counts as 1.
    pub least: u8,
}

impl Ticks {
    /// BSD's slow timeout: ticks of 500 ms, and timers of at least two ticks. Neither number is in the papers
    /// whose measurements used it.
    pub const BSD: Ticks = Ticks { millis: millis(500), least: 2 };
}

impl fmt::Display for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ms/{}", self.millis, self.least)
    }
}

impl FromStr for Ticks {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let parts = text.split_once("ms/").and_then(|(millis, least)| {
            Some(Ticks { millis: millis.parse().ok()?, least: least.parse().ok()? })
        });
        parts.ok_or(UnknownWord::Value {
            wanted: "ticks of 1ms to 65535ms and a least timeout: 500ms/2",
        })
    }
}

/// Timer of delayed acks: the latest time at which an ack is sent.
///
/// Textual form: `per-segment`, `heartbeat` or `heartbeat=200ms`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum AckTimer {
    /// One timer for each delayed ack, which expires at the policy's timeout after the first segment that waits
    /// for it.
    #[default]
    PerSegment,
    /// A clock with this interval in milliseconds, below 500, at whose next beat a delayed ack is sent: BSD's
    /// fast timeout. Acks are delayed by half the interval on average. All connections of a stack share the
    /// beat, whose phase follows from the stack's secret.
    Heartbeat(NonZeroU16),
}

impl AckTimer {
    /// BSD's fast timeout of 200 ms, which jacobson88 states for its receivers (section 3, on figure 9).
    pub const BSD: AckTimer = AckTimer::Heartbeat(millis(200));

    /// The textual forms, as help and error messages list them.
    pub const WORDS: &'static str = "per-segment, heartbeat or heartbeat=200ms (below 500ms)";
}

impl fmt::Display for AckTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AckTimer::PerSegment => f.write_str("per-segment"),
            AckTimer::Heartbeat(millis) => write!(f, "heartbeat={millis}ms"),
        }
    }
}

impl FromStr for AckTimer {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text.split_once('=') {
            None if text == "per-segment" => Some(AckTimer::PerSegment),
            None if text == "heartbeat" => Some(AckTimer::BSD),
            Some(("heartbeat", time)) => time
                .strip_suffix("ms")
                .and_then(|millis| millis.parse().ok())
                .filter(|millis: &NonZeroU16| millis.get() <= LONGEST_HEARTBEAT)
                .map(AckTimer::Heartbeat),
            _ => None,
        }
        .ok_or(UnknownWord::Value { wanted: Self::WORDS })
    }
}

/// Longest interval of a heartbeat in milliseconds: acks are delayed by less than half a second (RFC 9293
/// MUST-40).
pub(crate) const LONGEST_HEARTBEAT: u16 = 499;

const fn millis(millis: u16) -> NonZeroU16 {
    match NonZeroU16::new(millis) {
        Some(millis) => millis,
        None => NonZeroU16::MIN,
    }
}

/// Clock that ticks at a fixed interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickingClock {
    tick: Duration,
    /// Time of the first tick.
    phase: Duration,
}

impl TickingClock {
    /// A clock that ticks every `millis` milliseconds; `phase` is a random number, the same for all clocks of a
    /// host.
    pub(crate) fn new(millis: NonZeroU16, phase: u32) -> Self {
        let tick = Duration::from_millis(millis.get().into());
        let phase = Duration::from_micros(u64::from(phase) % (u64::from(millis.get()) * 1000));
        TickingClock { tick, phase }
    }

    pub(crate) fn tick(&self) -> Duration {
        self.tick
    }

    /// The clock's reading: the number of ticks so far.
    pub(crate) fn reading(&self, now: Instant) -> u64 {
        let since = (now + self.tick).saturating_since(Instant::ZERO + self.phase);
        since.as_nanos() / self.tick.as_nanos().max(1)
    }

    /// The `n`-th tick after `now`.
    pub(crate) fn tick_after(&self, now: Instant, n: u64) -> Instant {
        let ticks = self.reading(now).saturating_add(n).saturating_sub(1);
        Instant::ZERO + self.phase + self.tick.saturating_mul(ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    const ONE: TickingClock =
        TickingClock { tick: Duration::from_millis(500), phase: Duration::from_millis(100) };

    #[test]
    fn the_reading_is_the_number_of_ticks() {
        let readings =
            [0, 99, 100, 599, 600, 1_100].map(|at| ONE.reading(Instant::from_millis(at)));
        assert_eq!(readings, [0, 0, 1, 1, 2, 3]);
    }

    #[test]
    fn the_next_tick_is_less_than_a_whole_one_away_unless_now_is_a_tick() {
        let after = |at, n| ONE.tick_after(Instant::from_millis(at), n).as_millis();
        assert_eq!([0, 99, 100, 599].map(|at| after(at, 1)), [100, 100, 600, 600]);
        assert_eq!([0, 99, 100, 599].map(|at| after(at, 3)), [1_100, 1_100, 1_600, 1_600]);
    }

    #[test]
    fn ticks_beyond_the_end_of_time_do_not_overflow() {
        assert!(ONE.tick_after(Instant::FAR_FUTURE, 1) > Instant::from_secs(1 << 34));
        assert_eq!(ONE.tick_after(Instant::ZERO, u64::MAX), Instant::FAR_FUTURE);
    }

    #[test]
    fn the_phase_is_within_the_first_tick() {
        let phases = [0, 1, 499_999, 500_000, u32::MAX]
            .map(|word| TickingClock::new(Ticks::BSD.millis, word).phase.as_micros());
        assert_eq!(phases, [0, 1, 499_999, 0, 467_295]);
    }

    #[test]
    fn each_textual_form_is_read_back() {
        for word in ["500ms/2", "1ms/0", "65535ms/255"] {
            assert_eq!(word.parse::<Ticks>().unwrap().to_string(), word);
        }
        for word in ["per-segment", "heartbeat=200ms", "heartbeat=499ms"] {
            assert_eq!(word.parse::<AckTimer>().unwrap().to_string(), word);
        }
        assert_eq!("heartbeat".parse(), Ok(AckTimer::BSD));
    }

    #[test]
    fn other_words_are_refused() {
        for word in ["", "500ms", "0ms/2", "500/2", "65536ms/1", "1ms/256"] {
            assert!(word.parse::<Ticks>().is_err(), "{word}");
        }
        for word in ["", "beat", "heartbeat=0ms", "heartbeat=500ms", "heartbeat=1s", "x=200ms"] {
            assert!(word.parse::<AckTimer>().is_err(), "{word}");
        }
    }
}
