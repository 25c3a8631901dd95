//! Packets in the order in which they came, with the time at which each did.

use crate::packet::Packet;
use ackclock::time::Instant;
use std::collections::VecDeque;

/// What every discipline keeps its packets in. It has no limit of its own.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    waiting: VecDeque<(Instant, Packet)>,
    bytes: u64,
}

impl Fifo {
    pub(super) fn push(&mut self, now: Instant, packet: Packet) {
        self.bytes += packet.bytes.len() as u64;
        self.waiting.push_back((now, packet));
    }

    /// The oldest packet and when it came.
    pub(super) fn pop(&mut self) -> Option<(Instant, Packet)> {
        let (since, packet) = self.waiting.pop_front()?;
        self.bytes -= packet.bytes.len() as u64;
        Some((since, packet))
    }

    /// Packets that wait.
    pub(super) fn packets(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes of those, IP headers included.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
