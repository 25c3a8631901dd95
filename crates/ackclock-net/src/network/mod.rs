//! A network: a stack that sockets share with the driver that carries its packets.

mod idle;
pub(crate) mod turns;
pub(crate) mod waiting;

use crate::ended::Ended;
use crate::error::SocketError;
use ackclock::stack::Stack;
use ackclock::tcp::Config;
use ackclock::time::Instant;
use std::fmt;
use std::io;
use std::task::{Poll, Waker};
use turns::{Turn, Turns};
use waiting::{Direction, Key, Waiting};

/// The clock of a network.
pub(crate) type Clock = Box<dyn Fn() -> Instant + Send + Sync>;

/// What sockets and driver share.
pub(crate) struct Shared {
    state: Turns<State>,
    clock: Clock,
    /// Settings of new connections.
    pub(crate) connection: Config,
    /// Whether time is virtual and advances only while no task runs, so that no thread may block on it.
    pub(crate) is_virtual: bool,
}

/// State behind the lock.
pub(crate) struct State {
    pub(crate) stack: Stack<'static>,
    pub(crate) waiting: Waiting,
    /// Why the network has ended; `None` while it has not.
    pub(crate) ended: Option<Ended>,
    driver: Driven,
    /// The port that is tried next for a listener on port 0.
    pub(crate) next_port: u16,
}

/// How the driver is woken.
#[derive(Default)]
struct Driven {
    waker: Option<Waker>,
    /// It was woken, and has not begun a round since.
    is_called: bool,
    /// It may sleep for longer than it is to.
    is_late: bool,
}

impl Shared {
    pub(crate) fn new(
        stack: Stack<'static>,
        clock: Clock,
        connection: Config,
        is_virtual: bool,
    ) -> Self {
        let state = State {
            stack,
            waiting: Waiting::default(),
            ended: None,
            driver: Driven::default(),
            next_port: 0,
        };
        Shared { state: Turns::new(state), clock, connection, is_virtual }
    }

    /// The network's time.
    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    /// The state, for the driver.
    pub(crate) fn lock(&self) -> Turn<'_, State> {
        self.state.lock()
    }

    /// Does something with the stack. The driver is woken if that gave it something to send, once until
    /// it begins its next round, and without the lock.
    pub(crate) fn call<R>(&self, call: impl FnOnce(Instant, &mut State) -> R) -> R {
        let now = self.now();
        let mut state = self.lock();
        let answer = call(now, &mut state);
        let is_wanted = state.stack.wants_transmit() || state.driver.is_late;
        let driver = if is_wanted { state.driver.call() } else { None };
        drop(state);
        driver.into_iter().for_each(Waker::wake);
        answer
    }

    /// Asks the stack about a socket; where it has no answer yet, `waker` is woken when there is news.
    pub(crate) fn poll<R>(
        &self,
        key: Key,
        direction: Direction,
        waker: &Waker,
        ask: impl FnOnce(Instant, &mut State) -> Option<Result<R, SocketError>>,
    ) -> Poll<io::Result<R>> {
        let answer = self.call(|now, state| {
            if let Some(ended) = &state.ended {
                return Some(Err(SocketError::Network(ended.clone())));
            }
            let answer = ask(now, state);
            if answer.is_none() {
                match state.waiting.get_mut(key) {
                    Some(open) => open.register(direction, waker),
                    None => return Some(Err(SocketError::NotConnected)),
                }
            }
            answer
        });
        answer.map_or(Poll::Pending, |answer| Poll::Ready(answer.map_err(io::Error::from)))
    }

    /// Ends the network: its connections are reset, and all waiting tasks and threads are woken. Only the
    /// first reason counts.
    pub(crate) fn end(&self, why: Ended) {
        let now = self.now();
        let mut woken = Vec::new();
        let mut state = self.lock();
        if state.ended.is_none() {
            state.ended = Some(why);
            state.abandon(now, &mut woken);
            woken.extend(state.driver.call());
        }
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}

impl State {
    /// The driver begins a round: calls on sockets from now on wake it again.
    pub(crate) fn begin_round(&mut self, driver: &Waker) {
        if !self.driver.waker.as_ref().is_some_and(|known| known.will_wake(driver)) {
            self.driver.waker = Some(driver.clone());
        }
        (self.driver.is_called, self.driver.is_late) = (false, false);
    }

    /// The stack, and the waiting sockets.
    #[cfg(target_os = "linux")]
    pub(crate) fn parts(&mut self) -> (&mut Stack<'static>, &mut Waiting) {
        (&mut self.stack, &mut self.waiting)
    }

    /// Takes the wakers of sockets that the stack's events concern.
    pub(crate) fn take_woken(&mut self, now: Instant, woken: &mut Vec<Waker>) {
        while let Some(event) = self.stack.poll_event() {
            self.waiting.take(now, &mut self.stack, &event, woken);
        }
    }

    /// Resets all connections and ends all listeners.
    fn abandon(&mut self, now: Instant, woken: &mut Vec<Waker>) {
        self.waiting.take_all(woken);
        for key in self.waiting.keys() {
            match key {
                // An error means that the connection has ended already.
                Key::Connection(handle) => drop(self.stack.abort(now, handle)),
                Key::Listener(listener) => self.stack.close_listener(now, listener),
            }
        }
    }
}

impl Driven {
    fn call(&mut self) -> Option<Waker> {
        if std::mem::replace(&mut self.is_called, true) { None } else { self.waker.clone() }
    }
}
