//! Dice: random numbers of a seed, and the weights that each seed gives to features.

/// Random numbers, the same on every platform (SplitMix64: Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to just below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number of this span, both ends included.
    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// A number of this span each of whose magnitudes is as likely as the others.
    pub(crate) fn magnitude(&mut self, first: u64, last: u64) -> u64 {
        let (low, high) = ((first.max(1) as f64).ln(), (last.max(1) as f64).ln());
        let at = low + (high - low) * self.fraction();
        (at.exp().round() as u64).clamp(first, last)
    }

    /// A number from 0 to just below 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// One of these.
    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// The weight of each kind of feature for one seed. Most are left out of most seeds altogether, so that
/// those that are there meet without all the others (Groce et al., "Swarm Testing", 2012).
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    seed: u64,
}

impl Weights {
    pub(crate) fn new(seed: u64) -> Self {
        Weights { seed }
    }

    /// How likely this feature is wherever it could be; a feature's weight does not depend on others'.
    pub(crate) fn of(&self, feature: &str) -> f64 {
        let mixed = feature
            .bytes()
            .fold(self.seed ^ 0x5eed, |mixed, byte| Dice::new(mixed ^ u64::from(byte)).next());
        let mut dice = Dice::new(mixed);
        match dice.below(10) {
            0..=6 => 0.0,
            7..=8 => dice.fraction() * 0.5,
            _ => 1.0,
        }
    }
}
