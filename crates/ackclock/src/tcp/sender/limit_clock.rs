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
use crate::storage::OnDemand;
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
    /// The length of all that are over.
    busy: Duration,
    /// Of these, the ones that were limited; few connections have any.
    limited: OnDemand<Limited>,
}

/// The span that is not over, in one word, as a connection has no room for more: what limits in the lowest
/// two bits, then whether the application was refused room since the peer acknowledged something last, then
/// the nanoseconds at which it began, modulo 73 years.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct OpenSpan(u64);

#[derive(Clone, Copy, Default, Debug)]
struct Limited {
    congestion: Duration,
    receiver: Duration,
    buffer: Duration,
}

impl OpenSpan {
    const REFUSED: u64 = 4;
    const BITS: u32 = 3;

    #[inline(always)]
    fn new(now: Instant, limit: Limit, refused: u64) -> Self {
        OpenSpan(now.as_nanos() << Self::BITS | limit as u64 | refused)
    }

    /// What limits, and whether the application was refused room.
    #[inline(always)]
    fn state(self) -> u64 {
        self.0 & (Self::REFUSED | 3)
    }

    #[inline(always)]
    fn is(self, limit: Limit) -> bool {
        self.0 & 3 == limit as u64
    }

    #[inline(always)]
    fn refused(self) -> u64 {
        self.0 & Self::REFUSED
    }

    #[inline(always)]
    fn length(self, now: Instant) -> Duration {
        let passed = (now.as_nanos() << Self::BITS).wrapping_sub(self.0 & !7);
        Duration::from_nanos(passed >> Self::BITS)
    }
}

impl Spans {
    /// Something else limits from now on, or the application was refused room.
    #[inline(never)]
    fn turn(&mut self, now: Instant, limit: Limit, refused: u64) {
        let (before, span) = (self.open, self.open.length(now));
        self.open = OpenSpan::new(now, limit, refused);
        if before.is(Limit::Idle) {
            return;
        }
        self.busy += span;
        if before.state() != Limit::AllSent as u64
            && let Some(limited) = self.limited.make()
        {
            limited.add(before, span);
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

impl<P: Profile> Default for LimitClock<P> {
    #[inline(always)]
    fn default() -> Self {
        LimitClock(Kept::new_with(Spans::default))
    }
}

impl<P: Profile> LimitClock<P> {
    /// All that is queued is in flight.
    #[inline(always)]
    pub(super) fn on_all_sent(&mut self, now: Instant) {
        let Some(spans) = self.0.get_mut() else {
            return;
        };
        if spans.open.state() == Limit::Idle as u64 {
            spans.open = OpenSpan::new(now, Limit::AllSent, 0);
        } else if !spans.open.is(Limit::AllSent) {
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
            spans.open = OpenSpan::new(now, Limit::Congestion, spans.open.refused());
        }
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
    #[inline(never)]
    pub(super) fn on_refused(&mut self, now: Instant) {
        let Some(spans) = self.0.get_mut() else {
            return;
        };
        if spans.open.state() == Limit::AllSent as u64 {
            spans.turn(now, Limit::AllSent, OpenSpan::REFUSED);
        }
        spans.open.0 |= OpenSpan::REFUSED;
    }

    /// The peer has acknowledged something, and more is in flight: there is room in the send buffer.
    #[inline(always)]
    pub(super) fn on_room(&mut self, now: Instant) {
        let Some(spans) = self.0.get_mut() else {
            return;
        };
        if spans.open.state() == Limit::AllSent as u64 | OpenSpan::REFUSED {
            spans.turn(now, Limit::AllSent, 0);
        }
        spans.open.0 &= !OpenSpan::REFUSED;
    }

    /// Nothing is in flight any more.
    #[inline(always)]
    pub(super) fn on_flight_empty(&mut self, now: Instant) {
        let Some(spans) = self.0.get_mut() else {
            return;
        };
        if spans.open.state() == Limit::AllSent as u64 {
            spans.busy += spans.open.length(now);
            spans.open = OpenSpan::default();
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
            busy += span;
            limited.add(spans.open, span);
        }
        let Limited { congestion, receiver, buffer } = limited;
        LimitTimes { busy, congestion, receiver, buffer }
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

    /// What is queued, or lost, does not go; the congestion window takes `allowance` bytes.
    #[inline(never)]
    pub(super) fn note_held_back(&mut self, now: Instant, allowance: u32) {
        let (unsent, window) = (self.unsent(), self.usable_window());
        let least = unsent.min(self.mss());
        let is_repair_held = self.flight.unrepaired() > 0;
        if unsent == 0 && !is_repair_held {
            return;
        }
        let limit = if allowance < least || is_repair_held || self.ecn.is_holding() {
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
