//! What an acceptable ack does to the sender (RFC 9293 section 3.10.7.4 fifth check, RFC 5681,
//! RFC 6298, RFC 6675).

use super::Sender;
use super::flight::{Delivered, Losses, TIMES_MATTER, micros};
use super::recovery::{AckFacts, Limits, Outcome, Phase};
use crate::congestion::{Ack, CongestionController, CongestionKind};
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::Settings;
use crate::tcp::timestamps::rtt_since;
use crate::time::{Duration, Instant};
use crate::wire::SackBlocks;

/// The parts of a segment that concern the sender. `ack` lies between SND.UNA and SND.NXT.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckInput<'s> {
    /// SEG.SEQ.
    pub(crate) seq: SeqNumber,
    /// SEG.ACK.
    pub(crate) ack: SeqNumber,
    /// SEG.WND in bytes, scaled.
    pub(crate) window: u32,
    /// SACK blocks.
    pub(crate) sack: &'s SackBlocks,
    /// Whether it echoes a congestion mark (RFC 3168).
    pub(crate) ecn_echo: bool,
    /// Whether the segment carries neither data nor SYN nor FIN.
    pub(crate) empty: bool,
    /// Our clock, in milliseconds, when the segment was sent whose timestamp this one echoes.
    pub(crate) echoed_ms: Option<u32>,
}

