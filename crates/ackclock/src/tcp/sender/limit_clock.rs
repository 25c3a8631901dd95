//! The limit clock: measures for how long the sender is limited by the peer's receive window, by the
//! congestion window, by its own send buffer, or only by the application (RFC 4898: `tcpEStatsPerfSndLim...`;
//! Linux: `tcp_chrono`).
//!
//! The clock is set whenever the limit changes. A span begins when data is sent while nothing was in flight,
//! or when data is found to be held back. It ends when all data in flight is acknowledged; if more is queued,
//! the next span begins at the same time.

use super::Sender;
use super::flight::Flight;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Part, Profile};
use crate::storage::{CAN_GROW, OnDemand};
use crate::tcp::LimitTimes;
use crate::time::{Duration, Instant};

/// What limits the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    /// Nothing: no data is in flight or held back.
    Idle = 0,
    /// All queued data is in flight, so the application limits; or the send buffer does, if the application
    /// has more than it has room for.
    AllSent = 1,
    /// Queued data waits for the congestion window or for pacing.
    Congestion = 2,
    /// Queued data waits for the peer's receive window.
    Receiver = 3,
}

/// The clock; absent in an image that does not measure limits.
#[derive(Debug)]
pub(super) struct LimitClock<P: Profile>(<P::LimitTimes as Part>::Owns<Spans>);

#[derive(Debug, Default)]
struct Spans {
    open: OpenSpan,
    /// Total length of the spans that are over, in the units of [`OpenSpan`]. The lowest bit says that all
    /// memory is lent, so that there is no heap for [`limited`](Self::limited).
    busy: u64,
    /// The parts of `busy` that were limited by something; few connections have any.
    limited: OnDemand<Limited>,
}

/// The current span in one word, as a connection has no room for more. The lowest two bits are the limit; the
/// next one says whether the send buffer refused data since the last ack of new data; the rest is when the
/// span began, in nanoseconds modulo 73 years. Zero if there is no span and no data was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct OpenSpan(u64);

#[derive(Clone, Copy, Default, Debug)]
struct Limited {
    congestion: Duration,
    receiver: Duration,
    buffer: Duration,
}

/// Bit of [`Spans::busy`]: all memory is lent.
const LENT: u64 = 1;
/// Bit of an [`OpenSpan`]: the send buffer refused data.
const REFUSED: u64 = 4;
/// Bits of an [`OpenSpan`] that are not time.
const STATE: u64 = 7;

const ALL_SENT: u64 = Limit::AllSent as u64;

impl OpenSpan {
    #[inline(always)]
    fn new(now: Instant, state: u64) -> Self {
        OpenSpan(now.as_nanos() << 3 | state)
    }

    /// The limit, and whether the send buffer refused data.
    #[inline(always)]
    fn state(self) -> u64 {
        self.0 & STATE
    }

    #[inline(always)]
    fn is(self, limit: Limit) -> bool {
        self.0 & 3 == limit as u64
    }

    fn refused(self) -> u64 {
        self.0 & REFUSED
    }

    /// Length of the span until `now`, in eighths of nanoseconds.
    fn length(self, now: Instant) -> u64 {
        (now.as_nanos() << 3).wrapping_sub(self.0 & !STATE)
    }
}

impl Spans {
    /// Ends the current span and begins one with this limit, or with a send buffer that `refused` data.
    #[inline(never)]
    fn turn(&mut self, now: Instant, limit: Limit, refused: u64) {
        let (before, span) = (self.open, self.open.length(now));
        self.open = match limit {
            Limit::Idle => OpenSpan(refused),
            _ => OpenSpan::new(now, limit as u64 | refused),
        };
        if before.is(Limit::Idle) {
            return;
        }
        self.busy = self.busy.wrapping_add(span);
        if before.state() != ALL_SENT
            && !(CAN_GROW && self.busy & LENT > 0)
            && let Some(limited) = self.limited.make()
        {
            limited.add(before, Duration::from_nanos(span >> 3));
        }
    }
}

impl Limited {
    fn add(&mut self, open: OpenSpan, span: Duration) {
        if open.is(Limit::Congestion) {
            self.congestion += span;
        } else if open.is(Limit::Receiver) {
            self.receiver += span;
        } else if open.is(Limit::AllSent) && open.refused() > 0 {
            self.buffer += span;
        }
    }
}

impl<P: Profile> LimitClock<P> {
    /// The clock of a sender whose memory grows (`may_grow`) or is lent.
    #[inline(always)]
    pub(super) fn new(may_grow: bool) -> Self {
        let busy = if may_grow { 0 } else { LENT };
        LimitClock(Kept::new_with(|| Spans { busy, ..Spans::default() }))
    }

