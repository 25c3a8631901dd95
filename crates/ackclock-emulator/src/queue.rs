//! The queue in front of a line: drop-tail, counted in packets.

use crate::packet::Packet;
use std::collections::VecDeque;

/// First in, first out; what comes when it is full is dropped.
#[derive(Debug)]
pub(crate) struct DropTail {
    waiting: VecDeque<Packet>,
    /// Most packets waiting. The packet in service is not in the queue and does not count.
    limit: usize,
}

impl DropTail {
    pub(crate) fn new(limit: usize) -> Self {
        DropTail { waiting: VecDeque::new(), limit }
    }

    /// Takes the packet, or gives it back if the queue is full.
    pub(crate) fn push(&mut self, packet: Packet) -> Result<(), Packet> {
        if self.waiting.len() >= self.limit {
            return Err(packet);
        }
        self.waiting.push_back(packet);
        Ok(())
    }

    pub(crate) fn pop(&mut self) -> Option<Packet> {
        self.waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;

    #[test]
    fn a_queue_of_three_drops_the_fourth_and_keeps_the_order() {
        let mut queue = DropTail::new(3);
        for number in 0..3 {
            assert_eq!(queue.push(packet(number, 100)), Ok(()));
        }
        assert_eq!(queue.push(packet(3, 100)), Err(packet(3, 100)));
        assert_eq!(queue.pop(), Some(packet(0, 100)));
        assert_eq!(queue.push(packet(4, 100)), Ok(()));
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|packet| packet.number).collect();
        assert_eq!(rest, [1, 2, 4]);
    }

    #[test]
    fn a_queue_of_none_drops_all() {
        assert_eq!(DropTail::new(0).push(packet(0, 100)), Err(packet(0, 100)));
    }
}
