//! Small segments: Nagle's algorithm, the sender's silly-window avoidance and the cork (RFC 9293 sections
//! 3.7.4 and 3.8.6.2.1). Full segments are limited by the windows only, rule 1.

use super::Sender;
use super::flight::Flight;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::tcp::Nagle;
use crate::time::{Duration, Instant};

/// Longest time for which a cork holds data back while nothing is in flight (as in Linux).
const MOST_CORKED: Duration = Duration::from_millis(200);

/// State of the cork, which holds back small segments until they are full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cork {
    Off,
    On,
    /// On, except for the next small segment.
    Pushed,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Sets whether and when small segments wait for an ack.
    pub(crate) fn set_nagle(&mut self, nagle: Nagle) {
        self.nagle = nagle;
    }

    /// Sets or removes the cork: while it is on, a segment that is not full waits for more data or a FIN, but
    /// while nothing is in flight no longer than [`MOST_CORKED`].
    pub(crate) fn set_cork(&mut self, now: Instant, on: bool) {
        self.cork = if on { Cork::On } else { Cork::Off };
        self.rearm(now);
    }

    /// Releases the data queued so far from the cork, and from waiting for an ack of another small segment.
    pub(crate) fn push(&mut self, now: Instant) {
        if !self.unsent().is_multiple_of(self.mss()) {
            if self.is_corked() {
                self.cork = Cork::Pushed;
            }
            if let Some(small_end) = self.small_end.get_mut() {
                *small_end = self.snd_una;
            }
        }
        self.rearm(now);
    }

    /// Whether a segment that is not full and has no FIN waits for more data or for an ack; `idle`: nothing
    /// is in flight.
    #[inline(always)]
    pub(super) fn holds_small_segments(&self, idle: bool) -> bool {
        if P::RARE_SETTINGS && self.cork == Cork::On {
            return true;
        }
        match self.small_end.get() {
            Some(end) if self.nagle == Nagle::Minshall => !idle && self.is_unacked(*end),
            _ => !idle && self.nagle != Nagle::Off,
        }
    }

    #[inline(always)]
    pub(super) fn is_corked(&self) -> bool {
        P::RARE_SETTINGS && self.cork != Cork::Off
    }

    /// Notes that new data up to `end` was sent, in a small segment (`is_small`) or in full ones.
    #[inline(always)]
    pub(super) fn note_small_segment(&mut self, end: SeqNumber, is_small: bool) {
        if let Some(small_end) = self.small_end.get_mut()
            && is_small
        {
            *small_end = end;
            if self.cork == Cork::Pushed {
                self.cork = Cork::On;
            }
        }
    }

    /// Whether data that ends at `end` was sent and is not acknowledged.
    fn is_unacked(&self, end: SeqNumber) -> bool {
        end.after(self.snd_una) && !end.after(self.snd_nxt)
    }

    /// Whether only the cork holds data back, while no ack is expected.
    #[inline(always)]
    pub(in crate::tcp) fn is_held_by_cork(&self) -> bool {
        self.is_corked() && self.holds_all_by_cork()
    }

    #[cold]
    #[inline(never)]
    fn holds_all_by_cork(&self) -> bool {
        let unsent = self.unsent();
        self.flight.is_empty()
            && unsent > 0
            && unsent < self.mss()
            && unsent <= self.usable_window()
            && !self.fin_pending()
            && self.holds_small_segments(true)
    }

    /// When data that the cork holds back since `now` is sent anyway.
    pub(super) fn cork_deadline(now: Instant) -> Instant {
        now + MOST_CORKED
    }

    /// Payload length and FIN of a segment that is not full, if one may be sent now. `unsent` bytes are
    /// queued; `window` of them fit into the peer's window, `allowance` into the congestion window.
    pub(super) fn small_segment(
        &self,
        unsent: u32,
        window: u32,
        allowance: u32,
    ) -> Option<(u32, bool)> {
        let idle = self.snd_nxt == self.snd_una;
        if unsent > window.min(allowance) {
            // Rule 3: the window is a good part of the largest one that the peer ever offered.
            let worth = (1..=allowance).contains(&window) && window >= self.window.good_part();
            let waits = !idle && self.nagle != Nagle::Off;
            return (worth && !waits).then_some((window, false));
        }
        // Rule 2: all the data that is left, less than a segment. A tail loss probe does not wait for an ack (RFC
        // 8985 section 7.3).
        let fin = self.fin_pending() && window > unsent;
        let waits = self.holds_small_segments(idle) && !self.is_tail_probe_due();
        let goes = self.fin_pending() || !waits;
        goes.then_some((unsent, fin))
    }
}
