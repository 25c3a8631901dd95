//! Quantities of a path as text: `10mbit`, `20ms`, `0.1%`. Read exactly, without floating point.

use ackclock::time::{Duration, ParseDurationError};
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;

/// A unit's name and the power of ten that it stands for.
type Unit = (&'static str, usize);

const RATE_UNITS: [Unit; 4] = [("gbit", 9), ("mbit", 6), ("kbit", 3), ("bit", 0)];
const DURATION_UNITS: [Unit; 4] = [("s", 9), ("ms", 6), ("us", 3), ("ns", 0)];
const BYTE_UNITS: [Unit; 3] = [("MB", 6), ("kB", 3), ("B", 0)];
/// The units of a share, which is counted in parts per billion.
const PROBABILITY_UNITS: [Unit; 2] = [("%", 7), ("", 9)];

/// How fast a line sends, in bits per second; never zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rate(NonZeroU64);

impl Rate {
    /// A rate in bits per second; `None` for 0.
    pub const fn from_bits_per_second(bits: u64) -> Option<Self> {
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Rate(bits)),
            None => None,
        }
    }

    /// The rate in bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0.get()
    }

    /// How long the line needs to send `bytes` bytes, rounded up to a whole nanosecond.
    pub const fn transmission_time(self, bytes: usize) -> Duration {
        let bit_nanoseconds = (bytes as u64).saturating_mul(8 * 1_000_000_000);
        Duration::from_nanos(bit_nanoseconds.div_ceil(self.0.get()))
    }
}

/// Reads a rate such as `1.5mbit`: `bit`, `kbit`, `mbit` and `gbit` per second, in steps of 1000.
impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bits = parse(text, &RATE_UNITS, UnitError::RateUnit)?;
        Rate::from_bits_per_second(bits).ok_or(UnitError::Zero)
    }
}

/// Writes a whole number of the largest unit that fits: `1500kbit`.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_whole(f, self.0.get(), &RATE_UNITS)
    }
}

/// A share of all packets, in parts per billion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Probability(u32);

impl Probability {
    /// The share 0: no packet.
    pub const NEVER: Probability = Probability(0);
    /// The share 1: all packets.
    pub const ALWAYS: Probability = Probability(1_000_000_000);

    /// A share in parts per billion; `None` above 1,000,000,000.
    pub const fn from_parts_per_billion(parts: u32) -> Option<Self> {
        if parts <= Self::ALWAYS.0 { Some(Probability(parts)) } else { None }
    }

    /// The share in parts per billion.
    pub const fn parts_per_billion(self) -> u32 {
        self.0
    }
}

/// Reads a share in per cent, `0.1%`, or as a fraction, `0.001`.
impl FromStr for Probability {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let parts = parse(text, &PROBABILITY_UNITS, UnitError::ProbabilityUnit)?;
        let parts = u32::try_from(parts).ok();
        parts.and_then(Probability::from_parts_per_billion).ok_or(UnitError::AboveOne)
    }
}

/// Writes a share in per cent: `0.1%`.
impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:07}", self.0 / 10_000_000, self.0 % 10_000_000);
        let shortest = text.trim_end_matches('0').trim_end_matches('.');
        write!(f, "{shortest}%")
    }
}

/// Reads a span of time such as `20ms`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    text.parse().map_err(UnitError::Duration)
}

/// Shows a span of time as a whole number that [`parse_duration`] reads.
pub(crate) struct ShowDuration(pub(crate) Duration);

impl fmt::Display for ShowDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_whole(f, self.0.as_nanos(), &DURATION_UNITS)
    }
}

/// Reads a number of bytes such as `64kB`: `B`, `kB` and `MB`, in steps of 1000.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, UnitError> {
    parse(text, &BYTE_UNITS, UnitError::ByteUnit)
}

/// Writes a number of bytes so that [`parse_bytes`] reads it.
pub(crate) fn show_bytes(f: &mut fmt::Formatter<'_>, bytes: u64) -> fmt::Result {
    write_whole(f, bytes, &BYTE_UNITS)
}

/// Reads a whole number of packets, without unit.
pub(crate) fn parse_count(text: &str) -> Result<usize, UnitError> {
    usize::try_from(parse_number(text)?).map_err(|_| UnitError::TooLarge)
}

/// Reads a whole number without unit.
pub(crate) fn parse_number(text: &str) -> Result<u64, UnitError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(UnitError::Count);
    }
    text.parse().map_err(|_| UnitError::TooLarge)
}

/// Reads a number of bytes with an optional sign and without unit, such as `+10` or `-35`.
pub(crate) fn parse_signed(text: &str) -> Result<i32, UnitError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(UnitError::Signed);
    }
    text.parse().map_err(|_| UnitError::TooLarge)
}

/// Reads a number of bytes without unit.
pub(crate) fn parse_u32(text: &str) -> Result<u32, UnitError> {
    u32::try_from(parse_number(text)?).map_err(|_| UnitError::TooLarge)
}

