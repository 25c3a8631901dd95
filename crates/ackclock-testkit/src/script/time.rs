//! Times of script lines: decimal seconds, exact to the nanosecond.

use ackclock::time::Duration;
use std::fmt;

const NANOS: u64 = 1_000_000_000;
/// Decimals of a second down to a nanosecond.
const DECIMALS: usize = 9;

/// When a line happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// So long after the line before.
    After(Duration),
    /// So long after the script began.
    At(Duration),
}

impl When {
    /// The time at the beginning of a line, if there is one, and the rest of the line.
    ///
    /// # Errors
    /// The line begins like a time and is none.
    pub fn split(line: &str) -> Result<(When, &str), String> {
        if !line.starts_with(|first: char| first == '+' || first.is_ascii_digit()) {
            return Ok((When::After(Duration::ZERO), line));
        }
        let (time, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let when = match time.strip_prefix('+') {
            Some(after) => When::After(seconds(after)?),
            None => When::At(seconds(time)?),
        };
        Ok((when, rest.trim_start()))
    }
}

/// `1.25` as a span of time.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let parsed = || {
        let whole: u64 = whole.parse().ok()?;
        let padded = format!("{decimals:0<DECIMALS$}");
        let nanos: u64 = padded.parse().ok().filter(|_| decimals.len() <= DECIMALS)?;
        whole.checked_mul(NANOS)?.checked_add(nanos)
    };
    parsed().map(Duration::from_nanos).ok_or_else(|| format!("`{text}` is no time in seconds"))
}

/// Shows a span of time as scripts write it, to the millisecond at least.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(
    /// The span.
    pub Duration,
);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        let decimals = format!("{:09}", nanos % NANOS);
        let shown = decimals.trim_end_matches('0').len().max(3);
        write!(f, "{}.{}", nanos / NANOS, &decimals[..shown])
    }
}
