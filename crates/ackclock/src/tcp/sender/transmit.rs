//! Decides what to send next (RFC 9293 section 3.8; RFC 5681; RFC 6675 NextSeg).

use super::flight::{Flight, max_pieces};
use super::limit_clock::Limit;
use super::{Sender, Waiting};
use crate::FOR_SPEED;
use crate::congestion::{CongestionController, Sent};
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::CAN_GROW;
use crate::tcp::Settings;
use crate::time::Instant;

/// Kind of a segment with data or FIN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataKind {
    /// Data (or FIN) never sent before.
    New,
    /// Data (or FIN) sent before.
    Retransmission,
    /// A window probe: one byte (or the FIN) into a closed window.
    Probe,
    /// A path MTU probe: new data in one segment that may be too large for the path (RFC 4821).
    PathProbe,
}

impl DataKind {
    /// Whether it is data (or FIN) never sent before.
    #[inline(always)]
    pub(crate) fn is_new<P: Profile>(self) -> bool {
        self == DataKind::New || self.is_path_probe::<P>()
    }

    /// Whether it is a path MTU probe.
    #[inline(always)]
    pub(crate) fn is_path_probe<P: Profile>(self) -> bool {
        P::PATH_PROBING && self == DataKind::PathProbe
    }
}

/// A segment with data or FIN to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Data {
    pub(crate) kind: DataKind,
    /// First sequence number.
    pub(crate) seq: SeqNumber,
    /// Payload length in bytes.
    pub(crate) len: u32,
    /// Whether the FIN follows the payload.
    pub(crate) fin: bool,
}

