//! The predicted road (fast path) of a connection: the few kinds of segments that make up nearly all traffic.
//!
//! An arriving segment is predicted if it is the next one in order and no check of SEGMENT ARRIVES would do
//! anything special with it (header prediction: Jacobson, "4BSD TCP header prediction", 1990). A segment to
//! send is predicted if it is a pure ack, or carries all that is queued (perhaps with the FIN) in one
//! segment, while no data is missing and nothing unusual is due. Each function does exactly what the general
//! road does for such a segment; for any other it has no effect and says so.

use super::connection::Connection;
use super::sender::AckInput;
use super::{Outgoing, State};
use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::{Ecn, Flags, PredictedSegment, SackBlocks, Timestamps};

/// What a connection sends when it is its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// It has nothing to send.
    Silent,
    /// It sends this segment.
    Predicted(PredictedOutgoing),
    /// The general road decides ([`Connection::poll_transmit`]): the case is not predicted.
    Other,
}

/// A segment to send, with ACK, with PSH if it carries data, and perhaps with FIN; its only option is
/// timestamps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredictedOutgoing {
    pub(crate) seq: SeqNumber,
    pub(crate) ack: SeqNumber,
    pub(crate) flags: Flags,
    pub(crate) timestamps: Option<Timestamps>,
    pub(crate) ecn: Ecn,
    /// The window field.
    pub(crate) window_field: u16,
    /// The window in bytes.
    window: u32,
    /// Payload length in bytes.
    len: u32,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Processes an arriving segment if it is predicted; otherwise returns false, without any effect.
    pub(crate) fn on_predicted(&mut self, now: Instant, segment: &PredictedSegment<'_>) -> bool {
        let PredictedSegment { seq, ack, window, timestamps, payload, .. } = *segment;
        let has_text = !payload.is_empty();
        let is_predicted = self.state == State::Established
            && seq == self.receiver.rcv_nxt()
            && payload.len() <= self.receiver.rcv_wnd() as usize
            && ack.at_or_after(self.sender.snd_una())
            && ack.at_or_before(self.sender.snd_nxt())
            && self.timestamps.advances(timestamps)
            && !(has_text && (self.sender.is_orphaned() || self.is_marked(segment.ecn)));
        if !is_predicted {
            return false;
        }
        self.count_segment(payload);
        let window = self.agreement.peer_window(window);
        if !(has_text && self.sender.take_repetition(seq, ack, window)) {
            let input = AckInput {
                seq,
                ack,
                window,
                sack: &SackBlocks::EMPTY,
                ecn_echo: false,
                empty: !has_text,
                echoed_ms: self.timestamps.echoed_ms(timestamps),
            };
            self.take_ack(now, &input);
        }
        self.on_heard(now);
        self.timestamps.update(now, seq, timestamps);
        if has_text {
            let arrival = self.receiver.on_expected(now, payload, segment.push);
            self.digest_arrival(&arrival);
        }
        true
    }

    /// Whether a CE mark on a segment with payload is to be echoed.
    fn is_marked(&self, ecn: Ecn) -> bool {
        ecn == Ecn::Ce && self.agreement.accurate.echoes_classic()
    }

    /// Decides what to send as [`poll_transmit`](Self::poll_transmit) does, if the case is predicted.
    #[inline(always)]
    pub(crate) fn predicted_turn(&mut self, now: Instant) -> Turn {
        if !self.state.is_synchronized() {
            return Turn::Other;
        }
        let is_waiting = self.is_waiting();
        if is_waiting && !self.acknowledges(now) {
            return Turn::Silent;
        }
        let unsent = self.sender.unsent_data();
        if unsent > self.sender.mss() {
            return Turn::Other;
        }
        // Evaluated without branches, since hardly ever is one of these true.
        let is_unusual = self.challenge_due
            | self.keepalive.due
            | self.receiver.has_report()
            | self.receiver.tells_congestion()
            | self.lets_fragment()
            | self.is_signed()
            | self.is_path_mtu_old(now)
            | self.user_timeout_due()
            | self.repeats_syn_text()
            | self.sender.is_unusual(&self.settings);
        if is_unusual {
            return Turn::Other;
        }
        let receiver = &self.receiver;
        let has_data = unsent > 0;
        let fin = self.sender.fin_pending();
        let is_bare = !(has_data | fin);
        if is_bare && !is_waiting && !self.acknowledges(now) {
            return Turn::Silent;
        }
        if !is_bare && !self.sender.sends_all(now, &self.settings, unsent, fin) {
            return Turn::Other;
        }
        let window = receiver.window();
        let is_capable = has_data && self.sender.is_ecn_capable();
        let push = if has_data { Flags::PSH } else { Flags::NONE };
        let last = if fin { Flags::FIN } else { Flags::NONE };
        Turn::Predicted(PredictedOutgoing {
            seq: if is_bare { self.sender.acceptable_seq() } else { self.sender.snd_nxt() },
            ack: receiver.rcv_nxt(),
            flags: Flags::ACK | push | last,
            timestamps: self.timestamps.option(now),
            ecn: if is_capable { Ecn::Ect0 } else { Ecn::NotEct },
            window_field: receiver.window_field(window),
            window,
            len: unsent,
        })
    }

    /// Whether an arrived segment may cause something to be sent; if not, the connection needs no turn. (An
    /// arriving segment never calls for a window update.)
    #[inline]
    pub(crate) fn has_answer(&self, now: Instant) -> bool {
        !FOR_SPEED
            || self.receiver.ack_due(now)
            || self.state != State::Established
            || !self.is_waiting()
    }

    /// Whether the connection has nothing to send, except perhaps an ack.
    #[inline(always)]
    fn is_waiting(&self) -> bool {
        self.sender.is_at_rest() && !(self.challenge_due | self.keepalive.due)
    }

    /// Whether an ack is to be sent, for what it acknowledges or for the window that it advertises.
    #[inline(always)]
    fn acknowledges(&self, now: Instant) -> bool {
        self.receiver.ack_due(now) || self.window_update_due()
    }

    /// The payload of [`Turn::Predicted`], as two slices of the send queue.
    #[inline(always)]
    pub(crate) fn predicted_payload(&self, predicted: &PredictedOutgoing) -> [&[u8]; 2] {
        let queue = self.sender.queue();
        let len = predicted.len as usize;
        queue.slices(queue.len().saturating_sub(len), len)
    }

    /// Notes that the link has taken [`Turn::Predicted`]. Whether there is nothing more to send.
    #[inline(always)]
    pub(crate) fn on_predicted_sent(&mut self, now: Instant, sent: &PredictedOutgoing) -> bool {
        let fin = sent.flags.contains(Flags::FIN);
        self.counters.segments_sent.add(1);
        self.timestamps.on_ack_sent(sent.ack);
        if sent.len > 0 || fin {
            self.counters.data_segments_sent.add(1);
            self.sender.on_all_sent(now, &self.settings, sent.len, fin);
            if fin {
                self.on_fin_sent();
            }
        }
        self.receiver.on_ack_sent(now, sent.window);
        !self.receiver.ack_due(now)
    }

    /// How many segments may follow `outgoing`, which was sent just now, that differ from it in sequence
    /// number and payload only, as long as nothing else happens.
    pub(crate) fn repeats(&self, now: Instant, outgoing: &Outgoing) -> u32 {
        let is_calm = !self.challenge_due
            && self.sender.urgent().is_none()
            && !self.lets_fragment()
            && !self.is_signed()
            && !self.receiver.ack_due(now)
            && !self.receiver.has_report();
        if is_calm && outgoing.is_full_segment(self.sender.mss()) && !self.wants_probe() {
            self.sender.repeats(&self.settings)
        } else {
            0
        }
    }

    /// The next of the segments counted by [`repeats`](Self::repeats): its sequence number and payload.
    pub(crate) fn repeated(&self) -> (SeqNumber, [&[u8]; 2]) {
        let seq = self.sender.snd_nxt();
        let offset = seq.since(self.sender.snd_una()) as usize;
        (seq, self.sender.queue().slices(offset, self.sender.mss() as usize))
    }

    /// Notes that the link has taken such a segment. Whether the next one may follow.
    pub(crate) fn on_repeated(&mut self, now: Instant) -> bool {
        self.counters.segments_sent.add(1);
        self.counters.data_segments_sent.add(1);
        self.sender.on_repeated(now)
    }
}
