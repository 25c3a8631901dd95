//! The acks that nearly all are: nothing is missing.

use super::Sender;
use super::ack::AckNews;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::tcp::Settings;
use crate::time::Instant;

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// As [`on_ack`](Self::on_ack) for an ack without SACK blocks and without an echo of congestion, of
    /// a segment that is empty or not; false, without any effect, if it is none of those below.
    #[cfg_attr(feature = "fast-path", inline(always))]
    pub(crate) fn take_plain_ack(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        ends @ (seq, ack, window): (SeqNumber, SeqNumber, u32),
        has_text: bool,
    ) -> bool {
        has_text && self.take_repetition(seq, ack, window)
            || self.take_first_window(now, settings, ends)
            || self.take_last_ack(now, ends)
            || self.take_calm_ack(now, settings, ends)
    }

    /// Takes the ack that every segment with text carries while the peer sends and we do not, and
    /// which tells nothing: nothing is in flight, and the window is what it was. False if it is
    /// another one.
    #[inline]
    pub(crate) fn take_repetition(&mut self, seq: SeqNumber, ack: SeqNumber, window: u32) -> bool {
        let is_known = ack == self.snd_una
            && self.flight.is_empty()
            && window == self.window.size
            && window > 0;
        if is_known {
            self.window.update(seq, ack, window);
        }
        is_known
    }

    /// The ack that finishes a passive open: nothing was sent yet, and all that it tells is the peer's
    /// window. False, without any effect, if it is another one.
    fn take_first_window(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        (seq, ack, window): (SeqNumber, SeqNumber, u32),
    ) -> bool {
        let is_first =
            self.window.largest == 0 && window > 0 && ack == self.snd_una && ack == self.snd_nxt;
        if is_first {
            self.note_app_limited();
            self.allow_burst(settings);
            self.window.update(seq, ack, window);
            self.rto.end_backoff();
            self.no_progress_since = now;
            self.rearm(now);
        }
        is_first
    }

    /// The ack of a FIN that was alone in flight: nothing will be sent any more, so that nobody has use
    /// for what it tells of the path. False, without any effect, if it is another one.
    fn take_last_ack(
        &mut self,
        now: Instant,
        (seq, ack, window): (SeqNumber, SeqNumber, u32),
    ) -> bool {
        let is_last = self.fin_sent
            && window > 0
            && ack == self.snd_nxt
            && ack == self.snd_una + 1
            && self.flight.outstanding() == 1
            && !self.flight.is_measuring()
            && !self.ecn.is_holding()
            && self.recovery.is_calm(&self.flight)
            && self.flight.is_single();
        if is_last {
            self.window.update(seq, ack, window);
            (self.snd_una, self.fin_acked) = (ack, true);
            self.flight.acknowledge_single(ack);
            self.delivery.on_delivered(now, 1);
            self.timeouts_in_a_row = 0;
            self.no_progress_since = now;
            self.rest_timers();
        }
        is_last
    }

    /// As [`on_ack`](Self::on_ack) for an ack without SACK blocks and without an echo of congestion,
    /// where nothing is lost, SACKed, probed or to be undone: what is left of that procedure then.
    /// False, without any effect, if there is more to do.
    #[cfg_attr(feature = "fast-path", inline(always))]
    pub(crate) fn take_calm_ack(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        (seq, ack, window): (SeqNumber, SeqNumber, u32),
    ) -> bool {
        let is_calm = ack.after(self.snd_una)
            && window > 0
            && !self.deadline.is_never()
            && !self.rto.was_spurious()
            && (self.usual.is_known()
                || !(self.waiting.is_for_window()
                    || self.window.size == 0
                    || self.flight.is_measuring())
                    && self.recovery.is_calm(&self.flight));
        if !is_calm {
            return false;
        }
        let Some(run) = self.flight.untouched(ack).filter(|run| run.end == ack) else {
            return false;
        };
        if !self.recovery.take_run(now, (ack, self.snd_nxt), &run) {
            return false;
        }
        // Nothing is missing: all that is outstanding is in the network.
        let flight_before = self.flight.outstanding();
        self.note_app_limited_at(flight_before);
        self.allow_burst(settings);
        self.window.update(seq, ack, window);
        self.take_off_queue(ack);
        self.flight.acknowledge_run(&run);
        let rtt = now.saturating_since(run.sent_at);
        self.rto.on_ack(now, ack, Some(rtt));
        self.delivery.on_delivered(now, run.bytes);
        self.timeouts_in_a_row = 0;
        self.no_progress_since = now;
        self.digest_echo(now, false, run.bytes);
        let news = AckNews {
            bytes_acked: run.bytes,
            bytes_delivered: run.bytes,
            flight_before,
            flight_after: self.flight.outstanding(),
            rtt: Some(rtt),
            ..AckNews::default()
        };
        self.tell_law(now, &news);
        if !self.flight.is_empty() {
            self.restart_timer(now);
            self.schedule_probe(now);
        } else if self.usable_window() >= self.mss && !self.waits_for_ack() {
            self.rest_timers();
        } else {
            self.rearm(now);
            self.schedule_probe(now);
        }
        true
    }
}
