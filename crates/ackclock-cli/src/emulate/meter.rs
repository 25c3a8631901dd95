//! Meter that samples what happens while packets are carried.

use super::direction::{Direction, Interval};
use super::text;
use crate::report::stdout;
use ackclock::time::{Duration, Instant};
use std::io::Write;

/// Meter that takes samples, and prints or keeps them.
pub(super) struct Meter {
    interval: Option<Duration>,
    /// Whether samples are printed as they are taken, instead of kept.
    live: bool,
    started: Instant,
    /// Time of the last sample.
    last: Instant,
    kept: Vec<Interval>,
    /// Whether writing lines has failed, as it does when the reader has gone.
    output_failed: bool,
}

impl Meter {
    /// A meter whose first interval begins at `now`.
    pub(super) fn new(interval: Option<Duration>, live: bool, now: Instant) -> Self {
        let mut meter = Meter {
            interval,
            live,
            started: now,
            last: now,
            kept: Vec::new(),
            output_failed: false,
        };
        meter.print(text::HEADER);
        meter
    }

    /// Time of the next sample.
    pub(super) fn next_at(&self) -> Instant {
        self.interval.map_or(Instant::FAR_FUTURE, |interval| self.last + interval)
    }

    /// Whether lines can no longer be written.
    pub(super) fn output_failed(&self) -> bool {
        self.output_failed
    }

    /// Takes a sample.
    pub(super) fn sample(&mut self, now: Instant, directions: &mut [Direction; 2]) {
        let since_start = |at: Instant| at.saturating_since(self.started);
        let interval = Interval {
            start: since_start(self.last),
            end: since_start(now),
            directions: directions.each_mut().map(Direction::sample),
        };
        self.last = now;
        if self.live {
            self.print(&text::interval_lines(&interval));
        } else {
            self.kept.push(interval);
        }
    }

    /// Takes the last sample, of an interval that may be shorter than the others; returns the intervals
    /// that were kept.
    pub(super) fn conclude(
        mut self,
        now: Instant,
        directions: &mut [Direction; 2],
    ) -> Vec<Interval> {
        if self.interval.is_some() && now > self.last {
            self.sample(now, directions);
        }
        self.kept
    }

    /// Writes lines at once, if they are written while packets are carried.
    fn print(&mut self, lines: &str) {
        if self.live {
            let mut stdout = stdout();
            let written = writeln!(stdout, "{lines}").and_then(|()| stdout.flush());
            // The error is reported when the summary is written and fails too.
            self.output_failed |= written.is_err();
        }
    }
}
