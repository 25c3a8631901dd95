//! The memory of all queues together, and each queue's share of it.
//!
//! What a window promises is reserved before it is promised, so that no window ever has to shrink.
//! Under pressure a queue may hold as much as nobody holds (the dynamic threshold of Choudhury and
//! Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998): n queues that
//! want more than there is settle at equal parts of the memory with one part left free for whoever
//! comes next, and what they held beyond that they give back as their data go.

use super::{OrphanLinks, Orphans};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::limits::LEAST_QUEUE;
use crate::stack::pool::NO_ID;
use crate::stack::receive_autotuning::ReceiveAutotuning;
use crate::tcp::{BufferTuning, Connection, Initial};
use crate::time::Instant;

/// Bytes of queues that may be in use at once, and that are.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) struct MemoryBudget {
    limit: u64,
    reserved: u64,
    /// What SYN-ACKs have promised to peers that have not answered yet.
    promised: u64,
    /// Connections that have something.
    connections: usize,
    /// Those of them that their applications have given up.
    orphans: Orphans,
    /// Those that have given way, and what they have: it comes back when their applications notice.
    leaving: usize,
    leaving_bytes: u64,
}

/// One part in so many is for newcomers: connections that are there do not grow into it.
const RESERVE: u64 = 16;

/// Most places that are for newcomers: more of them hardly come before somebody has given way.
const MOST_PLACES: usize = 256;

impl MemoryBudget {
    /// A budget of `limit` bytes.
    pub(in crate::stack) const fn new(limit: u64) -> Self {
        MemoryBudget {
            limit,
            reserved: 0,
            promised: 0,
            connections: 0,
            orphans: Orphans { count: 0, oldest: NO_ID, newest: NO_ID },
            leaving: 0,
            leaving_bytes: 0,
        }
    }

    /// Bytes reserved now.
    pub(in crate::stack) const fn reserved(&self) -> u64 {
        self.reserved
    }

    fn free(&self) -> u64 {
        self.limit.saturating_sub(self.reserved).saturating_sub(self.promised)
    }

    /// What connections that are there may grow into.
    fn free_to_grow(&self) -> u64 {
        self.free().saturating_sub(self.limit / RESERVE)
    }

    /// Whether newcomers live on what is reserved for them, of the memory or of `most` places. What was
    /// promised does not count, so that SYNs in the name of others make nobody give way.
    pub(in crate::stack) fn is_short(&self, most: usize) -> bool {
        let places = (most / RESERVE as usize).min(MOST_PLACES);
        let staying = self.reserved.saturating_sub(self.leaving_bytes);
        self.limit.saturating_sub(staying) <= self.limit / RESERVE
            || most.saturating_sub(self.connections.saturating_sub(self.leaving)) < places
    }

    /// Whether more may be promised: as much as is for newcomers, so that SYNs in the name of others
    /// take nothing from connections that are there; and a half of it if they leave no more, so that
    /// there is something for those who have answered.
    pub(in crate::stack) fn may_promise(&self) -> bool {
        let most = self.limit / RESERVE;
        self.promised < if self.free_to_grow() > 0 { most } else { most / 2 }
    }

    /// The connections that their applications have given up; `None` where that matters to nobody.
    pub(in crate::stack) fn orphans(&mut self) -> Option<&mut Orphans> {
        Some(&mut self.orphans)
    }

    /// A SYN-ACK advertises `window` bytes; something to send with goes with it.
    pub(in crate::stack) fn promise(&mut self, window: u32) {
        self.promised = self.promised.saturating_add(u64::from(window) + u64::from(LEAST_QUEUE));
    }

    /// The handshake of that SYN-ACK is over: the window is reserved, or nobody wants it any more.
    pub(in crate::stack) fn keep_promise(&mut self, window: u32) {
        self.promised = self.promised.saturating_sub(u64::from(window) + u64::from(LEAST_QUEUE));
    }

    fn reserve(&mut self, bytes: u32) {
        self.reserved = self.reserved.saturating_add(u64::from(bytes));
    }

    fn release(&mut self, bytes: u32) {
        self.reserved = self.reserved.saturating_sub(u64::from(bytes));
    }

    /// How many bytes a queue may have that holds `held` and would like `wanted`: never more than it
    /// holds and nobody does, of the `free` bytes that are for it. It grows to powers of two when it cannot
    /// have all, and gives back only when it holds twice its share, so that a share that moves a little
    /// moves no memory.
    fn share(free: u64, held: u32, wanted: u32) -> u32 {
        // It and the rest are equal after it has taken what it may.
        let most = u32::try_from(free.saturating_add(u64::from(held)) / 2).unwrap_or(u32::MAX);
        let target = wanted.max(held);
        if target <= most {
            return target;
        }
        let rounded = most.checked_ilog2().map_or(0, |exponent| 1 << exponent);
        if u64::from(held / 2) > free { rounded } else { rounded.max(held) }
    }
}

