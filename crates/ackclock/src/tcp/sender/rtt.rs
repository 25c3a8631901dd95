//! Round-trip time: Jacobson's estimator of mean and mean deviation (jacobson88 appendix A).

use crate::time::Duration;

/// The longest measurement taken as it is: 2^59 ns, 18 years. Scaled by 8 it fits into 63 bits.
const LONGEST_SAMPLE: u64 = 1 << 59;

/// Smoothed round-trip time and its mean deviation, kept as the scaled integers of jacobson88
/// appendix A.2: the mean times 8 (its gain is 1/8) and the deviation times 4 (its gain is 1/4),
/// in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RttEstimator {
    /// SRTT times 8: the paper's `sa`.
    scaled_srtt: u64,
    /// RTTVAR times 4: the paper's `sv`.
    scaled_rttvar: u64,
    min: Duration,
    samples: u32,
}

impl RttEstimator {
    /// Takes a measurement. Which acks may be measured (Karn's rule) is the caller's to know.
    pub(crate) fn on_sample(&mut self, rtt: Duration) {
        let measured = rtt.as_nanos().min(LONGEST_SAMPLE);
        if self.samples == 0 {
            // RFC 6298 rule 2.2: SRTT = R, RTTVAR = R/2.
            self.scaled_srtt = measured << 3;
            self.scaled_rttvar = measured << 1;
            self.min = rtt;
        } else {
            // RFC 6298 rule 2.3. The error is against the old mean, for both.
            let mean = self.scaled_srtt >> 3;
            let error = measured.abs_diff(mean);
            self.scaled_srtt = self.scaled_srtt - mean + measured;
            self.scaled_rttvar = self.scaled_rttvar - (self.scaled_rttvar >> 2) + error;
            self.min = self.min.min(rtt);
        }
        self.samples = self.samples.saturating_add(1);
    }

    /// Smoothed round-trip time, SRTT; zero before the first sample.
    pub(crate) fn srtt(&self) -> Duration {
        Duration::from_nanos(self.scaled_srtt >> 3)
    }

    /// Mean deviation of the round-trip time, RTTVAR; zero before the first sample.
    pub(crate) fn rttvar(&self) -> Duration {
        Duration::from_nanos(self.scaled_rttvar >> 2)
    }

    /// Four mean deviations: what a timeout adds to the mean.
    pub(crate) fn four_rttvar(&self) -> Duration {
        Duration::from_nanos(self.scaled_rttvar)
    }

    /// The least sample; zero before the first.
    pub(crate) fn min(&self) -> Duration {
        self.min
    }

    /// How many samples there were.
    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn estimator(samples_in_nanos: &[u64]) -> RttEstimator {
        let mut estimator = RttEstimator::default();
        for &nanos in samples_in_nanos {
            estimator.on_sample(Duration::from_nanos(nanos));
        }
        estimator
    }

    fn mean_and_deviation(estimator: &RttEstimator) -> (u64, u64) {
        (estimator.srtt().as_nanos(), estimator.rttvar().as_nanos())
    }

    #[test]
    fn the_first_sample_is_the_mean_and_half_of_it_the_deviation() {
        assert_eq!(mean_and_deviation(&estimator(&[100])), (100, 50));
        // Half of an odd number is kept in the scaled value.
        let odd = estimator(&[101]);
        assert_eq!((odd.rttvar().as_nanos(), odd.four_rttvar().as_nanos()), (50, 202));
    }

    /// Worked by hand with mean and deviation scaled by 8 and 4:
    /// 800, 200 -> (180: error 80) 880, 230 -> (110: error 0) 880, 173 -> (30: error 80) 800, 210.
    #[test]
    fn later_samples_move_the_mean_by_an_eighth_and_the_deviation_by_a_quarter() {
        let mut estimator = estimator(&[100]);
        let steps = [180, 110, 30].map(|nanos| {
            estimator.on_sample(Duration::from_nanos(nanos));
            (estimator.scaled_srtt, estimator.scaled_rttvar)
        });
        assert_eq!(steps, [(880, 230), (880, 173), (800, 210)]);
        assert_eq!(mean_and_deviation(&estimator), (100, 52));
    }

    #[test]
    fn the_least_sample_and_the_number_of_samples_are_kept() {
        let none = RttEstimator::default();
        assert_eq!((none.min(), none.samples()), (Duration::ZERO, 0));
        let some = estimator(&[300, 100, 200]);
        assert_eq!((some.min().as_nanos(), some.samples()), (100, 3));
    }

    #[test]
    fn the_mean_of_a_steady_path_is_exact_and_its_deviation_vanishes() {
        let steady = estimator(&[40_000_000; 200]);
        assert_eq!(steady.srtt(), Duration::from_millis(40));
        // The scaled deviation settles at 3, whose quarter is lost in each step (appendix A.2).
        assert_eq!(steady.four_rttvar().as_nanos(), 3);
    }

    #[test]
    fn absurd_samples_do_not_overflow() {
        let huge = estimator(&[u64::MAX; 100]);
        assert_eq!(huge.srtt().as_nanos(), LONGEST_SAMPLE);
        assert_eq!(huge.min(), Duration::MAX);
        let swinging = estimator(&[u64::MAX, 0, u64::MAX, 0]);
        assert!(swinging.rttvar().as_nanos() <= LONGEST_SAMPLE);
    }

    proptest! {
        /// The scaled integers are the defining equations of appendix A.2 in exact arithmetic,
        /// with a and v rounded down where the paper's code rounds them:
        /// 8a <- 8a + Err and 4v <- 4v + (|Err| - v) with Err = m - a.
        #[test]
        fn it_is_the_papers_recursion(
            samples in proptest::collection::vec(0..100_000_000_000i64, 1..100),
        ) {
            let mut estimator = RttEstimator::default();
            let (mut scaled_mean, mut scaled_deviation) = (0i128, 0i128);
            for (index, &sample) in samples.iter().enumerate() {
                let sample_wide = i128::from(sample);
                if index == 0 {
                    scaled_mean = 8 * sample_wide;
                    scaled_deviation = 4 * sample_wide / 2;
                } else {
                    let error = sample_wide - scaled_mean.div_euclid(8);
                    scaled_mean += error;
                    scaled_deviation += error.abs() - scaled_deviation.div_euclid(4);
                }
                estimator.on_sample(Duration::from_nanos(sample.unsigned_abs()));
                prop_assert_eq!(i128::from(estimator.scaled_srtt), scaled_mean);
                prop_assert_eq!(i128::from(estimator.scaled_rttvar), scaled_deviation);
            }
        }

        /// A mean of samples lies among them.
        #[test]
        fn the_mean_lies_between_the_extremes(
            samples in proptest::collection::vec(0..100_000_000_000u64, 1..100),
        ) {
            let mean = estimator(&samples).srtt().as_nanos();
            prop_assert!(samples.iter().min() <= Some(&mean));
            prop_assert!(Some(&mean) <= samples.iter().max());
        }
    }
}
