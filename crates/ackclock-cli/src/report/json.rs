//! JSON objects: the schema's version, an interval, and how an object is written.

use super::Interval;
use super::info::LimitsReport;
use super::units::{bits_per_second, seconds};
use crate::failure::Failure;
use serde::Serialize;
use std::io::Write;

/// Version of the objects' structure: it changes when a key is removed or changes its meaning.
pub(crate) const SCHEMA: u32 = 1;

/// Interval of a transfer as JSON.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(crate) struct IntervalReport {
    start_seconds: f64,
    end_seconds: f64,
    acked_bytes: u64,
    bits_per_second: f64,
    retransmitted_segments: u64,
    cwnd_bytes: u32,
    rtt_seconds: f64,
    limits: LimitsReport,
}

impl From<&Interval> for IntervalReport {
    fn from(interval: &Interval) -> Self {
        IntervalReport {
            start_seconds: seconds(interval.start),
            end_seconds: seconds(interval.end),
            acked_bytes: interval.bytes,
            bits_per_second: bits_per_second(interval.bytes, interval.length()),
            retransmitted_segments: interval.retransmitted,
            cwnd_bytes: interval.cwnd,
            rtt_seconds: seconds(interval.rtt),
            limits: LimitsReport::from(&interval.limits),
        }
    }
}

/// Writes an object, indented, with a newline at its end.
pub(crate) fn write_object(object: &impl Serialize, to: &mut dyn Write) -> Result<(), Failure> {
    let written = serde_json::to_writer_pretty(&mut *to, object).map_err(std::io::Error::from);
    written
        .and_then(|()| writeln!(to))
        .and_then(|()| to.flush())
        .map_err(|error| Failure::output(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::tcp::LimitTimes;
    use ackclock::time::Duration;
    use serde_json::{Value, json};

    #[test]
    fn an_interval_has_units_in_its_keys() {
        let interval = Interval {
            start: Duration::from_secs(1),
            end: Duration::from_millis(1_500),
            bytes: 1_000_000,
            retransmitted: 3,
            cwnd: 94_720,
            rtt: Duration::from_micros(40_250),
            limits: LimitTimes::default(),
        };
        let mut text = Vec::new();
        write_object(&IntervalReport::from(&interval), &mut text).unwrap();
        let expected = json!({
            "start_seconds": 1.0,
            "end_seconds": 1.5,
            "acked_bytes": 1_000_000,
            "bits_per_second": 16_000_000.0,
            "retransmitted_segments": 3,
            "cwnd_bytes": 94_720,
            "rtt_seconds": 0.04025,
            "limits": {
                "busy_seconds": 0.0,
                "cwnd_limited_seconds": 0.0,
                "rwnd_limited_seconds": 0.0,
                "sndbuf_limited_seconds": 0.0,
            },
        });
        assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), expected);
        assert!(text.ends_with(b"}\n"));
    }
}
