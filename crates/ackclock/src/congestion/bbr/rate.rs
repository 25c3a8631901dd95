//! Bandwidths stored in four bytes.

use crate::congestion::DeliveryRate;
use crate::time::Duration;

/// A bandwidth in units of 8 bytes per second, up to 275 Gbit/s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Rate(u32);

/// Bytes per second in a unit.
const UNIT: u64 = 8;

impl Rate {
    pub(super) const ZERO: Rate = Rate(0);
    /// A bandwidth without bound.
    pub(super) const INFINITY: Rate = Rate(u32::MAX);

    pub(super) fn new(bytes_per_second: u64) -> Self {
        Rate(u32::try_from(bytes_per_second / UNIT).unwrap_or(u32::MAX))
    }

    /// RS.delivery_rate of a sample; zero if its interval is too short to be valid.
    pub(super) fn of(sample: &DeliveryRate) -> Self {
        sample.bytes_per_second().map_or(Rate::ZERO, Rate::new)
    }

    /// The bandwidth of `bytes` in `time`.
    pub(super) fn per(bytes: u32, time: Duration) -> Self {
        let bytes = u64::from(bytes).saturating_mul(1_000_000_000);
        Rate::new(bytes.checked_div(time.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(super) fn bytes_per_second(self) -> u64 {
        u64::from(self.0) * UNIT
    }

    /// Bytes sent at this bandwidth in `micros` microseconds.
    pub(super) fn bytes_in(self, micros: u32) -> u32 {
        let bytes = u64::from(self.0) * u64::from(micros) / (1_000_000 / UNIT);
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    pub(super) fn percent(self, percent: u32) -> Self {
        Rate(super::percent(self.0, percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_exact_to_8_bytes_per_second() {
        assert_eq!(Rate::new(6_250_007).bytes_per_second(), 6_250_000);
        assert_eq!(Rate::per(250_000, Duration::from_millis(40)), Rate::new(6_250_000));
        assert_eq!(Rate::new(6_250_000).bytes_in(40_000), 250_000);
        assert_eq!(Rate::new(6_250_000).percent(125), Rate::new(7_812_500));
    }

    #[test]
    fn a_sample_that_cannot_be_believed_has_no_rate() {
        let mut sample = DeliveryRate { delivered: 1_000, ..DeliveryRate::default() };
        assert_eq!(Rate::of(&sample), Rate::ZERO);
        sample.interval = Duration::from_millis(10);
        assert_eq!(Rate::of(&sample), Rate::new(100_000));
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        assert_eq!(Rate::per(u32::MAX, Duration::ZERO), Rate::INFINITY);
        assert_eq!(Rate::INFINITY.percent(277), Rate::INFINITY);
        assert_eq!(Rate::INFINITY.bytes_in(u32::MAX), u32::MAX);
    }
}