/// Reads a whole number above 0 without unit.
pub(crate) fn parse_positive(text: &str) -> Result<NonZeroU32, UnitError> {
    NonZeroU32::new(parse_u32(text)?).ok_or(UnitError::Positive)
}

/// Why a quantity could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UnitError {
    /// The text does not begin with a decimal number.
    Number,
    /// The unit of a rate is not `bit`, `kbit`, `mbit` or `gbit`.
    RateUnit,
    /// A time could not be read.
    Duration(ParseDurationError),
    /// The unit of a share is not `%`.
    ProbabilityUnit,
    /// A number of packets or bytes is not a whole number.
    Count,
    /// More decimal places than are kept (1 bit per second, 1e-9 of all packets).
    TooFine,
    /// The number does not fit its field.
    TooLarge,
    /// A rate of zero.
    Zero,
    /// A share above 100 %.
    AboveOne,
    /// The unit of a number of bytes is not `B`, `kB` or `MB`.
    ByteUnit,
    /// A number that must be positive is zero.
    Positive,
    /// There is no queue discipline of this name.
    Queue,
    /// RED does not have its five parameters.
    Red,
    /// RED's thresholds are not in order.
    RedThresholds,
    /// There is no kind of loss of this name.
    Loss,
    /// Gilbert's chain does not have two to four probabilities.
    Gilbert,
    /// Reordering is not given as a share and a time or a number of packets.
    Reorder,
    /// Some parameters of CoDel are given, but not all.
    CoDel,
    /// Some parameters of FQ-CoDel are given, but not all.
    FqCoDel,
    /// Some parameters of DualPI2 are given, but not all, or it is asked to mark, which it does anyway.
    DualPi2,
    /// The text is not a number of bytes with an optional sign.
    Signed,
    /// Neither icmp nor silent.
    TooBig,
    /// An MTU below 68 bytes.
    Mtu,
    /// A change of the rate has no time.
    RateChange,
    /// Times are not in order.
    Order,
    /// An outage does not have a beginning and an end.
    Outage,
    /// The word for the packet in service is neither `counted` nor `uncounted`.
    InService,
    /// The place of the impairments is neither `ingress` nor `egress`.
    Place,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnitError::Duration(error) => return error.fmt(f),
            UnitError::Number => "write a decimal number, then the unit",
            UnitError::RateUnit => "the unit must be bit, kbit, mbit or gbit (per second)",
            UnitError::ProbabilityUnit => "write per cent with % or a fraction without unit",
            UnitError::Count => "write a whole number",
            UnitError::TooFine => {
                "too many decimal places: the finest steps are 1bit and 0.0000001%"
            }
            UnitError::TooLarge => "the number is too large",
            UnitError::Zero => "the rate must be above 0",
            UnitError::AboveOne => "a share is at most 100% or 1",
            UnitError::ByteUnit => "the unit must be B, kB or MB",
            UnitError::Positive => "the number must be above 0",
            UnitError::Queue => {
                "write packets as 64, bytes as 64kB, infinite, red:..., codel or fq_codel"
            }
            UnitError::Red => {
                "write red:MIN:MAX:WEIGHT:MAX_P:LIMIT, as in red:7:21:0.002:0.1:40, then :ecn to \
                 mark"
            }
            UnitError::RedThresholds => "red's first threshold must be below its second",
            UnitError::Loss => {
                "write a share as 1%, every:N, packets:N:N:... or gilbert:P:R:BAD:GOOD"
            }
            UnitError::Gilbert => "write gilbert:P:R, gilbert:P:R:BAD or gilbert:P:R:BAD:GOOD",
            UnitError::Reorder => {
                "write a share and a time as 5%:10ms, or a number of packets as 5%:3"
            }
            UnitError::Signed => "write a number of bytes with its sign, as +10 or -35",
            UnitError::Mtu => "the mtu must be at least 68 bytes",
            UnitError::RateChange => "write further rates with their times, as 10mbit/1mbit@5s",
            UnitError::Order => "the times must be in order",
            UnitError::Outage => "write 5s..6s, several as 5s..6s/8s..9s, then :lose to lose",
            UnitError::InService => "write counted or uncounted",
            UnitError::TooBig => "write icmp or silent",
            UnitError::Place => "write ingress or egress",
            UnitError::CoDel => {
                "write codel or codel:TARGET:INTERVAL:LIMIT, as in codel:5ms:100ms:1000"
            }
            UnitError::FqCoDel => {
                "write fq_codel or fq_codel:TARGET:INTERVAL:LIMIT:FLOWS:QUANTUM, as in \
                 fq_codel:5ms:100ms:10240:1024:1514"
            }
            UnitError::DualPi2 => {
                "write dualpi2 or dualpi2:TARGET:STEP:K:LIMIT, as in dualpi2:15ms:1ms:2:10000, and \
                 :tsfifo behind it for that scheduler; it marks without :ecn"
            }
        })
    }
}

impl std::error::Error for UnitError {}

