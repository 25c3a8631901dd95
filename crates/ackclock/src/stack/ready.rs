//! Which connection sends next: deficit round robin, fair by bytes.

use super::id_queue::{IdQueue, Link, grow_by_doubling};
use crate::storage::Buffer;

/// What a connection may still send in this turn, in bytes.
pub(super) type Credit = i32;

/// Of memory that was never used.
pub(super) const NO_CREDIT: Credit = 0;

/// Connections that have something to send. Each has a credit in bytes; when it is used up the
/// connection goes behind the others with a new quantum. What it sent too much is taken from its
/// next turn, so that shares are equal in the long run whatever the sizes of transmissions.
#[derive(Debug)]
pub(super) struct ReadyQueue<'a> {
    queue: IdQueue<'a>,
    credits: Buffer<'a, Credit>,
    quantum: i32,
}

impl<'a> ReadyQueue<'a> {
    /// An empty queue. `quantum` in bytes is at least the largest transmission, so that every turn
    /// begins with a credit.
    pub(super) const fn new(
        links: Buffer<'a, Link>,
        credits: Buffer<'a, Credit>,
        quantum: u32,
    ) -> Self {
        let quantum = quantum.cast_signed();
        // Below 1 are those that have no sign to spare.
        let quantum = if quantum < 1 { i32::MAX } else { quantum };
        ReadyQueue { queue: IdQueue::new(links), credits, quantum }
    }

    /// Makes room for ids below `count`; returns whether there is.
    pub(super) fn reserve(&mut self, count: usize) -> bool {
        self.queue.reserve(count) && grow_by_doubling(&mut self.credits, count, 0)
    }

    /// The connection has something to send.
    #[inline]
    pub(super) fn push(&mut self, id: u32) {
        if self.queue.push(id)
            && let Some(credit) = self.credits.get_mut(id as usize)
        {
            *credit = self.quantum;
        }
    }

    /// Whose turn it is.
    pub(super) fn front(&self) -> Option<u32> {
        self.queue.front()
    }

    /// The connection whose turn it is has nothing more to send.
    pub(super) fn leave(&mut self) {
        self.queue.pop();
    }

    /// Whether nobody else has anything to send.
    pub(super) fn is_alone(&self, id: u32) -> bool {
        self.queue.is_alone(id)
    }

    /// The connection whose turn it is has sent so many bytes.
    pub(super) fn charge(&mut self, bytes: usize) {
        let Some(id) = self.queue.front() else {
            return;
        };
        let Some(credit) = self.credits.get_mut(id as usize) else {
            return;
        };
        *credit = credit.saturating_sub_unsigned(u32::try_from(bytes).unwrap_or(u32::MAX));
        if *credit <= 0 {
            *credit = credit.saturating_add(self.quantum);
            if !self.queue.is_alone(id) {
                self.queue.pop();
                self.queue.push(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes sent by each of three connections whose transmissions have these sizes.
    fn shares(quantum: u32, sizes: [usize; 3], rounds: usize) -> [usize; 3] {
        let (mut links, mut credits) = ([Link::OUT; 3], [0; 3]);
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
    fn shares_are_fair_by_bytes_not_by_packets() {
        let sent = shares(1500, [1500, 100, 900], 10_000);
        let (least, most) = (*sent.iter().min().unwrap(), *sent.iter().max().unwrap());
        assert!(most - least <= 3 * 1500, "{sent:?}");
    }

    #[test]
    fn who_has_nothing_to_send_leaves_and_comes_back_last() {
        let (mut links, mut credits) = ([Link::OUT; 2], [0; 2]);
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
