//! The queue in front of a line: one file for each discipline.

mod codel;
mod discipline;
mod drop_tail;
mod dualpi2;
mod fifo;
mod flow;
mod fq_codel;
#[cfg(test)]
mod oracles;
mod red;

pub use discipline::{
    CoDelConfig, Discipline, DualPi2Config, DualQueueScheduler, FqCoDelConfig, QueueLimit,
    RedConfig,
};

use crate::link::account::Account;
use crate::packet::Packet;
use crate::random::Random;
use crate::units::Rate;
use ackclock::time::Instant;
use codel::CoDel;
use drop_tail::DropTail;
use dualpi2::DualPi2;
use fq_codel::FqCoDel;
use red::Red;

/// The line as a queue sees it when a packet comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Line {
    /// Whether the line is idle, so that the packet goes on at once.
    pub(crate) is_idle: bool,
    /// Packets in service that count as if they waited: 1 or 0.
    pub(crate) packets: usize,
    /// Bytes of the packets in service that count, IP headers included.
    pub(crate) bytes: u64,
}

/// The queue of a link: packets that wait for the line. The packet in service is not in the queue;
/// whether it counts for limits and averages is said with each packet that comes ([`Line`]).
///
/// Dropped and marked packets go to the link's account.
#[derive(Debug)]
pub(crate) enum Queue {
    DropTail(DropTail),
    Red(Red),
    CoDel(CoDel),
    FqCoDel(FqCoDel),
    DualPi2(DualPi2),
}

impl Queue {
    /// A queue in front of a line of this rate; `random` is for the disciplines that decide by
    /// chance.
    pub(crate) fn new(discipline: Discipline, rate: Rate, mut random: Random) -> Self {
        match discipline {
            Discipline::DropTail(limit) => Queue::DropTail(DropTail::new(limit)),
            Discipline::Red(config) => Queue::Red(Red::new(config, rate, random)),
            Discipline::CoDel(config) => Queue::CoDel(CoDel::new(config)),
            Discipline::FqCoDel(config) => Queue::FqCoDel(FqCoDel::new(config, &mut random)),
            Discipline::DualPi2(config) => Queue::DualPi2(DualPi2::new(config)),
        }
    }

    /// Takes a packet in. Every packet passes through the queue: if the line is idle, the queue is
    /// empty and [`Queue::pop`] follows at once.
    pub(crate) fn push(&mut self, now: Instant, packet: Packet, line: Line, account: &mut Account) {
        match self {
            Queue::DropTail(queue) => queue.push(now, packet, line, account),
            Queue::Red(queue) => queue.push(now, packet, line, account),
            Queue::CoDel(queue) => queue.push(now, packet, line, account),
            Queue::FqCoDel(queue) => queue.push(now, packet, line, account),
            Queue::DualPi2(queue) => queue.push(now, packet, line, account),
        }
    }

    /// The number of packets that wait.
    pub(crate) fn packets(&self) -> usize {
        match self {
            Queue::DropTail(queue) => queue.packets(),
            Queue::Red(queue) => queue.packets(),
            Queue::CoDel(queue) => queue.packets(),
            Queue::FqCoDel(queue) => queue.packets(),
            Queue::DualPi2(queue) => queue.packets(),
        }
    }

    /// Bytes of the packets that wait, IP headers included.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Queue::DropTail(queue) => queue.bytes(),
            Queue::Red(queue) => queue.bytes(),
            Queue::CoDel(queue) => queue.bytes(),
            Queue::FqCoDel(queue) => queue.bytes(),
            Queue::DualPi2(queue) => queue.bytes(),
        }
    }

    /// The packet that the line sends next; `None`: the queue is empty.
    pub(crate) fn pop(&mut self, now: Instant, account: &mut Account) -> Option<Packet> {
        match self {
            Queue::DropTail(queue) => queue.pop(),
            Queue::Red(queue) => queue.pop(now),
            Queue::CoDel(queue) => queue.pop(now, account),
            Queue::FqCoDel(queue) => queue.pop(now, account),
            Queue::DualPi2(queue) => queue.pop(now, account),
        }
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    /// The discipline that a path's `queue=` names.
    pub(super) fn discipline(text: &str) -> Discipline {
        text.parse().unwrap()
    }
}
