//! Watches what the paper plots beside queues and windows: which connection loses what, when its
//! acks come back, and in which order packets pass the bottleneck.

use crate::packets::segment;
use ackclock::time::Instant;
use ackclock_emulator::{Event, LinkId, Observer};
use std::collections::BTreeMap;

/// A packet that the full buffer of a switch had no room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Drop {
    pub(super) at: Instant,
    /// Port of the sender of data: whose data or ack it was.
    pub(super) port: u16,
    pub(super) is_data: bool,
}

/// Drops at the bottleneck, acks when they arrive, and data as they pass.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// Both directions of a line or of several.
    bottlenecks: Vec<LinkId>,
    /// To hosts.
    last_hops: Vec<LinkId>,
    pub(super) drops: Vec<Drop>,
    /// By port of the sender of data.
    pub(super) acks: BTreeMap<u16, Vec<Instant>>,
    /// Of each bottleneck: ports of the senders whose data have passed it.
    pub(super) passed: BTreeMap<LinkId, Vec<(Instant, u16)>>,
}

impl Watch {
    pub(super) fn new(bottlenecks: Vec<LinkId>, last_hops: Vec<LinkId>) -> Self {
        Watch {
            bottlenecks,
            last_hops,
            drops: Vec::new(),
            acks: BTreeMap::new(),
            passed: BTreeMap::new(),
        }
    }
}

impl Observer for Watch {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        let (Event::Dropped(packet, _) | Event::Delivered(packet)) = event else { return };
        let is_bottleneck = self.bottlenecks.contains(&packet.link);
        if !is_bottleneck && !self.last_hops.contains(&packet.link) {
            return;
        }
        let Some(segment) = segment(packet) else { return };
        let is_data = !segment.payload.is_empty();
        let header = segment.header;
        let port = if is_data { header.source_port } else { header.destination_port };
        match event {
            Event::Dropped(..) if is_bottleneck => {
                self.drops.push(Drop { at: now, port, is_data });
            }
            Event::Delivered(_) if is_bottleneck && is_data => {
                self.passed.entry(packet.link).or_default().push((now, port));
            }
            Event::Delivered(_) if !is_bottleneck && !is_data => {
                self.acks.entry(port).or_default().push(now);
            }
            _ => {}
        }
    }
}
