//! Random choices for tests that drive many steps from one seed.

/// xorshift64*.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32;
        ((u64::from(word) * u64::from(n)) >> 32) as u32
    }

    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// Mostly 0, sometimes near it, seldom anything.
    pub(crate) fn offset(&mut self) -> u32 {
        match self.below(12) {
            0 => 1,
            1 => 1_u32.wrapping_neg(),
            2 => self.below(200),
            3 => self.below(200).wrapping_neg(),
            4 if self.one_in(4) => self.below(u32::MAX),
            _ => 0,
        }
    }
}
