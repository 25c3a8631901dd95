//! A stack shared by the tasks of one async executor.

use super::error::IoError;
use super::stream::Stream;
use super::wakers::{Direction, Key, Wakers};
use crate::congestion::CongestionController;
use crate::link::{Interface, Link, Moved, exchange};
use crate::profile::{Full, Profile};
use crate::stack::{Event, Listener, Stack};
use crate::tcp::Config;
use crate::time::Instant;
use core::cell::{Cell, RefCell};
use core::future::{Future, poll_fn};
use core::net::SocketAddr;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

/// Most packets received, and most sent, before other tasks have their turn.
const BATCH: usize = 16;

/// A stack shared by the tasks of one executor, with wakers for `WAKERS` connections and listeners (more may
/// wait, at a cost). One task [runs](Self::run) it; others connect, accept, read and write.
///
/// It is not `Sync`: all tasks must be in one thread, as with embassy's executor.
///
/// ```
/// use ackclock::congestion::Reno;
/// use ackclock::io::{IoError, SharedStack};
/// use embedded_io_async::{Read, Write};
///
/// async fn ask(shared: &SharedStack<'_, Reno, 4>) -> Result<bool, IoError> {
///     let mut stream = shared.open(([192, 0, 2, 2], 7).into()).await?;
///     stream.write_all(b"Is anybody there?").await?;
///     stream.shutdown();
///     let mut answer = [0; 17];
///     Ok(stream.read(&mut answer).await? > 0)
/// }
/// ```
///
/// `examples/embassy.rs` is a whole program.
#[derive(Debug)]
pub struct SharedStack<'a, C, const WAKERS: usize, P: Profile = Full> {
    inner: RefCell<Inner<'a, C, WAKERS, P>>,
    clock: fn() -> Instant,
    /// Settings of new connections.
    config: Cell<Config>,
}

#[derive(Debug)]
struct Inner<'a, C, const WAKERS: usize, P: Profile = Full> {
    stack: Stack<'a, C, P>,
    wakers: Wakers<WAKERS>,
    /// The task that runs the stack.
    runner: Option<Waker>,
}

impl<C, const WAKERS: usize, P: Profile> Inner<'_, C, WAKERS, P> {
    fn wake_runner(&self) {
        self.runner.iter().for_each(Waker::wake_by_ref);
    }
}

