//! What Linux takes, and the stack does not: segments without the timestamps that were agreed on (RFC 7323 section 3.2
//! would have them dropped).

use super::Sockets;
use super::habits::is_before;
use super::known::{Ends, Known};
use super::layout::{FIN, RST, SYN};
use super::packets::{View, stamped, timestamp};

/// What was seen of each connection's packets.
#[derive(Default)]
pub(super) struct Arrivals(Known<Packets>);

#[derive(Default)]
struct Packets {
    /// The peer's clock, if it tells it.
    clock: Option<u32>,
    /// The number of our SYN.
    syn: Option<u32>,
    /// The number behind what was sent.
    sent: Option<u32>,
}

impl Arrivals {
    /// A packet for the stack; the one that it is to see, if that is another.
    fn received(&mut self, view: &View, packet: &[u8]) -> Option<Vec<u8>> {
        if view.flags & RST != 0 {
            return None;
        }
        let known = self.0.of([view.ends[1], view.ends[0]]);
        let told = timestamp(packet);
        if told.is_some() || view.flags & SYN != 0 {
            known.clock = told;
            return None;
        }
        stamped(packet, known.clock?)
    }

    /// A packet of the stack's.
    pub(super) fn sent(&mut self, packet: &[u8]) {
        let Some(view) = View::of(packet) else { return };
        if view.flags & RST != 0 {
            self.0.remove(&view.ends);
            return;
        }
        let known = self.0.of(view.ends);
        if view.flags & SYN != 0 {
            (known.syn, known.sent) = (Some(view.seq), None);
            known.clock = known.clock.filter(|_| timestamp(packet).is_some());
        }
        let flags = u32::from(view.flags & SYN != 0) + u32::from(view.flags & FIN != 0);
        let end = view.end().wrapping_add(flags);
        if known.sent.is_none_or(|sent| is_before(sent, end)) {
            known.sent = Some(end);
        }
    }

    /// The number of our SYN in a connection.
    pub(super) fn syn_to(&self, ends: Ends) -> Option<u32> {
        self.0.get(&ends)?.syn
    }

    /// The number behind what was sent in a connection.
    pub(super) fn sent_to(&self, ends: Ends) -> Option<u32> {
        self.0.get(&ends)?.sent
    }
}

impl Sockets {
    /// Forgets what is known of connections that are over, now and then.
    pub(super) fn forget_gone(&mut self) {
        if self.arrivals.0.is_large() || self.experimental.peers.is_large() {
            let open = self.states().map(|(ends, _)| ends).collect();
            self.arrivals.0.forget_others(&open);
            self.experimental.peers.forget_others(&open);
        }
    }

    /// The packet that the stack is to see in place of one that has arrived.
    pub(super) fn as_linux_takes(&mut self, packet: Vec<u8>) -> Vec<u8> {
        let Some(view) = View::of(&packet) else { return packet };
        self.arrivals.received(&view, &packet).unwrap_or(packet)
    }
}
