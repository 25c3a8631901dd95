//! Spans of time, such as `10s`.

use ackclock::time::{Duration, ParseDurationError};

/// Reads a span of time in the form that paths and scenarios use; a number without unit counts seconds.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let read = match text.ends_with(|last: char| last.is_ascii_digit()) {
        true => format!("{text}s").parse(),
        false => text.parse(),
    };
    read.map_err(|error: ParseDurationError| format!("{error}, as in 10s, 20ms or 1.5s"))
}

/// Reads a span of time longer than zero.
pub(crate) fn parse_positive_duration(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        Duration::ZERO => Err("must be longer than zero".into()),
        span => Ok(span),
    }
}

/// Shortest interval of a report.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// Reads the length of a report's intervals. It has a minimum because all intervals are kept in memory
/// until the end.
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
    fn a_number_without_unit_counts_seconds() {
        for text in ["10s", "10", "10.0", "10000ms"] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(10)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_an_example() {
        let problem = "write a decimal number, then the unit, as in 10s, 20ms or 1.5s";
        for text in ["s", ".5s", "1.2.3"] {
            assert_eq!(parse_duration(text), Err(problem.into()), "{text}");
        }
        for text in ["", "-1s", "1 s", "1d", "6000000h", "1e3"] {
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
