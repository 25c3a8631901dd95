//! How long packets have waited for a link's line, flow by flow: by the events of an emulated network.

use crate::packets::segment;
use ackclock::time::Instant;
use ackclock_emulator::{Event, LinkId, Observer, PacketOnLink, Wants};
use std::collections::HashMap;

/// The waits of the packets that went to a port over a link: when each was put on the line, and for how many
/// nanoseconds it had waited.
type Waits = Vec<(Instant, u64)>;

/// An observer that keeps the wait of each TCP packet on each link.
#[derive(Debug, Default)]
pub(super) struct Delays {
    queued: HashMap<(LinkId, u64), Instant>,
    waits: HashMap<(LinkId, u16), Waits>,
}

impl Delays {
    /// The waits of packets to `port` over `link` that ended in a span of time.
    pub(super) fn over(
        &self,
        link: LinkId,
        port: u16,
        [from, until]: [Instant; 2],
    ) -> impl Iterator<Item = u64> {
        let all = self.waits.get(&(link, port)).into_iter().flatten();
        all.filter(move |(at, _)| (from..until).contains(at)).map(|(_, wait)| *wait)
    }

    fn end(&mut self, now: Instant, packet: &PacketOnLink<'_>) {
        let since = self.queued.remove(&(packet.link, packet.number));
        if let (Some(since), Some(segment)) = (since, segment(packet)) {
            let waits = self.waits.entry((packet.link, segment.header.destination_port));
            waits.or_default().push((now, now.saturating_since(since).as_nanos()));
        }
    }
}

impl Observer for Delays {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Queued(packet) => {
                self.queued.insert((packet.link, packet.number), now);
            }
            Event::TransmissionBegan(packet) => self.end(now, packet),
            Event::Dropped(packet, _) => {
                self.queued.remove(&(packet.link, packet.number));
            }
            _ => {}
        }
    }

    fn wants(&self) -> Wants {
        Wants { packets: true, ..Wants::NOTHING }
    }
}
