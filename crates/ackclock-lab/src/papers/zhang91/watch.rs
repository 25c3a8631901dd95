//! Watches what the paper plots beside queues and windows: which connection loses what, and when its
//! acks come back.

use crate::packets::segment;
use ackclock::time::Instant;
use ackclock_emulator::{Event, LinkId, Observer};
use std::collections::BTreeMap;

/// A connection: on which side its data come from, 0 for host 1, and its port there.
pub(super) type Connection = (usize, u16);

/// A packet that the full buffer of a switch had no room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Drop {
    pub(super) at: Instant,
    /// Whose data or ack it was.
    pub(super) connection: Connection,
    pub(super) is_data: bool,
}

/// Drops at the bottleneck, and acks when they arrive.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    bottleneck: [LinkId; 2],
    /// To host 1, and to host 2.
    last_hops: [LinkId; 2],
    pub(super) drops: Vec<Drop>,
    pub(super) acks: BTreeMap<Connection, Vec<Instant>>,
}

impl Watch {
    pub(super) fn new(bottleneck: [LinkId; 2], last_hops: [LinkId; 2]) -> Self {
        Watch { bottleneck, last_hops, drops: Vec::new(), acks: BTreeMap::new() }
    }
}

impl Observer for Watch {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Dropped(packet, _) => {
                let side = self.bottleneck.iter().position(|link| *link == packet.link);
                let (Some(side), Some(segment)) = (side, segment(packet)) else { return };
                let is_data = !segment.payload.is_empty();
                let header = segment.header;
                let connection = match is_data {
                    true => (side, header.source_port),
                    false => (1 - side, header.destination_port),
                };
                self.drops.push(Drop { at: now, connection, is_data });
            }
            Event::Delivered(packet) => {
                let side = self.last_hops.iter().position(|link| *link == packet.link);
                let (Some(side), Some(segment)) = (side, segment(packet)) else { return };
                if segment.payload.is_empty() {
                    let connection = (side, segment.header.destination_port);
                    self.acks.entry(connection).or_default().push(now);
                }
            }
            _ => {}
        }
    }
}
