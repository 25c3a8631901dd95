//! What follows from an event on a connection, for the queues and for the application.

use super::Stack;
use super::demux::Entity;
use super::pool::NO_ID;
use super::slot::{Owner, Slot};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::storage::CAN_GROW;
use crate::tcp::State;
use crate::time::Instant;

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Looks at a connection after something has happened to it. Whether it has anything to send
    /// is asked when its turn in the ready queue comes, and whether that is news to the application
    /// when it asks for events: a batch of segments costs that once.
    #[inline(never)]
    pub(super) fn after(&mut self, now: Instant, id: u32) {
        if let Some(slot) = self.connections.get(id)
            && !slot.is_leaving()
        {
            let owner = slot.owner;
            return self.after_staying(now, id, owner);
        }
        self.settle_later(now, id);
        self.queue(id);
    }

    /// The same if the connection stays in the network.
    #[inline]
    pub(super) fn after_staying(&mut self, now: Instant, id: u32, owner: Owner) {
        self.make_busy(now, id);
        self.ready.push(id);
        if owner == Owner::Application {
            self.events.push(id);
        }
    }

    #[inline(never)]
    fn queue(&mut self, id: u32) {
        let Some(slot) = self.connections.get(id) else {
            return;
        };
        if !slot.detached {
            self.ready.push(id);
        }
        match slot.owner {
            Owner::Application => {
                self.events.push(id);
            }
            Owner::Listener => {}
            Owner::Nobody => self.free_if_done(id),
        }
    }

    /// Looks at a connection after its application has done something with it: what that is news of
    /// is known at once.
    pub(super) fn after_call(&mut self, now: Instant, id: u32) {
        self.settle_later(now, id);
        if self.connections.get(id).is_some_and(|slot| !slot.detached) {
            self.ready.push(id);
        }
        self.note_news(id);
    }

    /// Looks at a connection after it has sent something.
    pub(super) fn after_turn(&mut self, now: Instant, id: u32) {
        self.settle_later(now, id);
        self.free_if_done(id);
    }

    /// Lets a connection's queues follow its need, as far as there is memory.
    #[inline]
    pub(super) fn fit_queues(&mut self, now: Instant, id: u32) {
        if self.connections.get(id).is_some_and(|slot| !slot.is_fitting(&self.memory)) {
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
            sizes.fit(&mut self.memory, &mut slot.connection);
        }
    }

    /// Looks at a connection that has nothing more to send: if it holds no data it will not need
    /// memory for a while.
    pub(super) fn after_last_turn(&mut self, now: Instant, id: u32) {
        self.rest_if_empty(id);
        if !P::PREDICTION || self.busy != id {
            self.settle(now, id);
            self.free_if_done(id);
        }
    }

    /// Looks at a connection whose application has read: if the window need not be told of it, the
    /// connection has no more to say than before.
    #[inline]
    pub(super) fn after_read(&mut self, now: Instant, id: u32) {
        self.fit_queues(now, id);
        let Some(slot) = self.connections.get_mut(id) else {
            return;
        };
        if slot.connection.window_update_due() {
            self.after_call(now, id);
            return;
        }
        if slot.owner == Owner::Application && slot.note_read() {
            self.events.push(id);
        }
        self.rest_if_empty(id);
    }

    #[inline]
    pub(super) fn rest_if_empty(&mut self, id: u32) {
        if CAN_GROW && !self.idle_memory.contains(id) {
            self.rest(id);
        }
    }

    #[inline(never)]
    fn rest(&mut self, id: u32) {
        let empty = self.connections.get(id).is_some_and(|slot| slot.connection.holds_no_data());
        if empty
            && let Some(longest) = self.idle_memory.push(id)
            && let Some(slot) = self.connections.get_mut(longest)
        {
            slot.connection.release_memory();
            if let Some(sizes) = &mut slot.sizes {
                sizes.account_send(&mut self.memory, &slot.connection);
            }
        }
    }

    /// As [`settle`](Self::settle), but when another connection is busy or timers are to fire, unless
    /// the connection leaves the network. Until then its deadline does not stand among the others.
    #[inline]
    pub(super) fn settle_later(&mut self, now: Instant, id: u32) {
        if self.connections.get(id).is_some_and(Slot::is_leaving) {
            if P::PREDICTION && self.busy == id {
                self.busy = NO_ID;
            }
            self.settle(now, id);
        } else {
            self.make_busy(now, id);
        }
    }

    /// The connection has received or sent last.
    #[inline]
    pub(super) fn make_busy(&mut self, now: Instant, id: u32) {
        if !P::PREDICTION {
            self.settle(now, id);
        } else if self.busy != id {
            self.settle_busy(now);
            self.timers.disarm(id);
            self.busy = id;
        }
    }

    /// Notes the deadline of the connection that has received or sent last.
    #[inline(never)]
    pub(super) fn settle_busy(&mut self, now: Instant) {
        if P::PREDICTION && self.busy != NO_ID {
            self.settle(now, self.busy);
            self.busy = NO_ID;
        }
    }

    /// Moves the connection's deadline, or takes the connection off the network if it is over.
    #[inline(never)]
    pub(super) fn settle(&mut self, now: Instant, id: u32) {
        let Some(slot) = self.connections.get_mut(id).filter(|slot| !slot.detached) else {
            return;
        };
        let connection = &mut slot.connection;
        if !matches!(connection.state(), State::Closed | State::TimeWait) {
            self.timers.arm(id, connection.poll_timeout());
        } else if connection.is_over() {
            self.detach(id);
        } else if connection.state() == State::TimeWait
            // The ack of the peer's FIN goes first.
            && connection.has_nothing_to_send(now)
        {
            self.enter_time_wait(now, id);
        } else {
            self.timers.arm(id, connection.poll_timeout());
        }
    }

    /// The connection leaves the network; its slot stays for the application.
    fn detach(&mut self, id: u32) {
        if let Some(slot) = self.connections.get_mut(id) {
            match slot.connection.error() {
                Some(error) => tell!(debug, "connection {}: {}", slot.tuple, error),
                None => tell!(debug, "connection {}: closed", slot.tuple),
            }
            slot.detached = true;
            self.demux.remove(&slot.tuple, Entity::Connection(id));
            self.timers.disarm(id);
        }
    }

    /// The application has done something, after which less may be there: looks what was news until
    /// then, and what from now on will be.
    pub(super) fn note_news(&mut self, id: u32) {
        if let Some(slot) = self.connections.get_mut(id)
            && slot.owner == Owner::Application
            && slot.note_news()
        {
            self.events.push(id);
        }
    }

    /// Frees the slot once neither the network nor an application has an interest in it.
    #[inline]
    fn free_if_done(&mut self, id: u32) {
        let is_done = |slot: &Slot<'_, C, P>| slot.detached && slot.owner == Owner::Nobody;
        if self.connections.get(id).is_some_and(is_done) {
            self.free(id);
        }
    }

    #[inline(never)]
    fn free(&mut self, id: u32) {
        let Some(mut slot) = self.connections.remove(id) else {
            return;
        };
        if let Some(sizes) = &mut slot.sizes {
            sizes.release(&mut self.memory);
        }
        let buffers = slot.connection.into_buffers();
        match self.spare.get_mut(id as usize) {
            Some(spare) => *spare = Some(buffers),
            None => self.idle_memory.keep(buffers),
        }
    }
}
