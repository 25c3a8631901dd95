//! What FreeBSD sends in place of what the stack does: while our FIN is not acknowledged, acks repeat it (`tcp_output`
//! takes the flags of the state, which in FIN-WAIT-1, CLOSING and LAST-ACK have FIN).

use super::Sockets;
use super::layout::{ACK, FIN, RST, SYN};
use super::packets::{View, restart};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// FINs of ours that are not acknowledged: of each connection, by both its ends, the number behind it.
pub(super) type Fins = BTreeMap<[SocketAddr; 2], u32>;

impl Sockets {
    /// Notes what a segment of the peer's acknowledges.
    pub(super) fn note_fin_acked(&mut self, heard: &View) {
        let ends = [heard.ends[1], heard.ends[0]];
        let is_acked = heard.flags & ACK != 0 && self.fins.get(&ends) == Some(&heard.ack);
        if is_acked || heard.flags & RST != 0 {
            self.fins.remove(&ends);
        }
    }

    /// Packets of the stack as FreeBSD would send them.
    pub(super) fn as_freebsd_sends(&mut self, packets: &mut [Vec<u8>]) {
        for packet in packets {
            let Some(view) = View::of(packet) else { continue };
            if view.flags & FIN != 0 {
                self.fins.insert(view.ends, view.end().wrapping_add(1));
            } else if view.flags & (SYN | RST) != 0 {
                self.fins.remove(&view.ends);
            } else if self.repeats_fin(&view) {
                restart(packet, view.seq.wrapping_sub(1), ACK | FIN);
            }
        }
    }

    /// Whether an ack lies behind a FIN that is not acknowledged. What answers a SYN or a reset is a challenge, which
    /// is made apart (`tcp_respond`).
    fn repeats_fin(&self, view: &View) -> bool {
        let is_challenge = self.asked.as_ref().is_some_and(|asked| asked.flags & (SYN | RST) != 0);
        let is_plain = view.is_plain_ack() && view.payload == 0 && !is_challenge;
        is_plain && self.fins.get(&view.ends) == Some(&view.seq)
    }
}
