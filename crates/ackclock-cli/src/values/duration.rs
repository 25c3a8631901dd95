//! Spans of time, such as `10s`.

use ackclock::time::Duration;

/// A decimal number with a unit ns, us, ms, s, min or h; without one it counts seconds. It is read
/// exactly, to the nanosecond.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(|c: char| c.is_alphabetic());
    let unit: u64 = match &text[number.len()..] {
        "ns" => 1,
        "us" | "µs" => 1_000,
        "ms" => 1_000_000,
        "s" | "" => 1_000_000_000,
        "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        other => return Err(format!("unknown unit '{other}': use ns, us, ms, s, min or h")),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = [whole, fraction].concat();
    if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a time such as 10s, 20ms or 1.5s".into());
    }
    let scaled = || -> Option<u64> {
        let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let nanos = digits.parse::<u128>().ok()?.checked_mul(unit.into())?;
        u64::try_from(nanos / scale).ok()
    };
    scaled().map(Duration::from_nanos).ok_or_else(|| "too long or too finely divided".into())
}

/// A span of time that is not empty.
pub(crate) fn parse_positive_duration(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        Duration::ZERO => Err("must be longer than zero".into()),
        span => Ok(span),
    }
}

/// Shortest interval of a report.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// The length of a report's intervals: each is kept until the end, so they must not be too many.
pub(crate) fn parse_interval(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        interval if interval < SHORTEST_INTERVAL => Err("must be at least 1ms".into()),
        interval => Ok(interval),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_decimals_are_exact() {
        let cases = [
            ("10s", 10_000_000_000),
            ("10", 10_000_000_000),
            ("20ms", 20_000_000),
            ("0.1s", 100_000_000),
            ("1.5", 1_500_000_000),
            ("2.25ms", 2_250_000),
            ("7us", 7_000),
            ("7µs", 7_000),
            ("9ns", 9),
            ("2min", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("0", 0),
        ];
        for (text, nanos) in cases {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "s", ".5s", "-1s", "1,5s", "1 s", "1d", "1.2.3", "6000000h", "1e3"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_that_must_be_positive_is_not_zero() {
        assert!(parse_positive_duration("0ms").is_err());
        assert_eq!(parse_positive_duration("1ns"), Ok(Duration::from_nanos(1)));
    }

    #[test]
    fn an_interval_has_a_millisecond_at_least() {
        for text in ["0", "1ns", "999us"] {
            assert_eq!(parse_interval(text), Err("must be at least 1ms".into()), "{text}");
        }
        assert_eq!(parse_interval("1ms"), Ok(Duration::from_millis(1)));
    }
}
