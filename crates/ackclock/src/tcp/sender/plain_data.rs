//! All that is queued, sent for the first time in one segment, while nothing is missing.

use super::{Sender, Waiting};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqRange;
use crate::tcp::{RestartAfterIdle, Settings};
use crate::time::Instant;

/// Whether it is known that nothing is to be thought of but what is queued and what the windows let go:
/// so it was found when somebody asked, and nothing has happened since that could change it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usual(bool);

impl Usual {
    pub(super) fn is_known(self) -> bool {
        self.0
    }

    /// Something may be unusual from now on.
    pub(super) fn forget(&mut self) {
        self.0 = false;
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Whether there is more to think of than what is queued and what the windows let go. That it is
    /// not so is remembered until something happens that could change it.
    #[inline(always)]
    pub(crate) fn is_unusual(&mut self, settings: &Settings<P>) -> bool {
        if !self.usual.0 {
            self.usual.0 = !self.looks_unusual(settings);
        }
        !self.usual.0
    }

    /// What is remembered of that, if it is not so.
    #[cfg(any(all(test, feature = "alloc"), feature = "invariants"))]
    pub(crate) fn mistaken(&self, settings: &Settings<P>) -> Option<&'static str> {
        let is_mistaken = self.usual.0 && self.looks_unusual(settings);
        is_mistaken.then_some("nothing is unusual where that is remembered")
    }

    /// The same, asked anew.
    #[inline(never)]
    fn looks_unusual(&self, settings: &Settings<P>) -> bool {
        let by_idle = settings.restart_after_idle();
        (self.waiting != Waiting::ForAck)
            | self.cork
            | self.ecn.is_holding()
            | self.ecn.is_cwr_due()
            | self.urgent.get().is_some()
            | self.flight.is_measuring()
            | settings.burst_limit().is_some()
            | !matches!(by_idle, RestartAfterIdle::RestartWindow | RestartAfterIdle::Never)
            | (self.window.size == 0)
            | !self.recovery.is_calm(&self.flight)
    }

    /// Bytes queued that were never sent.
    #[inline(always)]
    pub(crate) fn unsent_data(&self) -> u32 {
        (self.queue.len() as u32).saturating_sub(self.snd_nxt.since(self.snd_una))
    }

    /// Whether, where nothing [is unusual](Self::is_unusual), the `unsent` bytes, with the FIN if that
    /// is there, go now, and in one segment, as by [`next`](Self::next).
    #[inline(always)]
    pub(crate) fn sends_all(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        unsent: u32,
        fin: bool,
    ) -> bool {
        let idle = self.flight.is_empty();
        let rests = idle && now.saturating_since(self.last_sent_at) > self.rto.timeout();
        let allowance = self.controller.window().saturating_sub(self.flight.outstanding());
        let held = self.nagle && unsent < self.mss && !idle && !fin;
        unsent <= self.mss
            && unsent <= allowance
            && unsent + u32::from(fin) <= self.usable_window()
            && !(held | rests)
            && self.flight.has_room()
            && self.pacing_rate(settings).is_none()
    }

    /// They were sent.
    #[inline(always)]
    pub(crate) fn on_all_sent(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        len: u32,
        fin: bool,
    ) {
        let idle = self.flight.is_empty();
        let range = SeqRange::from_len(self.snd_nxt, len + u32::from(fin));
        if idle {
            self.round.forget_flights();
            self.allow_burst(settings);
        }
        let _ = self.delivery.on_sent(now, idle, false);
        self.flight.push(now, range, range.len());
        self.rto.on_new_data_sent(now, range.start);
        self.snd_nxt = range.end;
        self.fin_sent |= fin;
        self.last_sent_at = now;
        self.tell_sent(now, len, self.flight.outstanding());
        if self.deadline.is_never() {
            self.no_progress_since = now;
            self.wait_for_ack(self.rto.deadline(now));
        }
        self.schedule_probe(now);
    }
}
