//! What an acceptable ack does to the sender (RFC 9293 section 3.10.7.4, fifth check), step by step:
//! what it [measures](measure), by [Karn's algorithm](karn) and by its [SACK blocks](sack), [which
//! kind](classify) it is (RFC 5681, RFC 6675), what recovery makes of it, and what it [tells the
//! law](tell_law).

mod classify;
mod karn;
mod measure;
mod sack;
mod tell_law;

pub(super) use tell_law::AckNews;

use super::flight::Flight;
use super::recovery::{AckFacts, Limits, Outcome, Phase};
use super::{Sender, Waiting};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::SeqNumber;
use crate::tcp::{LostRetransmission, Settings};
use crate::time::Instant;
use crate::wire::SackBlocks;

/// The parts of a segment that concern the sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckInput<'s> {
    /// SEG.SEQ.
    pub(crate) seq: SeqNumber,
    /// SEG.ACK. With SACK blocks it may be before SND.UNA.
    pub(crate) ack: SeqNumber,
    /// SEG.WND in bytes, scaled.
    pub(crate) window: u32,
    /// SACK blocks.
    pub(crate) sack: &'s SackBlocks,
    /// Whether it echoes a congestion mark (RFC 3168), or counts new ones (RFC 9768).
    pub(crate) ecn_echo: bool,
    /// Whether the segment carries neither data nor SYN nor FIN.
    pub(crate) empty: bool,
    /// Our clock, in milliseconds, when the segment was sent whose timestamp this one echoes.
    pub(crate) echoed_ms: Option<u32>,
}

