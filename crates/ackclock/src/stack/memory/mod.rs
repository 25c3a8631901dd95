//! The memory of all queues: how much there is, which part of it each queue has, and what stays with
//! connections that are idle.

#[cfg_attr(not(feature = "alloc"), path = "lent.rs")]
mod budget;
pub(super) mod idle;
/// The stand-in of `budget`, for its tests.
#[cfg(test)]
#[expect(dead_code, reason = "only its tests use it where there is a heap")]
#[allow(clippy::duplicate_mod, reason = "where it stands in, it is there twice")]
mod lent;

pub(super) use budget::{MemoryBudget, QueueSizes};
pub(super) use idle::IdleMemory;

use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::Stack;
use crate::storage::{Buffer, CAN_GROW};
use crate::tcp::Buffers;
use crate::time::Instant;

/// The memory of all queues of a stack.
#[derive(Debug)]
pub(super) struct QueueMemory<'a, P: Profile> {
    /// Lent buffers of connections that are not in use; none where storage grows.
    pub(super) spare: Buffer<'a, Option<Buffers<'a, P>>>,
    /// Least and most bytes that a lent receive buffer holds; `None` where storage grows.
    pub(super) lent_receive: Option<(usize, usize)>,
    /// How many bytes there are, and how many are in use.
    pub(super) budget: MemoryBudget,
    /// What idle connections keep.
    pub(super) idle: IdleMemory<'a, P>,
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Lets a connection's queues follow its need, as far as there is memory.
    #[inline]
    pub(in crate::stack) fn fit_queues(&mut self, now: Instant, id: u32) {
        if self.connections.get(id).is_some_and(|slot| !slot.is_fitting(&self.memory.budget)) {
            self.fit_anew(now, id);
        }
    }

    #[inline(never)]
    fn fit_anew(&mut self, now: Instant, id: u32) {
        if let Some(slot) = self.connections.get_mut(id)
            && let Some(sizes) = &mut slot.sizes
        {
            // Before the peer's SYN no sequence number means anything.
            if slot.connection.state().is_synchronized()
                && let Some(tuning) = sizes.tuning()
            {
                tuning.on_read(now, slot.connection.first_unread(), slot.connection.smoothed_rtt());
            }
            sizes.fit(&mut self.memory.budget, &mut slot.connection);
        }
    }

    /// A connection that holds no data will not need memory for a while: lets it keep what it has until
    /// more than a few others have become idle after it.
    #[inline]
    pub(in crate::stack) fn rest_if_empty(&mut self, id: u32) {
        if CAN_GROW && !self.memory.idle.contains(id) {
            self.rest(id);
        }
    }

    #[inline(never)]
    fn rest(&mut self, id: u32) {
        let empty = self.connections.get(id).is_some_and(|slot| slot.connection.holds_no_data());
        if empty
            && let Some(longest) = self.memory.idle.push(id)
            && let Some(slot) = self.connections.get_mut(longest)
        {
            slot.connection.release_memory();
            if let Some(sizes) = &mut slot.sizes {
                sizes.account_send(&mut self.memory.budget, &slot.connection);
            }
        }
    }
}
