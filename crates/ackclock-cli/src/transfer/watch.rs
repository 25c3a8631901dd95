//! A source whose connection is sampled while it goes on.

use super::progress::Progress;
use crate::options::TransferOptions;
use crate::report::{INTERVAL_HEADER, Interval, Sample, interval_line};
use ackclock::apps::{Application, Source, SourceError, StartError};
use ackclock::congestion::CongestionController;
use ackclock::stack::{Event, Stack};
use ackclock::tcp::Info;
use ackclock::time::{Duration, Instant};
use std::cell::Cell;
use std::io::Write;

/// A [`Source`] that is watched.
pub(crate) struct Watch {
    source: Source,
    /// The connection's number, counted from 1.
    id: usize,
    interval: Option<Duration>,
    /// When the interval that goes on ends.
    next_sample: Instant,
    last_sample: Sample,
    intervals: Vec<Interval>,
    /// Whether each interval is printed as soon as it is over.
    live: bool,
    /// Whether nobody takes the lines of the intervals any more.
    is_unheard: Cell<bool>,
    progress: Progress,
}

/// What a watch has seen.
pub(crate) struct Watched {
    /// Time from the first SYN to the connection's being established, if it came to that.
    pub(crate) connect: Option<Duration>,
    /// Time since the connection was established; zero if it never was.
    pub(crate) duration: Duration,
    /// Bytes given to the connection.
    pub(crate) sent: u64,
    /// Bytes received.
    pub(crate) received: u64,
    /// Why the transfer failed, if it did.
    pub(crate) error: Option<SourceError>,
    /// Whether it went on when the watch ended.
    pub(crate) unfinished: bool,
    /// The intervals asked for; the last one may be shorter than the others.
    pub(crate) intervals: Vec<Interval>,
    /// The connection at the end.
    pub(crate) info: Option<Info>,
}

impl Watched {
    /// Payload bytes that the far end acknowledged.
    pub(super) fn acked(&self) -> u64 {
        self.info.map_or(0, |info| info.bytes_acked)
    }

    /// Segments sent more than once.
    pub(super) fn retransmitted(&self) -> u64 {
        self.info.map_or(0, |info| info.retransmitted)
    }
}

impl Watch {
    /// A watch as the options ask for it, of the `index`-th of `count` connections.
    pub(crate) fn new(
        source: Source,
        options: &TransferOptions,
        (index, count): (usize, usize),
    ) -> Self {
        let report = &options.report;
        let live = report.interval.is_some() && !report.json;
        let watch = Watch {
            source,
            id: index + 1,
            interval: report.interval,
            next_sample: Instant::FAR_FUTURE,
            last_sample: Sample::default(),
            intervals: Vec::new(),
            live,
            is_unheard: Cell::new(false),
            // Interval lines show the progress too.
            progress: if live || count > 1 {
                Progress::hidden()
            } else {
                Progress::new(options.amount.amount())
            },
        };
        if index == 0 {
            watch.print(INTERVAL_HEADER);
        }
        watch
    }

    /// Whether there is no point in going on: the transfer has failed, or nobody hears of it.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.source.error().is_some() || self.is_unheard.get()
    }

    /// Writes a line at once, if lines are written while the transfer goes on.
    fn print(&self, line: &str) {
        if self.live {
            let mut stdout = std::io::stdout().lock();
            let written = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
            // What the error is shows when the summary is written.
            self.is_unheard.set(self.is_unheard.get() || written.is_err());
        }
    }

    /// Ends the watch, at the end of the transfer or before.
    pub(crate) fn conclude<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &Stack<'_, C>,
    ) -> Watched {
        self.progress.clear();
        let at = self.source.ended().unwrap_or(now);
        let info = self.source.info(now, stack);
        let mut intervals = self.intervals.clone();
        let last = info.map(|info| self.interval_until(at, &info));
        if let Some(last) = last.filter(|last| self.interval.is_some() && !last.length().is_zero())
        {
            self.print(&interval_line(self.id, &last));
            intervals.push(last);
        }
        let (started, established) = (self.source.started(), self.source.established());
        Watched {
            connect: established.zip(started).map(|(end, start)| end.saturating_since(start)),
            duration: self.elapsed(at),
            sent: self.source.sent(),
            received: self.source.received(),
            error: self.source.error(),
            unfinished: self.source.ended().is_none(),
            intervals,
            info,
        }
    }

    /// Aborts a transfer that goes on.
    #[cfg(target_os = "linux")]
    pub(crate) fn abort<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) {
        self.source.abort(now, stack);
    }

    /// Time since the connection was established.
    fn elapsed(&self, now: Instant) -> Duration {
        let established = self.source.established().unwrap_or(Instant::FAR_FUTURE);
        now.saturating_since(established)
    }

    /// What happened since the last sample.
    fn interval_until(&self, at: Instant, info: &Info) -> Interval {
        Interval::between(&self.last_sample, &Sample::new(self.elapsed(at), info))
    }

    /// Takes the samples that are due. Nothing may have happened since they were.
    fn sample<C: CongestionController + Clone>(&mut self, now: Instant, stack: &Stack<'_, C>) {
        let Some(interval) = self.interval else {
            return;
        };
        while self.next_sample <= now
            && let Some(info) = self.source.info(now, stack)
        {
            let sampled = self.interval_until(self.next_sample, &info);
            self.print(&interval_line(self.id, &sampled));
            self.last_sample = Sample::new(sampled.end, &info);
            self.intervals.push(sampled);
            self.next_sample += interval;
        }
    }

    /// Looks at what has changed.
    fn look(&mut self, now: Instant) {
        self.progress.set(self.source.sent(), self.elapsed(now));
        if self.source.ended().is_some() {
            self.next_sample = Instant::FAR_FUTURE;
        } else if self.next_sample.is_never()
            && let (Some(interval), Some(established)) = (self.interval, self.source.established())
        {
            self.next_sample = established + interval;
        }
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for Watch {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        self.source.start(now, stack)
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        self.sample(now, stack);
        self.source.on_event(now, stack, event);
        self.look(now);
    }

    fn wake_at(&self) -> Instant {
        Application::<C>::wake_at(&self.source).min(self.next_sample)
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        self.sample(now, stack);
        if Application::<C>::wake_at(&self.source) <= now {
            self.source.on_wake(now, stack);
            self.look(now);
        }
    }

    fn is_done(&self) -> bool {
        self.is_unheard.get() || Application::<C>::is_done(&self.source)
    }
}
