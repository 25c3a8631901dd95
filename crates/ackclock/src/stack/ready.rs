//! The ready queue: the order in which connections send, by deficit round robin (fair by bytes).

use super::id_queue::{IdQueue, Link, grow_by_doubling};
use crate::storage::Buffer;
use core::fmt::Debug;

/// The credit of a connection: how much it may still send in its turn.
pub trait Credit: Copy + Debug {
    /// The credit in memory that was never used.
    const NONE: Self;

    /// Gives a quantum to a connection that joins the queue.
    fn renew(&mut self, quantum: i32);

    /// Charges `bytes` that the connection has sent. Returns whether its turn is over; the credit is then
    /// that of the next turn.
    fn charge(&mut self, bytes: usize, quantum: i32) -> bool;
}

/// Credit in bytes. What exceeds it is deducted from the next turn, so that in the long run shares are equal
/// whatever the sizes of transmissions.
impl Credit for i32 {
    const NONE: Self = 0;

    fn renew(&mut self, quantum: i32) {
        *self = quantum;
    }

    fn charge(&mut self, bytes: usize, quantum: i32) -> bool {
        *self = self.saturating_sub_unsigned(u32::try_from(bytes).unwrap_or(u32::MAX));
        let is_over = *self <= 0;
        if is_over {
            *self = self.saturating_add(quantum);
        }
        is_over
    }
}

/// One transmission per turn: good enough among a few connections.
impl Credit for () {
    const NONE: Self = ();

    fn renew(&mut self, _quantum: i32) {}

    fn charge(&mut self, _bytes: usize, _quantum: i32) -> bool {
        true
    }
}

/// Connections that have something to send. When a connection's credit is used up, it goes behind the others
/// and gets a new quantum.
#[derive(Debug)]
pub(super) struct ReadyQueue<'a, K> {
    queue: IdQueue<'a>,
    credits: Buffer<'a, K>,
    quantum: i32,
}

impl<'a, K: Credit> ReadyQueue<'a, K> {
    /// An empty queue. `quantum` in bytes must be at least the largest transmission, so that every turn
    /// begins with a positive credit.
    pub(super) const fn new(links: Buffer<'a, Link>, credits: Buffer<'a, K>, quantum: u32) -> Self {
        let quantum = quantum.cast_signed();
        // A quantum of 2^31 or more wraps around to a negative number.
        let quantum = if quantum < 1 { i32::MAX } else { quantum };
        ReadyQueue { queue: IdQueue::new(links), credits, quantum }
    }

    /// Makes room for ids below `count`; returns whether there is room.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        self.queue.reserve(count) && grow_by_doubling(&mut self.credits, count, K::NONE)
    }

    /// Adds a connection that may have something to send.
    #[inline]
    pub(super) fn push(&mut self, id: u32) {
        if self.queue.push(id)
            && let Some(credit) = self.credits.get_mut(id as usize)
        {
            credit.renew(self.quantum);
        }
    }

    /// The connection whose turn it is.
    pub(super) fn front(&self) -> Option<u32> {
        self.queue.front()
    }

    /// Removes the connection whose turn it is, as it has nothing more to send.
    pub(super) fn leave(&mut self) {
        self.queue.pop();
    }

    /// Puts the connection whose turn it is aside until [`resume`](Self::resume).
    pub(super) fn postpone(&mut self) -> Option<u32> {
        self.queue.put_aside()
    }

    /// Puts all postponed connections back into the queue.
    pub(super) fn resume(&mut self) {
        self.queue.take_back();
    }

    /// Whether a connection is in the queue, or postponed.
    pub(super) fn contains(&self, id: u32) -> bool {
        self.queue.contains(id)
    }

    /// Whether only this connection has something to send.
    pub(super) fn is_alone(&self, id: u32) -> bool {
        self.queue.is_alone(id)
    }

    /// Charges `bytes` to the connection whose turn it is.
    pub(super) fn charge(&mut self, bytes: usize) {
        let Some(id) = self.queue.front() else {
            return;
        };
        let Some(credit) = self.credits.get_mut(id as usize) else {
            return;
        };
        if credit.charge(bytes, self.quantum) && !self.queue.is_alone(id) {
            self.queue.pop();
            self.queue.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes sent by each of three connections whose transmissions have these sizes.
    fn shares(quantum: u32, sizes: [usize; 3], rounds: usize) -> [usize; 3] {
        let (mut links, mut credits) = ([Link::OUT; 3], [0_i32; 3]);
        let (links, credits) = (Buffer::lent(&mut links), Buffer::lent(&mut credits));
        let mut ready = ReadyQueue::new(links, credits, quantum);
        (0..3).for_each(|id| ready.push(id));
        let mut sent = [0; 3];
        for _ in 0..rounds {
            let id = ready.front().unwrap() as usize;
            sent[id] += sizes[id];
            ready.charge(sizes[id]);
        }
        sent
    }

    #[test]
    fn equal_sizes_take_turns() {
        assert_eq!(shares(1500, [1500, 1500, 1500], 7), [4500, 3000, 3000]);
    }

    #[test]
    fn without_credits_each_sends_once_in_its_turn() {
        let (mut links, mut credits) = ([Link::OUT; 3], [(); 3]);
        let (links, credits) = (Buffer::lent(&mut links), Buffer::lent(&mut credits));
        let mut ready = ReadyQueue::new(links, credits, 10);
        (0..3).for_each(|id| ready.push(id));
        let turns = [(); 5].map(|()| {
            let id = ready.front();
            ready.charge(1);
            id
        });
        assert_eq!(turns, [Some(0), Some(1), Some(2), Some(0), Some(1)]);
    }

    #[test]
    fn shares_are_fair_by_bytes_not_by_packets() {
        let sent = shares(1500, [1500, 100, 900], 10_000);
        let (least, most) = (*sent.iter().min().unwrap(), *sent.iter().max().unwrap());
        assert!(most - least <= 3 * 1500, "{sent:?}");
    }

    #[test]
    fn who_has_nothing_to_send_leaves_and_comes_back_last() {
        let (mut links, mut credits) = ([Link::OUT; 2], [0_i32; 2]);
        let (links, credits) = (Buffer::lent(&mut links), Buffer::lent(&mut credits));
        let mut ready = ReadyQueue::new(links, credits, 10);
        ready.push(0);
        ready.push(1);
        ready.charge(4);
        assert_eq!(ready.front(), Some(0), "credit is left");
        ready.leave();
        assert_eq!(ready.front(), Some(1));
        ready.push(0);
        ready.charge(10);
        assert_eq!(ready.front(), Some(0));
        ready.leave();
        ready.leave();
        assert_eq!(ready.front(), None);
        ready.charge(1);
        ready.leave();
    }
}
