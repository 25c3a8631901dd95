//! HyStart++: leaves the initial slow start before a loss (RFC 9406).
//!
//! If a round trip takes noticeably longer than the last one, a queue is building up. The window then grows
//! more slowly for some rounds (conservative slow start), and if the round-trip time does not recover
//! meanwhile, slow start ends.

use super::{Ack, micros};
use core::fmt::Debug;

/// MIN_RTT_THRESH in microseconds (section 4.3).
const LEAST_THRESHOLD: u32 = 4_000;
/// MAX_RTT_THRESH in microseconds (section 4.3).
const LARGEST_THRESHOLD: u32 = 16_000;
/// MIN_RTT_DIVISOR (section 4.3).
const THRESHOLD_DIVISOR: u32 = 8;
/// N_RTT_SAMPLE (section 4.3).
const LEAST_SAMPLES: u8 = 8;
/// CSS_GROWTH_DIVISOR (section 4.3).
const CONSERVATIVE_DIVISOR: u32 = 4;
/// CSS_ROUNDS (section 4.3).
const CONSERVATIVE_ROUNDS: u8 = 5;
/// No round-trip time sample yet.
const INFINITY: u32 = u32::MAX;

/// HyStart++ (RFC 9406), which supervises an initial slow start: see
/// [`Reno::with_hystart`](super::Reno::with_hystart).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HyStart {
    /// Least round-trip times of the last round and this one, in microseconds.
    last_round_min_rtt: u32,
    current_round_min_rtt: u32,
    /// Value of `current_round_min_rtt` when conservative slow start began.
    baseline_min_rtt: u32,
    /// Number of samples in the current round, as far as it matters.
    samples: u8,
    /// Number of completed rounds of conservative slow start.
    conservative_rounds: u8,
    conservative: bool,
}

impl HyStart {
    pub(super) const INITIAL: HyStart = HyStart {
        last_round_min_rtt: INFINITY,
        current_round_min_rtt: INFINITY,
        baseline_min_rtt: INFINITY,
        samples: 0,
        conservative_rounds: 0,
        conservative: false,
    };

    /// Begins a round. The round that ends counts as one of conservative slow start even if that began in the
    /// middle of it.
    fn begin_round(&mut self) {
        self.last_round_min_rtt = self.current_round_min_rtt;
        self.current_round_min_rtt = INFINITY;
        self.samples = 0;
        self.conservative_rounds =
            self.conservative_rounds.saturating_add(self.conservative.into());
    }

    fn on_sample(&mut self, rtt: u32) {
        self.current_round_min_rtt = self.current_round_min_rtt.min(rtt);
        self.samples = self.samples.saturating_add(1);
        if self.samples < LEAST_SAMPLES {
            return;
        }
        if self.conservative {
            if self.current_round_min_rtt < self.baseline_min_rtt {
                // It was only jitter: slow start resumes.
                self.conservative = false;
                self.conservative_rounds = 0;
            }
        } else if self.is_delayed() {
            self.baseline_min_rtt = self.current_round_min_rtt;
            self.conservative = true;
        }
    }

    /// Whether this round's round-trip time exceeds that of the last round by more than the threshold.
    fn is_delayed(&self) -> bool {
        let threshold =
            (self.last_round_min_rtt / THRESHOLD_DIVISOR).clamp(LEAST_THRESHOLD, LARGEST_THRESHOLD);
        self.last_round_min_rtt != INFINITY
            && self.current_round_min_rtt != INFINITY
            && self.current_round_min_rtt >= self.last_round_min_rtt.saturating_add(threshold)
    }
}

impl SlowStart for HyStart {
    fn start(&mut self) {
        *self = Self::INITIAL;
    }

    /// Processes an ack (section 4.2).
    fn on_ack(&mut self, ack: &Ack) -> Option<u32> {
        if ack.new_round {
            self.begin_round();
        }
        if self.conservative_rounds >= CONSERVATIVE_ROUNDS {
            return None;
        }
        let divisor = if self.conservative { CONSERVATIVE_DIVISOR } else { 1 };
        if let Some(rtt) = ack.rtt {
            self.on_sample(micros(rtt));
        }
        Some(divisor)
    }
}

/// Supervisor of the initial slow start of an algorithm such as [`Reno`](super::Reno), that is, of slow start
/// before the connection has met congestion: [`StandardSlowStart`], [`HyStart`], or an `Option<HyStart>`,
/// which is either of them, chosen at run time.
pub trait SlowStart: Copy + Eq + Debug + sealed::Sealed {
    /// Resets the state, as a connection begins.
    fn start(&mut self);

    /// Processes an ack in the initial slow start. Returns the divisor for the growth of the window; `None`:
    /// slow start ends.
    fn on_ack(&mut self, ack: &Ack) -> Option<u32>;
}

