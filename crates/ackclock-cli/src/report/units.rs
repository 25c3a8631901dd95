//! Numbers with the units that `iperf3` gives them: bytes in powers of 1024, bits in powers of 1000.

use ackclock::time::Duration;

/// Number with as many decimals as make three digits, at least four characters wide.
fn three_digits(value: f64, prefix: &str, unit: &str) -> String {
    let decimals = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:4.decimals$} {prefix}{unit}")
}

fn scaled(value: f64, base: f64, unit: &str) -> String {
    let mut value = value;
    for prefix in ["", "K", "M", "G"] {
        // A value that would be rounded up to the base gets the next prefix.
        if value < base - 0.5 {
            return three_digits(value, prefix, unit);
        }
        value /= base;
    }
    three_digits(value, "T", unit)
}

/// Bytes with their unit, such as `1.12 MBytes`.
pub(crate) fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, "Bytes")
}

/// Rate with its unit, such as `9.42 Mbits/sec`.
pub(crate) fn rate(bits_per_second: f64) -> String {
    scaled(bits_per_second, 1000.0, "bits/sec")
}

/// Time in milliseconds, such as `40.1 ms`.
pub(crate) fn milliseconds(span: Duration) -> String {
    three_digits(seconds(span) * 1e3, "m", "s").trim_start().to_owned()
}

/// Time in seconds.
pub(crate) fn seconds(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e9
}

/// Mean rate of this many bytes in a span of time; 0 if the span is empty.
pub(crate) fn bits_per_second(bytes: u64, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { bytes as f64 * 8.0 / seconds(span) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_three_digits_and_powers_of_1024() {
        let cases = [
            (0, "0.00 Bytes"),
            (1000, "1000 Bytes"),
            (1024, "1.00 KBytes"),
            (14_600, "14.3 KBytes"),
            (94_720, "92.5 KBytes"),
            (16 << 20, "16.0 MBytes"),
            (999 << 20, " 999 MBytes"),
            (5 << 30, "5.00 GBytes"),
            (3 << 40, "3.00 TBytes"),
        ];
        for (number, text) in cases {
            assert_eq!(bytes(number), text);
        }
    }

    #[test]
    fn rates_have_three_digits_and_powers_of_1000() {
        let cases = [
            (0.0, "0.00 bits/sec"),
            (9_420_000.0, "9.42 Mbits/sec"),
            (41_800_000_000.0, "41.8 Gbits/sec"),
            (999_700.0, "1.00 Mbits/sec"),
        ];
        for (number, text) in cases {
            assert_eq!(rate(number), text);
        }
    }

    #[test]
    fn a_rate_needs_time() {
        let half = Duration::from_millis(500);
        assert_eq!(bits_per_second(1_000, half), 16_000.0);
        assert_eq!(bits_per_second(1_000, Duration::ZERO), 0.0);
    }

    #[test]
    fn round_trips_are_in_milliseconds() {
        assert_eq!(milliseconds(Duration::from_micros(40_123)), "40.1 ms");
        assert_eq!(milliseconds(Duration::from_micros(87)), "0.09 ms");
        assert_eq!(milliseconds(Duration::from_millis(200)), "200 ms");
        assert_eq!(milliseconds(Duration::from_millis(1234)), "1234 ms");
    }
}
