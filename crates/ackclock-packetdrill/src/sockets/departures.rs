//! What Linux sends in place of what the stack does: a reset that takes its number from the segment it answers, probes
//! of a closed window without data, no reset when it gives up waiting, and no ack of the handshake yet where
//! `TCP_DEFER_ACCEPT` says that data will follow.

use super::layout::{ACK, RST};
use super::packets::{View, restart};
use super::socket::{Kind, Stream};
use super::{Descriptor, Sockets};
use crate::flags::Habits;
use ackclock::tcp::Error;
use ackclock::time::{Duration, Instant};

/// How long an ack waits for data (TCP_DELACK_MAX).
const LONGEST_DELAY: Duration = Duration::from_millis(200);

/// The ack that ends the handshake of a connection that was opened.
#[derive(Default)]
pub(super) enum FirstAck {
    /// It goes, or has gone.
    #[default]
    Free,
    /// It will wait.
    ToBeHeld,
    /// It waits.
    Held(Vec<u8>, Instant),
}

impl Sockets {
    /// Packets of the stack as Linux would send them.
    pub(super) fn as_linux_sends(&mut self, packets: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        packets.into_iter().filter_map(|packet| self.as_linux_sends_one(packet)).collect()
    }

    fn as_linux_sends_one(&mut self, mut packet: Vec<u8>) -> Option<Vec<u8>> {
        let Some(view) = View::of(&packet) else { return Some(packet) };
        if view.flags & RST != 0 {
            if self.has_given_up(&view) {
                return None;
            }
            if let Some(number) = self.number_of_answer(&view) {
                restart(&mut packet, number, RST);
            }
        } else if self.probes_closed_window(&view) {
            packet.truncate(packet.len() - view.payload as usize);
            restart(&mut packet, view.seq.wrapping_sub(1), ACK);
        } else {
            return self.hold_first_ack(&view, packet);
        }
        Some(packet)
    }

    /// The number that a reset has which answers a segment with an ack (`tcp_v4_send_reset`; RFC 9293 section
    /// 3.10.7.1 has it so of closed ports).
    fn number_of_answer(&self, reset: &View) -> Option<u32> {
        let asked = self.asked.as_ref().filter(|asked| asked.flags & ACK != 0)?;
        let answers = asked.ends == [reset.ends[1], reset.ends[0]] && reset.flags & ACK != 0;
        answers.then_some(asked.ack)
    }

    /// Whether a reset tells that the peer was waited for in vain (`tcp_write_err`).
    fn has_given_up(&mut self, reset: &View) -> bool {
        let Some((handle, _)) = self.stream_of(reset) else { return false };
        let error = self.stack.info(self.now, handle).and_then(|info| info.error);
        matches!(error, Some(Error::TimedOut | Error::UserTimeout))
    }

    /// Whether a packet is a byte into a closed window (RFC 9293 section 3.8.6.1; `tcp_xmit_probe_skb`).
    fn probes_closed_window(&mut self, view: &View) -> bool {
        let is_byte = view.payload == 1 && view.is_ordinary();
        let Some((handle, _)) = self.stream_of(view).filter(|_| is_byte) else { return false };
        self.stack.info(self.now, handle).is_some_and(|info| info.send_window == 0)
    }

    /// The packet, unless it is the ack of a handshake that waits.
    fn hold_first_ack(&mut self, view: &View, packet: Vec<u8>) -> Option<Vec<u8>> {
        let due = self.now + LONGEST_DELAY;
        let Some((_, stream)) = self.stream_of(view).filter(|_| !view.is_syn()) else {
            return Some(packet);
        };
        let is_plain = view.is_plain_ack() && view.payload == 0;
        match std::mem::take(&mut stream.first_ack) {
            FirstAck::ToBeHeld if is_plain => {
                stream.first_ack = FirstAck::Held(packet, due);
                None
            }
            _ => Some(packet),
        }
    }

    /// Sends the acks that have waited long enough.
    pub(super) fn release_acks(&mut self) {
        for socket in self.sockets.values_mut() {
            let Kind::Stream(Stream { first_ack, .. }) = &mut socket.kind else { continue };
            let is_due = matches!(first_ack, FirstAck::Held(_, due) if *due <= self.now);
            if is_due && let FirstAck::Held(packet, _) = std::mem::take(first_ack) {
                self.outbox.push(packet);
            }
        }
    }

    /// When one of them is due next.
    pub(super) fn next_ack(&self) -> Instant {
        let held = self.sockets.values().filter_map(|socket| match &socket.kind {
            Kind::Stream(Stream { first_ack: FirstAck::Held(_, due), .. }) => Some(*due),
            _ => None,
        });
        held.min().unwrap_or(Instant::FAR_FUTURE)
    }

    /// A connection was opened: whether its first ack waits.
    pub(super) fn defer_first_ack(&mut self, descriptor: Descriptor) {
        let habits = self.flags.habits == Habits::Linux;
        if let Some(socket) = self.sockets.get_mut(&descriptor)
            && let Kind::Stream(stream) = &mut socket.kind
            && habits
            && socket.defer_accept > 0
        {
            stream.first_ack = FirstAck::ToBeHeld;
        }
    }
}
