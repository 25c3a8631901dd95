//! Points in time and durations, in whole nanoseconds.
//!
//! The core reads no clock: every call that depends on time is passed `now`. An [`Instant`] counts from an
//! origin that the caller chooses (start of the program, start of a simulation). All arithmetic saturates, so
//! that no input can make it panic or wrap around.

use core::fmt;
use core::str::FromStr;

/// A point in time: nanoseconds since an origin of the caller's choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

/// A duration in nanoseconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

impl Instant {
    /// The origin.
    pub const ZERO: Instant = Instant(0);
    /// Later than every deadline, in the sense of "never" (584 years after the origin).
    pub const FAR_FUTURE: Instant = Instant(u64::MAX);

    /// The instant `nanos` nanoseconds after the origin.
    pub const fn from_nanos(nanos: u64) -> Self {
        Instant(nanos)
    }

    /// The instant `micros` microseconds after the origin.
    pub const fn from_micros(micros: u64) -> Self {
        Instant(micros.saturating_mul(1_000))
    }

    /// The instant `millis` milliseconds after the origin.
    pub const fn from_millis(millis: u64) -> Self {
        Instant(millis.saturating_mul(1_000_000))
    }

    /// The instant `secs` seconds after the origin.
    pub const fn from_secs(secs: u64) -> Self {
        Instant(secs.saturating_mul(1_000_000_000))
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds since the origin.
    pub const fn as_micros(self) -> u64 {
        thousandth(self.0)
    }

    /// Whole milliseconds since the origin.
    pub const fn as_millis(self) -> u64 {
        thousandth(self.as_micros())
    }

    /// Whole seconds since the origin.
    pub const fn as_secs(self) -> u64 {
        thousandth(self.as_millis())
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub const fn saturating_since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// Whether this is [`FAR_FUTURE`](Self::FAR_FUTURE), which means "never".
    pub const fn is_never(self) -> bool {
        self.0 == u64::MAX
    }
}

impl Duration {
    /// A duration of zero.
    pub const ZERO: Duration = Duration(0);
    /// The longest duration that can be expressed (584 years).
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Duration(nanos)
    }

    /// A span of `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Duration(micros.saturating_mul(1_000))
    }

    /// A span of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Duration(millis.saturating_mul(1_000_000))
    }

    /// A span of `secs` seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Duration(secs.saturating_mul(1_000_000_000))
    }

    /// The span in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span in whole microseconds, rounded down.
    pub const fn as_micros(self) -> u64 {
        thousandth(self.0)
    }

    /// The span in whole milliseconds, rounded down.
    pub const fn as_millis(self) -> u64 {
        thousandth(self.as_micros())
    }

    /// The span in whole microseconds, rounded up.
    pub(crate) const fn as_micros_rounded_up(self) -> u64 {
        let micros = self.as_micros();
        if micros * 1_000 < self.0 { micros + 1 } else { micros }
    }

    /// Whether the duration is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The difference; zero if `other` is longer.
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// The duration times `factor`; [`Duration::MAX`] if that cannot be expressed.
    pub const fn saturating_mul(self, factor: u64) -> Duration {
        Duration(self.0.saturating_mul(factor))
    }
}

/// A thousandth, rounded down. On small processors a 64-bit division is a long function; three 32-bit
/// divisions, each with the remainder of the one before, do the same.
const fn thousandth(number: u64) -> u64 {
    if cfg!(target_pointer_width = "64") {
        return number / 1_000;
    }
    let (high, low) = ((number >> 32) as u32, number as u32);
    let middle = ((high % 1_000) << 16) | (low >> 16);
    let lowest = ((middle % 1_000) << 16) | (low & 0xffff);
    (((high / 1_000) as u64) << 32) | (((middle / 1_000) as u64) << 16) | (lowest / 1_000) as u64
}

impl core::ops::Add<Duration> for Instant {
    type Output = Instant;

