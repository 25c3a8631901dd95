//! The application's calls on a connection, by its handle (RFC 9293 section 3.9.1).

use super::aftermath::Cause;
use super::slot::{Owner, Slot};
use super::tuple::FourTuple;
use super::{Handle, InvalidHandle, Readiness, Stack};
use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{Connection, Info, ReceiveError, SendError, State};
use crate::time::Instant;
use core::net::SocketAddr;

impl<'a, C: CongestionController + Clone, P: Profile> Stack<'a, C, P> {
    /// Queues as much of `data` as fits, and returns how many bytes that is.
    pub fn send(&mut self, now: Instant, handle: Handle, data: &[u8]) -> Result<usize, SendError> {
        self.sending(now, handle, |connection, now| connection.send(now, data))
    }

    /// Queues data without a copy: `write` is called with free memory of the send queue and returns how many
    /// bytes of it, from the front, it has written. The memory is contiguous (it may be less than
    /// [`send_room`](Self::send_room)) and empty if there is no room.
    pub fn send_with(
        &mut self,
        now: Instant,
        handle: Handle,
        write: impl FnOnce(&mut [u8]) -> usize,
    ) -> Result<usize, SendError> {
        self.sending(now, handle, |connection, now| connection.send_with(now, write))
    }

    /// How many bytes [`send`](Self::send) would take now.
    pub fn send_room(&self, handle: Handle) -> usize {
        self.resolve(handle).map_or(0, |slot| slot.connection.send_room())
    }

    /// Most bytes of data that the first SYN, as long as it is not sent, may carry (TCP Fast Open, RFC 7413
    /// section 4.2.2), whether they are queued already or not. 0 if it carries none, or only requests a
    /// cookie.
    pub fn syn_room(&self, handle: Handle) -> usize {
        self.resolve(handle).map_or(0, |slot| slot.connection.syn_room())
    }

    /// As [`send`](Self::send), and marks the last byte taken as urgent (RFC 9293 section 3.8.5).
    pub fn send_urgent(
        &mut self,
        now: Instant,
        handle: Handle,
        data: &[u8],
    ) -> Result<usize, SendError> {
        self.sending(now, handle, |connection, now| connection.send_urgent(now, data))
    }

    /// Copies received data into `to` and returns how many bytes; 0 only if `to` is empty.
    ///
    /// # Errors
    /// [`ReceiveError::WouldBlock`] if no unread data has arrived yet, [`ReceiveError::Finished`] once the
    /// peer has sent its FIN and all data before it was read.
    pub fn receive(
        &mut self,
        now: Instant,
        handle: Handle,
        to: &mut [u8],
    ) -> Result<usize, ReceiveError> {
        self.reading(now, handle, |connection| connection.receive(to))
            .ok_or(ReceiveError::InvalidHandle)?
    }

