//! Memory kept by connections that hold no data, so that it need not be allocated again at once.

use crate::profile::Profile;
use crate::stack::id_queue::{IdQueue, Link};
use crate::storage::{Buffer, CAN_GROW};
use crate::tcp::{Buffers, FlightRecord};

/// Number of connections that keep the memory of empty rings, so that a connection which sends and receives a
/// little at a time does not allocate each time. (With 256 KiB for each ring this is 8 MiB at most.)
pub(in crate::stack) const MOST: u32 = 16;

/// Most flight records whose memory a connection that is over leaves to the next one: enough for a few
/// segments and a FIN.
const MOST_RECORDS: usize = 8;

/// The connections whose queues have become empty most recently. A connection that leaves this list frees its
/// memory if it is still empty, so that idle connections hold none.
#[derive(Debug)]
pub(in crate::stack) struct IdleMemory<'a, P: Profile> {
    queue: IdQueue<'a>,
    len: u32,
    /// Memory for records, left by a connection that is over.
    flight: Buffer<'a, FlightRecord<P>>,
}

impl<'a, P: Profile> IdleMemory<'a, P> {
    /// An empty list. With lent memory it stays empty, as that memory cannot be freed.
    pub(in crate::stack) const fn new(links: Buffer<'a, Link>) -> Self {
        IdleMemory { queue: IdQueue::new(links), len: 0, flight: Buffer::own() }
    }

    /// Keeps the buffers of a connection that is over, which were not lent.
    pub(in crate::stack) fn keep(&mut self, buffers: Buffers<'a, P>) {
        if CAN_GROW && (1..=MOST_RECORDS).contains(&buffers.flight.len()) {
            self.flight = buffers.flight;
        }
    }

    /// Buffers for a new connection where no memory is lent; `None` without a heap.
    pub(in crate::stack) fn new_buffers(&mut self) -> Option<Buffers<'a, P>> {
        CAN_GROW.then(|| Buffers {
            send: Buffer::own(),
            receive: Buffer::own(),
            flight: core::mem::replace(&mut self.flight, Buffer::own()),
            delivery: Buffer::own(),
            reassembly: Buffer::own(),
        })
    }

    /// Makes room for ids below `count`; returns whether there is room.
    pub(in crate::stack) fn reserve(&mut self, count: usize) -> bool {
        self.queue.reserve(count)
    }

    /// Whether connection `id` is in the list.
    pub(in crate::stack) fn contains(&self, id: u32) -> bool {
        self.queue.contains(id)
    }

    /// Adds connection `id`, whose rings are empty. Returns the connection that this removes from the list.
    pub(in crate::stack) fn push(&mut self, id: u32) -> Option<u32> {
        if !self.queue.push(id) {
            return None;
        }
        self.len += 1;
        if self.len <= MOST {
            return None;
        }
        self.len -= 1;
        self.queue.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Full;

    #[test]
    fn who_has_rested_longest_goes() {
        let mut links = [Link::OUT; 20];
        let mut resting = IdleMemory::<Full>::new(Buffer::lent(&mut links));
        for id in 0..MOST {
            assert_eq!((resting.push(id), resting.push(0)), (None, None));
        }
        assert_eq!([16, 17, 0].map(|id| resting.push(id)), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn without_memory_nobody_rests() {
        let mut resting = IdleMemory::<Full>::new(Buffer::default());
        assert_eq!(resting.push(0), None);
    }
}
