//! The segments that are most: all that is queued, sent for the first time in one piece, and acks,
//! where nothing else is to be told.

use super::State;
use super::connection::Connection;
use crate::congestion::CongestionController;
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
    /// It must be asked more closely ([`Connection::poll_transmit`]).
    Other,
}

/// A segment with ACK, with PSH if it has data, and with timestamps.
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
    pub(crate) const fn has_data(&self) -> bool {
        self.len > 0
    }
}

impl<C: CongestionController> Connection<'_, C> {
    /// Decides what to send as [`poll_transmit`](Self::poll_transmit) does, if that is plain.
    #[inline(always)]
    pub(crate) fn plain_turn(&mut self, now: Instant) -> Turn {
        let unsent = self.sender.unsent_data();
        if self.state != State::Established || unsent > self.sender.mss() {
            return Turn::Other;
        }
        // All of them are asked at once: hardly ever is one of them so.
        let is_unusual = self.challenge_due
            | self.inquiry.due
            | self.receiver.has_report()
            | self.receiver.is_echoing()
            | self.sender.is_unusual(&self.settings);
        if is_unusual {
            return Turn::Other;
        }
        let receiver = &self.receiver;
        let has_data = unsent > 0;
        if !has_data && !receiver.ack_due(now) && !self.window_update_due() {
            return Turn::Silent;
        }
        let goes = !has_data || self.sender.sends_all(now, &self.settings, unsent);
        let (Some(timestamps), true) = (self.timestamps.option(now), goes) else {
            return Turn::Other;
        };
        let window = receiver.window();
        let is_capable = has_data && self.sender.is_ecn_capable();
        let push = if has_data { Flags::PSH } else { Flags::NONE };
        Turn::Plain(PlainOutgoing {
            seq: if has_data { self.sender.snd_nxt() } else { self.sender.acceptable_seq() },
            ack: receiver.rcv_nxt(),
            flags: Flags::ACK | push,
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
        if plain.len > 0 {
            self.counters.data_segments_sent.add(1);
            self.sender.on_all_sent(now, &self.settings, plain.len);
        }
        self.receiver.on_ack_sent(now, plain.window);
        !self.receiver.ack_due(now)
    }
}