/// How large the queues of one connection are and may become, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::stack) struct QueueSizes {
    /// Reserved for the send queue: what it has taken of the allocator, and at least its first part.
    send: u32,
    /// Reserved for the receive queue: its limit, and what it holds of the allocator beyond that.
    receive: u32,
    send_most: u32,
    receive_most: u32,
    /// Whether both queues are as large as they may ever become, with nothing to be accounted for.
    fitting: bool,
    /// What the receive queue should have for the window not to bound the peer.
    tuning: Option<ReceiveAutotuning>,
    /// When the application took or queued data last, or made the connection or gave it up.
    used_at: Instant,
    /// Its place among those that their applications have given up.
    orphan: Option<OrphanLinks>,
    /// What it had when it gave way, in bytes.
    left: Option<u64>,
}

impl QueueSizes {
    /// What a connection with this configuration starts with; `None` if there is no memory for it.
    /// If a SYN-ACK has `promised` the peer a window, it can receive that.
    pub(in crate::stack) fn reserve<P: Profile>(
        now: Instant,
        budget: &mut MemoryBudget,
        initial: &Initial<P>,
        promised: Option<u32>,
    ) -> Option<Self> {
        let send = initial.send_buffer.min(LEAST_QUEUE);
        // What was promised to this peer is free for it.
        let mut others = *budget;
        promised.into_iter().for_each(|window| others.keep_promise(window));
        let receive = Self::first_window(&others, initial)?.max(promised.unwrap_or(0));
        let total = send.saturating_add(receive);
        if others.free() < u64::from(total) {
            return None;
        }
        budget.reserve(total);
        budget.connections += 1;
        let tuning = ReceiveAutotuning::for_policy(initial);
        Some(QueueSizes {
            send,
            receive,
            send_most: initial.send_buffer,
            receive_most: initial.receive_buffer,
            // Nothing was allocated yet, and the limits of a new connection are its configuration's.
            fitting: tuning.is_none() && receive == initial.receive_buffer,
            tuning,
            used_at: now,
            orphan: None,
            left: None,
        })
    }

    /// The application takes or queues data.
    pub(in crate::stack) fn note_use(&mut self, now: Instant) {
        self.used_at = now;
    }

    /// Its place among the connections that their applications have given up, if it is one.
    pub(in crate::stack) fn orphan(&mut self) -> &mut Option<OrphanLinks> {
        &mut self.orphan
    }

    /// The connection gives way: newcomers may count on what it has.
    pub(in crate::stack) fn leave(&mut self, budget: &mut MemoryBudget) {
        let bytes = u64::from(self.send) + u64::from(self.receive);
        self.left = Some(bytes);
        budget.leaving += 1;
        budget.leaving_bytes = budget.leaving_bytes.saturating_add(bytes);
    }

    /// When the application took or queued data last, or made the connection or gave it up.
    pub(in crate::stack) fn used_at(&self) -> Instant {
        self.used_at
    }

    /// The receive queue that a connection with this configuration would start with, in bytes;
    /// `None` if there is no memory for the least of both queues.
    pub(in crate::stack) fn first_window<P: Profile>(
        budget: &MemoryBudget,
        initial: &Initial<P>,
    ) -> Option<u32> {
        let least = initial.receive_buffer.min(LEAST_QUEUE);
        let both = least.saturating_add(initial.send_buffer.min(LEAST_QUEUE));
        let wanted = initial.buffer_tuning.first(initial.receive_buffer);
        (budget.free() >= u64::from(both))
            .then(|| MemoryBudget::share(budget.free(), 0, wanted).max(least))
    }

    /// Sets most bytes of the send queue.
    pub(in crate::stack) fn set_send_most(&mut self, bytes: u32) {
        self.send_most = bytes;
        self.fitting = false;
    }

    /// Sets most bytes of the receive queue; whatever is more goes back as its promise is used up.
    pub(in crate::stack) fn set_receive_most(&mut self, bytes: u32) {
        self.receive_most = bytes;
        self.fitting = false;
    }

    /// Bounds the queues of a new connection, whose limits are its configuration's.
    pub(in crate::stack) fn apply<C: CongestionController, P: Profile>(
        &self,
        connection: &mut Connection<'_, C, P>,
    ) {
        if !self.fitting {
            connection.begin_with(self.send, self.receive);
        }
    }

    /// Gives everything back.
    pub(in crate::stack) fn release(&mut self, budget: &mut MemoryBudget) {
        budget.release(self.send);
        budget.release(self.receive);
        budget.connections = budget.connections.saturating_sub(1);
        if let Some(bytes) = self.left {
            budget.leaving = budget.leaving.saturating_sub(1);
            budget.leaving_bytes = budget.leaving_bytes.saturating_sub(bytes);
        }
        *self = QueueSizes::default();
    }

