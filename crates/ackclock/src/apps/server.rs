//! The passive side of the classic services: a listener and the connections it accepts.

use super::{Application, StartError, chargen, services};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Event, Handle, ListenConfig, Listener, Readiness, Stack};
use crate::storage::Buffer;
use crate::tcp::Info;
use crate::time::Instant;

/// One of the classic services.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Service {
    /// Discards what it receives (RFC 863).
    Discard,
    /// Sends back what it receives (RFC 862).
    Echo,
    /// Sends lines of rotating characters until the peer closes (RFC 864).
    Chargen,
}

impl Service {
    /// The service's name in `/etc/services`.
    pub const fn name(self) -> &'static str {
        match self {
            Service::Discard => "discard",
            Service::Echo => "echo",
            Service::Chargen => "chargen",
        }
    }

    /// The port that IANA assigned.
    pub const fn port(self) -> u16 {
        match self {
            Service::Discard => 9,
            Service::Echo => 7,
            Service::Chargen => 19,
        }
    }
}

/// Bytes that a service read from a connection and queued for sending on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Bytes read.
    pub received: u64,
    /// Bytes queued.
    pub sent: u64,
}

/// What a [`Server`] does with each of its connections.
pub trait Serve {
    /// State that it keeps for each connection.
    type Memory: Copy + Default;

    /// Reads and sends as much as is possible now. `memory` is as the previous call for this connection left
    /// it.
    fn serve<C: CongestionController + Clone, P: Profile>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        memory: &mut Self::Memory,
    ) -> Progress;

    /// Whether part of an answer to the peer, which has finished sending, has not been queued yet.
    fn owes(&self, _memory: &Self::Memory) -> bool {
        false
    }
}

impl Serve for Service {
    /// Bytes queued on the connection so far, which tell where chargen's next line begins.
    type Memory = u64;

    fn serve<C: CongestionController + Clone, P: Profile>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        sent: &mut u64,
    ) -> Progress {
        let progress = match self {
            Service::Discard => services::discard(now, stack, handle),
            Service::Echo => services::echo(now, stack, handle),
            Service::Chargen => chargen::serve(now, stack, handle, *sent),
        };
        *sent = sent.wrapping_add(progress.sent);
        progress
    }
}

/// State that a [`Server`] keeps for one connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Served<M = u64> {
    handle: Option<Handle>,
    memory: M,
}

/// What a [`Server`] has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ServerStatistics {
    /// Connections accepted.
    pub accepted: u64,
    /// Connections that ended normally: both sides closed, and everything was acknowledged.
    pub completed: u64,
    /// Connections that ended with an error.
    pub failed: u64,
    /// Connections aborted as soon as they were accepted, because there was no room to keep their state.
    pub no_room: u64,
    /// Payload bytes read from connections.
    pub bytes_received: u64,
    /// Payload bytes queued on connections.
    pub bytes_sent: u64,
}

/// A discard, echo or chargen server for any number of connections, or one of another service
/// ([`Serve`]).
///
/// A classic service needs 24 bytes for each connection slot of the stack. All data stays in the connection's
/// own queues, so that the receive window holds back a peer that sends faster than it reads.
#[derive(Debug)]
pub struct Server<'m, S: Serve = Service> {
    service: S,
    config: ListenConfig,
    /// How many more connections it accepts.
    accepts: u64,
    listener: Option<Listener>,
    /// Indexed by the number of the connection's slot.
    served: Buffer<'m, Served<S::Memory>>,
    statistics: ServerStatistics,
    last: Option<Info>,
}

impl<'m, S: Serve> Server<'m, S> {
    /// A server that listens as `config` says once it is started. `served` is either lent memory, with as
    /// many elements as the stack has connection slots, or growing memory.
    pub fn new(service: S, config: ListenConfig, served: Buffer<'m, Served<S::Memory>>) -> Self {
        Server {
            service,
            config,
            accepts: u64::MAX,
            listener: None,
            served,
            statistics: ServerStatistics::default(),
            last: None,
        }
    }

    /// Makes the server accept one connection only, and be done when it has ended.
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Makes the server accept `connections` connections, and be done when all of them have ended.
    pub fn times(mut self, connections: u64) -> Self {
        self.accepts = connections;
        self
    }