/// The sender as an ack has met it.
#[derive(Clone, Copy, Debug)]
struct Before {
    /// The peer's window was closed.
    was_closed: bool,
    /// Something was in flight.
    had_flight: bool,
    /// Bytes that were thought to be in the network.
    pipe: u32,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Takes an ack that lies between SND.UNA and SND.NXT, or the SACK blocks of an older one.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Instant, settings: &Settings<P>, input: &AckInput<'_>) {
        if !(P::PREDICTION && self.take_predicted_ack(now, settings, input)) {
            self.on_any_ack(now, settings, input);
        }
    }

    /// The general road of an ack.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn on_any_ack(&mut self, now: Instant, settings: &Settings<P>, input: &AckInput<'_>) {
        self.note_app_limited();
        self.allow_burst(settings);
        let before = Before {
            was_closed: self.window.size == 0,
            had_flight: !self.flight.is_empty(),
            pipe: self.pipe(),
        };
        let window_changed = self.window.update(input.seq, input.ack, input.window);
        let advanced = input.ack.since(self.snd_una);
        if advanced > 0 {
            self.take_off_queue(input.ack);
        }
        let measured = self.measure(now, input, advanced);
        let facts = self.classify(now, input, &before, window_changed, &measured);
        self.note_progress(now, &before, &facts);
        let (outcome, in_recovery) = self.recover(now, settings, &facts);
        self.digest_echo(now, input.ecn_echo, advanced);
        self.tell_losses(now, &outcome.lost);
        if advanced > 0 || facts.sacked > 0 {
            let min_rtt = self.rto.min_rtt();
            let sent = facts.delivered.sent;
            let news = AckNews {
                bytes_acked: advanced,
                bytes_sacked: facts.sacked,
                bytes_delivered: facts.delivered.bytes,
                lost: outcome.lost,
                flight_before: before.pipe,
                flight_after: self.pipe(),
                rtt: measured.rtt,
                sample: sent.map(|sent| self.delivery.sample(&sent, min_rtt)),
                is_measuring: self.flight.is_measuring(),
                ecn_echo: facts.ecn_echo,
                in_recovery,
                after_timeout: self.recovery.phase() == Phase::Loss,
            };
            self.tell_law(now, &news);
        }
        self.regulate(&outcome, facts.delivered.bytes, advanced > 0);
        if P::LIMIT_TIMES && advanced > 0 {
            self.note_limit_after_ack(now);
        }
        if before.was_closed && self.window.size > 0 {
            self.on_window_opened(now);
        }
        self.renew_timers(now, &facts, &outcome);
    }

    /// The peer is there: the waits for it begin anew (RFC 9293 section 3.8.3).
    #[inline(always)]
    fn note_progress(&mut self, now: Instant, before: &Before, facts: &AckFacts) {
        self.counters.duplicate_acks.add(u32::from(facts.duplicate));
        if facts.acked > 0 {
            self.timeouts_in_a_row = 0;
        }
        let is_probed = !self.orphaned && (before.was_closed || self.window.size == 0);
        if facts.acked > 0 || is_probed {
            // Also the answer to a probe of a closed window is progress (MUST-37), as long as there is
            // an application that can end it.
            self.no_progress_since = now;
        }
    }

    /// Recovery takes the ack, and the law hears of the events. Gives what recovery has found, and
    /// whether the ack belongs to a fast recovery.
    #[inline(always)]
    fn recover(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        facts: &AckFacts,
    ) -> (Outcome, bool) {
        let unrepaired = self.flight.unrepaired();
        let was = self.recovery.phase();
        let mut outcome = self.recovery.on_ack(&mut self.flight, facts);
        self.leave_window(was, &mut outcome);
        self.judge_path_probe(now, &mut outcome);
        // The ack that ends recovery still belongs to it: it makes no window grow.
        let in_recovery =
            was == Phase::Fast || self.recovery.phase() == Phase::Fast || outcome.reduce_again;
        let flight_size = self.flight.outstanding().saturating_add(facts.acked);
        self.tell_events(now, &outcome, flight_size, unrepaired);
        if outcome.left {
            self.deduct_retransmitted(now, settings);
        }
        (outcome, in_recovery)
    }

    /// What was found in an episode has no effect on the window where the loss of a retransmission has none. (The tail
    /// loss probe tells of losses outside of episodes.)
    #[inline(always)]
    pub(in crate::tcp::sender) fn leave_window(&self, was: Phase, outcome: &mut Outcome) {
        let repairs = self.lost_retransmission.get() == Some(&LostRetransmission::Repair);
        outcome.reduce_again &= !(repairs && was != Phase::Open);
    }

    /// The retransmission timer and the tail loss probe's after an ack (RFC 6298 rules 5.2 and 5.3,
    /// RFC 8985 section 7.2).
    #[inline(always)]
    fn renew_timers(&mut self, now: Instant, facts: &AckFacts, outcome: &Outcome) {
        let undone = outcome.undone.is_some();
        if (facts.acked > 0 && !outcome.keep_timer) || undone {
            self.restart_timer(now);
            if self.flight.has_reneged() {
                self.hasten_timer(now);
            }
        }
        self.rearm(now);
        if facts.acked > 0 || facts.sacked > 0 || undone {
            self.schedule_probe(now);
        }
    }

    /// Recovery hears what the law has made of the events.
    pub(in crate::tcp::sender) fn regulate(
        &mut self,
        outcome: &Outcome,
        delivered: u32,
        advanced: bool,
    ) {
        let limits = Limits {
            wants_prr: self.controller.wants_prr(),
            window: self.controller.window(),
            mss: self.mss(),
            delivered,
            advanced,
        };
        self.recovery.regulate(&self.flight, outcome, &limits);
    }

    /// Moves SND.UNA and takes what was acknowledged off the queue.
    #[inline(always)]
    pub(in crate::tcp::sender) fn take_off_queue(&mut self, ack: SeqNumber) {
        let advanced = ack.since(self.snd_una);
        let bytes = advanced.min(self.queue.len() as u32);
        if advanced > bytes {
            self.fin = super::Fin::Acked;
        }
        self.queue.consume(bytes as usize);
        self.snd_una = self.snd_una.max(ack);
        self.urgent.pass(self.snd_una);
        self.counters.bytes_acked.add(bytes);
    }

    /// What was sent into the closed window was thrown away there: it is sent again at once if a timer
    /// has run for it, as for a probe, and the window takes it; a window that opens and closes makes
    /// nothing go twice in a round trip. That is no sign of congestion. Nor was it for want of answers
    /// that probes went further and further apart: data begins with the timeout that the path deserves.
    pub(in crate::tcp::sender) fn on_window_opened(&mut self, now: Instant) {
        let is_overdue = self.rto.backoff() > 0;
        self.rto.end_backoff();
        let in_flight = self.snd_nxt.since(self.snd_una);
        if in_flight == 0 {
            // If the window is still too small the persist timer begins anew.
            self.waiting = Waiting::ForAck;
        } else if is_overdue && in_flight <= self.window.size {
            self.recovery.on_all_lost(&mut self.flight, now, self.snd_nxt);
        }
    }
}
