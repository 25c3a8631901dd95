//! Random numbers for applications: times between things, sizes of things, times to begin.

use super::{Random, Streams};
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// A distribution of whole numbers, in whatever unit the caller has in mind: bytes, nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Distribution {
    /// Always this number.
    Constant(u64),
    /// Uniform from the first number to the last, both included. A last number below the first
    /// counts as the first.
    Uniform(u64, u64),
    /// Exponential with this mean, rounded down.
    Exponential(u64),
}

/// An endless iterator of random numbers, the same on every platform.
///
/// Draws can be made into the schedules of applications:
///
/// ```
/// use ackclock::apps::{Amount, Burst};
/// use ackclock::time::Duration;
/// use ackclock_emulator::{Distribution, Draws};
///
/// // A hundred bursts of 64 kB in the mean, with idle times of half a second in the mean.
/// let seed = 7;
/// let pauses = Draws::new(Distribution::Exponential(500_000_000), seed, 0);
/// let sizes = Draws::new(Distribution::Exponential(65_536), seed, 1);
/// let bursts = pauses.zip(sizes).take(100).map(|(pause, bytes)| Burst {
///     pause: Duration::from_nanos(pause),
///     amount: Amount::Bytes(bytes),
/// });
/// assert_eq!(bursts.count(), 100);
/// ```
#[derive(Debug)]
pub struct Draws {
    distribution: Distribution,
    random: Random,
}

impl Draws {
    /// The random numbers of this seed and stream. Other streams of the seed are independent, of
    /// each other and of whatever an emulator of the same seed decides.
    pub fn new(distribution: Distribution, seed: u64, stream: u64) -> Self {
        let mixed = SipHasher13::new_with_keys(seed, stream).finish();
        Draws { distribution, random: Streams::new(mixed).take_stream() }
    }

    /// A number from 0 to just below `bound`, all equally likely but for a share of 2^-64 of each.
    fn below(&mut self, bound: u128) -> u64 {
        ((u128::from(self.random.next_u64()) * bound) >> 64) as u64
    }

    /// An exponential number of mean 1: whole parts, and a fraction in units of 2^-64.
    ///
    /// J. von Neumann, "Various techniques used in connection with random digits", 1951: of numbers
    /// drawn one after another, the run in which each is below the one before has an odd length with
    /// the probability that an exponential number has its first as its fraction. Each run of an even
    /// length adds one. Nothing but comparisons is needed, so that it is exact everywhere.
    fn exponential(&mut self) -> (u64, u64) {
        let mut whole = 0;
        loop {
            let first = self.random.next_u64();
            if self.run_below(first).is_multiple_of(2) {
                return (whole, first);
            }
            whole += 1;
        }
    }

    /// Draws numbers while each is below the one before, the first of them below `last`; returns
    /// how many were.
    fn run_below(&mut self, mut last: u64) -> u32 {
        let mut length = 0;
        loop {
            let next = self.random.next_u64();
            if next >= last {
                return length;
            }
            last = next;
            length += 1;
        }
    }
}

impl Iterator for Draws {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        Some(match self.distribution {
            Distribution::Constant(value) => value,
            Distribution::Uniform(first, last) => {
                let span = u128::from(last.saturating_sub(first)) + 1;
                first + self.below(span)
            }
            Distribution::Exponential(mean) => {
                let (whole, fraction) = self.exponential();
                let part = (u128::from(mean) * u128::from(fraction)) >> 64;
                mean.saturating_mul(whole).saturating_add(part as u64)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(distribution: Distribution, count: usize) -> Vec<u64> {
        Draws::new(distribution, 1, 0).take(count).collect()
    }

    #[test]
    fn each_seed_and_stream_has_numbers_of_its_own_that_repeat() {
        let first = |seed, stream| -> Vec<u64> {
            Draws::new(Distribution::Uniform(0, u64::MAX), seed, stream).take(4).collect()
        };
        assert_eq!(first(1, 0), first(1, 0));
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
        // Nor are they those that decide in the network.
        let mut network = Streams::new(1).take_stream();
        assert_ne!(first(1, 0)[0], network.next_u64());
    }

    #[test]
    fn uniform_numbers_reach_both_ends_and_no_further() {
        let mut counts = [0_u32; 6];
        for number in draw(Distribution::Uniform(10, 15), 60_000) {
            counts[usize::try_from(number - 10).unwrap()] += 1;
        }
        // The standard deviation of each count is 91.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 450), "{counts:?}");
        assert_eq!(draw(Distribution::Uniform(7, 3), 3), [7, 7, 7]);
        assert_eq!(draw(Distribution::Constant(9), 2), [9, 9]);
        assert!(draw(Distribution::Uniform(0, u64::MAX), 100).iter().any(|each| each >> 63 == 1));
    }

    #[test]
    fn exponential_numbers_have_their_mean_and_quantiles() {
        const MEAN: u64 = 1_000_000_000;
        let mut numbers = draw(Distribution::Exponential(MEAN), 100_000);
        let mean = numbers.iter().sum::<u64>() / 100_000;
        // The standard deviation of the mean of so many is 0.32% of it.
        assert!(mean.abs_diff(MEAN) < MEAN / 100, "{mean}");
        numbers.sort_unstable();
        // -ln(1 - p) of the mean, for p = 0.1, 0.5, 0.9 and 0.99.
        for (p, quantile) in
            [(10, 105_360_516), (50, 693_147_181), (90, 2_302_585_093), (99, 4_605_170_186)]
        {
            let found = numbers[numbers.len() / 100 * p];
            assert!(found.abs_diff(quantile) < quantile / 25, "{p}%: {found}");
        }
        assert_eq!(draw(Distribution::Exponential(0), 3), [0, 0, 0]);
    }

    #[test]
    fn the_numbers_of_a_seed_are_fixed() {
        // As a second program computes them from SipHash-1-3, SplitMix64 and xoshiro256++.
        let expected = [2_943_446, 1_414_621, 2_896_709, 81_190];
        assert_eq!(draw(Distribution::Exponential(1_000_000), 4), expected);
    }
}
