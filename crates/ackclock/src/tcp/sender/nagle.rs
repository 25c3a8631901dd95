//! Small segments: Nagle's algorithm, the sender's silly-window avoidance and the cork (RFC 9293
//! sections 3.7.4 and 3.8.6.2.1). Whole segments go by the windows alone, rule 1.

use super::Sender;
use super::flight::Flight;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::tcp::Nagle;
use crate::time::{Duration, Instant};

/// How long a cork holds data back at most while nothing is in flight (as in Linux).
const MOST_CORKED: Duration = Duration::from_millis(200);

/// Whether small segments wait for more data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cork {
    Off,
    On,
    /// The next one does not wait.
    Pushed,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Chooses when small segments wait.
    pub(crate) fn set_nagle(&mut self, nagle: Nagle) {
        self.nagle = nagle;
    }

    /// Corked, less than a segment waits for more, or for a FIN; while nothing is in flight, not for longer
    /// than [`MOST_CORKED`].
    pub(crate) fn set_cork(&mut self, now: Instant, on: bool) {
        self.cork = if on { Cork::On } else { Cork::Off };
        self.rearm(now);
    }

    /// What is queued waits no more behind a cork, or for an ack of another small segment.
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

    /// Whether a segment that is not full, and no FIN follows, waits for more data or for an ack; `idle`
    /// if nothing is in flight.
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

    /// New data were sent up to `end`, in a segment that `is_small` or in full ones.
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

    /// Whether what ends before `end` was sent and is not acknowledged.
    fn is_unacked(&self, end: SeqNumber) -> bool {
        end.after(self.snd_una) && !end.after(self.snd_nxt)
    }

    /// Whether only the cork keeps the sender from sending, with no ack to come.
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

    /// When what the cork has held back since `now` goes without it.
    pub(super) fn cork_deadline(now: Instant) -> Instant {
        now + MOST_CORKED
    }

    /// Length and FIN of a segment that is not full, if one may go now: of the `unsent` bytes the
    /// peer's window takes `window`, the congestion window `allowance`.
    pub(super) fn small_segment(
        &self,
        unsent: u32,
        window: u32,
        allowance: u32,
    ) -> Option<(u32, bool)> {
        let idle = self.snd_nxt == self.snd_una;
        if unsent > window.min(allowance) {
            // Rule 3: a good part of the largest window the peer ever offered.
            let worth = (1..=allowance).contains(&window) && window >= self.window.good_part();
            let waits = !idle && self.nagle != Nagle::Off;
            return (worth && !waits).then_some((window, false));
        }
        // Rule 2: less than a segment, and all there is.
        let fin = self.fin_pending() && window > unsent;
        let goes = self.fin_pending() || !self.holds_small_segments(idle);
        goes.then_some((unsent, fin))
    }
}
