//! Numbers in words.

use ackclock::time::Duration;

/// A span of time with three digits that count.
pub(crate) fn span(span: Duration) -> String {
    if span == Duration::MAX {
        return "unknown length".into();
    }
    let nanos = span.as_nanos() as f64;
    let (value, unit) = match span.as_nanos() {
        0..1_000_000 => (nanos / 1e3, "us"),
        1_000_000..1_000_000_000 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    let digits = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_three_digits() {
        let texts = [1, 12_345, 123_456, 5_000_000, 1_500_000_000, 100_000_000_000]
            .map(|nanos| span(Duration::from_nanos(nanos)));
        assert_eq!(texts, ["0.00 us", "12.3 us", "123 us", "5.00 ms", "1.50 s", "100 s"]);
    }
}
