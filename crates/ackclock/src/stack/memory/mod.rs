//! The memory of all queues: how much there is, how it is divided, what idle connections keep, and which
//! connections are ended for others when memory is short.

#[cfg_attr(not(feature = "alloc"), path = "lent.rs")]
mod budget;
pub(super) mod idle;
/// The replacement of `budget`, compiled for its own tests.
#[cfg(test)]
#[expect(dead_code, reason = "only its tests use it where there is a heap")]
#[allow(clippy::duplicate_mod, reason = "where it stands in, it is there twice")]
mod lent;

pub(super) use budget::{MemoryBudget, QueueSizes};
pub(super) use idle::IdleMemory;

use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::aftermath::Cause;
use crate::stack::pool::NO_ID;
use crate::stack::slot::Owner;
use crate::stack::{Handle, Stack};
use crate::storage::{Buffer, CAN_GROW};
use crate::tcp::{Buffers, Error, State};
use crate::time::{Duration, Instant};

/// Number of slots examined to find a connection to end for others: examining all would make each new
/// connection cost as much as there are connections.
const COMPARED: u32 = 32;

/// Least idle time of a connection that may be ended for others.
const LEAST_IDLE_TIME: Duration = Duration::from_secs(1);

/// Orphans may occupy one connection slot in this many.
const ORPHANS: usize = 4;

/// Orphans: connections that their applications have closed and that are not over yet, in the order in which
/// they were closed; a list linked through their [`QueueSizes`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Orphans {
    count: usize,
    /// Both ends of the list, or [`NO_ID`].
    oldest: u32,
    newest: u32,
}

/// The neighbours of a connection in the list of orphans, or [`NO_ID`].
#[derive(Clone, Copy, Debug)]
pub(super) struct OrphanLinks {
    older: u32,
    newer: u32,
}

