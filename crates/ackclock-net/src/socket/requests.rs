//! A listener at every address and port, whose requests the program answers.

use super::connection::Connection;
use crate::error::SocketError;
use crate::net::Net;
use crate::network::waiting::{Accepting, Direction, Ends, Key};
use crate::network::{Shared, State};
use ackclock::stack::{Answer, InvalidHandle, ListenConfig, Listener, Request};
use ackclock::time::Instant;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::task::{Poll, Waker};

/// Listeners at every address and port, on each queue of the network.
#[derive(Debug)]
pub(crate) struct Requests(Vec<Part>);

impl Requests {
    /// Listens at every address and port, also those of other hosts; `most` limits the requests of each family that
    /// wait on each queue for their answer or the handshake that follows.
    pub(crate) fn listen(net: &Net, most: usize) -> io::Result<Self> {
        let parts = net.queues().iter().map(|shared| Part::listen(shared, most));
        parts.collect::<io::Result<_>>().map(Requests)
    }

    /// Takes the next request.
    pub(crate) fn poll_request(&self, waker: &Waker) -> Poll<io::Result<Asked>> {
        let mut requests = self.0.iter().map(|part| part.poll_request(waker));
        requests.find(Poll::is_ready).unwrap_or(Poll::Pending)
    }
}

/// Two listeners on one queue, one of each family. When this is dropped, their requests end.
#[derive(Debug)]
struct Part {
    shared: Arc<Shared>,
    listeners: [Listener; 2],
}

impl Part {
    fn listen(shared: &Arc<Shared>, most: usize) -> io::Result<Self> {
        let listeners = shared.call(|now, state| {
            if let Some(ended) = &state.ended {
                return Err(SocketError::Network(ended.clone()));
            }
            let mut listen = |address| {
                let mut config = ListenConfig::new(SocketAddr::new(address, 0));
                (config.half_open, config.backlog) = (most, most);
                (config.any_destination, config.requests) = (true, true);
                config.connection = shared.connection;
                state.stack.listen(config).map_err(SocketError::Listen)
            };
            let first = listen(Ipv4Addr::UNSPECIFIED.into())?;
            let second = listen(Ipv6Addr::UNSPECIFIED.into());
            if second.is_err() {
                state.stack.close_listener(now, first);
            }
            let listeners = [first, second?];
            for listener in listeners {
                state.waiting.open_for_requests(listener);
            }
            Ok(listeners)
        })?;
        Ok(Part { shared: Arc::clone(shared), listeners })
    }

    fn poll_request(&self, waker: &Waker) -> Poll<io::Result<Asked>> {
        let [key, other] = self.listeners.map(Key::Listener);
        let asked = self.shared.poll(key, Direction::Read, waker, |_, state| {
            let next = |listener| Some((listener, state.stack.next_request(listener)?));
            let next = self.listeners.into_iter().find_map(next);
            if next.is_none()
                && let Some(open) = state.waiting.get_mut(other)
            {
                open.register(Direction::Read, waker);
            }
            next.map(Ok)
        });
        asked.map_ok(|(listener, request)| Asked {
            shared: Arc::clone(&self.shared),
            listener,
            request,
            stage: Stage::Asked,
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut closed = Vec::new();
        let mut woken = Vec::new();
        self.shared.call(|now, state| {
            for listener in self.listeners {
                state.stack.close_listener(now, listener);
                closed.extend(state.waiting.close(Key::Listener(listener)));
            }
            let accepting = state.waiting.accepting().values_mut();
            let of_this = accepting.filter(|it| self.listeners.contains(&it.listener));
            woken.extend(of_this.filter_map(|accepting| accepting.waker.take()));
        });
        woken.into_iter().for_each(Waker::wake);
    }
}

/// A peer's SYN. If this is dropped without an answer, the SYN counts as lost.
#[derive(Debug)]
pub(crate) struct Asked {
    shared: Arc<Shared>,
    listener: Listener,
    request: Request,
    stage: Stage,
}

/// State of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// It has no answer yet.
    Asked,
    /// It was accepted.
    Accepting,
    /// Nothing is to be done for it any more.
    Done,
}

impl Asked {
    /// Both ends, ours first.
    pub(crate) fn ends(&self) -> Ends {
        [self.request.local, self.request.remote]
    }

    /// Sends a RST.
    pub(crate) fn refuse(&mut self) -> io::Result<()> {
        self.stage = Stage::Done;
        self.answer(Answer::Refuse, |_, _| ())
    }

    /// Sends the SYN-ACK, and waits until the handshake is finished.
    pub(crate) fn poll_accept(&mut self, waker: &Waker) -> Poll<io::Result<Connection>> {
        if self.stage == Stage::Asked {
            self.stage = Stage::Accepting;
            let (listener, request, ends) = (self.listener, self.request, self.ends());
            let accepted = self.answer(Answer::Accept, |_, state| {
                let accepting = Accepting { request, listener, connection: None, waker: None };
                state.waiting.accepting().insert(ends, accepting);
            });
            if let Err(error) = accepted {
                self.stage = Stage::Done;
                return Poll::Ready(Err(error));
            }
        }
        let finished = self.shared.call(|_, state| {
            if let Some(ended) = &state.ended {
                return Some(Err(SocketError::Network(ended.clone())));
            }
            let State { stack, waiting, .. } = state;
            let Some(accepting) = waiting.accepting().get_mut(&self.ends()) else {
                return Some(Err(SocketError::RequestGone));
            };
            if let Some(handle) = accepting.connection {
                return Some(Ok(state.opened(handle)));
            }
            if !stack.is_pending(&self.request) {
                return Some(Err(SocketError::RequestGone));
            }
            accepting.waker = Some(waker.clone());
            None
        });
        let Some(finished) = finished else {
            return Poll::Pending;
        };
        let opened = finished.map(|opened| Connection::of(Arc::clone(&self.shared), opened));
        self.shared.call(|_, state| {
            state.waiting.accepting().remove(&self.ends());
        });
        self.stage = Stage::Done;
        Poll::Ready(opened.map_err(io::Error::from))
    }

    fn answer(&self, answer: Answer, then: impl FnOnce(Instant, &mut State)) -> io::Result<()> {
        let answered = self.shared.call(|now, state| {
            if let Some(ended) = &state.ended {
                return Err(SocketError::Network(ended.clone()));
            }
            let answered = state.stack.answer(now, &self.request, answer);
            answered.map_err(|InvalidHandle| SocketError::RequestGone)?;
            then(now, state);
            Ok(())
        });
        Ok(answered?)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        match self.stage {
            // One that is gone needs no answer.
            Stage::Asked => drop(self.answer(Answer::Ignore, |_, _| ())),
            Stage::Accepting => {
                let accepting = self.shared.call(|now, state| {
                    let accepting = state.waiting.accepting().remove(&self.ends())?;
                    if let Some(handle) = accepting.connection {
                        // After the end of the network there is no connection.
                        let _ = state.stack.abort(now, handle);
                    }
                    Some(accepting)
                });
                drop(accepting);
            }
            Stage::Done => {}
        }
    }
}
