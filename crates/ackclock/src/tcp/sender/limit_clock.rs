//! What limits the sender, and for how long: the receiver's window, the congestion window, its own
//! send buffer, or nothing but the application (RFC 4898: `tcpEStatsPerfSndLim...`; Linux:
//! `tcp_chrono`).
//!
//! The clock is set where that changes. A span begins when something is sent while nothing was in
//! flight, or is found to be held back; it ends when all that is in flight is acknowledged, and, if
//! something else is queued, the next one begins at the same time.

use super::Sender;
use super::flight::Flight;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Part, Profile};
use crate::storage::{CAN_GROW, OnDemand};
use crate::tcp::LimitTimes;
use crate::time::{Duration, Instant};

/// What limits a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    /// Nothing is in flight or held back.
    Idle = 0,
    /// All that was queued is in flight. If the application has more, for which the send buffer has no room,
    /// it is that which limits.
    AllSent = 1,
    /// What is queued waits for the congestion window, or for the time at which pacing lets it go.
    Congestion = 2,
    /// What is queued waits for the peer's window.
    Receiver = 3,
}

/// The clock, in an image that has it.
#[derive(Debug)]
pub(super) struct LimitClock<P: Profile>(<P::LimitTimes as Part>::Owns<Spans>);

#[derive(Debug, Default)]
struct Spans {
    open: OpenSpan,
    /// The length of all that are over, as [`OpenSpan`] tells time; the lowest bit says that there is no heap for
    /// [`limited`](Self::limited), as all memory is lent.
    busy: u64,
    /// Of these, the ones that were limited; few connections have any.
    limited: OnDemand<Limited>,
}

/// The span that is not over, in one word, as a connection has no room for more: what limits in the lowest
/// two bits, then whether the application was refused room since the peer acknowledged something last, then
/// the nanoseconds at which it began, modulo 73 years; zero if there is none and nothing was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct OpenSpan(u64);

#[derive(Clone, Copy, Default, Debug)]
struct Limited {
    congestion: Duration,
    receiver: Duration,
    buffer: Duration,
}

/// Of [`Spans::busy`]: all memory is lent.
const LENT: u64 = 1;
/// Of the word: the application was refused room.
const REFUSED: u64 = 4;
/// Of the word: what is not time.
const STATE: u64 = 7;

const ALL_SENT: u64 = Limit::AllSent as u64;

impl OpenSpan {
    #[inline(always)]
    fn new(now: Instant, state: u64) -> Self {
        OpenSpan(now.as_nanos() << 3 | state)
    }

    /// What limits, and whether the application was refused room.
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

    /// How long ago it began, in eighths of nanoseconds.
    fn length(self, now: Instant) -> u64 {
        (now.as_nanos() << 3).wrapping_sub(self.0 & !STATE)
    }
}

impl Spans {
    /// Something else limits from now on, or the application was refused room.
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
    /// The clock of a sender whose memory may grow, or is lent.
    #[inline(always)]
    pub(super) fn new(may_grow: bool) -> Self {
        let busy = if may_grow { 0 } else { LENT };
        LimitClock(Kept::new_with(|| Spans { busy, ..Spans::default() }))
    }

    /// All that is queued was sent just now, while nothing was in flight.
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

    /// All that is queued is in flight.
    #[inline(always)]
    pub(super) fn on_all_sent(&mut self, now: Instant) {
        if let Some(spans) = self.0.get_mut()
            && !spans.open.is(Limit::AllSent)
        {
            spans.turn(now, Limit::AllSent, spans.open.refused());
        }
    }

    /// Something was sent, and more is queued.
    #[inline(always)]
    pub(super) fn on_sent(&mut self, now: Instant) {
        if let Some(spans) = self.0.get_mut()
            && spans.open.is(Limit::Idle)
        {
            // Until what holds the rest back is found out.
            spans.turn(now, Limit::Congestion, spans.open.refused());
        }
    }

    /// Whether the congestion window is known to limit.
    #[inline(always)]
    pub(super) fn is_by_congestion(&self) -> bool {
        self.0.get().is_some_and(|spans| spans.open.is(Limit::Congestion))
    }

    /// What is queued, or was lost, does not go.
    #[inline(always)]
    pub(super) fn on_held_back(&mut self, now: Instant, limit: Limit) {
        if let Some(spans) = self.0.get_mut()
            && !spans.open.is(limit)
        {
            spans.turn(now, limit, spans.open.refused());
        }
    }

    /// The send buffer has no room for what the application has.
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

    /// The peer has acknowledged something, and more is in flight: there is room in the send buffer.
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

    /// Nothing is in flight any more.
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

    /// How long what has limited the sender, the span that is not over included.
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
    /// What an ack of new data means for what limits the sender.
    #[inline(always)]
    pub(super) fn note_limit_after_ack(&mut self, now: Instant) {
        if self.flight.is_empty() {
            self.limits.on_flight_empty(now);
        } else {
            self.limits.on_room(now);
        }
    }

    /// What is queued does not go.
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
            // Nagle's algorithm, the cork or a want of memory.
            Limit::AllSent
        };
        self.limits.on_held_back(now, limit);
    }

    /// How long what has limited the sender.
    pub(crate) fn limit_times(&self, now: Instant) -> LimitTimes {
        self.limits.times(now)
    }

    /// The connection is over: nothing limits it any more.
    pub(crate) fn stop_limit_clock(&mut self, now: Instant) {
        self.limits.on_held_back(now, Limit::Idle);
    }
}