    /// What it has done so far.
    pub const fn statistics(&self) -> &ServerStatistics {
        &self.statistics
    }

    /// The last state of the connection that ended most recently.
    pub const fn last_info(&self) -> Option<&Info> {
        self.last.as_ref()
    }

    /// All current connections.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.served.iter().filter_map(|served| served.handle)
    }

    /// Aborts all current connections: their peers get a RST.
    pub fn abort<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
    ) {
        for served in self.served.iter_mut() {
            if let Some(handle) = core::mem::take(served).handle {
                let _ = stack.abort(now, handle);
            }
        }
    }

    fn accept<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        listener: Listener,
    ) {
        while let Some(handle) = stack.accept(listener) {
            if !self.remember(handle) {
                self.statistics.no_room += 1;
                let _ = stack.abort(now, handle);
                continue;
            }
            self.statistics.accepted += 1;
            self.accepts -= 1;
            let is_last = self.accepts == 0;
            if is_last {
                self.listener = None;
                stack.close_listener(now, listener);
            }
            // Data or a FIN may have arrived before the connection was accepted.
            if let Some(readiness) = stack.readiness(handle) {
                self.serve(now, stack, handle, readiness);
            }
            if is_last {
                return;
            }
        }
    }

    fn remember(&mut self, handle: Handle) -> bool {
        let slot = handle.slot as usize;
        self.served.grow(slot.saturating_add(1), Served::default());
        match self.served.get_mut(slot) {
            Some(served) => {
                *served = Served { handle: Some(handle), memory: S::Memory::default() };
                true
            }
            None => false,
        }
    }

    fn serve<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        readiness: Readiness,
    ) {
        let known = self.served.get_mut(handle.slot as usize);
        let Some(served) = known.filter(|served| served.handle == Some(handle)) else {
            return;
        };
        let progress = self.service.serve(now, stack, handle, &mut served.memory);
        self.statistics.bytes_received += progress.received;
        self.statistics.bytes_sent += progress.sent;

        let mut readiness = stack.readiness(handle).unwrap_or(readiness);
        let said_all = !self.service.owes(&served.memory);
        if readiness.finished && said_all && !readiness.closed {
            // The peer has finished sending and has been answered, so that this side closes too; what is
            // queued is still delivered.
            let _ = stack.shutdown(now, handle);
            readiness = stack.readiness(handle).unwrap_or(readiness);
        }
        if readiness.closed || (readiness.finished && said_all && readiness.flushed) {
            *served = Served::default();
            self.finish(now, stack, handle);
        }
    }

    // Not inlined, because `Info` is large and would take room on the call stack of connections that go on.
    #[inline(never)]
    fn finish<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
    ) {
        self.last = stack.info(now, handle);
        let failed = self.last.is_some_and(|info| info.error.is_some());
        if failed {
            self.statistics.failed += 1;
        } else {
            self.statistics.completed += 1;
        }
        let _ = stack.close(now, handle);
    }
}

impl<'a, C: CongestionController + Clone, P: Profile, S: Serve> Application<'a, C, P>
    for Server<'_, S>
{
    fn start(&mut self, _now: Instant, stack: &mut Stack<'a, C, P>) -> Result<(), StartError> {
        let listener = stack.listen(self.config).map_err(StartError::Listen)?;
        self.listener = Some(listener);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C, P>, event: &Event) {
        match *event {
            Event::Acceptable(listener) if self.listener == Some(listener) => {
                self.accept(now, stack, listener);
            }
            Event::Connection { handle, readiness } => self.serve(now, stack, handle, readiness),
            Event::Acceptable(_) => {}
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        match *event {
            Event::Acceptable(listener) => self.listener == Some(listener),
            Event::Connection { handle, .. } => {
                let served = self.served.get(handle.slot as usize);
                served.is_some_and(|served| served.handle == Some(handle))
            }
        }
    }

    fn is_done(&self) -> bool {
        let ended = self.statistics.completed + self.statistics.failed;
        self.accepts == 0 && ended >= self.statistics.accepted
    }
}
