//! The segments that are most: all that is queued, a FIN included, sent for the first time in one
//! piece, and acks, where nothing else is to be told.

use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::{Ecn, Flags, Timestamps};

/// What a connection does whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// It has nothing to send.
    Silent,
    /// It sends this.
    Plain(PlainOutgoing),
    /// No sequence numbers are agreed on yet, or no more: it may be a SYN that it sends.
    Opening,
    /// It must be asked more closely ([`Connection::poll_transmit`]).
    Other,
}

/// A segment with ACK, with PSH if it has data, perhaps with FIN, and with timestamps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainOutgoing {
    pub(crate) seq: SeqNumber,
    pub(crate) ack: SeqNumber,
    pub(crate) flags: Flags,
    pub(crate) timestamps: Timestamps,
    pub(crate) ecn: Ecn,
    /// The window field.
    pub(crate) window_field: u16,
    /// The same in bytes.
    window: u32,
    /// Payload length in bytes.
    len: u32,
}

impl PlainOutgoing {
    /// Whether it is an ack and nothing else.
    pub(crate) const fn is_bare(&self) -> bool {
        self.len == 0 && !self.has_fin()
    }

    const fn has_fin(&self) -> bool {
        self.flags.contains(Flags::FIN)
    }
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Decides what to send as [`poll_transmit`](Self::poll_transmit) does, if that is plain.
    #[inline(always)]
    pub(crate) fn plain_turn(&mut self, now: Instant) -> Turn {
        if !self.state.is_synchronized() {
            return Turn::Opening;
        }
        let unsent = self.sender.unsent_data();
        if unsent > self.sender.mss() {
            return Turn::Other;
        }
        // All of them are asked at once: hardly ever is one of them so.
        let is_unusual = self.challenge_due
            | self.keepalive.due
            | self.receiver.has_report()
            | self.receiver.is_echoing()
            | self.sender.is_unusual(&self.settings);
        if is_unusual {
            return Turn::Other;
        }
        let receiver = &self.receiver;
        let has_data = unsent > 0;
        let fin = self.sender.fin_pending();
        let is_bare = !(has_data | fin);
        if is_bare && !receiver.ack_due(now) && !self.window_update_due() {
            return Turn::Silent;
        }
        let goes = is_bare || self.sender.sends_all(now, &self.settings, unsent, fin);
        let (Some(timestamps), true) = (self.timestamps.option(now), goes) else {
            return Turn::Other;
        };
        let window = receiver.window();
        let is_capable = has_data && self.sender.is_ecn_capable();
        let push = if has_data { Flags::PSH } else { Flags::NONE };
        let last = if fin { Flags::FIN } else { Flags::NONE };
        Turn::Plain(PlainOutgoing {
            seq: if is_bare { self.sender.acceptable_seq() } else { self.sender.snd_nxt() },
            ack: receiver.rcv_nxt(),
            flags: Flags::ACK | push | last,
            timestamps,
            ecn: if is_capable { Ecn::Ect0 } else { Ecn::NotEct },
            window_field: receiver.window_field(window),
            window,
            len: unsent,
        })
    }

    /// The payload of [`Turn::Plain`], as two slices of the send queue.
    #[inline(always)]
    pub(crate) fn plain_payload(&self, plain: &PlainOutgoing) -> [&[u8]; 2] {
        let queue = self.sender.queue();
        let len = plain.len as usize;
        queue.slices(queue.len().saturating_sub(len), len)
    }

    /// The link has taken [`Turn::Plain`]. Whether there is nothing more to send.
    #[inline(always)]
    pub(crate) fn on_plain_sent(&mut self, now: Instant, plain: &PlainOutgoing) -> bool {
        self.counters.segments_sent.add(1);
        self.timestamps.on_ack_sent(plain.ack);
        if !plain.is_bare() {
            self.counters.data_segments_sent.add(1);
            self.sender.on_all_sent(now, &self.settings, plain.len, plain.has_fin());
            if plain.has_fin() {
                self.on_fin_sent();
            }
        }
        self.receiver.on_ack_sent(now, plain.window);
        !self.receiver.ack_due(now)
    }
}
