//! Interpretation of a capture's timestamps.

use ackclock::time::Instant;

const SECOND: u64 = 1_000_000_000; // nanoseconds

/// How an interface counts time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Clock {
    /// Units in a second.
    per_second: u64,
    /// Added to each time, in seconds.
    offset: i64,
}

impl Clock {
    pub(crate) const MICROS: Clock = Clock { per_second: 1_000_000, offset: 0 };
    pub(crate) const NANOS: Clock = Clock { per_second: SECOND, offset: 0 };

    /// The resolution as the option if_tsresol has it (pcapng, section 4.2): a negative power of
    /// ten, or of two if the uppermost bit is set. Finer than 64 bits hold is read as the finest.
    pub(crate) fn of_pcapng(resolution: u8, offset: i64) -> Clock {
        let exponent = u32::from(resolution & 0x7f);
        let base: u64 = if resolution & 0x80 == 0 { 10 } else { 2 };
        let finest = if base == 10 { 10_u64.pow(19) } else { 1 << 63 };
        Clock { per_second: base.checked_pow(exponent).unwrap_or(finest), offset }
    }

    /// A time of seconds and units; none if the units are a second or more.
    pub(crate) fn of_parts(self, seconds: u32, units: u32) -> Option<Instant> {
        (u64::from(units) < self.per_second).then(|| self.at(seconds.into(), units.into()))
    }

    pub(crate) fn of_units(self, units: u64) -> Instant {
        self.at(units / self.per_second, units % self.per_second)
    }

    fn at(self, seconds: u64, units: u64) -> Instant {
        let nanos = u128::from(units) * u128::from(SECOND) / u128::from(self.per_second);
        let seconds = seconds.saturating_add_signed(self.offset);
        // Less than a second, as the units are.
        Instant::from_nanos(seconds.saturating_mul(SECOND).saturating_add(nanos as u64))
    }
}

impl Default for Clock {
    fn default() -> Self {
        Clock::MICROS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_are_powers_of_ten_or_two() {
        let at = |resolution, units| Clock::of_pcapng(resolution, 0).of_units(units).as_nanos();
        assert_eq!(at(6, 1_000_001), SECOND + 1_000);
        assert_eq!(at(9, 1_000_001), 1_000_001);
        assert_eq!(at(0, 3), 3 * SECOND);
        assert_eq!(at(12, 5_000), 5);
        assert_eq!(at(0x80 | 10, 1024 + 512), SECOND + SECOND / 2);
    }

    #[test]
    fn nothing_overflows() {
        for resolution in 0..=u8::MAX {
            for offset in [i64::MIN, -1, 0, i64::MAX] {
                Clock::of_pcapng(resolution, offset).of_units(u64::MAX);
            }
        }
        let before_the_epoch = Clock::of_pcapng(9, -5).of_units(3 * SECOND + 7);
        assert_eq!(before_the_epoch, Instant::from_nanos(7));
    }

    #[test]
    fn a_fraction_of_a_second_is_less_than_one() {
        assert_eq!(Clock::MICROS.of_parts(1, 1_000_000), None);
        assert_eq!(Clock::MICROS.of_parts(1, 999_999), Some(Instant::from_nanos(1_999_999_000)));
    }
}
