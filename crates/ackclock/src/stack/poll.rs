//! Timers and events: what the code that drives a stack asks it for.

use super::aftermath::Cause;
use super::half_open::Timeout;
use super::slot::Owner;
use super::{Handle, Listener, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::Readiness;
use crate::time::{Duration, Instant};

/// The smallest unit of time.
const TICK: Duration = Duration::from_nanos(1);

/// An event that an application may want to handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A connection's readiness has changed.
    Connection {
        /// The connection.
        handle: Handle,
        /// The new readiness.
        readiness: Readiness,
    },
    /// A listener has a connection to accept, or a [request](Stack::next_request) was added or removed.
    Acceptable(Listener),
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// When [`on_timeout`](Self::on_timeout) is to be called next; [`Instant::FAR_FUTURE`] if there is no
    /// deadline.
    pub fn poll_at(&self) -> Instant {
        let records = self.half_open.timers.next().min(self.time_waits.next_expiry());
        let noted = self.deadlines.timers.next().min(records);
        match self.connections.get(self.deadlines.busy) {
            Some(slot) if P::PREDICTION && !slot.detached => {
                noted.min(slot.connection.poll_timeout())
            }
            _ => noted,
        }
    }

    /// Handles every timer that has expired.
    pub fn on_timeout(&mut self, now: Instant) {
        let now = self.begin(now);
        self.settle_busy(now);
        while let Some(id) = self.time_waits.expired(now) {
            self.forget_time_wait(id);
        }
        while let Some(id) = self.half_open.timers.pop_due(now) {
            self.on_half_open_timeout(now, id);
        }
        while let Some(id) = self.deadlines.timers.pop_due(now) {
            self.fire_timers(now, id);
            self.touched(now, id, Cause::Step);
            self.settle_busy(now);
            // Each timer is handled once per call, even if it is due again at once.
            if self.deadlines.timers.deadline(id) <= now {
                self.deadlines.timers.arm(id, now + TICK);
            }
        }
    }

    fn on_half_open_timeout(&mut self, now: Instant, id: u32) {
        let Some(record) = self.half_open.records.get_mut(id) else {
            return;
        };
        let asks = record.on_timeout(now);
        self.half_open.timers.arm(id, record.deadline());
        match asks {
            Timeout::SynAck => {
                self.half_open.output.push(id);
            }
            Timeout::Wait => {}
            Timeout::GiveUp => {
                tell!(debug, "half-open connection {}: given up", record.tuple);
                self.statistics.count(|all| &mut all.half_open_timeouts);
                self.forget_half_open(id);
            }
        }
    }

    /// The next event for the application. Events of one connection are merged, so the queue is bounded and
    /// no change is lost.
    pub fn poll_event(&mut self) -> Option<Event> {
        while let Some(slot) = self.listeners.events.pop() {
            if let Some((record, generation)) = self.listeners.records.get_mut_with_generation(slot)
                && (record.waiting.len > 0 || record.config.requests())
            {
                return Some(Event::Acceptable(Listener { slot, generation }));
            }
        }
        while let Some(id) = self.events.pop() {
            if let Some((slot, generation)) = self.connections.get_mut_with_generation(id)
                && slot.owner == Owner::Application
                && let Some(readiness) = slot.take_news()
            {
                let handle = Handle { slot: id, generation };
                return Some(Event::Connection { handle, readiness });
            }
        }
        None
    }
}