/// The memory of all queues of a stack.
#[derive(Debug)]
pub(super) struct QueueMemory<'a, P: Profile> {
    /// Lent buffers that no connection uses; empty where storage grows.
    pub(super) spare: Buffer<'a, Option<Buffers<'a, P>>>,
    /// Smallest and largest lent receive buffer, in bytes; `None` where storage grows.
    pub(super) lent_receive: Option<(usize, usize)>,
    /// How many bytes there are for queues, and how many are in use.
    pub(super) budget: MemoryBudget,
    /// Memory kept by idle connections.
    pub(super) idle: IdleMemory<'a, P>,
    /// Where the search for a connection to end for others continues.
    pub(super) hand: u32,
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Resizes a connection's queues to its need, as far as there is memory.
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
            // Sequence numbers are valid only after the peer's SYN.
            if slot.connection.state().is_synchronized()
                && let Some(tuning) = sizes.tuning()
            {
                tuning.on_read(now, slot.connection.first_unread(), slot.connection.smoothed_rtt());
            }
            sizes.fit(&mut self.memory.budget, &mut slot.connection);
        }
    }

    /// Marks a connection that holds no data as idle: it keeps its memory until more than a few others have
    /// become idle after it.
    #[inline]
    pub(in crate::stack) fn rest_if_empty(&mut self, id: u32) {
        if CAN_GROW && !self.memory.idle.contains(id) {
            self.rest(id);
        }
    }

    #[inline(never)]
    fn rest(&mut self, id: u32) {
        // A connection in SYN-SENT has not allocated anything yet.
        let empty = self.connections.get(id).is_some_and(|slot| {
            slot.connection.state() != State::SynSent && slot.connection.holds_no_data()
        });
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

    /// Ends one or two connections if new connections use up what is reserved for them, so that there is room
    /// for the next. Called when a new connection was added or refused.
    pub(in crate::stack) fn make_room(&mut self, now: Instant) {
        let most = self.config.max_connections;
        for _ in 0..2 {
            if CAN_GROW && self.memory.budget.is_short(most) {
                self.give_way(now);
            }
        }
    }

    /// Adds a connection to the orphans: its application has closed it, and it goes on by itself. If there
    /// are too many orphans, one of them is ended.
    pub(in crate::stack) fn orphaned(&mut self, now: Instant, id: u32) {
        let slot = self.connections.get_mut(id).filter(|slot| !slot.is_leaving());
        let Some(sizes) = slot.and_then(|slot| slot.sizes.as_mut()) else {
            return;
        };
        sizes.note_use(now);
        let Some(orphans) = self.memory.budget.orphans() else {
            return;
        };
        let older = orphans.newest;
        *sizes.orphan() = Some(OrphanLinks { older, newer: NO_ID });
        orphans.newest = id;
        orphans.count += 1;
        let are_too_many = orphans.count > self.config.max_connections / ORPHANS;
        self.link_orphans(older, id);
        if are_too_many {
            self.end_orphan(now);
        }
    }

    /// Removes a connection from the orphans, as it is over or about to be.
    pub(in crate::stack) fn forget_orphan(&mut self, id: u32) {
        let sizes = self.connections.get_mut(id).and_then(|slot| slot.sizes.as_mut());
        let Some(OrphanLinks { older, newer }) = sizes.and_then(|sizes| sizes.orphan().take())
        else {
            return;
        };
        self.link_orphans(older, newer);
        if let Some(orphans) = self.memory.budget.orphans() {
            orphans.count -= 1;
        }
    }

    /// Makes two orphans neighbours in the list; either may be [`NO_ID`].
    fn link_orphans(&mut self, older: u32, newer: u32) {
        if let Some(links) = self.orphan(older) {
            links.newer = newer;
        } else if let Some(orphans) = self.memory.budget.orphans() {
            orphans.oldest = newer;
        }
        if let Some(links) = self.orphan(newer) {
            links.older = older;
        } else if let Some(orphans) = self.memory.budget.orphans() {
            orphans.newest = older;
        }
    }

    fn orphan(&mut self, id: u32) -> Option<&mut OrphanLinks> {
        self.connections.get_mut(id)?.sizes.as_mut()?.orphan().as_mut()
    }

    /// Ends the first idle connection among the oldest orphans, or the oldest one if none is idle.
    fn end_orphan(&mut self, now: Instant) {
        let Some(Orphans { oldest: mut next, .. }) = self.memory.budget.orphans().copied() else {
            return;
        };
        let mut chosen = None;
        for _ in 0..COMPARED {
            let Some(slot) = self.connections.get(next) else {
                break;
            };
            let (id, idle) = (next, slot.idle_time(now));
            next = self.orphan(id).map_or(NO_ID, |links| links.newer);
            let is_idle = idle.is_some_and(|idle| idle >= LEAST_IDLE_TIME);
            if is_idle || idle.is_some() && chosen.is_none() {
                chosen = Some(id);
            }
            if is_idle {
                break;
            }
        }
        self.end_chosen(now, chosen);
    }

    /// Ends one connection for others, of the next slots: an orphan if there is one, and of these the one
    /// that has been idle longest.
    fn give_way(&mut self, now: Instant) {
        let end = self.connections.end();
        let mut chosen = None;
        let mut least = (false, LEAST_IDLE_TIME);
        for _ in 0..COMPARED.min(end) {
            let id = self.memory.hand;
            self.memory.hand = if id + 1 < end { id + 1 } else { 0 };
            let found = self.connections.get(id).and_then(|slot| {
                slot.idle_time(now).map(|idle| (slot.owner == Owner::Nobody, idle))
            });
            if let Some(found) = found
                && found >= least
                && found.1 >= LEAST_IDLE_TIME
            {
                (chosen, least) = (Some(id), found);
            }
        }
        self.end_chosen(now, chosen);
    }

    fn end_chosen(&mut self, now: Instant, chosen: Option<u32>) {
        if let Some(id) = chosen {
            self.statistics.count(|all| &mut all.gave_way);
            self.end_idle_connection(now, id);
        }
    }

    /// Ends all connections that have been idle for `idle_time`, with [`Error::Idle`], and returns how many:
    /// the application has neither read nor queued data, and the peer has acknowledged no data while some was
    /// waiting. It visits every slot.
    pub fn end_idle(&mut self, now: Instant, idle_time: Duration) -> usize {
        let now = self.begin(now);
        let mut ended = 0;
        for id in 0..self.connections.end() {
            let idle = self.connections.get(id).and_then(|slot| slot.idle_time(now));
            if idle.is_some_and(|idle| idle >= idle_time) {
                self.end_idle_connection(now, id);
                ended += 1;
            }
        }
        ended
    }

    /// Ends one connection as [`end_idle`](Self::end_idle) does, if it is idle; otherwise returns when to
    /// check it again: when it will have been idle for `idle_time` unless it is used. `None`: it is over, its
    /// application has closed it, or its memory is lent.
    pub fn end_if_idle(
        &mut self,
        now: Instant,
        handle: Handle,
        idle_time: Duration,
    ) -> Option<Instant> {
        let now = self.begin(now);
        let idle = self.resolve(handle)?.idle_time(now)?;
        if idle < idle_time {
            return Some(now + idle_time.saturating_sub(idle));
        }
        self.end_idle_connection(now, handle.slot);
        None
    }

    fn end_idle_connection(&mut self, now: Instant, id: u32) {
        self.forget_orphan(id);
        if let Some(slot) = self.connections.get_mut(id) {
            tell!(debug, "connection {}: ended, it was idle", slot.tuple);
            slot.connection.fail_with_reset(Error::Idle);
            if let Some(sizes) = &mut slot.sizes {
                sizes.leave(&mut self.memory.budget);
            }
        }
        self.touched(now, id, Cause::Step);
    }
}