    /// The state of the receive queue's tuning, if it is tuned.
    pub(in crate::stack) fn tuning(&mut self) -> Option<&mut ReceiveAutotuning> {
        self.tuning.as_mut()
    }

    /// Lets the connection's queues grow to what they need and may have, and takes back what they
    /// should not have any more.
    pub(in crate::stack) fn fit<C: CongestionController, P: Profile>(
        &mut self,
        budget: &mut MemoryBudget,
        connection: &mut Connection<'_, C, P>,
    ) {
        self.fitting = self.fits(connection);
        if self.is_fitting(budget) {
            return;
        }
        self.account_send(budget, connection);
        let wanted = match &self.tuning {
            None => self.send_most,
            // Two windows: one in the network, one that follows it.
            Some(_) => BufferTuning::Automatic
                .first(self.send_most)
                .max(connection.congestion_window().saturating_mul(2))
                .min(self.send_most),
        };
        let least = self.send_most.min(LEAST_QUEUE);
        let share = MemoryBudget::share(budget.free_to_grow(), self.send, wanted);
        connection.set_send_buffer(share.min(self.send_most).max(least));
        self.account_send(budget, connection);

        let wanted = self.tuning.as_ref().map_or(self.receive_most, ReceiveAutotuning::wanted);
        let least = self.receive_most.min(LEAST_QUEUE);
        let share = MemoryBudget::share(budget.free_to_grow(), self.receive, wanted);
        connection.set_receive_buffer(share.min(self.receive_most).max(least));
        let held = connection.receive_memory();
        if held != self.receive {
            budget.release(self.receive);
            budget.reserve(held);
            self.receive = held;
        }
    }

    /// Whether [`fit`](Self::fit) would change nothing: that was so when it was asked last, nothing has
    /// happened to the queues since, and there is memory enough.
    pub(in crate::stack) fn is_fitting(&self, budget: &MemoryBudget) -> bool {
        let most = self.send_most.max(self.receive_most);
        self.fitting && u64::from(most) <= budget.free_to_grow() / 2
    }

    /// Whether both queues are as large as they may ever become, and accounted for.
    fn fits<C: CongestionController, P: Profile>(&self, connection: &Connection<'_, C, P>) -> bool {
        self.tuning.is_none()
            && connection.queue_limits() == (self.send_most, self.receive_most)
            && self.held_by_sender(connection) == self.send
            && connection.receive_memory() == self.receive
            && self.send <= self.send_most
            && self.receive <= self.receive_most
    }

    /// What is reserved for the send queue: at least its first part.
    fn held_by_sender<C: CongestionController, P: Profile>(
        &self,
        connection: &Connection<'_, C, P>,
    ) -> u32 {
        connection.send_memory().max(self.send_most.min(LEAST_QUEUE))
    }

    /// Reserves what the send queue has taken of the allocator since it was asked last.
    pub(in crate::stack) fn account_send<C: CongestionController, P: Profile>(
        &mut self,
        budget: &mut MemoryBudget,
        connection: &Connection<'_, C, P>,
    ) {
        let held = self.held_by_sender(connection);
        if held != self.send {
            budget.release(self.send);
            budget.reserve(held);
            self.send = held;
            self.fitting = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_may_hold_as_much_as_nobody_holds() {
        let share =
            |budget: &MemoryBudget, held, wanted| MemoryBudget::share(budget.free(), held, wanted);
        let mut budget = MemoryBudget::new(1 << 20);
        assert_eq!(share(&budget, 0, 100_000), 100_000, "there is plenty");
        assert_eq!(share(&budget, 0, 1 << 20), 1 << 19, "a half, at most");
        budget.reserve(700_000);
        assert_eq!(share(&budget, 0, 1 << 20), 1 << 17, "rounded down to a power of two");
        assert_eq!(share(&budget, 200_000, 1 << 20), 1 << 18);
        assert_eq!(share(&budget, 300_000, 1 << 20), 300_000, "too little to gain");
        budget.reserve(300_000);
        assert_eq!(share(&budget, 50_000, 1 << 20), 50_000, "nearly its share");
        assert_eq!(share(&budget, 300_000, 1 << 20), 1 << 17, "it gives back");
        assert_eq!(share(&budget, 300_000, 5_000), 1 << 17);
        budget.reserve(1 << 20);
        assert_eq!(share(&budget, 0, 5_000), 0);
    }

    #[test]
    fn what_wants_nothing_more_keeps_what_it_has() {
        assert_eq!(MemoryBudget::share(u64::MAX, 10_000, 5_000), 10_000);
        assert_eq!(MemoryBudget::share(u64::MAX, 0, u32::MAX), u32::MAX);
    }
}
