//! A connection of a network.

use crate::error::SocketError;
use crate::net::Net;
use crate::network::waiting::{Direction, Key};
use crate::network::{Shared, State};
use ackclock::stack::{Handle, InvalidHandle, Stack};
use ackclock::tcp::{Error, FastOpenMode, Info, Nagle, ReceiveError, SendError};
use ackclock::time::{Duration, Instant};
use std::io::{self, IoSlice};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

/// A connection. It is closed when this is dropped: queued data are still delivered, but unread data reset
/// it.
#[derive(Debug)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    handle: Handle,
    /// Both ends, the local one first. They are known as long as the socket exists.
    ends: [SocketAddr; 2],
    /// Whether Nagle's algorithm is off.
    nodelay: AtomicBool,
    /// Whether it ends with a reset when it is dropped.
    resets: AtomicBool,
}

impl Connection {
    /// Begins to open a connection.
    pub(crate) fn open(
        net: &Net,
        remote: SocketAddr,
        local: Option<SocketAddr>,
    ) -> io::Result<Self> {
        Connection::begin(net, (remote, local), None).map(|(connection, _)| connection)
    }

    /// Begins to open a connection whose SYN may have data (RFC 7413). Returns also how many bytes of them the
    /// send queue has taken.
    pub(crate) fn open_with_data(
        net: &Net,
        remote: SocketAddr,
        data: &[u8],
    ) -> io::Result<(Self, usize)> {
        Connection::begin(net, (remote, None), Some(data))
    }

    /// Begins to open a connection, with data for its SYN if there are some.
    fn begin(
        net: &Net,
        (remote, local): (SocketAddr, Option<SocketAddr>),
        early: Option<&[u8]>,
    ) -> io::Result<(Self, usize)> {
        let shared = net.next_queue();
        let mut config = shared.connection;
        if early.is_some() && config.fast_open == FastOpenMode::Off {
            config.fast_open = FastOpenMode::On;
        }
        let (opened, taken) = shared.call(|now, state| {
            if let Some(ended) = &state.ended {
                return Err(SocketError::Network(ended.clone()));
            }
            let opened = state.stack.connect(now, remote, local, &config);
            let handle = opened.map_err(SocketError::Connect)?;
            let opened = state.opened(handle);
            // One that has just begun takes data.
            let taken = early.map_or(Ok(0), |data| state.stack.send(now, handle, data));
            Ok((opened, taken.unwrap_or(0)))
        })?;
        Ok((Connection::of(Arc::clone(shared), opened), taken))
    }

