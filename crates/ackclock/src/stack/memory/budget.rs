//! The memory budget of all queues together, and each queue's share of it.
//!
//! A window is reserved before it is advertised, so that no window ever has to shrink. When memory is short,
//! a queue may hold as much as is free (the dynamic threshold of Choudhury and Hahne, "Dynamic queue length
//! thresholds for shared-memory packet switches", 1998): n queues that want more than there is end up with
//! equal parts, and one such part remains free for the next one. What they hold beyond their share they give
//! back as data is acknowledged or read.

use super::{OrphanLinks, Orphans};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::limits::LEAST_QUEUE;
use crate::stack::pool::NO_ID;
use crate::stack::receive_autotuning::ReceiveAutotuning;
use crate::tcp::{BufferTuning, Connection, Initial};
use crate::time::Instant;

/// Bytes that all queues may use at the same time, and how many they use.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) struct MemoryBudget {
    limit: u64,
    reserved: u64,
    /// Bytes of windows advertised by SYN-ACKs that the peers have not answered yet.
    promised: u64,
    /// Connections that have reserved memory.
    connections: usize,
    /// Orphans among them: connections that their applications have closed.
    orphans: Orphans,
    /// Connections that were ended for others, and their bytes: these are freed when their applications
    /// notice.
    leaving: usize,
    leaving_bytes: u64,
}

/// Fraction of the memory (one in `RESERVE`) reserved for new connections; existing ones do not grow into it.
const RESERVE: u64 = 16;

/// Most connection slots reserved for new connections: usually connections are ended for them before more
/// arrive.
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

    /// Bytes reserved by queues.
    pub(in crate::stack) const fn reserved(&self) -> u64 {
        self.reserved
    }

    fn free(&self) -> u64 {
        self.limit.saturating_sub(self.reserved).saturating_sub(self.promised)
    }

    /// Bytes that existing connections may grow into.
    fn free_to_grow(&self) -> u64 {
        self.free().saturating_sub(self.limit / RESERVE)
    }

    /// Whether new connections use up what is reserved for them, of the memory or of `most` slots. Windows
    /// that were only advertised do not count, so that spoofed SYNs cannot end connections.
    pub(in crate::stack) fn is_short(&self, most: usize) -> bool {
        let places = (most / RESERVE as usize).min(MOST_PLACES);
        let staying = self.reserved.saturating_sub(self.leaving_bytes);
        self.limit.saturating_sub(staying) <= self.limit / RESERVE
            || most.saturating_sub(self.connections.saturating_sub(self.leaving)) < places
    }

    /// Whether a SYN-ACK may advertise more: as much in total as is reserved for new connections, so that
    /// spoofed SYNs take nothing from existing connections; or half of that if these leave no more, so that
    /// some is left for peers that have answered.
    pub(in crate::stack) fn may_promise(&self) -> bool {
        let most = self.limit / RESERVE;
        self.promised < if self.free_to_grow() > 0 { most } else { most / 2 }
    }

    /// The orphans: connections that their applications have closed; `None` without a heap, where they are
    /// not limited.
    pub(in crate::stack) fn orphans(&mut self) -> Option<&mut Orphans> {
        Some(&mut self.orphans)
    }

    /// Accounts for a SYN-ACK that advertises `window` bytes, and for a first send queue.
    pub(in crate::stack) fn promise(&mut self, window: u32) {
        self.promised = self.promised.saturating_add(u64::from(window) + u64::from(LEAST_QUEUE));
    }

    /// Ends the accounting of such a SYN-ACK: its window is reserved by a connection now, or the handshake
    /// has failed.
    pub(in crate::stack) fn keep_promise(&mut self, window: u32) {
        self.promised = self.promised.saturating_sub(u64::from(window) + u64::from(LEAST_QUEUE));
    }

    fn reserve(&mut self, bytes: u32) {
        self.reserved = self.reserved.saturating_add(u64::from(bytes));
    }

    fn release(&mut self, bytes: u32) {
        self.reserved = self.reserved.saturating_sub(u64::from(bytes));
    }

    /// Size for a queue that holds `held` bytes and wants `wanted`: no more than what it holds and as much as
    /// then remains free of the `free` bytes. If it cannot have all it wants, it grows to powers of two, and
    /// it gives back only when it holds twice its share, so that small changes of the share do not move
    /// memory.
    fn share(free: u64, held: u32, wanted: u32) -> u32 {
        // After taking this much, the queue holds as much as remains free.
        let most = u32::try_from(free.saturating_add(u64::from(held)) / 2).unwrap_or(u32::MAX);
        let target = wanted.max(held);
        if target <= most {
            return target;
        }
        let rounded = most.checked_ilog2().map_or(0, |exponent| 1 << exponent);
        if u64::from(held / 2) > free { rounded } else { rounded.max(held) }
    }
}

