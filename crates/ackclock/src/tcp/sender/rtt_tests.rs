//! The estimators by hand, and against exact rational arithmetic.

use super::*;
use crate::profile::{Full, Least};
use proptest::prelude::*;
use std::vec::Vec;

const ALL: [RtoEstimator; 4] = [
    RtoEstimator::Rfc6298,
    RtoEstimator::Rfc793,
    RtoEstimator::Jacobson88,
    RtoEstimator::Jacobson88K2,
];

fn estimator(rule: RtoEstimator, samples: &[u64]) -> RttEstimator<Full> {
    let mut estimator = RttEstimator::<Full>::new(rule);
    samples.iter().for_each(|&sample| estimator.on_sample(sample));
    estimator
}

fn standard(samples: &[u64]) -> RttEstimator<Full> {
    estimator(RtoEstimator::Rfc6298, samples)
}

fn timeouts(rule: RtoEstimator, samples: &[u64]) -> Vec<u64> {
    let mut estimator = RttEstimator::<Full>::new(rule);
    let after = |&sample| {
        estimator.on_sample(sample);
        estimator.timeout(1)
    };
    samples.iter().map(after).collect()
}

#[test]
fn the_first_sample_is_the_mean_and_half_of_it_the_deviation() {
    for rule in ALL {
        let even = estimator(rule, &[100]);
        assert_eq!((even.srtt(1), even.rttvar(1)), (100, 50));
    }
    // Half of an odd number is kept in the scaled value.
    let odd = standard(&[101]);
    assert_eq!((odd.rttvar(1), odd.timeout(0)), (50, 101 + 202));
}

/// Worked by hand with mean and deviation scaled by 8 and 4:
/// 800, 200 -> (180: error 80) 880, 230 -> (110: error 0) 880, 173 -> (30: error 80) 800, 210.
#[test]
fn later_samples_move_the_mean_by_an_eighth_and_the_deviation_by_a_quarter() {
    let mut estimator = standard(&[100]);
    let steps = [180, 110, 30].map(|sample| {
        estimator.on_sample(sample);
        (estimator.scaled_srtt, estimator.scaled_rttvar)
    });
    assert_eq!(steps, [(880, 230), (880, 173), (800, 210)]);
    assert_eq!((estimator.srtt(1), estimator.rttvar(1)), (100, 52));
}

/// By hand, scaled by 10: 1000 -> 1080 -> 1080 + 110 - 108 = 1082 -> 1082 + 30 - 108 = 1004.
#[test]
fn by_rfc_793_the_mean_moves_by_a_tenth_and_the_timeout_is_twice_the_mean() {
    assert_eq!(timeouts(RtoEstimator::Rfc793, &[100, 180, 110, 30]), [200, 216, 216, 200]);
    assert_eq!(estimator(RtoEstimator::Rfc793, &[100, 180, 110, 30]).srtt(1), 100);
}

/// The mean and deviation of the second test: 800, 200; 880, 230; 880, 173; 800, 210.
#[test]
fn by_jacobson_the_timeout_is_the_mean_and_four_or_two_deviations() {
    let samples = [100, 180, 110, 30];
    assert_eq!(timeouts(RtoEstimator::Jacobson88, &samples), [300, 340, 283, 310]);
    // (200 + 200) / 2, (220 + 230) / 2, (220 + 173) / 2, (200 + 210) / 2.
    assert_eq!(timeouts(RtoEstimator::Jacobson88K2, &samples), [200, 225, 196, 205]);
}

#[test]
fn only_by_rfc_6298_the_deviation_counts_as_a_tick_of_the_clock_at_least() {
    let steady = |rule| estimator(rule, &[40_000; 200]).timeout(1_000);
    // The scaled deviation settles at 3, whose quarter is lost in each step (appendix A.2).
    assert_eq!(ALL.map(steady), [41_000, 80_000, 40_003, 40_001]);
}

#[test]
fn a_clock_that_ticks_has_the_mean_and_deviation_that_it_can_tell() {
    let ticks = standard(&[2, 3]);
    // Mean 2 1/8 and deviation 1 ticks of 500.
    assert_eq!((ticks.srtt(500), ticks.rttvar(500)), (1_062, 500));
}

#[test]
fn the_number_of_samples_is_kept() {
    assert_eq!((standard(&[]).samples(), standard(&[300, 100, 200]).samples()), (0, 3));
    assert_eq!(standard(&[]).srtt(1), 0);
}

#[test]
fn absurd_samples_do_not_overflow() {
    let longest = <u64 as Units>::LONGEST;
    for rule in ALL {
        let huge = estimator(rule, &[u64::MAX; 100]);
        assert_eq!(huge.srtt(1), longest);
        assert!(huge.timeout(u64::MAX / 2) >= longest);
        let swinging = estimator(rule, &[u64::MAX, 0, u64::MAX, 0]);
        assert!(swinging.rttvar(1) <= longest);
    }
}