    /// A connection that the network has just [opened](State::opened).
    pub(crate) fn of(shared: Arc<Shared>, opened: Opened) -> Self {
        let Opened { handle, ends } = opened;
        let nodelay = AtomicBool::new(shared.connection.nagle == Nagle::Off);
        Connection { shared, handle, ends, nodelay, resets: AtomicBool::new(false) }
    }

    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.ends[0]
    }

    pub(crate) fn peer_addr(&self) -> SocketAddr {
        self.ends[1]
    }

    /// Waits until the handshake is finished.
    pub(crate) fn poll_established(&self, waker: &Waker) -> Poll<io::Result<()>> {
        self.poll(Direction::Write, waker, |now, state| {
            let readiness = state.stack.readiness(self.handle)?;
            if readiness.established {
                return Some(Ok(()));
            }
            readiness.closed.then(|| {
                let error = state.tell_error(now, self.handle);
                error.map_or(Ok(()), |error| Err(SocketError::Closed(error)))
            })
        })
    }

    /// Reads the data that have arrived into these buffers, in order.
    pub(crate) fn poll_read(
        &self,
        waker: &Waker,
        to: &mut [impl std::ops::DerefMut<Target = [u8]>],
    ) -> Poll<io::Result<usize>> {
        if to.iter().all(|buffer| buffer.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        self.poll_readable(waker, |now, stack| {
            let mut total = 0;
            for buffer in to {
                match stack.receive(now, self.handle, buffer) {
                    Ok(n) => total += n,
                    Err(_) if total > 0 => break,
                    Err(error) => return Err(error),
                }
                // A buffer that is not full means that there are no more data.
                if stack.received(self.handle).is_err() {
                    break;
                }
            }
            Ok(total)
        })
    }

    /// Reads the data that have arrived and keeps them in the queue.
    pub(crate) fn poll_peek(&self, waker: &Waker, to: &mut [u8]) -> Poll<io::Result<usize>> {
        if to.is_empty() {
            return Poll::Ready(Ok(0));
        }
        self.poll_readable(waker, |_, stack| {
            let mut total = 0;
            for slice in stack.received(self.handle)? {
                let (to, rest) = (&mut to[total..], slice);
                let n = to.len().min(rest.len());
                to[..n].copy_from_slice(&rest[..n]);
                total += n;
            }
            Ok(total)
        })
    }

    /// Waits until a read would not wait.
    pub(crate) fn poll_read_ready(&self, waker: &Waker) -> Poll<io::Result<()>> {
        self.poll(Direction::Read, waker, |_, state| {
            let open = state.waiting.get(self.key())?;
            let readiness = state.stack.readiness(self.handle)?;
            (readiness.readable || open.read_is_shut).then_some(Ok(()))
        })
    }

    /// Waits until a write would not wait.
    pub(crate) fn poll_write_ready(&self, waker: &Waker) -> Poll<io::Result<()>> {
        self.poll(Direction::Write, waker, |_, state| {
            let readiness = state.stack.readiness(self.handle)?;
            let is_finished = || state.stack.send_room(self.handle) == 0 && readiness.flushed;
            (readiness.writable || is_finished()).then_some(Ok(()))
        })
    }

    /// Queues what fits of these slices.
    pub(crate) fn poll_write(
        &self,
        waker: &Waker,
        from: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll(Direction::Write, waker, |now, state| {
            let mut total = 0;
            for slice in from.iter().filter(|slice| !slice.is_empty()) {
                match state.stack.send(now, self.handle, slice) {
                    Ok(n) => {
                        total += n;
                        if n < slice.len() {
                            break;
                        }
                    }
                    Err(_) if total > 0 => break,
                    Err(SendError::Closed(_)) => {
                        // A write to a peer that had already sent its FIN reports that the peer does not read.
                        let was_finished =
                            state.stack.readiness(self.handle).is_some_and(|it| it.finished);
                        let error = state.tell_error(now, self.handle).filter(|_| !was_finished);
                        return Some(Err(error.map_or(SocketError::Finished, SocketError::Closed)));
                    }
                    Err(_) => return Some(Err(SocketError::Finished)),
                }
            }
            let is_empty = from.iter().all(|slice| slice.is_empty());
            (total > 0 || is_empty).then_some(Ok(total))
        })
    }

    /// Waits until the connection has ended.
    pub(crate) fn poll_closed(&self, waker: &Waker) -> Poll<io::Result<()>> {
        self.poll(Direction::Write, waker, |now, state| {
            let is_closed = state.stack.readiness(self.handle)?.closed;
            is_closed.then(|| {
                let error = state.tell_error(now, self.handle);
                error.map_or(Ok(()), |error| Err(SocketError::Closed(error)))
            })
        })
    }

    /// Waits until everything that was queued is acknowledged, FIN included, or the connection has ended.
    pub(crate) fn poll_flushed(&self, waker: &Waker) -> Poll<io::Result<()>> {
        self.poll(Direction::Write, waker, |_, state| {
            let readiness = state.stack.readiness(self.handle)?;
            (readiness.flushed || readiness.closed).then_some(Ok(()))
        })
    }

    /// Ends one direction, or both.
    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let mut woken = Vec::new();
        let done = self.call(|now, state| {
            let is_over = state.stack.readiness(self.handle).is_none_or(|it| it.closed);
            if is_over {
                return Err(SocketError::NotConnected);
            }
            if how != Shutdown::Read {
                let shut = state.stack.shutdown(now, self.handle);
                shut.map_err(|InvalidHandle| SocketError::NotConnected)?;
            }
            if how != Shutdown::Write
                && let Some(open) = state.waiting.get_mut(self.key())
            {
                open.read_is_shut = true;
                open.take(Direction::Read, &mut woken);
            }
            Ok(())
        });
        woken.into_iter().for_each(Waker::wake);
        done
    }

    /// Switches Nagle's algorithm off or on.
    pub(crate) fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.call(|now, state| {
            let nagle = match (nodelay, self.shared.connection.nagle) {
                (true, _) => Nagle::Off,
                (false, Nagle::Off) => Nagle::default(),
                (false, chosen) => chosen,
            };
            let set = state.stack.set_nagle(now, self.handle, nagle);
            set.map_err(|InvalidHandle| SocketError::NotConnected)
        })?;
        self.nodelay.store(nodelay, Ordering::Relaxed);
        Ok(())
    }

    /// Sets how long the connection may be idle; `None`: for ever.
    pub(crate) fn set_idle_time(&self, most: Option<Duration>) -> io::Result<()> {
        if most.is_some_and(|most| most.is_zero()) {
            return Err(SocketError::ZeroTimeout.into());
        }
        self.call(|now, state| state.set_idle_time(now, self.handle, most))
    }

    pub(crate) fn nodelay(&self) -> bool {
        self.nodelay.load(Ordering::Relaxed)
    }

    /// Whether the connection ends with a reset when it is dropped.
    pub(crate) fn set_reset_on_drop(&self, resets: bool) {
        self.resets.store(resets, Ordering::Relaxed);
    }

    /// A snapshot of the connection.
    pub(crate) fn info(&self) -> io::Result<Info> {
        self.call(|now, state| state.stack.info(now, self.handle).ok_or(SocketError::NotConnected))
    }

    /// The error that ended the connection, if it has not been reported yet.
    pub(crate) fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.call(|now, state| {
            let is_over = state.stack.readiness(self.handle).is_some_and(|it| it.closed);
            let error = if is_over { state.tell_error(now, self.handle) } else { None };
            Ok(error.map(|error| SocketError::Closed(error).into()))
        })
    }

    /// Calls the closure with the connection, unless the network has ended.
    pub(crate) fn call<R>(
        &self,
        call: impl FnOnce(Instant, &mut State) -> Result<R, SocketError>,
    ) -> io::Result<R> {
        let answer = self.shared.call(|now, state| match &state.ended {
            Some(ended) => Err(SocketError::Network(ended.clone())),
            None => call(now, state),
        });
        Ok(answer?)
    }

    fn key(&self) -> Key {
        Key::Connection(self.handle)
    }

    fn poll_readable(
        &self,
        waker: &Waker,
        read: impl FnOnce(Instant, &mut Stack<'static>) -> Result<usize, ReceiveError>,
    ) -> Poll<io::Result<usize>> {
        self.poll(Direction::Read, waker, |now, state| match read(now, &mut state.stack) {
            Ok(n) => Some(Ok(n)),
            Err(ReceiveError::WouldBlock) => {
                let open = state.waiting.get(self.key());
                open.is_some_and(|open| open.read_is_shut).then_some(Ok(0))
            }
            Err(ReceiveError::Finished) => Some(Ok(0)),
            Err(ReceiveError::Closed(_)) => {
                let error = state.tell_error(now, self.handle);
                Some(error.map_or(Ok(0), |error| Err(SocketError::Closed(error))))
            }
            Err(_) => Some(Err(SocketError::NotConnected)),
        })
    }

    fn poll<R>(
        &self,
        direction: Direction,
        waker: &Waker,
        ask: impl FnOnce(Instant, &mut State) -> Option<Result<R, SocketError>>,
    ) -> Poll<io::Result<R>> {
        self.shared.poll(self.key(), direction, waker, ask)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        drop(self.shared.call(|now, state| {
            // A network that has ended has forgotten it.
            let _ = if self.resets.load(Ordering::Relaxed) {
                state.stack.abort(now, self.handle)
            } else {
                state.stack.close(now, self.handle)
            };
            state.waiting.close(self.key())
        }));
    }
}

/// A connection that no socket has yet.
#[derive(Debug)]
pub(crate) struct Opened {
    handle: Handle,
    /// Ours first.
    ends: [SocketAddr; 2],
}

impl State {
    /// Takes note of a connection that an application has from now on.
    pub(crate) fn opened(&mut self, handle: Handle) -> Opened {
        self.waiting.open(Key::Connection(handle));
        let ends = [self.stack.local_addr(handle), self.stack.remote_addr(handle)];
        // A connection that was just opened or accepted has both.
        let ends = ends.map(|end| end.unwrap_or_else(|| ([0; 4], 0).into()));
        Opened { handle, ends }
    }

    /// The error that ended a connection; returned only by the first call.
    fn tell_error(&mut self, now: Instant, handle: Handle) -> Option<Error> {
        let open = self.waiting.get_mut(Key::Connection(handle))?;
        if std::mem::replace(&mut open.error_is_told, true) {
            return None;
        }
        self.stack.info(now, handle)?.error
    }
}
