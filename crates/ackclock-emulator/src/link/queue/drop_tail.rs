//! Drop-tail: first in, first out; packets that find the queue full are dropped.

use super::fifo::Fifo;
use super::{Account, Line, QueueLimit};
use crate::link::account::Note;
use crate::observer::DropReason;
use crate::packet::Packet;
use ackclock::time::Instant;

/// A drop-tail queue.
#[derive(Debug)]
pub(crate) struct DropTail {
    waiting: Fifo,
    limit: QueueLimit,
}

impl DropTail {
    pub(super) fn new(limit: QueueLimit) -> Self {
        DropTail { waiting: Fifo::default(), limit }
    }

    /// Takes a packet in, or drops it if the queue is full. A packet that finds the line idle is
    /// taken whatever the limit, since it does not wait.
    pub(super) fn push(&mut self, now: Instant, packet: Packet, line: Line, account: &mut Account) {
        if line.is_idle || self.has_room_for(&packet, line) {
            account.note(&packet, Note::Queued);
            self.waiting.push(now, packet);
        } else {
            account.drop(packet, DropReason::QueueFull);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Packet> {
        self.waiting.pop().map(|(_, packet)| packet)
    }

    pub(super) fn packets(&self) -> usize {
        self.waiting.packets()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }

    fn has_room_for(&self, packet: &Packet, line: Line) -> bool {
        match self.limit {
            QueueLimit::Packets(limit) => self.waiting.packets() + line.packets < limit,
            QueueLimit::Bytes(limit) => {
                let there = self.waiting.bytes() + line.bytes;
                there + packet.bytes.len() as u64 <= limit
            }
            QueueLimit::Infinite => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;

    /// Offers packets of these sizes to a queue in front of a busy line. Returns which are dropped
    /// and which leave.
    fn fill(limit: QueueLimit, sizes: &[usize]) -> (Vec<u64>, Vec<u64>) {
        let mut account = Account::default();
        let mut queue = DropTail::new(limit);
        for (number, &size) in (0..).zip(sizes) {
            queue.push(Instant::ZERO, packet(number, size), Line::default(), &mut account);
        }
        let leave = std::iter::from_fn(|| queue.pop()).map(|packet| packet.number).collect();
        (account.dropped(), leave)
    }

    #[test]
    fn a_queue_of_three_drops_the_fourth_and_keeps_the_order() {
        let mut account = Account::default();
        let mut queue = DropTail::new(QueueLimit::Packets(3));
        for number in 0..4 {
            queue.push(Instant::ZERO, packet(number, 100), Line::default(), &mut account);
        }
        assert_eq!(account.take_drop(), Some((packet(3, 100), DropReason::QueueFull)));
        assert_eq!(account.take_drop(), None);
        assert_eq!(queue.pop(), Some(packet(0, 100)));
        queue.push(Instant::ZERO, packet(4, 100), Line::default(), &mut account);
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|packet| packet.number).collect();
        assert_eq!(rest, [1, 2, 4]);
        assert_eq!(account.take_drop(), None);
    }

    #[test]
    fn a_queue_of_none_drops_all_that_would_have_to_wait() {
        assert_eq!(fill(QueueLimit::Packets(0), &[100]), (vec![0], vec![]));
        let mut account = Account::default();
        let mut queue = DropTail::new(QueueLimit::Packets(0));
        let idle = Line { is_idle: true, ..Line::default() };
        queue.push(Instant::ZERO, packet(0, 100), idle, &mut account);
        assert_eq!(queue.pop(), Some(packet(0, 100)));
    }

    #[test]
    fn a_queue_of_bytes_takes_small_packets_where_a_large_one_has_no_room() {
        let limit = QueueLimit::Bytes(1000);
        assert_eq!(fill(limit, &[600, 400, 1]), (vec![2], vec![0, 1]));
        assert_eq!(fill(limit, &[600, 401, 400]), (vec![1], vec![0, 2]));
        assert_eq!(fill(limit, &[1001, 1000]), (vec![0], vec![1]));
    }

    #[test]
    fn an_infinite_queue_takes_everything() {
        let (dropped, leave) = fill(QueueLimit::Infinite, &[1500; 10_000]);
        assert_eq!((dropped, leave), (vec![], (0..10_000).collect()));
    }
}