    /// The received data in place, as two slices in order; [`consume`](Self::consume) removes it.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn received(&self, handle: Handle) -> Result<[&[u8]; 2], ReceiveError> {
        let slot = self.resolve(handle).ok_or(ReceiveError::InvalidHandle)?;
        slot.connection.received()
    }

    /// Removes `n` received bytes from the receive queue.
    pub fn consume(&mut self, now: Instant, handle: Handle, n: usize) -> Result<(), InvalidHandle> {
        self.reading(now, handle, |connection| connection.consume(n)).ok_or(InvalidHandle)
    }

    /// Half-close: no more data will be sent, and a FIN follows what is queued. The peer's data can still be
    /// received.
    pub fn shutdown(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        self.with(now, handle, Connection::shutdown).ok_or(InvalidHandle)
    }

    /// Gives the connection up: the handle becomes invalid. Queued data is still delivered (see
    /// `Config::linger`), but data that is unread, or arrives from now on, resets the connection (RFC 9293
    /// section 3.6.1, MUST-13 and SHLD-3).
    pub fn close(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        self.give_up(now, handle, Connection::close)
    }

    /// ABORT: sends a RST to the peer; queued data is lost, and the handle becomes invalid.
    pub fn abort(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        self.give_up(now, handle, |connection, _| connection.abort())
    }

    /// How many bytes remain to be read up to and including the last urgent one (RFC 9293 MUST-33); `None` if
    /// no urgent data is pending.
    pub fn urgent_ahead(&self, handle: Handle) -> Option<u32> {
        self.resolve(handle)?.connection.urgent_ahead()
    }

    /// Address and port of our end of a connection.
    pub fn local_addr(&self, handle: Handle) -> Option<SocketAddr> {
        Some(self.resolve(handle)?.tuple.local.into())
    }

    /// Address and port of the peer's end of a connection.
    pub fn remote_addr(&self, handle: Handle) -> Option<SocketAddr> {
        Some(self.resolve(handle)?.tuple.remote.into())
    }

    /// A snapshot of a connection's statistics; also after it is over, until `close`.
    pub fn info(&self, now: Instant, handle: Handle) -> Option<Info> {
        Some(self.info_of(now.max(self.now), self.resolve(handle)?))
    }

    /// A snapshot of every connection: both ends, ours first, and its statistics. It includes connections
    /// held by applications, those in accept queues, and those closed but not over. For monitoring; it visits
    /// every slot.
    pub fn connections(&self, now: Instant) -> impl Iterator<Item = ([SocketAddr; 2], Info)> {
        let now = now.max(self.now);
        self.connections.iter().map(move |(_, slot)| {
            ([slot.tuple.local.into(), slot.tuple.remote.into()], self.info_of(now, slot))
        })
    }

    /// Both ends, ours first, and the state of everything that has a four-tuple: connections, half-open ones
    /// (SYN-RECEIVED) and TIME-WAIT records. It visits every slot.
    pub fn states(&self) -> impl Iterator<Item = ([SocketAddr; 2], State)> {
        let ends = |tuple: &FourTuple| [tuple.local.into(), tuple.remote.into()];
        let half_open = self.half_open.records.iter();
        let half_open = half_open.map(move |(_, it)| (ends(&it.tuple), State::SynReceived));
        let connections = self.connections.iter().filter(|(_, slot)| !slot.detached);
        let connections =
            connections.map(move |(_, slot)| (ends(&slot.tuple), slot.connection.state()));
        let time_waits = self.time_waits.records.iter();
        let time_waits = time_waits.map(move |(_, it)| (ends(&it.tuple), State::TimeWait));
        half_open.chain(connections).chain(time_waits)
    }

    /// An invariant of some connection that does not hold, if any; for tests, between two steps.
    #[doc(hidden)]
    pub fn broken_invariant(&self) -> Option<&'static str> {
        self.connections.iter().find_map(|(_, slot)| slot.connection.broken_invariant())
    }

    /// The readiness of a connection.
    pub fn readiness(&self, handle: Handle) -> Option<Readiness> {
        Some(self.resolve(handle)?.connection.readiness())
    }

    pub(super) fn resolve(&self, handle: Handle) -> Option<&Slot<'a, C, P>> {
        let Handle { slot, generation } = handle;
        let slot = self.connections.get_of(slot, generation)?;
        (slot.owner == Owner::Application).then_some(slot)
    }

    pub(super) fn resolve_mut(&mut self, handle: Handle) -> Option<&mut Slot<'a, C, P>> {
        let Handle { slot, generation } = handle;
        let slot = self.connections.get_mut_of(slot, generation)?;
        if slot.owner != Owner::Application {
            return None;
        }
        Some(slot)
    }

    /// Performs a call on a connection, and its follow-up.
    pub(super) fn with<R>(
        &mut self,
        now: Instant,
        handle: Handle,
        call: impl FnOnce(&mut Connection<'a, C, P>, Instant) -> R,
    ) -> Option<R> {
        let now = self.begin(now);
        let slot = self.resolve_mut(handle)?;
        let answer = call(&mut slot.connection, now);
        self.fit_queues(now, handle.slot);
        self.touched(now, handle.slot, Cause::Call);
        Some(answer)
    }

    /// As [`with`](Self::with), for a call that reads received data.
    #[inline]
    fn reading<R>(
        &mut self,
        now: Instant,
        handle: Handle,
        call: impl FnOnce(&mut Connection<'a, C, P>) -> R,
    ) -> Option<R> {
        let now = self.begin(now);
        let slot = self.resolve_mut(handle)?;
        let answer = call(&mut slot.connection);
        if let Some(sizes) = &mut slot.sizes {
            sizes.note_use(now);
        }
        self.fit_queues(now, handle.slot);
        let slot = self.connections.get(handle.slot)?;
        // The other cause does the same, at less cost.
        if !FOR_SPEED || slot.connection.window_update_due() {
            self.touched(now, handle.slot, Cause::Call);
        } else {
            self.touched(now, handle.slot, Cause::Read);
        }
        Some(answer)
    }

    /// As [`with`](Self::with), for a call that queues data: the memory that the queue may take is determined
    /// before, and what it has taken is accounted for after it.
    fn sending(
        &mut self,
        now: Instant,
        handle: Handle,
        call: impl FnOnce(&mut Connection<'a, C, P>, Instant) -> Result<usize, SendError>,
    ) -> Result<usize, SendError> {
        let now = self.begin(now);
        let slot = self.resolve(handle).ok_or(SendError::InvalidHandle)?;
        if !slot.is_fitting(&self.memory.budget) {
            self.fit_queues(now, handle.slot);
        }
        let slot = self.connections.get_mut(handle.slot).ok_or(SendError::InvalidHandle)?;
        let answer = call(&mut slot.connection, now);
        if let Some(sizes) = &mut slot.sizes {
            sizes.note_use(now);
            sizes.account_send(&mut self.memory.budget, &slot.connection);
        }
        if !FOR_SPEED || !matches!(answer, Ok(1..)) {
            self.touched(now, handle.slot, Cause::Call);
            return answer;
        }
        slot.note_queued();
        self.touched(now, handle.slot, Cause::Queued);
        answer
    }

    /// Invalidates the handle; the connection goes on by itself until it is over.
    fn give_up(
        &mut self,
        now: Instant,
        handle: Handle,
        call: impl FnOnce(&mut Connection<'a, C, P>, Instant),
    ) -> Result<(), InvalidHandle> {
        let now = self.begin(now);
        let slot = self.resolve_mut(handle).ok_or(InvalidHandle)?;
        slot.owner = Owner::Nobody;
        if !slot.detached {
            call(&mut slot.connection, now);
            self.orphaned(now, handle.slot);
        }
        self.touched(now, handle.slot, Cause::Step);
        Ok(())
    }
}