    /// Notes that all queued data was just sent, while nothing was in flight.
    #[inline(always)]
    pub(super) fn on_all_sent_at_once(&mut self, now: Instant) {
        let Some(spans) = self.0.get_mut() else {
            return;
        };
        if spans.open == OpenSpan(0) {
            spans.open = OpenSpan::new(now, ALL_SENT);
        } else {
            self.on_all_sent(now);
        }
    }

    /// Notes that all queued data is in flight.
    #[inline(always)]
    pub(super) fn on_all_sent(&mut self, now: Instant) {
        if let Some(spans) = self.0.get_mut()
            && !spans.open.is(Limit::AllSent)
        {
            spans.turn(now, Limit::AllSent, spans.open.refused());
        }
    }

    /// Notes that data was sent while more is queued.
    #[inline(always)]
    pub(super) fn on_sent(&mut self, now: Instant) {
        if let Some(spans) = self.0.get_mut()
            && spans.open.is(Limit::Idle)
        {
            // Assumed until the limit of the rest is determined.
            spans.turn(now, Limit::Congestion, spans.open.refused());
        }
    }

    /// Whether the congestion window is known to limit the sender.
    #[inline(always)]
    pub(super) fn is_by_congestion(&self) -> bool {
        self.0.get().is_some_and(|spans| spans.open.is(Limit::Congestion))
    }

    /// Notes that queued or lost data is held back by `limit`.
    #[inline(always)]
    pub(super) fn on_held_back(&mut self, now: Instant, limit: Limit) {
        if let Some(spans) = self.0.get_mut()
            && !spans.open.is(limit)
        {
            spans.turn(now, limit, spans.open.refused());
        }
    }

    /// Notes that the send buffer refused data of the application.
    #[cold]
    #[inline(never)]
    pub(super) fn on_refused(&mut self, now: Instant) {
        let Some(spans) = self.0.get_mut() else {
            return;
        };
        if spans.open.state() == ALL_SENT {
            spans.turn(now, Limit::AllSent, REFUSED);
        }
        spans.open.0 |= REFUSED;
    }

    /// Notes an ack of new data that left room in the send buffer, while more is in flight.
    #[inline(always)]
    pub(super) fn on_room(&mut self, now: Instant) {
        if let Some(spans) = self.0.get_mut()
            && spans.open.refused() > 0
        {
            if spans.open.is(Limit::AllSent) {
                spans.turn(now, Limit::AllSent, 0);
            }
            spans.open.0 &= !REFUSED;
        }
    }

    /// Notes that nothing is in flight any more.
    #[inline(always)]
    pub(super) fn on_flight_empty(&mut self, now: Instant) {
        let Some(spans) = self.0.get_mut() else {
            return;
        };
        let span = OpenSpan::new(now, ALL_SENT).0.wrapping_sub(spans.open.0);
        if span & STATE == 0 {
            spans.busy = spans.busy.wrapping_add(span);
            spans.open = OpenSpan(0);
        } else {
            spans.turn(now, Limit::Idle, 0);
        }
    }

    /// The times so far, including the current span.
    pub(super) fn times(&self, now: Instant) -> LimitTimes {
        let Some(spans) = self.0.get() else {
            return LimitTimes::default();
        };
        let mut limited = spans.limited.get().copied().unwrap_or_default();
        let mut busy = spans.busy;
        if !spans.open.is(Limit::Idle) {
            let span = spans.open.length(now);
            busy = busy.wrapping_add(span);
            limited.add(spans.open, Duration::from_nanos(span >> 3));
        }
        let Limited { congestion, receiver, buffer } = limited;
        LimitTimes { busy: Duration::from_nanos(busy >> 3), congestion, receiver, buffer }
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Updates the clock after an ack of new data.
    #[inline(always)]
    pub(super) fn note_limit_after_ack(&mut self, now: Instant) {
        if self.flight.is_empty() {
            self.limits.on_flight_empty(now);
        } else {
            self.limits.on_room(now);
        }
    }

    /// Determines what holds queued data back, and updates the clock.
    #[inline(never)]
    pub(super) fn note_held_back(&mut self, now: Instant) {
        let congestion_window = self.recovery.window(self.controller.window());
        let allowance = congestion_window.saturating_sub(self.pipe());
        let (unsent, window) = (self.unsent(), self.usable_window());
        let least = unsent.min(self.mss());
        let limit = if allowance < least || self.ecn.is_holding() {
            Limit::Congestion
        } else if window < least {
            Limit::Receiver
        } else {
            // Held back by Nagle's algorithm, the cork or a lack of memory.
            Limit::AllSent
        };
        self.limits.on_held_back(now, limit);
    }

    /// For how long each limit has limited the sender.
    pub(crate) fn limit_times(&self, now: Instant) -> LimitTimes {
        self.limits.times(now)
    }

    /// Stops the clock, because the connection is over.
    pub(crate) fn stop_limit_clock(&mut self, now: Instant) {
        self.limits.on_held_back(now, Limit::Idle);
    }
}
