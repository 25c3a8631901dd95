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
    /// Throws away what it receives (RFC 863).
    Discard,
    /// Sends back what it receives (RFC 862).
    Echo,
    /// Sends lines of rotating characters until the peer closes (RFC 864).
    Chargen,
}

impl Service {
    /// Name as it stands in `/etc/services`.
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

/// Bytes that a service took from a connection and gave to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Bytes taken.
    pub received: u64,
    /// Bytes given.
    pub sent: u64,
}

/// What a [`Server`] does with each of its connections.
pub trait Serve {
    /// What it must remember of a connection.
    type Memory: Copy + Default;

    /// Does what can be done now. `memory` is as the last call for this connection left it.
    fn serve<C: CongestionController + Clone, P: Profile>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        memory: &mut Self::Memory,
    ) -> Progress;

    /// Whether the peer, who has said all, is still owed an answer that had no room yet.
    fn owes(&self, _memory: &Self::Memory) -> bool {
        false
    }
}

impl Serve for Service {
    /// Bytes given to the connection so far: where chargen's next line begins.
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

/// What a [`Server`] remembers of one connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Served<M = u64> {
    handle: Option<Handle>,
    memory: M,
}

/// What a [`Server`] has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ServerStatistics {
    /// Connections accepted.
    pub accepted: u64,
    /// Connections that ended as they should: both sides closed, everything acknowledged.
    pub completed: u64,
    /// Connections that ended with an error.
    pub failed: u64,
    /// Connections aborted at once, because there was no room to remember them.
    pub no_room: u64,
    /// Payload bytes taken from connections.
    pub bytes_received: u64,
    /// Payload bytes given to connections.
    pub bytes_sent: u64,
}

/// A discard, echo or chargen server for any number of connections, or one of another service
/// ([`Serve`]).
///
/// A classic service needs 24 bytes for each connection slot of the stack; all data stays in the connection's own
/// queues, so that a slow peer is held back by its window.
#[derive(Debug)]
pub struct Server<'m, S: Serve = Service> {
    service: S,
    config: ListenConfig,
    /// How many connections it accepts yet.
    accepts: u64,
    listener: Option<Listener>,
    /// By the number of the connection's slot.
    served: Buffer<'m, Served<S::Memory>>,
    statistics: ServerStatistics,
    last: Option<Info>,
}

impl<'m, S: Serve> Server<'m, S> {
    /// A server that will listen as `config` says. `served` is lent, with as many elements as the
    /// stack has connection slots, or growing.
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

    /// Is done after its first connection ended, and accepts no second one.
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Accepts so many connections, and is done after they have ended.
    pub fn times(mut self, connections: u64) -> Self {
        self.accepts = connections;
        self
    }

    /// What it has done so far.
    pub const fn statistics(&self) -> &ServerStatistics {
        &self.statistics
    }

    /// The last state of the connection that ended last.
    pub const fn last_info(&self) -> Option<&Info> {
        self.last.as_ref()
    }

    /// The connections that are served now.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.served.iter().filter_map(|served| served.handle)
    }

    /// Aborts the connections that are served now: their peers get a RST.
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
            // Data, or the peer's end of it, may have come before the connection was accepted.
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
            // The peer has said all, and has been answered: the rest is only to be delivered.
            let _ = stack.shutdown(now, handle);
            readiness = stack.readiness(handle).unwrap_or(readiness);
        }
        if readiness.closed || (readiness.finished && said_all && readiness.flushed) {
            *served = Served::default();
            self.finish(now, stack, handle);
        }
    }

    // What there is to know of a connection is large, and is not to lie on the stack of those that go
    // on.
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