/// Slow start as in RFC 5681, which ends at a loss. It has no state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StandardSlowStart;

impl SlowStart for StandardSlowStart {
    fn start(&mut self) {}

    fn on_ack(&mut self, _ack: &Ack) -> Option<u32> {
        Some(1)
    }
}

impl SlowStart for Option<HyStart> {
    fn start(&mut self) {
        if let Some(hystart) = self {
            hystart.start();
        }
    }

    fn on_ack(&mut self, ack: &Ack) -> Option<u32> {
        self.as_mut().map_or(Some(1), |hystart| hystart.on_ack(ack))
    }
}

mod sealed {
    /// Restricts implementations to the core.
    pub trait Sealed {}
    impl Sealed for super::StandardSlowStart {}
    impl Sealed for super::HyStart {}
    impl Sealed for Option<super::HyStart> {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::acked;
    use crate::time::Duration;

    fn ack(rtt_micros: u64, new_round: bool) -> Ack {
        Ack { rtt: Some(Duration::from_micros(rtt_micros)), new_round, ..acked(1) }
    }

    /// A round of so many acks, all with that round-trip time: what each increase is divided by.
    fn round(hystart: &mut HyStart, rtt_micros: u64, acks: usize) -> std::vec::Vec<Option<u32>> {
        (0..acks).map(|n| hystart.on_ack(&ack(rtt_micros, n == 0))).collect()
    }

    fn after_a_round_of(rtt_micros: u64) -> HyStart {
        let mut hystart = HyStart::INITIAL;
        round(&mut hystart, rtt_micros, 8);
        hystart
    }

    /// Whether a round of `rtt_micros` after one of `base_micros` slows the growth down.
    fn slows_down(base_micros: u64, rtt_micros: u64) -> bool {
        let mut hystart = after_a_round_of(base_micros);
        round(&mut hystart, rtt_micros, 8);
        hystart.conservative
    }

    #[test]
    fn the_threshold_is_an_eighth_of_the_last_round_between_4_and_16_ms() {
        for (base, threshold) in [(8_000, 4_000), (80_000, 10_000), (400_000, 16_000)] {
            assert!(slows_down(base, base + threshold), "{base}");
            assert!(!slows_down(base, base + threshold - 1), "{base}");
        }
    }

    #[test]
    fn eight_samples_are_needed_and_the_least_of_them_counts() {
        let mut hystart = after_a_round_of(80_000);
        assert_eq!(round(&mut hystart, 90_000, 7), [Some(1); 7]);
        assert!(!hystart.conservative);
        assert_eq!(hystart.on_ack(&ack(90_000, false)), Some(1));
        assert!(hystart.conservative);
        let mut jitter = after_a_round_of(80_000);
        round(&mut jitter, 200_000, 7);
        jitter.on_ack(&ack(89_999, false));
        assert!(!jitter.conservative);
    }

    #[test]
    fn conservative_slow_start_grows_by_a_quarter_for_five_rounds_with_the_one_it_began_in() {
        let mut hystart = after_a_round_of(80_000);
        let mut divisors = round(&mut hystart, 90_000, 10);
        for _ in 0..4 {
            divisors.extend(round(&mut hystart, 100_000, 1));
        }
        let expected = [&[Some(1); 8][..], &[Some(4); 6]].concat();
        assert_eq!(divisors, expected);
        assert_eq!(hystart.on_ack(&ack(100_000, true)), None);
    }

    #[test]
    fn a_round_shorter_than_the_first_delayed_one_resumes_slow_start() {
        let mut hystart = after_a_round_of(80_000);
        round(&mut hystart, 90_000, 8);
        let expected = [[Some(4); 8], [Some(1); 8]].concat();
        let mut divisors = round(&mut hystart, 89_999, 8);
        // The delay is measured against the last round, which was the one that resumed.
        divisors.extend(round(&mut hystart, 95_000, 8));
        assert_eq!(divisors, expected);
        round(&mut hystart, 110_000, 8);
        let mut left = 0;
        while round(&mut hystart, 120_000, 8) != [None; 8] {
            left += 1;
        }
        assert_eq!(left, 4, "all five rounds again");
    }

    #[test]
    fn acks_without_a_sample_tell_nothing() {
        let mut hystart = after_a_round_of(80_000);
        hystart.on_ack(&Ack { rtt: None, ..ack(0, true) });
        for _ in 0..20 {
            assert_eq!(hystart.on_ack(&Ack { rtt: None, ..ack(0, false) }), Some(1));
        }
        // Then there is no last round to compare with.
        round(&mut hystart, 200_000, 8);
        assert!(!hystart.conservative);
    }
}