impl AckInput<'_> {
    /// The end of the millisecond in which the segment was sent whose timestamp the ack echoes, in
    /// microseconds; without a timestamp the end of time.
    fn echoed_until(&self, now: Instant) -> u64 {
        let Some(echoed) = self.echoed_ms else {
            return u64::MAX;
        };
        let age = (now.as_millis() as u32).wrapping_sub(echoed);
        let millis = now.as_millis().saturating_sub(u64::from(age));
        // Milliseconds of 64 bits of nanoseconds: no overflow.
        millis * 1_000 + 999
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Takes an ack that lies between SND.UNA and SND.NXT.
    #[inline(never)]
    pub(crate) fn on_ack(&mut self, now: Instant, settings: &Settings<P>, input: &AckInput<'_>) {
        self.usual.forget();
        self.note_app_limited();
        self.allow_burst(settings);
        let was_closed = self.window.size == 0;
        let window_changed = self.window.update(input.seq, input.ack, input.window);
        let flight_before = self.pipe();
        let had_flight = !self.flight.is_empty();
        let advanced = input.ack.since(self.snd_una);
        if advanced > 0 {
            self.take_off_queue(input.ack);
        }

        // A retransmission is not what was delivered if no round trip has ever been so short, or if
        // the timestamp tells so (RFC 8985 section 6.2 step 2); what an ack with SACK blocks
        // echoes says nothing of them (RFC 7323 section 4.3).
        let (shortest, believed_until) = if TIMES_MATTER {
            let shortest = micros(now).saturating_sub(self.rto.min_rtt().as_micros());
            (shortest, shortest.min(input.echoed_until(now)))
        } else {
            (0, 0)
        };
        let mut delivered = Delivered { believed_until, ..Delivered::default() };
        let acked = self.flight.acknowledge(self.snd_una, &mut delivered);
        delivered.believed_until = shortest;
        if P::ICMP_ERRORS && advanced > 0 {
            self.flight.go_on_within_piece(self.snd_una, self.mss);
        }
        let rtt = acked.sent_at.map(|sent_at| now.saturating_since(sent_at));
        // Timestamps are good also for what was retransmitted (RFC 7323 section 4).
        let rtt = match input.echoed_ms {
            Some(echoed) if rtt.is_none() && advanced > 0 => rtt_since(now, echoed),
            _ => rtt,
        };
        // After a spurious timeout what was unsent then is measured first: the delay that the rest met
        // may be over (RFC 4015 section 3.2).
        let is_for_new = self.snd_una.after(self.recovery.point());
        let measured = rtt.filter(|_| is_for_new || !self.rto.was_spurious());
        self.rto.on_ack(now, self.snd_una, measured);
        let (sacked, dsack) = self.apply_sack(input, &mut delivered);
        self.delivery.on_delivered(now, delivered.bytes);
        // RFC 5681 section 2; with SACK, RFC 6675 section 2: one that SACKs something new. While
        // the window is closed acks answer probes.
        let repeats = input.empty && !window_changed && !was_closed;
        let duplicate = advanced == 0
            && had_flight
            && if self.recovery.uses_sack() { sacked > 0 } else { repeats };
        self.counters.duplicate_acks.add(u32::from(duplicate));
        if advanced > 0 {
            self.timeouts_in_a_row = 0;
        }
        if advanced > 0 || was_closed || self.window.size == 0 {
            // Also the answer to a probe of a closed window is progress (MUST-37).
            self.no_progress_since = now;
        }

        let facts = AckFacts {
            now: micros(now),
            una: self.snd_una,
            nxt: self.snd_nxt,
            acked: advanced,
            sacked,
            duplicate,
            ecn_echo: input.ecn_echo,
            window: self.controller.window(),
            bare_duplicate: repeats && advanced == 0 && input.sack.is_empty(),
            uses_sack: self.recovery.uses_sack(),
            dsack,
            reports_duplicates: self.counters.dsacks.get() > 0,
            echoed_ms: input.echoed_ms,
            delivered,
            can_send_new: self.unsent() > 0 && self.usable_window() > 0,
            rtt: self.measured_rtt(),
            mss: self.mss,
        };
        // The ack that ends recovery still belongs to it: it makes no window grow.
        let unrepaired = self.flight.unrepaired();
        let was_fast = self.recovery.phase() == Phase::Fast;
        let outcome = self.recovery.on_ack(&mut self.flight, &facts);
        let in_recovery = was_fast || self.recovery.phase() == Phase::Fast || outcome.reduce_again;
        let flight_size = self.flight.outstanding().saturating_add(advanced);
        self.tell_events(now, &outcome, flight_size, unrepaired);
        if outcome.left {
            self.deduct_retransmitted(now, settings);
        }
        self.digest_echo(now, input.ecn_echo, advanced);
        self.tell_losses(now, &outcome.lost);
        if advanced > 0 || sacked > 0 {
            self.tell_law(now, &facts, outcome.lost, flight_before, rtt, in_recovery);
        }
        self.regulate(&outcome, delivered.bytes, advanced > 0);
        if was_closed && self.window.size > 0 {
            self.on_window_opened();
        }
        let undone = outcome.undone.is_some();
        if (advanced > 0 && !outcome.keep_timer) || undone {
            self.restart_timer(now);
            if self.flight.has_reneged() {
                self.hasten_timer(now);
            }
        }
        self.rearm(now);
        if advanced > 0 || sacked > 0 || undone {
            self.schedule_probe(now);
        }
    }

    /// Tells the law what recovery has found. `flight_size` is FlightSize before the ack, of which
    /// `unrepaired` was marked to be sent again.
    pub(super) fn tell_events(
        &mut self,
        now: Instant,
        outcome: &Outcome,
        flight_size: u32,
        unrepaired: u32,
    ) {
        if let Some(phase) = outcome.undone {
            self.counters.undos.add(1);
            self.controller.on_undo(now);
            self.forget_unvalidated_loss();
            self.withdraw_reduction();
            if phase == Phase::Loss {
                self.rto.on_spurious_timeout();
            }
        }
        let kind = CongestionKind::FastRetransmit;
        if outcome.entered {
            self.counters.fast_recoveries.add(1);
            // What a timeout has marked to be sent again is not in the network.
            let flight = self.recovery.flight_end().since(self.snd_una);
            let flight_size = flight.saturating_sub(unrepaired);
            self.note_unvalidated_loss(flight_size);
            self.reduce(now, kind, flight_size);
        } else if outcome.reduce_again {
            // The window may have been reduced for the same flight already.
            let flight_size = flight_size.min(self.controller.window());
            self.reduce(now, kind, flight_size);
        }
        if outcome.left {
            let in_flight = self.pipe();
            self.controller.on_recovery_exit(now, in_flight);
        }
    }

    /// Recovery hears what the law has made of the events.
    pub(super) fn regulate(&mut self, outcome: &Outcome, delivered: u32, advanced: bool) {
        let limits = Limits {
            wants_prr: self.controller.wants_prr(),
            window: self.controller.window(),
            mss: self.mss,
            delivered,
            advanced,
        };
        self.recovery.regulate(&self.flight, outcome, &limits);
    }

    /// Moves SND.UNA and takes what was acknowledged off the queue.
    #[inline(always)]
    pub(super) fn take_off_queue(&mut self, ack: SeqNumber) {
        let advanced = ack.since(self.snd_una);
        let bytes = advanced.min(self.queue.len() as u32);
        self.fin_acked |= advanced > bytes;
        self.queue.consume(bytes as usize);
        self.snd_una = self.snd_una.max(ack);
        self.urgent.pass(self.snd_una);
        self.counters.bytes_acked.add(bytes);
    }

    /// Marks what the SACK blocks report; blocks that cannot be true are left out. Gives what is
    /// newly SACKed, and what has arrived twice.
    fn apply_sack(
        &mut self,
        input: &AckInput<'_>,
        delivered: &mut Delivered,
    ) -> (u32, Option<SeqRange>) {
        let mut dsack = None;
        let outstanding = SeqRange::new(self.snd_una, self.snd_nxt);
        let uses_sack = self.recovery.uses_sack();
        let before = delivered.bytes;
        let data_end = self.snd_una + self.queue.len() as u32;
        for (index, block) in input.sack.as_slice().iter().enumerate() {
            let next = input.sack.as_slice().get(index + 1);
            let duplicate = index == 0
                && (block.end.at_or_before(input.ack) || next.is_some_and(|n| n.covers(*block)));
            if duplicate {
                // RFC 2883 section 4: what arrived twice.
                self.counters.dsacks.add(1);
                dsack = Some(*block);
            } else if uses_sack && !block.is_empty() && outstanding.covers(*block) {
                // A FIN that went with data arrives with them, though receivers may report data only.
                let with_fin = block.end == data_end && self.flight.last_contains(data_end);
                let block = SeqRange::new(block.start, block.end + u32::from(with_fin));
                self.flight.sack(block, delivered);
            }
        }
        (delivered.bytes - before, dsack)
    }

    fn tell_law(
        &mut self,
        now: Instant,
        facts: &AckFacts,
        lost: Losses,
        flight_before: u32,
        rtt: Option<Duration>,
        in_recovery: bool,
    ) {
        if self.hears_nothing() {
            return;
        }
        let flight_after = self.pipe();
        let window_limited = self.reaches_window(now, flight_before);
        let delivered = self.delivery.total();
        let round = self.round.on_ack(now, self.snd_una, self.snd_nxt, delivered, flight_after);
        let min_rtt = self.rto.min_rtt();
        let sample = facts.delivered.sent.map(|sent| self.delivery.sample(&sent, min_rtt));
        let delivery = sample.or(round.filter(|_| !self.flight.is_measuring()));
        let ack = Ack {
            now,
            bytes_acked: facts.acked,
            bytes_sacked: facts.sacked,
            bytes_delivered: facts.delivered.bytes,
            bytes_lost: lost.bytes,
            flight_when_lost_sent: lost.in_flight_when_sent,
            flight_before,
            flight_after,
            rtt,
            smoothed_rtt: self.rto.smoothed_rtt(),
            min_rtt,
            delivery,
            ecn_echo: facts.ecn_echo,
            in_recovery,
            new_round: round.is_some(),
            after_timeout: self.recovery.phase() == Phase::Loss,
            window_limited: window_limited && !facts.ecn_echo,
            random: self.next_random(),
        };
        self.controller.on_ack(&ack);
    }

    /// A window grows only while the flight reaches it (RFC 7661 section 4.1): in slow start half of
    /// it, since the flight that a window grew from was half as large.
    #[inline(always)]
    pub(super) fn reaches_window(&mut self, now: Instant, flight_before: u32) -> bool {
        let peak = self.round.peak();
        let window = self.controller.window();
        self.validate_window(now, flight_before, window);
        let slow_start = window < self.controller.slow_start_threshold();
        let reached =
            if slow_start { peak.saturating_mul(2) } else { peak.saturating_add(self.mss) };
        reached > window
    }

    /// What was sent into the closed window was thrown away there: send it again at once. That is
    /// no sign of congestion. Nor was it for want of answers that probes went further and further
    /// apart: data begins with the timeout that the path deserves.
    fn on_window_opened(&mut self) {
        self.rto.end_backoff();
        if !self.flight.is_empty() {
            self.recovery.on_all_lost(&mut self.flight, self.snd_nxt);
        }
    }
}
