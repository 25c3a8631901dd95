//! Follow-up of a step on a connection: its deadline, its place in the ready queue, events for the
//! application, its memory, and its slot.
//!
//! Each step ends with [`touched`](Stack::touched), which does what the [`Cause`] requires. Whether the
//! connection has something to send is decided when its turn in the ready queue comes, and whether there is
//! an event when the application asks for events: for a batch of segments this is done only once.

use super::Stack;
use super::demux::Entity;
use super::pool::NO_ID;
use super::slot::{Owner, Slot};
use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::storage::CAN_GROW;
use crate::tcp::State;
use crate::time::Instant;

/// What has happened to a connection in a step. [`Cause::effects`] is the table of what follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Any event: it was opened or closed, a segment or an ICMP error arrived, or its timer expired.
    Step,
    /// A segment arrived, and there is nothing to send in response.
    Heard,
    /// A predicted segment arrived; it never ends a connection.
    Predicted(Owner),
    /// A predicted segment arrived, and there is nothing to send in response.
    HeardPredicted(Owner),
    /// The application has accepted the connection from a listener.
    Accepted,
    /// The application made any other call.
    Call,
    /// The application queued data, so the connection is still on the network.
    Queued,
    /// The application read received data, and no window update is needed.
    Read,
    /// The connection has sent a segment, and may have more to send.
    Sent,
    /// The connection has nothing more to send.
    Silent,
    /// What the connection has to send waits for the hardware address of the next hop.
    Postponed,
}

/// The follow-up of a step.
#[derive(Clone, Copy)]
struct Effects {
    deadline: Deadline,
    /// Whether the connection may have reached [`is_leaving`](Slot::is_leaving).
    may_leave: bool,
    /// Whether the connection may have something to send.
    speaks: bool,
    news: News,
    /// Whether the connection may be empty, so that its memory can be reused.
    may_rest: bool,
}

/// What happens to the connection's deadline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deadline {
    /// It is unchanged.
    Stays,
    /// It changes: the connection becomes the busy one.
    Moves,
    /// It is updated in the timer queue at once, unless the connection is the busy one, whose deadline is
    /// asked for later.
    Noted,
}

/// Whether the application may have to be told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum News {
    /// No.
    No,
    /// Perhaps: checked when the application asks for events. With the owner, if it is known.
    AskedLater(Option<Owner>),
    /// Perhaps: the call may have cleared readiness, so it is compared now.
    AskedNow,
    /// As [`AskedNow`](News::AskedNow), for a call that has read data.
    AskedOfReading,
}

impl Cause {
    /// The cause for a predicted segment; `has_answer`: whether there may be something to send in response.
    pub(super) const fn predicted(owner: Owner, has_answer: bool) -> Self {
        if has_answer { Cause::Predicted(owner) } else { Cause::HeardPredicted(owner) }
    }

    /// The table of follow-ups. A slot that nobody holds is always freed when its connection leaves the
    /// network.
    #[inline(always)]
    const fn effects(self) -> Effects {
        use Deadline::{Moves, Noted, Stays};
        use News::{AskedLater, AskedNow, AskedOfReading, No};
        let (deadline, may_leave, speaks, news, may_rest) = match self {
            Cause::Step => (Moves, true, true, AskedLater(None), false),
            Cause::Heard => (Moves, true, !FOR_SPEED, AskedLater(None), FOR_SPEED),
            Cause::Predicted(owner) => (Moves, false, true, AskedLater(Some(owner)), false),
            Cause::HeardPredicted(owner) => {
                (Moves, false, !FOR_SPEED, AskedLater(Some(owner)), FOR_SPEED)
            }
            Cause::Accepted => (Stays, false, false, AskedNow, false),
            Cause::Call => (Moves, true, true, AskedNow, false),
            Cause::Queued => (Moves, false, true, No, false),
            Cause::Read => (Stays, false, false, AskedOfReading, true),
            Cause::Sent => (Moves, true, false, No, false),
            Cause::Silent => (Noted, true, false, No, true),
            Cause::Postponed => (Moves, true, false, No, false),
        };
        Effects { deadline, may_leave, speaks, news, may_rest }
    }

