//! Processing of an acceptable ack by the sender (RFC 9293 section 3.10.7.4, fifth check), step by step: what
//! it [measures](measure), also by [Karn's algorithm](karn) and by its [SACK blocks](sack); [which
//! kind](classify) of ack it is (RFC 5681, RFC 6675); what recovery makes of it; and what it [reports to
//! congestion control](tell_law).

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

/// The fields of a segment that concern the sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckInput<'s> {
    /// SEG.SEQ.
    pub(crate) seq: SeqNumber,
    /// SEG.ACK. With SACK blocks it may be before SND.UNA.
    pub(crate) ack: SeqNumber,
    /// SEG.WND in bytes, after scaling.
    pub(crate) window: u32,
    /// SACK blocks.
    pub(crate) sack: &'s SackBlocks,
    /// Whether it carries ECN-Echo (RFC 3168), or counts new marks (RFC 9768).
    pub(crate) ecn_echo: bool,
    /// Whether the segment carries neither data nor SYN nor FIN.
    pub(crate) empty: bool,
    /// When the segment was sent whose timestamp this one echoes, by our clock without its offset, in
    /// milliseconds.
    pub(crate) echoed_ms: Option<u32>,
}

/// State of the sender just before an ack.
#[derive(Clone, Copy, Debug)]
struct Before {
    /// Whether the peer's window was closed.
    was_closed: bool,
    /// Whether something was in flight.
    had_flight: bool,
    /// Bytes considered to be in the network.
    pipe: u32,
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Processes an ack between SND.UNA and SND.NXT, or an older one with SACK blocks. Whether it may have settled
    /// what becomes of a path MTU probe.
    #[inline(always)]
    pub(crate) fn on_ack(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        input: &AckInput<'_>,
    ) -> bool {
        if P::PREDICTION && self.take_predicted_ack(now, settings, input) {
            return false;
        }
        self.on_any_ack(now, settings, input);
        self.is_probe_in_flight()
    }

    /// Processes an ack on the general road (slow path).
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

    /// Notes progress: the times for which the peer may acknowledge nothing begin anew (RFC 9293 section
    /// 3.8.3).
    #[inline(always)]
    fn note_progress(&mut self, now: Instant, before: &Before, facts: &AckFacts) {
        self.counters.duplicate_acks.add(u32::from(facts.duplicate));
        if facts.acked > 0 {
            self.timeouts_in_a_row = 0;
        }
        let is_probed = !self.orphaned && (before.was_closed || self.window.size == 0);
        if facts.acked > 0 || is_probed {
            // The answer to a window probe is progress too (MUST-37), as long as there is an application that
            // can end the connection.
            self.no_progress_since = now;
        }
    }

    /// Has recovery process the ack, and reports the resulting events to congestion control. Returns what
    /// recovery has found, and whether the ack belongs to a fast recovery.
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
        // The ack that ends recovery still belongs to it, so that it does not make the window grow.
        let in_recovery =
            was == Phase::Fast || self.recovery.phase() == Phase::Fast || outcome.reduce_again;
        let flight_size = self.flight.outstanding().saturating_add(facts.acked);
        self.tell_events(now, &outcome, flight_size, unrepaired);
        if outcome.left {
            self.deduct_retransmitted(now, settings);
        }
        (outcome, in_recovery)
    }

    /// Keeps the window as it is for losses found during a recovery episode, if the settings say that a lost
    /// retransmission does not reduce it again. (Losses outside of episodes are found by the tail loss probe.)
    #[inline(always)]
    pub(in crate::tcp::sender) fn leave_window(&self, was: Phase, outcome: &mut Outcome) {
        let repairs = self.lost_retransmission.get() == Some(&LostRetransmission::Repair);
        outcome.reduce_again &= !(repairs && was != Phase::Open);
    }

    /// Restarts the retransmission timer and the tail loss probe's after an ack (RFC 6298 rules 5.2 and 5.3,
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

    /// Gives recovery the window that congestion control has set in response to the events.
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

    /// Advances SND.UNA to `ack`, and removes acknowledged data from the send queue.
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

    /// Handles a window that was closed and has opened. The peer has discarded what was sent into the closed
    /// window; it is retransmitted at once if its timer has expired before, as for a probe, and if the window
    /// takes it. So a window that opens and closes again does not make data go twice in a round trip. This is
    /// no sign of congestion. The intervals of window probes did not grow for want of answers, so data begins
    /// with a timeout without backoff.
    pub(in crate::tcp::sender) fn on_window_opened(&mut self, now: Instant) {
        let is_overdue = self.rto.backoff() > 0;
        self.rto.end_backoff();
        let in_flight = self.snd_nxt.since(self.snd_una);
        if in_flight == 0 {
            // If the window is still too small the persist timer starts anew.
            self.waiting = Waiting::ForAck;
        } else if is_overdue && in_flight <= self.window.size {
            self.recovery.on_all_lost(&mut self.flight, now, self.snd_nxt);
        }
    }
}
