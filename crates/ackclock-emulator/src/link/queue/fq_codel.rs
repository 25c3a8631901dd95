//! FQ-CoDel (RFC 8290): a queue for each flow, each under CoDel's control, served in turn.
//!
//! Packets go to one of many queues by a hash of their flow. Queues that have something to send
//! take turns of a quantum of bytes (deficit round robin); one that has just become busy goes
//! before those that have been busy for longer, so that sparse flows hardly wait.

use super::codel::Controlled;
use super::{Account, FqCoDelConfig, Line, flow};
use crate::link::account::Note;
use crate::observer::DropReason;
use crate::packet::Packet;
use crate::random::Random;
use ackclock::time::Instant;
use std::collections::VecDeque;

/// Flow queues and the two lists of those that are active (RFC 8290 section 4).
#[derive(Debug)]
pub(crate) struct FqCoDel {
    flows: Vec<Flow>,
    /// Flows by index, in the order in which they are served.
    new_flows: VecDeque<usize>,
    old_flows: VecDeque<usize>,
    key: [u64; 2],
    quantum: i64,
    limit: usize,
    packets: usize,
    bytes: u64,
}

#[derive(Debug)]
struct Flow {
    queue: Controlled,
    /// Byte credits; the flow may send while they are above zero.
    credits: i64,
    /// Whether the flow is on one of the lists.
    active: bool,
}

impl FqCoDel {
    pub(super) fn new(config: FqCoDelConfig, random: &mut Random) -> Self {
        let flow = |_| Flow { queue: Controlled::new(&config.codel), credits: 0, active: false };
        FqCoDel {
            flows: (0..config.flows.get()).map(flow).collect(),
            new_flows: VecDeque::new(),
            old_flows: VecDeque::new(),
            key: [random.next_u64(), random.next_u64()],
            quantum: config.quantum.get().into(),
            limit: config.codel.limit.get() as usize,
            packets: 0,
            bytes: 0,
        }
    }

    /// Takes a packet in (RFC 8290 section 4.1). Beyond the limit, the flow that occupies the most
    /// bytes loses the packet at its head.
    pub(super) fn push(&mut self, now: Instant, packet: Packet, line: Line, account: &mut Account) {
        let index = flow::hash(self.key, &packet.bytes) % self.flows.len() as u64;
        let index = index as usize;
        let flow = &mut self.flows[index];
        self.packets += 1;
        self.bytes += packet.bytes.len() as u64;
        account.note(&packet, Note::Queued);
        flow.queue.push(now, packet);
        if !flow.active {
            flow.active = true;
            flow.credits = self.quantum;
            self.new_flows.push_back(index);
        }
        if self.packets + line.packets > self.limit {
            self.drop_from_largest(account);
        }
    }

    /// Takes the next packet that is not dropped (RFC 8290 section 4.2).
    pub(super) fn pop(&mut self, now: Instant, account: &mut Account) -> Option<Packet> {
        loop {
            let is_new = !self.new_flows.is_empty();
            let list = if is_new { &mut self.new_flows } else { &mut self.old_flows };
            let index = list.pop_front()?;
            let flow = &mut self.flows[index];
            if flow.credits <= 0 {
                flow.credits += self.quantum;
                self.old_flows.push_back(index);
                continue;
            }
            let (packets, bytes) = (flow.queue.packets(), flow.queue.bytes());
            let next = flow.queue.pop(now, account);
            self.packets -= packets - flow.queue.packets();
            self.bytes -= bytes - flow.queue.bytes();
            match next {
                Some(packet) => {
                    flow.credits -= packet.bytes.len() as i64;
                    list.push_front(index);
                    return Some(packet);
                }
                // An empty new flow becomes an old one, so that no flow stays new for ever by
                // pausing after each packet.
                None if is_new => self.old_flows.push_back(index),
                None => flow.active = false,
            }
        }
    }