#[test]
fn absurd_samples_do_not_overflow_in_microseconds() {
    let longest = <u32 as Units>::LONGEST;
    let mut huge = RttEstimator::<Least>::new(RtoEstimator::Rfc6298);
    (0..100).for_each(|_| huge.on_sample(u32::MAX));
    assert_eq!(huge.srtt(1_000), u64::from(longest) * 1_000);
    assert!(huge.timeout(u32::MAX / 2) >= longest);
    let mut swinging = RttEstimator::<Least>::new(RtoEstimator::Rfc6298);
    [u32::MAX, 0, u32::MAX, 0].into_iter().for_each(|sample| swinging.on_sample(sample));
    swinging.on_delay_spike(u32::MAX);
    assert!(swinging.rttvar(1) <= longest.into());
}

/// A fraction in lowest terms.
#[derive(Clone, Copy)]
struct Fraction(i128, i128);

impl Fraction {
    fn new(numerator: i128, denominator: i128) -> Fraction {
        let (mut a, mut b) = (numerator.abs(), denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Fraction(numerator / a, denominator / a)
    }

    fn whole(value: u64) -> Fraction {
        Fraction(value.into(), 1)
    }

    fn times(self, factor: i128) -> Fraction {
        Fraction::new(self.0 * factor, self.1)
    }

    fn plus(self, other: Fraction) -> Fraction {
        Fraction::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn distance(self, other: Fraction) -> Fraction {
        let difference = self.plus(other.times(-1));
        Fraction(difference.0.abs(), difference.1)
    }

    /// (1 - 1/n) self + (1/n) new: the filter of jacobson88 appendix A.1.
    fn filtered(self, n: i128, new: Fraction) -> Fraction {
        let sum = self.times(n - 1).plus(new);
        Fraction::new(sum.0, sum.1 * n)
    }

    /// Whether `value` lies above it by more than `range.0` units and by less than `range.1`.
    fn is_near(self, value: u64, range: (i128, i128)) -> bool {
        let excess = i128::from(value) * self.1 - self.0;
        range.0 * self.1 < excess && excess < range.1 * self.1
    }
}

proptest! {
    /// Mean and deviation in exact arithmetic, from the equations of RFC 793 and of appendix A.1.
    ///
    /// Each step rounds less than one of the scaled units up; with a gain of 1/n that adds up to
    /// less than n of them, one of the mean. The deviation is measured from a mean that is wrong by
    /// less than one either way, and so lies less than one unit below and two above. What is read
    /// was rounded down once more.
    #[test]
    fn the_integers_follow_exact_arithmetic(
        samples in proptest::collection::vec(0..100_000_000_000_u64, 1..10),
    ) {
        for rule in ALL {
            let n = if rule == RtoEstimator::Rfc793 { 10 } else { 8 };
            let mut mean = Fraction::whole(samples[0]);
            let mut deviation = Fraction::new(samples[0].into(), 2);
            for &sample in &samples[1..] {
                let sample = Fraction::whole(sample);
                deviation = deviation.filtered(4, mean.distance(sample));
                mean = mean.filtered(n, sample);
            }
            let estimator = estimator(rule, &samples);
            prop_assert!(mean.is_near(estimator.srtt(1), (-1, 1)), "{rule:?}");
            prop_assert!(deviation.is_near(estimator.rttvar(1), (-2, 2)), "{rule:?}");
            let (expected, range) = match rule {
                RtoEstimator::Rfc793 => (mean.times(2), (-1, 2)),
                RtoEstimator::Jacobson88K2 => (mean.plus(deviation.times(2)), (-4, 5)),
                _ => (mean.plus(deviation.times(4)), (-5, 9)),
            };
            prop_assert!(expected.is_near(estimator.timeout(0), range), "{rule:?}");
        }
    }

    /// The scaled integers are the paper's code in wide arithmetic, for any number of samples.
    #[test]
    fn it_is_the_papers_recursion(
        samples in proptest::collection::vec(0..100_000_000_000_i64, 1..100),
    ) {
        let mut estimator = RttEstimator::<Full>::new(RtoEstimator::Jacobson88);
        let (mut sa, mut sv) = (0_i128, 0_i128);
        for (index, &sample) in samples.iter().enumerate() {
            let mut m = i128::from(sample);
            if index == 0 {
                (sa, sv) = (m << 3, m << 1);
            } else {
                m -= sa >> 3;
                sa += m;
                m = m.abs() - (sv >> 2);
                sv += m;
            }
            estimator.on_sample(sample.unsigned_abs());
            prop_assert_eq!(i128::from(estimator.timeout(1)), (sa >> 3) + sv);
        }
    }

    /// A mean of samples lies among them.
    #[test]
    fn the_mean_lies_between_the_extremes(
        samples in proptest::collection::vec(0..100_000_000_000_u64, 1..100),
    ) {
        for rule in ALL {
            let mean = estimator(rule, &samples).srtt(1);
            prop_assert!(samples.iter().min() <= Some(&mean));
            prop_assert!(Some(&mean) <= samples.iter().max());
        }
    }
}

#[test]
fn an_image_without_older_timers_has_the_estimator_of_rfc_6298() {
    let mut estimator = RttEstimator::<Least>::new(RtoEstimator::Rfc793);
    for sample in [100, 180] {
        estimator.on_sample(sample);
    }
    assert_eq!((estimator.srtt(1), estimator.timeout(1)), (110, 340));
}
