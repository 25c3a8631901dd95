//! Everything random comes from here: one seed, and a stream of its own for each consumer.

use crate::units::Probability;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Hands out streams that do not overlap: each is 2^128 numbers ahead of the one before.
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

    /// Whether something of this probability happens: a uniform number of parts per billion, by
    /// integers (off by less than 2^-34 of a part), is below it.
    pub(crate) fn happens(&mut self, probability: Probability) -> bool {
        let uniform = (u128::from(self.next_u64()) * 1_000_000_000) >> 64;
        uniform < u128::from(probability.parts_per_billion())
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
    fn never_and_always_are_exact() {
        let mut random = Streams::new(1).take_stream();
        assert!((0..10_000).all(|_| !random.happens(Probability::NEVER)));
        assert!((0..10_000).all(|_| random.happens(Probability::ALWAYS)));
    }
}
