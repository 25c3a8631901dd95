//! The open sockets of a network, and the wakers of the tasks and threads that wait for them.

use super::idle::{IdleTime, Looks};
use ackclock::stack::{Event, Handle, Listener, Request, Stack};
use ackclock::time::Instant;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::task::Waker;

/// Identity of an open socket.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Key {
    /// A connection.
    Connection(Handle),
    /// A listener.
    Listener(Listener),
}

/// Event on a connection that a task waits for; a listener has only the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// Something to read, or a connection to accept.
    Read,
    /// Room to write, everything acknowledged, or the handshake finished.
    Write,
}

/// An open socket.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// The wakers, by direction.
    wakers: [Wakers; 2],
    /// Reading was shut down: a read without data returns the end of the stream.
    pub(crate) read_is_shut: bool,
    /// The error that ended the connection was reported. It is reported once, as by other sockets.
    pub(crate) error_is_told: bool,
    /// A listener whose requests the program answers.
    has_requests: bool,
    /// How long the connection may be idle; `None` for ever.
    pub(super) idle: Option<IdleTime>,
}

/// The wakers for one event: mostly a single one, which needs no allocation.
#[derive(Debug, Default)]
struct Wakers {
    first: Option<Waker>,
    others: Vec<Waker>,
}

/// The two ends of a connection, the local one first.
pub(crate) type Ends = [SocketAddr; 2];

/// A request that was accepted, before the handshake is finished.
#[derive(Debug)]
pub(crate) struct Accepting {
    pub(crate) request: Request,
    pub(crate) listener: Listener,
    /// The connection, when the handshake is finished.
    pub(crate) connection: Option<Handle>,
    pub(crate) waker: Option<Waker>,
}

impl Open {
    /// Adds a waker, unless the same task is waiting already.
    pub(crate) fn register(&mut self, direction: Direction, waker: &Waker) {
        let Wakers { first, others } = &mut self.wakers[direction as usize];
        match first {
            None => *first = Some(waker.clone()),
            Some(first) if first.will_wake(waker) => {}
            Some(_) if others.iter().any(|known| known.will_wake(waker)) => {}
            Some(_) => others.push(waker.clone()),
        }
    }

    /// Takes the wakers of this direction.
    pub(crate) fn take(&mut self, direction: Direction, woken: &mut Vec<Waker>) {
        let Wakers { first, others } = std::mem::take(&mut self.wakers[direction as usize]);
        woken.extend(first.into_iter().chain(others));
    }
}

/// The open sockets of a network. Their order is the same in every run, since in virtual time the order
/// in which tasks are woken must be.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    open: BTreeMap<Key, Open>,
    accepting: BTreeMap<Ends, Accepting>,
    /// Times at which connections may have been idle for too long.
    pub(super) looks: Looks,
}

impl Waiting {
    /// A new socket.
    pub(crate) fn open(&mut self, key: Key) {
        self.open.insert(key, Open::default());
    }

    /// A new listener whose requests the program answers.
    pub(crate) fn open_for_requests(&mut self, listener: Listener) {
        self.open.insert(Key::Listener(listener), Open { has_requests: true, ..Open::default() });
    }

    /// Accepted requests by their ends.
    pub(crate) fn accepting(&mut self) -> &mut BTreeMap<Ends, Accepting> {
        &mut self.accepting
    }

    /// Removes a closed socket. The caller drops the returned wakers without the lock, since dropping a waker
    /// may drop its task, and this the task's sockets.
    #[must_use]
    pub(crate) fn close(&mut self, key: Key) -> Option<Open> {
        let open = self.open.remove(&key)?;
        if let Key::Connection(handle) = key {
            self.looks.forget(handle, open.idle);
        }
        Some(open)
    }

    pub(crate) fn get(&self, key: Key) -> Option<&Open> {
        self.open.get(&key)
    }

    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut Open> {
        self.open.get_mut(&key)
    }

    pub(super) fn connection_mut(&mut self, handle: Handle) -> Option<&mut Open> {
        self.get_mut(Key::Connection(handle))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.open.keys().copied()
    }

    /// Takes the wakers that this event concerns.
    pub(crate) fn take(
        &mut self,
        now: Instant,
        stack: &mut Stack<'static>,
        event: &Event,
        woken: &mut Vec<Waker>,
    ) {
        match event {
            Event::Acceptable(listener) => {
                if let Some(open) = self.get_mut(Key::Listener(*listener)) {
                    open.take(Direction::Read, woken);
                    if open.has_requests {
                        self.finish_handshakes(now, stack, *listener, woken);
                    }
                }
            }
            Event::Connection { handle, readiness } => {
                if let Some(open) = self.get_mut(Key::Connection(*handle)) {
                    if readiness.readable || readiness.closed {
                        open.take(Direction::Read, woken);
                    }
                    open.take(Direction::Write, woken);
                }
            }
            _ => {}
        }
    }

    /// Gives the connections of a listener to the tasks that accepted the requests, and also takes the wakers of
    /// those whose handshakes have failed.
    fn finish_handshakes(
        &mut self,
        now: Instant,
        stack: &mut Stack<'static>,
        listener: Listener,
        woken: &mut Vec<Waker>,
    ) {
        while let Some(handle) = stack.accept(listener) {
            let ends = [stack.local_addr(handle), stack.remote_addr(handle)];
            let accepting = match ends {
                [Some(local), Some(remote)] => self.accepting.get_mut(&[local, remote]),
                _ => None,
            };
            match accepting {
                Some(accepting) => accepting.connection = Some(handle),
                // No task waits for it any more.
                None => drop(stack.abort(now, handle)),
            }
        }
        for accepting in self.accepting.values_mut() {
            if accepting.connection.is_some() || !stack.is_pending(&accepting.request) {
                woken.extend(accepting.waker.take());
            }
        }
    }

    /// Takes all wakers.
    pub(crate) fn take_all(&mut self, woken: &mut Vec<Waker>) {
        for open in self.open.values_mut() {
            open.take(Direction::Read, woken);
            open.take(Direction::Write, woken);
        }
        woken.extend(self.accepting.values_mut().filter_map(|accepting| accepting.waker.take()));
    }
}
