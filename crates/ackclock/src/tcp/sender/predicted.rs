//! The sender on the predicted road (fast path): acks while no data is missing, and data that is sent as it
//! is queued.

use super::ack::{AckInput, AckNews};
use super::flight::Flight;
use super::{Sender, Waiting};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::Settings;
use crate::time::Instant;

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Takes an ack that tells nothing new, as each data segment of the peer carries while we send nothing:
    /// nothing is in flight, this is known to be limited by the application, and the window is unchanged.
    /// Returns false for any other ack.
    #[inline]
    pub(crate) fn take_repetition(&mut self, seq: SeqNumber, ack: SeqNumber, window: u32) -> bool {
        let is_known = ack == self.snd_una
            && self.flight.is_empty()
            && window == self.window.size
            && window > 0
            && (!P::DELIVERY_RATE || self.delivery.is_app_limited());
        if is_known {
            self.window.update(seq, ack, window);
        }
        is_known
    }

    /// Processes an ack if it is predicted; for any other it returns false, without any effect.
    #[inline(always)]
    pub(super) fn take_predicted_ack(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        input: &AckInput<'_>,
    ) -> bool {
        if input.ack == self.snd_una {
            self.take_idle_ack(now, settings, input)
        } else {
            self.take_ack_of_run(now, settings, input)
        }
    }

    /// Takes an ack without news while nothing is in flight, as comes with the peer's data and FIN, and as
    /// the last ack of the handshake: only the window counts. Returns false, without any effect, if there is
    /// more to do.
    #[inline(never)]
    fn take_idle_ack(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        input: &AckInput<'_>,
    ) -> bool {
        let was_closed = self.window.size == 0;
        let is_idle = self.flight.is_empty()
            && (was_closed || !input.empty)
            && input.sack.is_empty()
            && !input.ecn_echo
            && self.recovery.is_calm(&self.flight);
        if !is_idle {
            return false;
        }
        self.note_app_limited_at(0);
        self.allow_burst(settings);
        self.window.update(input.seq, input.ack, input.window);
        if !self.orphaned && (was_closed || self.window.size == 0) {
            self.no_progress_since = now;
        }
        self.digest_echo(now, false, 0);
        if was_closed && self.window.size > 0 {
            self.on_window_opened(now);
        }
        self.rearm(now);
        true
    }

    /// Takes an ack of new data, without SACK blocks and ECN-Echo, while nothing is lost, SACKed, probed or
    /// to be undone. Returns false, without any effect, if there is more to do.
    #[inline(always)]
    fn take_ack_of_run(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        input: &AckInput<'_>,
    ) -> bool {
        let AckInput { seq, ack, window, .. } = *input;
        let is_calm = ack.after(self.snd_una)
            && input.sack.is_empty()
            && !input.ecn_echo
            && window > 0
            && !self.deadline.is_never()
            && !self.rto.was_spurious()
            && !(self.waiting.is_for_window()
                || self.window.size == 0
                || self.flight.is_measuring()
                || self.is_probe_in_flight())
            && self.recovery.is_calm(&self.flight);
        if !is_calm {
            return false;
        }
        let Some(run) = self.flight.untouched(ack).filter(|run| run.end == ack) else {
            return false;
        };
        if !self.recovery.take_run(now, (ack, self.snd_nxt), &run) {
            return false;
        }
        // Nothing is lost or SACKed: all that is outstanding is in the network.
        let flight_before = self.flight.outstanding();
        self.note_app_limited_at(flight_before);
        self.allow_burst(settings);
        self.window.update(seq, ack, window);
        // Fewer bytes than in the records, if an earlier ack ended within the first of them.
        let advanced = ack.since(self.snd_una);
        self.take_off_queue(ack);
        self.flight.acknowledge_run(&run);
        let rtt = now.saturating_since(run.sent_at);
        self.rto.on_ack(now, ack, Some(rtt));
        self.delivery.on_delivered(now, run.bytes);
        self.timeouts_in_a_row = 0;
        self.no_progress_since = now;
        self.digest_echo(now, false, advanced);
        let news = AckNews {
            bytes_acked: advanced,
            bytes_delivered: run.bytes,
            flight_before,
            flight_after: self.flight.outstanding(),
            rtt: Some(rtt),
            ..AckNews::default()
        };
        self.tell_law(now, &news);
        self.renew_timers_after_run(now);
        true
    }

    /// Restarts or stops the retransmission timer and the tail loss probe's after an ack of new data.
    #[inline(always)]
    fn renew_timers_after_run(&mut self, now: Instant) {
        if !self.flight.is_empty() {
            self.limits.on_room(now);
            self.restart_timer(now);
            self.schedule_probe(now);
            return;
        }
        self.limits.on_flight_empty(now);
        if self.usable_window() >= self.mss() && !self.waits_for_ack() && !self.is_corked() {
            self.rest_timers();
        } else {
            self.restart_timer(now);
            self.rearm(now);
            self.schedule_probe(now);
        }
    }

    /// Whether nothing is queued, nothing is in flight, and no probe is due.
    #[inline(always)]
    pub(crate) fn is_at_rest(&self) -> bool {
        self.queue.is_empty()
            && self.flight.is_empty()
            && !self.fin_pending()
            && self.waiting == Waiting::ForAck
    }

    /// Whether anything but the queue and the windows decides on what is sent.
    #[inline(always)]
    pub(crate) fn is_unusual(&self, settings: &Settings<P>) -> bool {
        (self.waiting != Waiting::ForAck)
            | self.is_corked()
            | self.ecn.is_holding()
            | self.ecn.is_cwr_due()
            | self.urgent.get().is_some()
            | self.flight.is_measuring()
            | !settings.sends_freely()
            | (self.window.size == 0)
            | !self.recovery.is_calm(&self.flight)
    }

    /// Bytes queued and not sent yet.
    #[inline(always)]
    pub(crate) fn unsent_data(&self) -> u32 {
        (self.queue.len() as u32).saturating_sub(self.snd_nxt.since(self.snd_una))
    }

    /// Whether [`next`](Self::next) would send all `unsent` bytes now, in one segment together with a queued
    /// FIN, provided that nothing [is unusual](Self::is_unusual).
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
        let held = unsent < self.mss() && !fin && self.holds_small_segments(idle);
        unsent <= self.mss()
            && unsent <= allowance
            && unsent + u32::from(fin) <= self.usable_window()
            && !(held | rests)
            && self.flight.has_room()
            && self.pacing_rate(settings).is_none()
    }

    /// Notes that the segment of [`sends_all`](Self::sends_all) was sent.
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
        // A FIN without data does not begin a new flight.
        if idle && len > 0 {
            self.round.forget_flights();
            self.allow_burst(settings);
        }
        let _ = self.delivery.on_sent(now, idle, false);
        self.flight.push(now, range, range.len());
        self.rto.on_new_data_sent(now, range.start);
        self.note_small_segment(range.end, len < self.mss());
        self.snd_nxt = range.end;
        self.note_fin_sent(fin);
        self.last_sent_at = now;
        self.tell_sent(now, len, self.flight.outstanding());
        if self.deadline.is_never() {
            self.limits.on_all_sent_at_once(now);
            self.no_progress_since = now;
            self.wait_for_ack(self.rto.deadline(now));
        } else {
            self.limits.on_all_sent(now);
        }
        self.schedule_probe(now);
    }

    /// How many full segments of new data may follow the last one without another decision. All checks before
    /// a segment, and all that is noted of it, are the same for each of them if there is no loss, no pacing,
    /// no burst limit and no rate sampling, and if the probe timer was set with more than one segment in
    /// flight.
    pub(crate) fn repeats(&self, settings: &Settings<P>) -> u32 {
        let is_calm = self.recovery.is_calm(&self.flight)
            && self.flight.len() > 1
            && !self.waiting.is_for_probe()
            && !(self.ecn.is_holding() || self.ecn.is_cwr_due());
        let is_measured = self.flight.is_measuring()
            || settings.burst_limit().is_some()
            || self.pacing_rate(settings).is_some();
        if !is_calm || is_measured || !self.flight.has_place() {
            return 0;
        }
        let allowance = self.controller.window().saturating_sub(self.flight.pipe());
        let unsent = self.unsent();
        let sendable = unsent.min(self.usable_window()).min(allowance);
        let segments = sendable / self.mss().max(1);
        // The last segment of all carries PSH, and perhaps FIN.
        if segments * self.mss() == unsent { segments.saturating_sub(1) } else { segments }
    }

    /// Notes that a segment counted by [`repeats`](Self::repeats) was sent. Whether the next one may follow.
    pub(crate) fn on_repeated(&mut self, now: Instant) -> bool {
        let range = SeqRange::from_len(self.snd_nxt, self.mss());
        self.flight.push(now, range, self.mss());
        self.snd_nxt = range.end;
        let window = self.controller.window();
        self.tell_sent(now, self.mss(), self.flight.pipe());
        self.controller.window() == window && self.flight.has_place()
    }
}
