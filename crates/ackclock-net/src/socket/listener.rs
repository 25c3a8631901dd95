//! A listener of a network.

use super::connection::Connection;
use crate::error::SocketError;
use crate::net::Net;
use crate::network::waiting::{Direction, Key};
use crate::network::{Shared, State};
use ackclock::stack::{ListenConfig, ListenError, Listener};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Poll, Waker};

/// The dynamic ports (RFC 6335 section 6), of which a listener gets one that names none.
const DYNAMIC: std::ops::RangeInclusive<u16> = 49_152..=65_535;

/// A listener, on each queue of the network. When it is dropped, connections that were not accepted are reset.
#[derive(Debug)]
pub(crate) struct Listening {
    local: SocketAddr,
    parts: Vec<Part>,
}

/// A listener on one queue.
#[derive(Debug)]
struct Part {
    shared: Arc<Shared>,
    listener: Listener,
}

impl Listening {
    /// Listens at this address; port 0 means a dynamic port that is free.
    pub(crate) fn bind(net: &Net, mut local: SocketAddr, backlog: usize) -> io::Result<Self> {
        let mut parts = Vec::with_capacity(net.queues().len());
        for shared in net.queues() {
            // The first queue finds the port that all have.
            let part;
            (part, local) = Part::bind(shared, local, backlog)?;
            parts.push(part);
        }
        Ok(Listening { local, parts })
    }

    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Takes the connection that has waited longest on a queue.
    pub(crate) fn poll_accept(&self, waker: &Waker) -> Poll<io::Result<Connection>> {
        let mut accepted = self.parts.iter().map(|part| part.poll_accept(waker));
        accepted.find(Poll::is_ready).unwrap_or(Poll::Pending)
    }
}

impl Part {
    fn bind(
        shared: &Arc<Shared>,
        local: SocketAddr,
        backlog: usize,
    ) -> io::Result<(Self, SocketAddr)> {
        let mut config = ListenConfig::new(local);
        config.backlog = backlog;
        config.connection = shared.connection;
        config.set_fast_open(shared.connection.fast_open);
        let (listener, local) = shared.call(|_, state| {
            if let Some(ended) = &state.ended {
                return Err(SocketError::Network(ended.clone()));
            }
            let listening = if local.port() == 0 {
                listen_anywhere(state, config)
            } else {
                let listener = state.stack.listen(config).map_err(SocketError::Listen);
                listener.map(|listener| (listener, local))
            }?;
            state.waiting.open(Key::Listener(listening.0));
            Ok(listening)
        })?;
        Ok((Part { shared: Arc::clone(shared), listener }, local))
    }

    fn poll_accept(&self, waker: &Waker) -> Poll<io::Result<Connection>> {
        let key = Key::Listener(self.listener);
        let accepted = self.shared.poll(key, Direction::Read, waker, |_, state| {
            let handle = state.stack.accept(self.listener)?;
            Some(Ok(state.opened(handle)))
        });
        accepted.map_ok(|opened| Connection::of(Arc::clone(&self.shared), opened))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        drop(self.shared.call(|now, state| {
            state.stack.close_listener(now, self.listener);
            state.waiting.close(Key::Listener(self.listener))
        }));
    }
}

/// Listens at the next dynamic port that has no listener.
fn listen_anywhere(
    state: &mut State,
    config: ListenConfig,
) -> Result<(Listener, SocketAddr), SocketError> {
    for _ in DYNAMIC {
        let port = state.next_port.max(*DYNAMIC.start());
        state.next_port = port.checked_add(1).unwrap_or(*DYNAMIC.start());
        let mut config = config;
        config.local.set_port(port);
        match state.stack.listen(config) {
            Ok(listener) => return Ok((listener, config.local)),
            Err(ListenError::AddressInUse) => {}
            Err(error) => return Err(SocketError::Listen(error)),
        }
    }
    Err(SocketError::NoPort)
}