impl<'a, C: CongestionController + Clone, const WAKERS: usize, P: Profile>
    SharedStack<'a, C, WAKERS, P>
{
    /// Shares this stack; `clock` returns the time, such as embassy-time's in microseconds.
    pub const fn new(stack: Stack<'a, C, P>, clock: fn() -> Instant, config: Config) -> Self {
        let inner = Inner { stack, wakers: Wakers::new(), runner: None };
        SharedStack { inner: RefCell::new(inner), clock, config: Cell::new(config) }
    }

    /// Changes the settings of connections opened from now on.
    pub fn set_config(&self, config: Config) {
        self.config.set(config);
    }

    /// Calls `call` with the stack, for example to add an address or to listen; `None` if called from within
    /// another such call. What the stack then has to send is sent.
    pub fn with<R>(&self, call: impl FnOnce(Instant, &mut Stack<'a, C, P>) -> R) -> Option<R> {
        let mut inner = self.inner.try_borrow_mut().ok()?;
        let answer = call((self.clock)(), &mut inner.stack);
        inner.wake_runner();
        Some(answer)
    }

    /// Carries packets between link and stack, handles timers and wakes tasks, forever. `interface` is an
    /// [`Ethernet`](crate::link::ethernet::Ethernet) or [`Direct`](crate::link::Direct); `sleep_until`
    /// returns a future that completes at the given time. A link that never wakes a task is polled when that
    /// future completes: let it complete earlier then, for example every millisecond. When the link gets its
    /// carrier back, our addresses are announced to neighbours.
    ///
    /// # Errors
    /// Returns only when the device fails.
    pub async fn run<L: Link, S: Future<Output = ()>>(
        &self,
        link: &mut L,
        interface: &mut impl Interface,
        mut sleep_until: impl FnMut(Instant) -> S,
    ) -> L::Error {
        let mut sleep = pin!(None);
        let mut armed = Instant::FAR_FUTURE;
        let mut was_up = true;
        poll_fn(|cx| {
            link.set_waker(cx.waker());
            let is_up = link.is_up();
            if is_up && !was_up {
                interface.announce();
            }
            was_up = is_up;
            let next = match self.round(cx, link, interface) {
                Ok(next) => next,
                Err(error) => return Poll::Ready(error),
            };
            if sleep.is_none() || next != armed {
                armed = next;
                sleep.set(Some(sleep_until(next)));
            }
            let is_done =
                sleep.as_mut().as_pin_mut().is_some_and(|sleep| sleep.poll(cx).is_ready());
            if is_done {
                sleep.set(None);
                cx.waker().wake_by_ref();
            }
            Poll::Pending
        })
        .await
    }

    /// Runs one round of the main loop; returns the next deadline.
    fn round<L: Link>(
        &self,
        cx: &Context<'_>,
        link: &mut L,
        interface: &mut impl Interface,
    ) -> Result<Instant, L::Error> {
        let now = (self.clock)();
        let Ok(mut inner) = self.inner.try_borrow_mut() else {
            cx.waker().wake_by_ref();
            return Ok(now);
        };
        let Inner { stack, wakers, runner } = &mut *inner;
        let Moved { received, sent } = exchange(now, BATCH, link, interface, stack)?;
        // Whatever tasks do in response wakes this task again.
        runner.replace(cx.waker().clone());
        if received == BATCH || sent == BATCH {
            cx.waker().wake_by_ref();
        }
        while let Some(event) = stack.poll_event() {
            match event {
                Event::Acceptable(listener) => {
                    wakers.wake(Key::Listener(listener), Direction::Read);
                }
                Event::Connection { handle, readiness } => {
                    let key = Key::Connection(handle);
                    if readiness.readable || readiness.closed {
                        wakers.wake(key, Direction::Read);
                    }
                    wakers.wake(key, Direction::Write);
                }
            }
        }
        Ok(stack.poll_at().min(interface.poll_at()))
    }

    /// How often a waiting task was woken in vain because others needed its place among `WAKERS`; modulo 2³².
    /// `None` from within a call of [`with`](Self::with).
    pub fn displaced_wakers(&self) -> Option<u32> {
        Some(self.inner.try_borrow().ok()?.wakers.displaced())
    }

    /// Opens a connection, and waits until it is established.
    ///
    /// # Errors
    /// Why the connection cannot be opened, or was not established.
    pub async fn open(&self, remote: SocketAddr) -> Result<Stream<'_, 'a, C, WAKERS, P>, IoError> {
        let config = self.config.get();
        let connect = |now, stack: &mut Stack<'a, C, P>| stack.connect(now, remote, None, &config);
        let handle = self.when(connect).await.map_err(IoError::Connect)?;
        // From here on the connection is closed if the caller drops the future.
        let stream = Stream { shared: self, handle };
        stream.established().await?;
        Ok(stream)
    }

    /// Waits for a connection to this listener. Several tasks may wait; each gets one.
    pub async fn accept(&self, listener: Listener) -> Stream<'_, 'a, C, WAKERS, P> {
        let handle = self
            .poll_stack(Key::Listener(listener), Direction::Read, |_, stack| stack.accept(listener))
            .await;
        Stream { shared: self, handle }
    }

    /// Calls `call` with the stack as soon as it is not in use.
    async fn when<R>(&self, mut call: impl FnMut(Instant, &mut Stack<'a, C, P>) -> R) -> R {
        poll_fn(|cx| match self.with(&mut call) {
            Some(answer) => Poll::Ready(answer),
            None => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await
    }

    /// Polls the stack until it has an answer, each time when `key` is woken.
    pub(super) async fn poll_stack<R>(
        &self,
        key: Key,
        direction: Direction,
        mut ask: impl FnMut(Instant, &mut Stack<'a, C, P>) -> Option<R>,
    ) -> R {
        poll_fn(|cx| {
            let Ok(mut inner) = self.inner.try_borrow_mut() else {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            };
            let answer = ask((self.clock)(), &mut inner.stack);
            if let Some(answer) = answer {
                inner.wake_runner();
                return Poll::Ready(answer);
            }
            // A request that the stack could not answer gives it nothing to send.
            inner.wakers.register(key, direction, cx.waker());
            Poll::Pending
        })
        .await
    }

    /// Removes the wakers of this connection or listener.
    pub(super) fn forget(&self, key: Key) {
        if let Ok(mut inner) = self.inner.try_borrow_mut() {
            inner.wakers.forget(key);
        }
    }
}
