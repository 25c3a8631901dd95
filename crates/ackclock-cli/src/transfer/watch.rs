//! Source of data whose connection is sampled while the transfer goes on.

use super::progress::Progress;
use super::settings::TransferSettings;
use crate::report::{INTERVAL_HEADER, Interval, Sample, interval_line, stdout};
use ackclock::apps::{Application, Source, SourceError, StartError};
use ackclock::congestion::CongestionController;
use ackclock::stack::{Event, Stack};
use ackclock::tcp::{Error, Info};
use ackclock::time::{Duration, Instant};
use std::cell::Cell;
use std::io::Write;

/// A [`Source`] with samples of its connection.
pub(crate) struct Watch {
    source: Source,
    /// Connection before it that gets a Fast Open cookie, until it has ended.
    asking: Option<Source>,
    /// Whether the transfer could not begin after that.
    is_refused: bool,
    /// The connection's number, counted from 1.
    id: usize,
    interval: Option<Duration>,
    /// End of the current interval.
    next_sample: Instant,
    last_sample: Sample,
    intervals: Vec<Interval>,
    /// Whether each interval is printed as soon as it ends.
    live: bool,
    /// Whether writing the lines of the intervals has failed, as it does when the reader has gone.
    output_failed: Cell<bool>,
    progress: Progress,
}

/// Observations of a watch.
pub(crate) struct Watched {
    /// Time from the first SYN until the connection was established; `None` if it never was.
    pub(crate) connect: Option<Duration>,
    /// Time from the first SYN until the first byte came back; `None` if none did.
    pub(crate) first_byte: Option<Duration>,
    /// Time since the connection was established; zero if it never was.
    pub(crate) duration: Duration,
    /// Bytes given to the connection.
    pub(crate) sent: u64,
    /// Bytes received.
    pub(crate) received: u64,
    /// Error by which the transfer failed, if it did.
    pub(crate) error: Option<SourceError>,
    /// Whether the transfer was still going on when the watch ended.
    pub(crate) unfinished: bool,
    /// Intervals, with `--interval`; the last one may be shorter than the others.
    pub(crate) intervals: Vec<Interval>,
    /// State of the connection at the end.
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
    /// A watch over the `index`-th of `count` connections.
    pub(crate) fn new(
        source: Source,
        asking: Option<Source>,
        settings: &TransferSettings,
        (index, count): (usize, usize),
    ) -> Self {
        let live = settings.interval.is_some() && !settings.json;
        let watch = Watch {
            source,
            asking,
            is_refused: false,
            id: index + 1,
            interval: settings.interval,
            next_sample: Instant::FAR_FUTURE,
            last_sample: Sample::default(),
            intervals: Vec::new(),
            live,
            output_failed: Cell::new(false),
            // Interval lines show the progress as well as a bar would.
            progress: if live || count > 1 {
                Progress::hidden()
            } else {
                Progress::new(settings.amount)
            },
        };
        if index == 0 {
            watch.print(INTERVAL_HEADER);
        }
        watch
    }

    /// Whether going on is pointless: the transfer has failed, or its report cannot be written.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.error().is_some() || self.output_failed.get()
    }

    /// Writes a line at once, if lines are written while the transfer goes on.
    fn print(&self, line: &str) {
        if self.live {
            let mut stdout = stdout();
            let written = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
            // The error is reported when the summary is written and fails too.
            self.output_failed.set(self.output_failed.get() || written.is_err());
        }
    }

    /// Ends the watch, at the end of the transfer or earlier.
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
            first_byte: (self.source.first_received().zip(started))
                .map(|(end, start)| end.saturating_since(start)),
            duration: self.elapsed(at),
            sent: self.source.sent(),
            received: self.source.received(),
            error: self.error(),
            unfinished: self.source.ended().is_none(),
            intervals,
            info,
        }
    }

    /// Aborts the transfer if it is still going on.
    #[cfg(target_os = "linux")]
    pub(crate) fn abort<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) {
        if let Some(asking) = &mut self.asking {
            asking.abort(now, stack);
        }
        self.source.abort(now, stack);
    }

    /// Why the transfer has failed, if it has.
    fn error(&self) -> Option<SourceError> {
        let asking = self.asking.as_ref().and_then(Source::error);
        let refused = self.is_refused.then_some(SourceError::Connection(Error::Aborted));
        asking.or(refused).or(self.source.error())
    }

    /// The connection that requested a Fast Open cookie has ended: the transfer begins.
    fn begin_after_asking<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) {
        if self.error().is_none() {
            self.asking = None;
            self.is_refused = self.source.start(now, stack).is_err();
        }
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

    /// Takes the samples that are due. To be called before anything that happens later is processed.
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

    /// Updates the progress bar and the time of the next sample.
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
        match &mut self.asking {
            Some(asking) => asking.start(now, stack),
            None => self.source.start(now, stack),
        }
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        if let Some(asking) = &mut self.asking {
            asking.on_event(now, stack, event);
            if Application::<C>::is_done(asking) {
                self.begin_after_asking(now, stack);
            }
            return;
        }
        self.sample(now, stack);
        self.source.on_event(now, stack, event);
        self.look(now);
    }

    fn wake_at(&self) -> Instant {
        if let Some(asking) = &self.asking {
            return Application::<C>::wake_at(asking);
        }
        Application::<C>::wake_at(&self.source).min(self.next_sample)
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        if let Some(asking) = &mut self.asking {
            return asking.on_wake(now, stack);
        }
        self.sample(now, stack);
        if Application::<C>::wake_at(&self.source) <= now {
            self.source.on_wake(now, stack);
            self.look(now);
        }
    }

    fn is_done(&self) -> bool {
        self.output_failed.get()
            || self.error().is_some()
            || self.asking.is_none() && Application::<C>::is_done(&self.source)
    }
}
