//! What Linux takes, or passes over, and the stack does not: segments without the timestamps that were agreed on
//! (RFC 7323 section 3.2 would have them dropped), and acks of what was not sent, which an established connection
//! does not answer (RFC 9293 section 3.10.7.4 would).

use super::Sockets;
use super::habits::is_before;
use super::layout::{Layout, SYN};
use super::packets::{ACK, FIN, RST, View, stamped, timestamp};
use ackclock::tcp::State;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// What is known of each pair of ends, ours first.
#[derive(Default)]
pub(super) struct Arrivals(BTreeMap<[SocketAddr; 2], Known>);

#[derive(Clone, Copy, Default)]
struct Known {
    /// The peer's clock, if it tells it.
    clock: Option<u32>,
    /// The number behind what was sent.
    sent: Option<u32>,
}

impl Arrivals {
    /// A packet for the stack; the one that it is to see, if that is another.
    fn received(&mut self, view: &View, packet: &[u8]) -> Option<Vec<u8>> {
        let known = self.0.entry([view.ends[1], view.ends[0]]).or_default();
        let told = timestamp(packet);
        if view.flags & RST != 0 {
            return None;
        }
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
        let known = self.0.entry(view.ends).or_default();
        if view.flags & SYN != 0 {
            known.sent = None;
            known.clock = known.clock.filter(|_| timestamp(packet).is_some());
        }
        let flags = u32::from(view.flags & SYN != 0) + u32::from(view.flags & FIN != 0);
        let end = view.end().wrapping_add(flags);
        if known.sent.is_none_or(|sent| is_before(sent, end)) {
            known.sent = Some(end);
        }
    }

    /// The number behind what was sent between two ends, ours first.
    pub(super) fn sent_to(&self, ends: [SocketAddr; 2]) -> Option<u32> {
        self.0.get(&ends)?.sent
    }

    /// Whether a packet acknowledges what was not sent.
    fn is_early(&self, view: &View) -> bool {
        let sent = self.0.get(&[view.ends[1], view.ends[0]]).and_then(|known| known.sent);
        view.flags & (ACK | RST) == ACK && sent.is_some_and(|sent| is_before(sent, view.ack))
    }
}

impl Sockets {
    /// The packet that the stack is to see in place of one that has arrived, `None`: none at all.
    pub(super) fn as_linux_takes(&mut self, packet: Vec<u8>) -> Option<Vec<u8>> {
        let Some(view) = View::of(&packet).filter(|_| Layout::of(&packet).is_some()) else {
            return Some(packet);
        };
        let ends = [view.ends[1], view.ends[0]];
        let is_established = |state| state == State::Established;
        if self.arrivals.is_early(&view)
            && self.states().any(|(both, state)| both == ends && is_established(state))
        {
            return None;
        }
        Some(self.arrivals.received(&view, &packet).unwrap_or(packet))
    }
}
