//! Meter of one queue of a service, which samples what was served and what was refused.

use super::refused::Refused;
use super::summary::Interval;
use crate::report::{bits_per_second, seconds, stdout};
use ackclock::time::{Duration, Instant};
use std::io::Write;

/// Header that names the columns of an [`Interval`].
pub(super) const HEADER: &str = "\
[ ID] Interval           Accepted  Received     Sent         Bitrate         Refused: SYN  Accept  \
Memory  Idle  Fast  Signed  RST";

/// Counters of one queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) accepted: u64,
    pub(super) received_bytes: u64,
    pub(super) sent_bytes: u64,
    pub(super) refused: Refused,
}

/// Meter that takes samples, and prints or keeps them.
pub(super) struct Meter {
    queue: usize,
    interval: Option<Duration>,
    /// Whether samples are printed as they are taken, instead of kept.
    live: bool,
    /// Time of the last sample, and the counters then.
    last: (Instant, Counts),
    kept: Vec<Interval>,
    /// Whether a line could not be written, as when the reader has gone.
    output_failed: bool,
}

impl Meter {
    /// A meter of the queue of this number, counted from 1, whose first interval begins at zero.
    pub(super) fn new(queue: usize, interval: Option<Duration>, live: bool) -> Self {
        let last = (Instant::ZERO, Counts::default());
        Meter { queue, interval, live, last, kept: Vec::new(), output_failed: false }
    }

    /// Time of the next sample.
    pub(super) fn next_at(&self) -> Instant {
        self.interval.map_or(Instant::FAR_FUTURE, |interval| self.last.0 + interval)
    }

    /// Whether lines can no longer be written.
    pub(super) fn output_failed(&self) -> bool {
        self.output_failed
    }

    /// Samples that were kept.
    pub(super) fn kept(self) -> Vec<Interval> {
        self.kept
    }

    /// Takes the last sample, of an interval that may be shorter than the others.
    pub(super) fn conclude(&mut self, now: Instant, counts: Counts) {
        if self.interval.is_some() && now > self.last.0 {
            self.sample(now, counts);
        }
    }

    /// Takes a sample.
    pub(super) fn sample(&mut self, now: Instant, counts: Counts) {
        let (start, before) = self.last;
        let received_bytes = counts.received_bytes - before.received_bytes;
        let sent_bytes = counts.sent_bytes - before.sent_bytes;
        let since_start = |at: Instant| seconds(at.saturating_since(Instant::ZERO));
        let length = now.saturating_since(start);
        let interval = Interval {
            queue: self.queue,
            start_seconds: since_start(start),
            end_seconds: since_start(now),
            accepted_connections: counts.accepted - before.accepted,
            received_bytes,
            sent_bytes,
            bits_per_second: bits_per_second(received_bytes + sent_bytes, length),
            refused: counts.refused - before.refused,
        };
        self.last = (now, counts);
        if self.live {
            // The queues' threads share the output, so a line is written in one piece.
            let line = format!("{interval}\n");
            let mut stdout = stdout();
            let written = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
            // The error is reported when the summary is written and fails too.
            self.output_failed |= written.is_err();
        } else {
            self.kept.push(interval);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_their_names() {
        let mut meter = Meter::new(1, Some(Duration::from_secs(1)), false);
        let refused = Refused {
            half_open_syns: 20_000,
            accept_queue_segments: 7,
            memory_connections: 12,
            idle_connections: 45,
            fast_open_syns: 3,
            signatures: 8,
            resets: 900,
        };
        let counts =
            Counts { accepted: 3, received_bytes: 1_177_000, sent_bytes: 1_177_000, refused };
        meter.sample(Instant::ZERO + Duration::from_secs(1), counts);
        meter.sample(Instant::ZERO + Duration::from_secs(2), counts);
        let lines: Vec<_> = meter.kept().iter().map(Interval::to_string).collect();
        let expected = [
            "[ ID] Interval           Accepted  Received     Sent         Bitrate         Refused: SYN  Accept  Memory  Idle  Fast  Signed  RST",
            "[  1]   0.00-1.00   sec         3  1.12 MBytes  1.12 MBytes  18.8 Mbits/sec         20000       7      12    45     3       8  900",
            "[  1]   1.00-2.00   sec         0  0.00 Bytes   0.00 Bytes   0.00 bits/sec              0       0       0     0     0       0    0",
        ];
        assert_eq!([HEADER, &lines[0], &lines[1]], expected);
    }
}
