//! All that is queued, sent for the first time in one segment, while nothing is missing.

use super::{RestartAfterIdle, Sender, Timer};
use crate::congestion::{CongestionController, Sent};
use crate::seq::SeqRange;
use crate::tcp::settings::Settings;
use crate::time::Instant;

impl<C: CongestionController> Sender<'_, C> {
    /// Whether there is more to think of than what is queued and what the windows let go.
    #[inline(always)]
    pub(crate) fn is_unusual(&self, settings: &Settings) -> bool {
        let by_idle = settings.restart_after_idle();
        self.probe_due
            | self.tail_probe_due
            | self.persisting
            | self.fin_queued
            | self.cork
            | self.ecn.is_holding()
            | self.ecn.is_cwr_due()
            | self.urgent.get().is_some()
            | self.flight.is_measuring()
            | settings.burst_limit().is_some()
            | !matches!(by_idle, RestartAfterIdle::RestartWindow | RestartAfterIdle::Never)
            | !self.recovery.is_calm(&self.flight)
    }

    /// Bytes queued that were never sent, where no FIN was.
    #[inline(always)]
    pub(crate) fn unsent_data(&self) -> u32 {
        (self.queue.len() as u32).saturating_sub(self.snd_nxt.since(self.snd_una))
    }

    /// Whether, where nothing [is unusual](Self::is_unusual), the `unsent` bytes go now, and in one
    /// segment, as by [`next`](Self::next).
    #[inline(always)]
    pub(crate) fn sends_all(&self, now: Instant, settings: &Settings, unsent: u32) -> bool {
        let idle = self.flight.is_empty();
        let rests = idle && now.saturating_since(self.last_sent_at) > self.rto.timeout();
        let allowance = self.controller.window().saturating_sub(self.flight.outstanding());
        let held = self.nagle && unsent < self.mss && !idle;
        unsent <= self.mss
            && unsent <= allowance.min(self.usable_window())
            && !(held | rests)
            && self.flight.has_place()
            && self.pacing_rate(settings).is_none()
    }

    /// They were sent.
    #[inline(always)]
    pub(crate) fn on_all_sent(&mut self, now: Instant, settings: &Settings, len: u32) {
        let idle = self.flight.is_empty();
        let range = SeqRange::from_len(self.snd_nxt, len);
        if idle {
            self.round.forget_flights();
            self.allow_burst(settings);
        }
        let _ = self.delivery.on_sent(now, idle, false);
        self.flight.push(now, range, len);
        self.rto.on_new_data_sent(now, range.start);
        self.snd_nxt = range.end;
        self.last_sent_at = now;
        let in_flight = self.flight.outstanding();
        let app_limited = self.delivery.is_app_limited();
        self.round.on_sent(in_flight, app_limited);
        self.controller.on_sent(&Sent { now, bytes: len, in_flight, app_limited });
        if self.deadline.is_never() {
            self.no_progress_since = now;
            self.set_timer(Timer::Retransmit(self.rto.deadline(now)));
        }
        self.schedule_probe(now);
    }
}
