//! A plain queue: packets in the order in which they came, with the time at which each came.

use crate::packet::Packet;
use ackclock::time::Instant;
use std::collections::VecDeque;

/// The packets of a queue, for any discipline. It has no limit.
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

    /// Takes the oldest packet, with the time at which it came.
    pub(super) fn pop(&mut self) -> Option<(Instant, Packet)> {
        let (since, packet) = self.waiting.pop_front()?;
        self.bytes -= packet.bytes.len() as u64;
        Some((since, packet))
    }

    /// When the oldest packet came.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.waiting.front().map(|(since, _)| *since)
    }

    /// Bytes of the oldest packet, IP header included.
    pub(super) fn first_bytes(&self) -> Option<u64> {
        self.waiting.front().map(|(_, packet)| packet.bytes.len() as u64)
    }

    /// The number of packets that wait.
    pub(super) fn packets(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes of the packets that wait, IP headers included.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