    /// Whether the cause is rare while data is transferred in order.
    const fn is_rare(self) -> bool {
        matches!(
            self,
            Cause::Step | Cause::Heard | Cause::Accepted | Cause::Call | Cause::Postponed
        )
    }
}

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Carries out the follow-up of a step on a connection.
    // Inlined, so that for a constant cause the compiler keeps only its own follow-up.
    #[inline(always)]
    pub(super) fn touched(&mut self, now: Instant, id: u32, cause: Cause) {
        if cause.is_rare() || !P::PREDICTION {
            self.touched_rarely(now, id, cause);
        } else {
            self.follow(now, id, cause.effects());
        }
    }

    #[inline(never)]
    fn touched_rarely(&mut self, now: Instant, id: u32, cause: Cause) {
        if P::FAST_OPEN {
            self.settle_fast_open(id);
        }
        // By far the most frequent of these causes.
        if P::PREDICTION && cause == Cause::Step {
            return self.follow(now, id, Cause::Step.effects());
        }
        self.follow(now, id, cause.effects());
    }

    #[inline(always)]
    fn follow(&mut self, now: Instant, id: u32, effects: Effects) {
        let Effects { deadline, may_leave, speaks, news, may_rest } = effects;
        if may_rest {
            self.rest_if_empty(id);
        }
        let moves = match deadline {
            Deadline::Stays => false,
            Deadline::Moves => true,
            Deadline::Noted => !P::PREDICTION || self.deadlines.busy != id,
        };
        let mut is_on_network = true;
        if moves
            && may_leave
            && (!P::PREDICTION || self.connections.get(id).is_none_or(Slot::is_leaving))
        {
            let Some(stays) = self.leave(now, id) else {
                return;
            };
            is_on_network = stays;
        } else if moves && deadline == Deadline::Noted {
            self.settle(now, id);
        } else if moves {
            self.make_busy(now, id);
        }
        if speaks && is_on_network {
            self.ready.push(id);
        }
        self.tell(id, news);
    }

    /// Takes a connection off the network if it is over, and frees its slot if nobody holds it; then returns
    /// `None`. Otherwise returns whether the connection is on the network.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn leave(&mut self, now: Instant, id: u32) -> Option<bool> {
        if P::PREDICTION && self.deadlines.busy == id {
            self.deadlines.busy = NO_ID;
        }
        if (P::LIMIT_TIMES || P::HOST_METRICS)
            && let Some(slot) = self.connections.get_mut(id).filter(|slot| !slot.detached)
        {
            slot.connection.on_end(now);
            if slot.is_leaving() && slot.reuses_metrics.get_mut().is_some_and(core::mem::take) {
                self.learn_metrics(now, id);
            }
        }
        self.settle(now, id);
        let slot = self.connections.get(id)?;
        if slot.detached && slot.owner == Owner::Nobody {
            self.free(id);
            return None;
        }
        Some(!slot.detached)
    }

    /// Queues an event for the application, if there is one.
    #[inline(always)]
    fn tell(&mut self, id: u32, news: News) {
        let has_news = match news {
            News::No => false,
            News::AskedLater(Some(owner)) => owner == Owner::Application,
            _ => self.connections.get_mut(id).is_some_and(|slot| {
                slot.owner == Owner::Application
                    && match news {
                        News::AskedNow => slot.note_news(),
                        News::AskedOfReading => slot.note_read(),
                        _ => true,
                    }
            }),
        };
        if has_news {
            self.events.push(id);
        }
    }

    /// Makes a connection the busy one: its deadline is kept out of the timer queue until another connection
    /// becomes busy, or timers are handled.
    #[inline]
    fn make_busy(&mut self, now: Instant, id: u32) {
        if !P::PREDICTION {
            self.settle(now, id);
        } else if self.deadlines.busy != id {
            self.settle_busy(now);
            self.deadlines.timers.disarm(id);
            self.deadlines.busy = id;
        }
    }

    /// Puts the deadline of the busy connection into the timer queue.
    #[inline(never)]
    pub(super) fn settle_busy(&mut self, now: Instant) {
        if P::PREDICTION && self.deadlines.busy != NO_ID {
            self.settle(now, self.deadlines.busy);
            self.deadlines.busy = NO_ID;
        }
    }

    /// Updates the connection's deadline, or takes the connection off the network if it is over.
    #[inline(never)]
    fn settle(&mut self, now: Instant, id: u32) {
        let Some(slot) = self.connections.get_mut(id).filter(|slot| !slot.detached) else {
            return;
        };
        let connection = &mut slot.connection;
        if !matches!(connection.state(), State::Closed | State::TimeWait) {
            self.deadlines.timers.arm(id, connection.poll_timeout());
        } else if connection.is_over() {
            self.detach(id);
        } else if connection.state() == State::TimeWait
            // The ack of the peer's FIN is sent first.
            && connection.has_nothing_to_send(now)
        {
            self.enter_time_wait(now, id);
        } else {
            self.deadlines.timers.arm(id, connection.poll_timeout());
        }
    }

    /// Takes the connection off the network; its slot stays for the application.
    fn detach(&mut self, id: u32) {
        if let Some(slot) = self.connections.get_mut(id) {
            match slot.connection.error() {
                Some(error) => tell!(debug, "connection {}: {}", slot.tuple, error),
                None => tell!(debug, "connection {}: closed", slot.tuple),
            }
            slot.detached = true;
            self.demux.remove(&slot.tuple, Entity::Connection(id));
            self.deadlines.timers.disarm(id);
        }
    }

    /// Frees the slot of a connection that is off the network and that no application holds.
    fn free(&mut self, id: u32) {
        self.forget_orphan(id);
        // Before the slot is taken out: if a reference to it had been taken, it would be copied as a whole.
        if P::SIGNATURES
            && let Some(slot) = self.connections.get(id)
            && slot.connection.is_signed()
        {
            let tuple = slot.tuple;
            self.end_signed(&tuple);
        }
        let Some(mut slot) = self.connections.remove(id) else {
            return;
        };
        // The next connection in this slot must not remain postponed because of this one. With lent memory
        // few connections are postponed, so all of them are resumed.
        if !CAN_GROW || self.ready.contains(id) {
            self.ready.resume();
        }
        if let Some(sizes) = &mut slot.sizes {
            sizes.release(&mut self.memory.budget);
        }
        let buffers = slot.connection.into_buffers();
        match self.memory.spare.get_mut(id as usize) {
            Some(spare) => *spare = Some(buffers),
            None => self.memory.idle.keep(buffers),
        }
    }
}