impl Data {
    pub(crate) fn range(&self) -> SeqRange {
        SeqRange::from_len(self.seq, self.len + u32::from(self.fin))
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// The next segment to send, if any. `max_payload` is the most payload bytes that the link takes at once;
    /// it is rounded down to whole segments, but at least one.
    pub(crate) fn next(
        &mut self,
        now: Instant,
        settings: &Settings<P>,
        max_payload: u32,
    ) -> Option<Data> {
        self.restart_after_idle(now, settings);
        if self.waiting == Waiting::WindowProbeDue {
            return self.window_probe();
        }
        if self.window.size == 0 {
            if P::LIMIT_TIMES && self.unsent() > 0 {
                self.limits.on_held_back(now, Limit::Receiver);
            }
            return None;
        }
        if self.is_tail_probe_due() {
            if let Some(data) = self.tail_probe(now) {
                return Some(data);
            }
            // What is sent instead is no probe.
            self.waiting = Waiting::ForAck;
        }
        let released = self.released(now, settings);
        let Some(data) = self.next_by_windows(now, max_payload.min(released)) else {
            if CAN_GROW {
                self.wait_for_memory(now);
            }
            return None;
        };
        if released == 0 {
            self.limits.on_held_back(now, Limit::Congestion);
            self.wait_for_pacing(now);
            return None;
        }
        Some(data)
    }

    /// Starts the persist timer if nothing is in flight and the heap gives no memory to record a
    /// transmission: no other event would make the sender try again.
    fn wait_for_memory(&mut self, now: Instant) {
        let is_stuck = self.flight.is_empty() && !self.flight.has_place();
        if is_stuck && self.deadline.is_never() && (self.unsent() > 0 || self.fin_pending()) {
            (self.deadline, self.waiting) = (self.rto.deadline(now), Waiting::ForWindow);
        }
    }

    /// Whether it is certain that there is nothing to send: all queued data was sent, and none is missing.
    pub(crate) fn is_silent(&self) -> bool {
        self.unsent() == 0
            && !self.waiting.is_for_probe()
            && !self.fin_pending()
            && self.recovery.is_calm(&self.flight)
    }

    /// The next segment that the congestion window and the peer's window allow.
    fn next_by_windows(&mut self, now: Instant, max_payload: u32) -> Option<Data> {
        let window = self.controller.window();
        if FOR_SPEED && self.recovery.is_calm(&self.flight) {
            let allowance = window.saturating_sub(self.flight.pipe());
            return self.new_data(now, allowance, max_payload);
        }
        let window = self.recovery.window(window);
        let allowance = window.saturating_sub(self.pipe());
        if let Some(lost) = self.recovery.next_retransmission(&mut self.flight, allowance) {
            return Some(self.retransmission(self.with_unsent(lost)));
        }
        if let Some(data) = self.new_data(now, allowance, max_payload) {
            return Some(data);
        }
        if let Some(speculation) = self.recovery.next_speculation(&self.flight, allowance) {
            return Some(self.retransmission(speculation));
        }
        if P::LIMIT_TIMES && self.flight.unrepaired() > 0 {
            self.limits.on_held_back(now, Limit::Congestion);
        }
        None
    }

    /// A retransmission of `range` as one segment, less what the peer has acknowledged of it.
    fn retransmission(&self, range: SeqRange) -> Data {
        let start = range.start.max(self.snd_una);
        self.segment(DataKind::Retransmission, SeqRange::new(start, range.end))
    }

    /// A retransmission that blocks beside it have made shorter, with the rest of what was sent in one segment before, if
    /// that is a part of a record and no longer than `most`: it cannot be told apart which bytes of such a part have
    /// arrived. Blocks for which there is no room are not sent.
    pub(crate) fn with_rest_of_part(&self, data: Data, most: u32) -> Data {
        if data.kind != DataKind::Retransmission {
            return data;
        }
        match self.flight.part(data.seq) {
            Some(part) if part.len() <= most && part.end.after(data.range().end) => {
                self.retransmission(part)
            }
            _ => data,
        }
    }

    /// The lost range. If it is just the byte of a window probe, unsent data that follows is added to it.
    fn with_unsent(&self, lost: SeqRange) -> SeqRange {
        let is_probe = self.flight.outstanding() == 1 && self.rto.backoff() == 0;
        let more = if is_probe { self.unsent().min(self.usable_window()) } else { 0 };
        SeqRange::new(lost.start, lost.end + more)
    }

    /// The segment with the sequence numbers of `range`, as payload and FIN.
    pub(super) fn segment(&self, kind: DataKind, range: SeqRange) -> Data {
        let queue_end = self.snd_una + self.queue.len() as u32;
        let fin = self.is_finished() && range.end.after(queue_end);
        let len = (range.len() - u32::from(fin && !range.is_empty())).min(self.mss());
        Data { kind, seq: range.start, len, fin: fin && len == range.len().saturating_sub(1) }
    }

    /// The tail loss probe (RFC 8985 section 7.3): a segment of new data, whatever the congestion window, or
    /// else the last segment again. `None` if an ack has shown losses since the probe became due.
    fn tail_probe(&mut self, now: Instant) -> Option<Data> {
        if self.in_recovery() {
            return None;
        }
        let new = self.new_data(now, self.mss(), 0);
        new.or_else(|| self.flight.last_unsacked().map(|last| self.retransmission(last)))
    }

    /// New data, as much as the windows allow: full segments, or by the rules for [small
    /// ones](Self::small_segment).
    fn new_data(&mut self, now: Instant, allowance: u32, max_payload: u32) -> Option<Data> {
        if !self.flight.has_room() || self.ecn.is_holding() {
            return None;
        }
        let unsent = self.unsent();
        let window = self.usable_window();
        let usable = window.min(allowance);
        let new = |len, fin| Some(Data { kind: DataKind::New, seq: self.snd_nxt, len, fin });
        if unsent == 0 {
            return if self.fin_pending() && window > 0 { new(0, true) } else { None };
        }
        let most = max_payload.max(self.mss()).min(self.most_in_record());
        let sendable = unsent.min(usable).min(most);
        // Usually it is one segment; a division would take longer than all the rest.
        let whole = match sendable == self.mss() {
            true => sendable,
            false if P::SEGMENTATION => sendable / self.mss() * self.mss(),
            false => 0,
        };
        if whole > 0 {
            // A FIN that fits after the last full segment is sent with it, if the record can distinguish it.
            let fits = window > whole && (whole == self.mss() || whole < self.most_in_record());
            return new(whole, whole == unsent && self.fin_pending() && fits);
        }
        if let Some((len, fin)) = self.small_segment(unsent, window, allowance) {
            return new(len, fin);
        }
        let is_known = allowance < self.mss() && self.limits.is_by_congestion();
        if P::LIMIT_TIMES && !is_known {
            self.note_held_back(now);
        }
        None
    }

    /// Payload bytes of the most full segments that one record can distinguish.
    fn most_in_record(&self) -> u32 {
        self.mss().saturating_mul(max_pieces::<P>())
    }

    /// Notes that the link has taken `data`.
    pub(crate) fn on_sent(&mut self, now: Instant, settings: &Settings<P>, data: &Data) {
        let range = data.range();
        let new = range.end.after(self.snd_nxt);
        let idle = self.flight.is_empty();
        let sent = self.delivery.on_sent(now, self.flight.pipe() == 0, !new);
        let tail_probe = self.is_tail_probe_due() && data.kind != DataKind::Probe;
        if new {
            self.on_beyond_sent(now, data);
        } else {
            self.rto.on_resent();
            self.counters.retransmitted.add(1);
            self.counters.bytes_retransmitted.add(data.len);
            if data.kind == DataKind::Probe {
                self.flight.mark_probed(range.start);
            } else {
                self.mark_resent(now, range);
            }
        }
        if data.kind == DataKind::Probe {
            self.waiting = Waiting::ForWindow;
            self.counters.probes.add(1);
        } else if tail_probe {
            self.waiting = Waiting::ForAck;
            self.counters.tail_probes.add(1);
            self.recovery.on_probe_sent(self.snd_nxt, range, new);
        } else {
            self.recovery.on_sent(now, &self.flight, range, new);
        }
        self.flight.remember(range.start, sent);
        self.last_sent_at = now;
        self.tell_sent(now, data.len, self.pipe());
        if data.kind != DataKind::Probe {
            self.pace(now, settings, data.len, idle);
        }
        if tail_probe || (!new && self.flight.begins_with(range.start)) {
            self.restart_timer(now);
        }
        self.rearm(now);
        if new && !tail_probe {
            self.schedule_probe(now);
        }
    }

    /// Notes that `data`, which ends beyond SND.NXT, was sent.
    #[inline(always)]
    fn on_beyond_sent(&mut self, now: Instant, data: &Data) {
        let range = data.range();
        if range.start != self.snd_nxt {
            // The byte of a window probe is sent again together with what follows it.
            self.flight.take_back();
            self.rto.on_resent();
        }
        let is_probe = data.kind.is_path_probe::<P>();
        let piece = if data.len > self.mss() && !is_probe { self.mss() } else { range.len() };
        self.flight.push(now, range, piece);
        self.rto.on_new_data_sent(now, range.start);
        if is_probe {
            self.on_path_probe_sent();
        }
        if data.kind.is_new::<P>() && data.len > 0 {
            self.ecn.on_new_data_sent();
        }
        // Also with the byte of a probe before it.
        if data.kind != DataKind::Probe && data.len > 0 {
            self.note_small_segment(range.end, data.len < self.mss());
        }
        self.snd_nxt = range.end;
        self.note_fin_sent(data.fin);
        self.note_limit_after_sending(now, data);
    }

    /// Updates the clock of limits after new data was sent. A window probe does not count: the peer's window
    /// still limits.
    #[inline(always)]
    fn note_limit_after_sending(&mut self, now: Instant, data: &Data) {
        if !P::LIMIT_TIMES || data.kind == DataKind::Probe {
            return;
        }
        match self.unsent() {
            0 => self.limits.on_all_sent(now),
            _ => self.limits.on_sent(now),
        }
    }

    fn mark_resent(&mut self, now: Instant, range: SeqRange) {
        let is_cut = self.flight.mark_resent(now, range);
        if P::PATH_PROBING && is_cut {
            self.abandon_probe();
        }
    }

    /// Reports to the round and to congestion control that `bytes` were sent, so that `in_flight` are in
    /// flight.
    #[inline(always)]
    pub(super) fn tell_sent(&mut self, now: Instant, bytes: u32, in_flight: u32) {
        if self.hears_nothing() {
            return;
        }
        let app_limited = self.delivery.is_app_limited();
        self.round.on_sent(in_flight, app_limited);
        self.controller.on_sent(&Sent { now, bytes, in_flight, app_limited });
    }
}
