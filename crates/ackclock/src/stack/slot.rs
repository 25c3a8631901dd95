//! Slots: a connection, and the stack's state of it.

use super::Listener;
use super::ip_fields::IpFields;
use super::memory::{MemoryBudget, QueueSizes};
use super::pool::NO_ID;
use super::tuple::FourTuple;
use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Part, Profile};
use crate::tcp::{Connection, Initial, Readiness, State};
use crate::time::{Duration, Instant};
use crate::wire::Timestamps;

/// Who will close a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// An application that has its handle.
    Application,
    /// A listener, until the application accepts it.
    Listener,
    /// Nobody: the slot becomes free as soon as the connection is over.
    Nobody,
}

/// A connection, and the stack's state of it.
#[derive(Debug)]
pub(super) struct Slot<'a, C, P: Profile> {
    /// The connection.
    pub(super) connection: Connection<'a, C, P>,
    /// Addresses and ports of both ends.
    pub(super) tuple: FourTuple,
    /// Limits of its queues; `None` if their memory is lent.
    pub(super) sizes: Option<QueueSizes>,
    /// IP header fields of its packets.
    pub(super) ip_fields: IpFields,
    /// Who will close it.
    pub(super) owner: Owner,
    /// Whether it is off the network: over, or replaced by a TIME-WAIT record. Only the application may still
    /// need it.
    pub(super) detached: bool,
    /// Whether the application is to be told of a change.
    event_pending: bool,
    /// The next slot waiting for `accept` at the same listener.
    pub(super) next_waiting: u32,
    /// The listener that counts it among its pending Fast Opens.
    pub(super) counted_by: <P::FastOpen as Part>::Keeps<Option<Listener>>,
    /// Whether to remember what the connection has learned of the path once it is over.
    pub(super) reuses_metrics: <P::HostMetrics as Part>::Keeps<bool>,
    /// The last known readiness, one bit for each field.
    readiness: u8,
    available: usize,
    urgent_ahead: <P::Urgent as Part>::Keeps<Option<u32>>,
}

impl<'a, C: CongestionController, P: Profile> Slot<'a, C, P> {
    /// A slot for a new connection.
    #[inline(always)]
    pub(super) fn new(
        connection: Connection<'a, C, P>,
        tuple: FourTuple,
        initial: &Initial<P>,
        owner: Owner,
        sizes: Option<QueueSizes>,
    ) -> Self {
        Slot {
            connection,
            tuple,
            sizes,
            ip_fields: IpFields::of(initial),
            owner,
            detached: false,
            event_pending: false,
            next_waiting: NO_ID,
            counted_by: Kept::new(None),
            reuses_metrics: initial.reuse_metrics,
            readiness: 0,
            available: 0,
            urgent_ahead: Kept::new(None),
        }
    }

    /// Whether the connection is to be taken off the network: it is over, or becomes a TIME-WAIT record.
    pub(super) fn is_leaving(&self) -> bool {
        matches!(self.connection.state(), State::Closed | State::TimeWait)
    }

    /// Whether its queues do not need to be resized, because they have a fixed size or other connections may
    /// have the rest of `memory`.
    #[inline]
    pub(super) fn is_fitting(&self, memory: &MemoryBudget) -> bool {
        self.sizes.as_ref().is_none_or(|sizes| sizes.is_fitting(memory))
    }

    /// For how long the application has neither taken nor queued data, and the peer has acknowledged none of
    /// what it has yet to acknowledge. `None` if the connection is over, was not accepted yet, or has lent
    /// memory.
    pub(super) fn idle_time(&self, now: Instant) -> Option<Duration> {
        let is_open = !self.detached && !self.is_leaving() && self.owner != Owner::Listener;
        let sizes = self.sizes.as_ref().filter(|_| is_open)?;
        let used_at = self.connection.progressed_at().max(Some(sizes.used_at()))?;
        Some(now.saturating_since(used_at))
    }

    /// Tells receive buffer autotuning of a segment with this many bytes, and of the round-trip time that its
    /// timestamps option measures.
    #[inline]
    pub(super) fn tell_tuning(
        &mut self,
        now: Instant,
        bytes: usize,
        timestamps: Option<Timestamps>,
    ) {
        if let Some(tuning) = self.sizes.as_mut().and_then(|sizes| sizes.tuning()) {
            if tuning.counts_arrivals() {
                tuning.on_arrival(now, bytes, self.connection.smoothed_rtt());
            }
            if let Some(rtt) = self.connection.echoed_rtt(now, timestamps) {
                tuning.on_echo(rtt);
            }
        }
    }

    /// The readiness to report, if it has changed since the last report.
    pub(super) fn take_news(&mut self) -> Option<Readiness> {
        let news = self.note_news() && core::mem::take(&mut self.event_pending);
        news.then(|| Readiness::from_bits(self.readiness))
    }

    /// Compares the present readiness with the last known one, and returns whether the application is to be
    /// told. Data that arrived behind unread data, and an advance of the urgent pointer (RFC 9293 MUST-32),
    /// are changes too.
    pub(super) fn note_news(&mut self) -> bool {
        let readiness = self.connection.readiness_bits();
        let available = self.connection.available();
        let is_urgent = self.urgent_ahead.get_mut().is_some_and(|before| {
            let ahead = self.connection.urgent_ahead();
            ahead > core::mem::replace(before, ahead)
        });
        let news = available > self.available || is_urgent || readiness & !self.readiness != 0;
        self.readiness = readiness;
        self.available = available;
        self.event_pending |= news;
        self.event_pending
    }

    /// As [`note_news`](Self::note_news), after the application has read: nothing new comes of that, unless
    /// it has reached the end of data, passed the urgent data, or made room for data to send.
    pub(super) fn note_read(&mut self) -> bool {
        let is_writable = self.readiness & Readiness::WRITABLE != 0;
        if !FOR_SPEED
            || self.urgent_ahead.get().is_some_and(Option::is_some)
            || !is_writable
            || !self.connection.takes_data()
        {
            return self.note_news();
        }
        let available = self.connection.available();
        if available == 0 {
            self.readiness &= !Readiness::READABLE;
        }
        self.available = self.available.min(available);
        self.event_pending
    }

    /// Updates the last known readiness after the application has queued data, which is never news.
    pub(super) fn note_queued(&mut self) {
        let full = self.connection.send_room() == 0;
        let gone = Readiness::FLUSHED | if full { Readiness::WRITABLE } else { 0 };
        self.readiness &= !gone;
    }
}
