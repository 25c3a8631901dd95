//! What Linux takes, and the stack does not: segments without the timestamps that were agreed on (RFC 7323 section 3.2
//! would have them dropped).

use super::Sockets;
use super::known::Known;
use super::layout::{RST, SYN};
use super::packets::{View, stamped, timestamp};

/// The clock of each connection's peer, if it tells it.
#[derive(Default)]
pub(super) struct Arrivals(Known<Option<u32>>);

impl Arrivals {
    /// A packet for the stack; the one that it is to see, if that is another.
    fn received(&mut self, view: &View, packet: &[u8]) -> Option<Vec<u8>> {
        if view.flags & RST != 0 {
            return None;
        }
        let clock = self.0.of([view.ends[1], view.ends[0]]);
        let told = timestamp(packet);
        if told.is_some() || view.flags & SYN != 0 {
            *clock = told;
            return None;
        }
        stamped(packet, (*clock)?)
    }

    /// A packet of the stack's.
    pub(super) fn sent(&mut self, packet: &[u8]) {
        let Some(view) = View::of(packet) else { return };
        let agrees = view.flags & SYN == 0 || timestamp(packet).is_some();
        if view.flags & RST != 0 || !agrees {
            self.0.remove(&view.ends);
        }
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