    /// Saturates at [`Instant::FAR_FUTURE`].
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    fn add(self, span: Duration) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl core::ops::AddAssign<Duration> for Instant {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl core::ops::Sub<Duration> for Instant {
    type Output = Instant;

    /// Saturates at [`Instant::ZERO`].
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    fn sub(self, span: Duration) -> Instant {
        Instant(self.0.saturating_sub(span.0))
    }
}

impl core::ops::Add for Duration {
    type Output = Duration;

    /// Saturates at [`Duration::MAX`].
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl core::ops::AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl core::ops::Div<u32> for Duration {
    type Output = Duration;

    /// Rounds down; dividing by zero gives [`Duration::MAX`].
    fn div(self, divisor: u32) -> Duration {
        Duration(self.0.checked_div(u64::from(divisor)).unwrap_or(u64::MAX))
    }
}

impl From<core::time::Duration> for Duration {
    fn from(span: core::time::Duration) -> Self {
        let nanos = span.as_secs().saturating_mul(1_000_000_000);
        Duration(nanos.saturating_add(u64::from(span.subsec_nanos())))
    }
}

impl From<Duration> for core::time::Duration {
    fn from(span: Duration) -> Self {
        core::time::Duration::from_nanos(span.0)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&core::time::Duration::from(*self), f)
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Units of time, and their lengths in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Parses a decimal number with a unit, such as `20ms` or `1.5min`, exactly. The unit may be in upper or
/// lower case.
impl FromStr for Duration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, ParseDurationError> {
        let name = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = text.strip_suffix(name).unwrap_or(text);
        let unit = UNITS.iter().find(|(unit, _)| unit.eq_ignore_ascii_case(name));
        let &(_, mut nanos_each) = unit.ok_or(ParseDurationError::Unit)?;
        let (whole, fraction) = match number.split_once('.') {
            Some((_, "")) => return Err(ParseDurationError::Number),
            Some(parts) => parts,
            None => (number, ""),
        };
        if whole.is_empty() || fraction.contains('.') {
            return Err(ParseDurationError::Number);
        }
        // Only digits are left, so this fails only if there are too many.
        let whole: u64 = whole.parse().map_err(|_| ParseDurationError::TooLong)?;
        let mut nanos = whole.checked_mul(nanos_each).ok_or(ParseDurationError::TooLong)?;
        for digit in fraction.trim_end_matches('0').bytes() {
            if nanos_each % 10 != 0 {
                return Err(ParseDurationError::TooFine);
            }
            nanos_each /= 10;
            // Fits: a digit of at most 9, times a unit of at most an hour.
            let part = u64::from(digit.wrapping_sub(b'0')).saturating_mul(nanos_each);
            nanos = nanos.checked_add(part).ok_or(ParseDurationError::TooLong)?;
        }
        Ok(Duration(nanos))
    }
}

/// Why a text is not a duration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParseDurationError {
    /// It does not begin with a decimal number.
    Number,
    /// The unit is unknown or missing.
    Unit,
    /// It is not a whole number of nanoseconds.
    TooFine,
    /// It does not fit into 64 bits of nanoseconds (584 years).
    TooLong,
}

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseDurationError::Number => "write a decimal number, then the unit",
            ParseDurationError::Unit => "the unit must be ns, us, ms, s, min or h",
            ParseDurationError::TooFine => "too many decimal places: the finest step is 1ns",
            ParseDurationError::TooLong => "the time is too long",
        })
    }
}

impl core::error::Error for ParseDurationError {}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ParseDurationError::{Number, TooFine, TooLong, Unit};

    fn nanos(text: &str) -> Result<u64, ParseDurationError> {
        text.parse().map(Duration::as_nanos)
    }

    #[test]
    fn spans_are_read_exactly() {
        let cases = [
            ("20ms", 20_000_000),
            ("0s", 0),
            ("1.000000001s", 1_000_000_001),
            ("2.50us", 2_500),
            ("7µs", 7_000),
            ("12ns", 12),
            ("1.5min", 90_000_000_000),
            ("1h", 3_600_000_000_000),
            ("3MS", 3_000_000),
            ("18446744073.709551615s", u64::MAX),
        ];
        for (text, expected) in cases {
            assert_eq!(nanos(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_says_why() {
        for text in ["", "20", "-1s", "1,5s", "1 s", "1d", "1e3s", "5.0"] {
            assert_eq!(nanos(text), Err(Unit), "{text}");
        }
        for text in ["s", ".5s", "5.s", "1.2.3s", "1..2s", ".ms"] {
            assert_eq!(nanos(text), Err(Number), "{text}");
        }
        for text in ["0.5ns", "1.0000000001s", "0.00000000001min"] {
            assert_eq!(nanos(text), Err(TooFine), "{text}");
        }
        for text in ["18446744073.709551616s", "18446744073709551616ns", "6000000h"] {
            assert_eq!(nanos(text), Err(TooLong), "{text}");
        }
    }

    #[test]
    #[cfg(feature = "alloc")]
    fn a_span_is_written_so_that_it_is_read_back() {
        use std::string::ToString;
        for nanos in [0, 1, 999, 1_500, 20_000_000, 1_234_567_890, u64::MAX] {
            let span = Duration::from_nanos(nanos);
            assert_eq!(span.to_string().parse(), Ok(span));
        }
    }
}