    pub(super) fn packets(&self) -> usize {
        self.packets
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn drop_from_largest(&mut self, account: &mut Account) {
        let active = self.new_flows.iter().chain(&self.old_flows);
        let largest = active.max_by_key(|&&index| self.flows[index].queue.bytes());
        let head = largest.and_then(|&index| self.flows[index].queue.pop_head());
        if let Some(packet) = head {
            self.packets -= 1;
            self.bytes -= packet.bytes.len() as u64;
            account.drop(packet, DropReason::QueueFull);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::queue::Discipline;
    use crate::link::queue::testing::discipline;
    use crate::packet::testing::ip_packet;
    use crate::random::Streams;
    use ackclock::wire::Ecn;

    fn fq_codel(text: &str) -> FqCoDel {
        let Discipline::FqCoDel(config) = discipline(text) else { panic!("{text}") };
        FqCoDel::new(config, &mut Streams::new(1).take_stream())
    }

    /// A packet of the flow of this number.
    fn of_flow(number: u64, flow: u16, length: usize) -> Packet {
        Packet { number, bytes: ip_packet(false, flow, Ecn::NotEct, length) }
    }

    /// Takes all packets at time zero; returns their numbers.
    fn leave(queue: &mut FqCoDel, account: &mut Account) -> Vec<u64> {
        std::iter::from_fn(|| queue.pop(Instant::ZERO, account))
            .map(|packet| packet.number)
            .collect()
    }

    #[test]
    fn a_sparse_flow_does_not_wait_behind_a_bulk_flow() {
        let mut queue = fq_codel("fq_codel");
        let mut account = Account::default();
        for number in 0..10 {
            queue.push(Instant::ZERO, of_flow(number, 1, 1500), Line::default(), &mut account);
        }
        // The bulk flow uses its first quantum of 1514 bytes and is old then.
        let first = [(); 2].map(|()| queue.pop(Instant::ZERO, &mut account).unwrap().number);
        assert_eq!(first, [0, 1]);
        queue.push(Instant::ZERO, of_flow(100, 2, 40), Line::default(), &mut account);
        assert_eq!(leave(&mut queue, &mut account), [100, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn bulk_flows_share_the_line_by_bytes() {
        let mut queue = fq_codel("fq_codel:5ms:100ms:10240:1024:1500");
        let mut account = Account::default();
        for number in 0..30 {
            queue.push(Instant::ZERO, of_flow(number, 1, 1500), Line::default(), &mut account);
            for _ in 0..3 {
                queue.push(Instant::ZERO, of_flow(100, 2, 500), Line::default(), &mut account);
            }
        }
        // A large packet, then as many bytes in three small ones, all the way.
        let order: Vec<_> = leave(&mut queue, &mut account).iter().map(|&n| n == 100).collect();
        assert_eq!(order.len(), 120);
        assert!(order.chunks(4).all(|turn| turn == [false, true, true, true]));
    }

    #[test]
    fn a_flow_that_comes_back_at_once_is_not_new_again() {
        let mut queue = fq_codel("fq_codel:5ms:100ms:10240:1024:1500");
        let mut account = Account::default();
        for number in 0..4 {
            queue.push(Instant::ZERO, of_flow(number, 1, 1500), Line::default(), &mut account);
        }
        assert_eq!(queue.pop(Instant::ZERO, &mut account).unwrap().number, 0);
        queue.push(Instant::ZERO, of_flow(10, 2, 100), Line::default(), &mut account);
        assert_eq!(queue.pop(Instant::ZERO, &mut account).unwrap().number, 10);
        // The sparse flow, found empty as a new one, goes behind the bulk flow with the credits it
        // has left.
        assert_eq!(queue.pop(Instant::ZERO, &mut account).unwrap().number, 1);
        queue.push(Instant::ZERO, of_flow(11, 2, 100), Line::default(), &mut account);
        assert_eq!(leave(&mut queue, &mut account), [11, 2, 3]);
    }

    #[test]
    fn over_the_limit_the_flow_with_the_most_bytes_loses_its_head() {
        let mut queue = fq_codel("fq_codel:5ms:100ms:5:1024:1514");
        let mut account = Account::default();
        for number in 0..4 {
            queue.push(Instant::ZERO, of_flow(number, 1, 1500), Line::default(), &mut account);
        }
        for number in 10..13 {
            queue.push(Instant::ZERO, of_flow(number, 2, 40), Line::default(), &mut account);
        }
        assert_eq!(account.dropped(), [0, 1]);
        assert_eq!(account.statistics.packets_dropped, 2);
        assert_eq!(leave(&mut queue, &mut account), [2, 3, 10, 11, 12]);
        assert_eq!(queue.packets, 0);
    }

    /// The bulk flow offers twice the line's rate; a sparse one sends a packet each 10 ms.
    #[test]
    fn a_standing_queue_is_dropped_from_in_its_own_flow_only() {
        let mut queue = fq_codel("fq_codel");
        let mut account = Account::default();
        let (mut number, mut bulk, mut sparse) = (0, 0, 0);
        for millis in 0..2_000 {
            let now = Instant::from_millis(millis);
            for _ in 0..2 {
                queue.push(now, of_flow(number, 1, 1500), Line::default(), &mut account);
                number += 1;
            }
            if millis % 10 == 5 {
                queue.push(now, of_flow(1_000_000 + millis, 2, 100), Line::default(), &mut account);
            }
            match queue.pop(now, &mut account).unwrap().number {
                packet @ 1_000_000.. => {
                    // A packet of the sparse flow leaves in the millisecond in which it came.
                    assert_eq!(packet, 1_000_000 + millis);
                    sparse += 1;
                }
                _ => bulk += 1,
            }
        }
        assert_eq!((sparse, bulk), (200, 1_800));
        let dropped = account.dropped();
        assert!(dropped.len() > 50 && dropped.iter().all(|&number| number < 1_000_000));
        assert_eq!(account.statistics.packets_dropped_late, dropped.len() as u64);
    }
}