/// Sizes of the queues of one connection and their limits, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::stack) struct QueueSizes {
    /// Bytes reserved for the send queue: what it has allocated, but at least its initial size.
    send: u32,
    /// Bytes reserved for the receive queue: its limit, or what it has allocated if that is more.
    receive: u32,
    send_most: u32,
    receive_most: u32,
    /// Whether both queues have their final size, with everything accounted for.
    fitting: bool,
    /// State of receive buffer autotuning, if it is in use.
    tuning: Option<ReceiveAutotuning>,
    /// When the application last read or queued data, opened the connection or closed it.
    used_at: Instant,
    /// Its links in the list of orphans, if it is one.
    orphan: Option<OrphanLinks>,
    /// Its bytes when it was ended for others.
    left: Option<u64>,
}

impl QueueSizes {
    /// Reserves the initial queues of a connection; `None` if there is no memory for them. If its SYN-ACK has
    /// advertised `promised` bytes, the receive queue is at least that large.
    pub(in crate::stack) fn reserve<P: Profile>(
        now: Instant,
        budget: &mut MemoryBudget,
        initial: &Initial<P>,
        promised: Option<u32>,
    ) -> Option<Self> {
        let send = initial.send_buffer.min(LEAST_QUEUE);
        // The window advertised to this peer is available for it.
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
            // Nothing is allocated yet, and a new connection starts with the configured limits.
            fitting: tuning.is_none() && receive == initial.receive_buffer,
            tuning,
            used_at: now,
            orphan: None,
            left: None,
        })
    }

    /// Notes that the application reads or queues data.
    pub(in crate::stack) fn note_use(&mut self, now: Instant) {
        self.used_at = now;
    }

    /// Its links in the list of orphans, if it is one.
    pub(in crate::stack) fn orphan(&mut self) -> &mut Option<OrphanLinks> {
        &mut self.orphan
    }

    /// Notes that the connection is ended for others: new connections may count on its memory.
    pub(in crate::stack) fn leave(&mut self, budget: &mut MemoryBudget) {
        let bytes = u64::from(self.send) + u64::from(self.receive);
        self.left = Some(bytes);
        budget.leaving += 1;
        budget.leaving_bytes = budget.leaving_bytes.saturating_add(bytes);
    }

    /// When the application last read or queued data, opened the connection or closed it.
    pub(in crate::stack) fn used_at(&self) -> Instant {
        self.used_at
    }

    /// Initial size of the receive queue of a connection with this configuration, in bytes; `None` if there
    /// is no memory for the least of both queues.
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

    /// Sets the limit of the send queue, in bytes.
    pub(in crate::stack) fn set_send_most(&mut self, bytes: u32) {
        self.send_most = bytes;
        self.fitting = false;
    }

    /// Sets the limit of the receive queue, in bytes; memory beyond it is freed as the advertised window is
    /// used up.
    pub(in crate::stack) fn set_receive_most(&mut self, bytes: u32) {
        self.receive_most = bytes;
        self.fitting = false;
    }

    /// Sets the limits of a new connection's queues, unless they are the configured ones.
    pub(in crate::stack) fn apply<C: CongestionController, P: Profile>(
        &self,
        connection: &mut Connection<'_, C, P>,
    ) {
        if !self.fitting {
            connection.begin_with(self.send, self.receive);
        }
    }

    /// Releases everything that was reserved.
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

    /// State of receive buffer autotuning, if it is in use.
    pub(in crate::stack) fn tuning(&mut self) -> Option<&mut ReceiveAutotuning> {
        self.tuning.as_mut()
    }

    /// Resizes the connection's queues to what they need and may have, and takes back memory beyond that.
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
            // Two congestion windows: one in the network, and one to follow it.
            Some(tuning) if !tuning.counts_arrivals() => BufferTuning::Automatic
                .first(self.send_most)
                .max(connection.congestion_window().saturating_mul(2))
                .min(self.send_most),
            _ => self.send_most,
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

    /// Whether [`fit`](Self::fit) would change nothing: so it was at the last call, nothing has happened to
    /// the queues since, and there is enough memory.
    pub(in crate::stack) fn is_fitting(&self, budget: &MemoryBudget) -> bool {
        let most = self.send_most.max(self.receive_most);
        self.fitting && u64::from(most) <= budget.free_to_grow() / 2
    }

    /// Whether both queues have their limits as sizes, with everything accounted for.
    fn fits<C: CongestionController, P: Profile>(&self, connection: &Connection<'_, C, P>) -> bool {
        self.tuning.is_none()
            && connection.queue_limits() == (self.send_most, self.receive_most)
            && self.held_by_sender(connection) == self.send
            && connection.receive_memory() == self.receive
            && self.send <= self.send_most
            && self.receive <= self.receive_most
    }

    /// Bytes to reserve for the send queue: what it holds, but at least its initial size.
    fn held_by_sender<C: CongestionController, P: Profile>(
        &self,
        connection: &Connection<'_, C, P>,
    ) -> u32 {
        connection.send_memory().max(self.send_most.min(LEAST_QUEUE))
    }

    /// Accounts for what the send queue has allocated since the last call.
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
