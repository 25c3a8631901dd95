//! Output of a proxy: a line for each interval, and a summary.

use super::counts::Counts;
use crate::failure::Failure;
use crate::report::{
    ProcessorReport, SCHEMA, bits_per_second, bytes, print, processor_time, rate, seconds, stdout,
    write_object,
};
use ackclock::time::Duration;
use serde::Serialize;
use std::fmt;

/// Header that names the columns of an [`Interval`].
pub(super) const HEADER: &str = "\
Interval             Open  Opened  Out          Back         Bitrate         Refused  Unreachable  \
Given up  Failed  Idle";

/// Counts between two times, in time since the start.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub(super) struct Interval {
    start_seconds: f64,
    end_seconds: f64,
    /// Connections at the end of the interval.
    open_connections: u64,
    bits_per_second: f64,
    #[serde(flatten)]
    counts: Counts,
}

impl Interval {
    /// From one time, and what the counters said then, to another.
    pub(super) fn new(from: (Duration, Counts), to: (Duration, Counts)) -> Self {
        let counts = to.1.since(&from.1);
        let bytes = counts.out_bytes + counts.back_bytes;
        Interval {
            start_seconds: seconds(from.0),
            end_seconds: seconds(to.0),
            open_connections: to.1.open_connections(),
            bits_per_second: bits_per_second(bytes, to.0.saturating_sub(from.0)),
            counts,
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        write!(
            f,
            "{:6.2}-{:<6.2} sec {:6}  {:6}  {:11}  {:11}  {:14}  {:7}  {:11}  {:8}  {:6}  {:4}",
            self.start_seconds,
            self.end_seconds,
            self.open_connections,
            counts.opened_connections,
            bytes(counts.out_bytes),
            bytes(counts.back_bytes),
            rate(self.bits_per_second),
            counts.refused_requests,
            counts.unreachable_requests,
            counts.given_up_requests,
            counts.failed_connections,
            counts.idle_connections,
        )
    }
}

/// Summary of a proxy.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(super) struct Summary {
    schema: u32,
    version: &'static str,
    command: &'static str,
    tun: String,
    /// URL of the proxy, or `direct`.
    to: String,
    duration_seconds: f64,
    /// Connections that were there at the end, and were reset.
    open_connections: u64,
    #[serde(flatten)]
    counts: Counts,
    /// Processor time; null where the system does not report it.
    processor: Option<ProcessorReport>,
    /// Null without `--interval`.
    intervals: Option<Vec<Interval>>,
}

impl Summary {
    /// Of a run of this length.
    pub(super) fn new(
        (tun, to): (&str, String),
        duration: Duration,
        counts: Counts,
        intervals: Option<Vec<Interval>>,
    ) -> Self {
        let bytes = counts.out_bytes + counts.back_bytes;
        Summary {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command: "proxy",
            tun: tun.into(),
            to,
            duration_seconds: seconds(duration),
            open_connections: counts.open_connections(),
            counts,
            processor: processor_time().map(|spent| ProcessorReport::new(spent, bytes)),
            intervals,
        }
    }

    /// Writes the summary to standard output, as an object or a line.
    pub(super) fn report(&self, json: bool) -> Result<(), Failure> {
        if json { write_object(self, &mut stdout()) } else { print(&format!("{self}\n")) }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        write!(
            f,
            "{} to {}: {} connections ({} completed, {} failed, {} idle, {} open at the end), {} bytes out, \
             {} bytes back in {:.2} s; requests: {} refused, {} unreachable, {} given up",
            self.tun,
            self.to,
            counts.opened_connections,
            counts.completed_connections,
            counts.failed_connections,
            counts.idle_connections,
            self.open_connections,
            counts.out_bytes,
            counts.back_bytes,
            self.duration_seconds,
            counts.refused_requests,
            counts.unreachable_requests,
            counts.given_up_requests,
        )?;
        self.processor.map_or(Ok(()), |cost| write!(f, ", {cost}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_their_names() {
        let counts = Counts {
            opened_connections: 12,
            completed_connections: 3,
            failed_connections: 2,
            idle_connections: 1,
            refused_requests: 7,
            unreachable_requests: 20,
            given_up_requests: 4,
            out_bytes: 1_177_000,
            back_bytes: 2_354_000,
        };
        let at = Duration::from_secs;
        let lines =
            [((at(0), Counts::default()), (at(1), counts)), ((at(1), counts), (at(2), counts))]
                .map(|(from, to)| Interval::new(from, to).to_string());
        let expected = [
            "Interval             Open  Opened  Out          Back         Bitrate         Refused  Unreachable  Given up  Failed  Idle",
            "  0.00-1.00   sec      6      12  1.12 MBytes  2.24 MBytes  28.2 Mbits/sec        7           20         4       2     1",
            "  1.00-2.00   sec      6       0  0.00 Bytes   0.00 Bytes   0.00 bits/sec         0            0         0       0     0",
        ];
        assert_eq!([HEADER, &lines[0], &lines[1]], expected);
    }
}
