//! The part that all clients share: opening the connection, noticing that it is established, and closing it.

use super::StartError;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Event, Handle, Stack};
use crate::tcp::{Config, Info};
use crate::time::Instant;
use core::net::SocketAddr;

/// The connection of a client.
#[derive(Debug)]
pub(super) struct Client {
    handle: Option<Handle>,
    started: Option<Instant>,
    established: Option<Instant>,
    ended: Option<Instant>,
    last: Option<Info>,
}

impl Client {
    pub(super) const fn new() -> Self {
        Client { handle: None, started: None, established: None, ended: None, last: None }
    }

    pub(super) fn open<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        ends: (SocketAddr, Option<SocketAddr>),
        connection: &Config,
    ) -> Result<(), StartError> {
        let (remote, local) = ends;
        let handle = stack.connect(now, remote, local, connection).map_err(StartError::Connect)?;
        self.handle = Some(handle);
        self.started = Some(now);
        Ok(())
    }

    pub(super) const fn handle(&self) -> Option<Handle> {
        self.handle
    }

    pub(super) const fn started(&self) -> Option<Instant> {
        self.started
    }

    pub(super) const fn established(&self) -> Option<Instant> {
        self.established
    }

    pub(super) const fn ended(&self) -> Option<Instant> {
        self.ended
    }

    pub(super) const fn last_info(&self) -> Option<&Info> {
        self.last.as_ref()
    }

    /// The connection, if the event is about it.
    pub(super) fn concerned(&self, event: &Event) -> Option<Handle> {
        match *event {
            Event::Connection { handle, .. } if self.handle == Some(handle) => Some(handle),
            _ => None,
        }
    }

    /// Whether the handshake is finished and the connection is not over.
    pub(super) fn is_established<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &Stack<'_, C, P>,
        handle: Handle,
    ) -> bool {
        let established = stack.readiness(handle).is_some_and(|readiness| readiness.established);
        if established {
            self.established.get_or_insert(now);
        }
        established
    }

    /// Closes the connection if it is over, or if both sides have finished sending (`finished_sending` tells
    /// it of ours) and everything is acknowledged; then returns the connection's last state.
    pub(super) fn close_if_over<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        finished_sending: bool,
    ) -> Option<Info> {
        let readiness = stack.readiness(handle)?;
        let complete = finished_sending && readiness.finished && readiness.flushed;
        if !readiness.closed && !complete {
            return None;
        }
        self.last = stack.info(now, handle);
        let _ = stack.close(now, handle);
        self.end(now);
        self.last
    }

    /// Aborts the connection if there is one; returns whether there was.
    pub(super) fn abort<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
    ) -> bool {
        let Some(handle) = self.handle else {
            return false;
        };
        self.last = stack.info(now, handle);
        let _ = stack.abort(now, handle);
        self.end(now);
        true
    }

    fn end(&mut self, now: Instant) {
        self.handle = None;
        self.ended = Some(now);
    }
}
