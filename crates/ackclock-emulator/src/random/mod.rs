//! Random numbers: one seed, and a stream of its own for each consumer.

pub(crate) mod draws;

use crate::units::Probability;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of streams that do not overlap: each is 2^128 numbers ahead of the one before.
#[derive(Debug)]
pub(crate) struct Streams(Xoshiro256PlusPlus);

impl Streams {
    pub(crate) fn new(seed: u64) -> Self {
        Streams(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn take_stream(&mut self) -> Random {
        let stream = self.0.clone();
        self.0.jump();
        Random(stream)
    }
}

/// A stream of random numbers, the same on every platform (xoshiro256++).
#[derive(Debug)]
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Another stream of the same seed, 2^192 numbers away from this one, which no other stream
    /// reaches. A sibling's sibling is yet another.
    pub(crate) fn sibling(&self) -> Random {
        let mut stream = self.0.clone();
        stream.long_jump();
        Random(stream)
    }

    /// A number from 0 to just below 1 in steps of 2^-53; all are equally likely.
    pub(crate) fn next_fraction(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * STEP
    }

    /// Whether an event of this probability happens: a uniform number of parts per billion,
    /// computed by integers (off by less than 2^-34 of a part), is below the probability.
    pub(crate) fn happens(&mut self, probability: Probability) -> bool {
        let uniform = (u128::from(self.next_u64()) * 1_000_000_000) >> 64;
        uniform < u128::from(probability.parts_per_billion())
    }
}

/// A choice of packets, each with the same probability. One number is drawn for each packet, so
/// that runs that differ only in the probability draw the same numbers.
#[derive(Debug)]
pub(crate) struct Chosen {
    probability: Probability,
    random: Random,
}

impl Chosen {
    pub(crate) fn new(probability: Probability, random: Random) -> Self {
        Chosen { probability, random }
    }

    pub(crate) fn change(&mut self, probability: Probability) {
        self.probability = probability;
    }

    /// Whether the next packet is chosen.
    pub(crate) fn next(&mut self) -> bool {
        self.random.happens(self.probability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(random: &mut Random) -> [u64; 3] {
        std::array::from_fn(|_| random.next_u64())
    }

    #[test]
    fn the_stream_of_a_seed_is_fixed() {
        // xoshiro256++ whose state is filled by SplitMix64 from 0, as its authors say.
        let expected = [0x5317_5d61_490b_23df, 0x61da_6f3d_c380_d507, 0x5c0f_df91_ec9a_7bfc];
        assert_eq!(first(&mut Streams::new(0).take_stream()), expected);
    }

    #[test]
    fn each_stream_is_another_and_repeats_with_the_seed() {
        let mut streams = Streams::new(7);
        let one = first(&mut streams.take_stream());
        let two = first(&mut streams.take_stream());
        assert_ne!(one, two);
        let mut again = Streams::new(7);
        assert_eq!(first(&mut again.take_stream()), one);
        assert_eq!(first(&mut again.take_stream()), two);
        assert_ne!(first(&mut Streams::new(8).take_stream()), one);
    }

    #[test]
    fn siblings_are_other_streams_and_asking_for_one_changes_nothing() {
        let mut streams = Streams::new(7);
        let mut one = streams.take_stream();
        let firsts = [one.sibling(), one.sibling().sibling()].map(|mut each| first(&mut each));
        assert_eq!(first(&mut one), first(&mut Streams::new(7).take_stream()));
        let next = first(&mut streams.take_stream());
        assert!(firsts[0] != firsts[1] && firsts.iter().all(|each| *each != next));
    }

    #[test]
    fn fractions_are_the_upper_bits_of_the_stream() {
        let mut random = Streams::new(0).take_stream();
        assert_eq!(
            random.next_fraction(),
            (0x5317_5d61_490b_23df_u64 >> 11) as f64 / 9_007_199_254_740_992.0
        );
        assert!((0..10_000).all(|_| (0.0..1.0).contains(&random.next_fraction())));
    }

    #[test]
    fn never_and_always_are_exact() {
        let mut random = Streams::new(1).take_stream();
        assert!((0..10_000).all(|_| !random.happens(Probability::NEVER)));
        assert!((0..10_000).all(|_| random.happens(Probability::ALWAYS)));
    }
}