/// Reads a decimal number with one of `units`, in the smallest of them.
fn parse(text: &str, units: &[Unit], unknown: UnitError) -> Result<u64, UnitError> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let (number, name) = text.split_at(text.find(|c| !is_number(c)).unwrap_or(text.len()));
    let places = units.iter().find(|unit| unit.0.eq_ignore_ascii_case(name)).map(|unit| unit.1);
    shift(number, places.ok_or(unknown)?)
}

/// Multiplies a decimal number by ten to the power of `places`, exactly.
fn shift(number: &str, places: usize) -> Result<u64, UnitError> {
    let (whole, fraction) = match number.split_once('.') {
        Some((_, "")) => return Err(UnitError::Number),
        Some(parts) => parts,
        None => (number, ""),
    };
    if whole.is_empty() || fraction.contains('.') {
        return Err(UnitError::Number);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > places {
        return Err(UnitError::TooFine);
    }
    let digits = format!("{whole}{fraction:0<places$}");
    digits.parse().map_err(|_| UnitError::TooLarge)
}

/// Writes `value`, counted in the smallest unit, as a whole number of the largest that divides it.
fn write_whole(f: &mut fmt::Formatter<'_>, value: u64, units: &[Unit]) -> fmt::Result {
    for &(name, places) in units {
        let size = 10_u64.pow(places as u32);
        if value.is_multiple_of(size) {
            return write!(f, "{}{name}", value / size);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Result<u64, UnitError> {
        text.parse().map(Rate::bits_per_second)
    }

    fn parts(text: &str) -> Result<u32, UnitError> {
        text.parse().map(Probability::parts_per_billion)
    }

    #[test]
    fn rates_are_read_exactly() {
        assert_eq!(bits("10mbit"), Ok(10_000_000));
        assert_eq!(bits("1.5Mbit"), Ok(1_500_000));
        assert_eq!(bits("0.000001mbit"), Ok(1));
        assert_eq!(bits("33.333kbit"), Ok(33_333));
        assert_eq!(bits("2.50gbit"), Ok(2_500_000_000));
        assert_eq!(bits("7bit"), Ok(7));
        assert_eq!(bits("18446744073.709551615gbit"), Ok(u64::MAX));
    }

    #[test]
    fn unusable_rates_say_what_is_wrong() {
        assert_eq!(bits("0mbit"), Err(UnitError::Zero));
        assert_eq!(bits("18446744073.709551616gbit"), Err(UnitError::TooLarge));
        assert_eq!(bits("1.5bit"), Err(UnitError::TooFine));
        assert_eq!(bits("10"), Err(UnitError::RateUnit));
        assert_eq!(bits("10 mbit"), Err(UnitError::RateUnit));
        assert_eq!(bits("10MiB"), Err(UnitError::RateUnit));
        assert_eq!(bits("-1mbit"), Err(UnitError::RateUnit));
        for text in ["mbit", ".5mbit", "5.mbit", "1.2.3mbit", "1..2mbit", ".mbit"] {
            assert_eq!(bits(text), Err(UnitError::Number), "{text}");
        }
    }

    #[test]
    fn shares_are_read_exactly() {
        assert_eq!(parts("1%"), Ok(10_000_000));
        assert_eq!(parts("0.1%"), Ok(1_000_000));
        assert_eq!(parts("0.0000001%"), Ok(1));
        assert_eq!(parts("0.01"), Ok(10_000_000));
        assert_eq!(parts("0.000000001"), Ok(1));
        assert_eq!(parts("100%"), Ok(1_000_000_000));
        assert_eq!(parts("1"), Ok(1_000_000_000));
        assert_eq!(parts("100.0000001%"), Err(UnitError::AboveOne));
        assert_eq!(parts("2"), Err(UnitError::AboveOne));
        assert_eq!(parts("500%"), Err(UnitError::AboveOne));
        assert_eq!(parts("0.00000001%"), Err(UnitError::TooFine));
        assert_eq!(parts("1ppm"), Err(UnitError::ProbabilityUnit));
        assert_eq!(parts("%"), Err(UnitError::Number));
    }

    #[test]
    fn quantities_are_written_so_that_they_are_read_back() {
        for text in ["10mbit", "1500kbit", "3gbit", "1bit", "1234567bit"] {
            assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
        }
        for text in ["0%", "1%", "0.1%", "12.3456789%", "100%", "0.0000001%"] {
            assert_eq!(text.parse::<Probability>().unwrap().to_string(), text);
        }
        for text in ["0s", "20ms", "1500us", "1ns", "3s"] {
            assert_eq!(ShowDuration(parse_duration(text).unwrap()).to_string(), text);
        }
    }

    #[test]
    fn a_line_needs_its_time_for_each_packet() {
        let time = |rate: &str, bytes| rate.parse::<Rate>().unwrap().transmission_time(bytes);
        assert_eq!(time("10mbit", 1250), Duration::from_millis(1));
        assert_eq!(time("10mbit", 1500), Duration::from_micros(1200));
        assert_eq!(time("100gbit", 40), Duration::from_nanos(4));
        assert_eq!(time("8bit", 3), Duration::from_secs(3));
        assert_eq!(time("3bit", 1), Duration::from_nanos(2_666_666_667));
    }
}
