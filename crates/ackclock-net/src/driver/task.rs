//! A driver that is a task of the program's runtime.

use super::Driving;
use super::timer::Timer;
use crate::net::{Net, NetConfig, NetError};
use crate::network::Shared;
use ackclock::link::{Direct, Interface, Link, Moved, exchange};
use ackclock::time::Instant;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Maximum number of packets each way before other tasks, and sockets, have their turn.
const BATCH: usize = 64;

/// Driver of a network: a future that the program spawns. It is ready when the network was
/// [shut down](Net::shut_down) and the remaining packets were sent, or when its device fails. Dropping it
/// before ends the network.
#[must_use = "a driver does nothing until it is polled: spawn it"]
pub struct Driver<L, T, I = Direct> {
    rounds: Rounds<L, I>,
    timer: Arc<T>,
    /// The present sleep and its end. It is kept while deadlines move further away.
    sleep: Option<(Instant, Sleep)>,
}

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A link between its network and the world, round by round.
pub(super) struct Rounds<L, I> {
    driving: Driving,
    link: L,
    interface: I,
    was_up: bool,
    /// The wakers that a round has to call.
    woken: Vec<Waker>,
}

/// The step after a round.
pub(super) enum After {
    /// Another round, at once.
    Round,
    /// Sleep, until the driver's waker is called or this time has come.
    Wait(Instant),
    /// The network was shut down.
    End,
}

impl<L: Link<Error: fmt::Display>, I: Interface> Rounds<L, I> {
    pub(super) fn new(shared: Arc<Shared>, link: L, interface: I) -> Self {
        let driving = Driving(shared);
        Rounds { driving, link, interface, was_up: true, woken: Vec::new() }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.driving.0
    }

    /// One round: received packets, timers, packets to send, and the wakers of sockets with news.
    pub(super) fn round(&mut self, driver: &Waker) -> io::Result<After> {
        self.link.set_waker(driver);
        self.interface.set_waker(driver);
        let is_up = self.link.is_up();
        if is_up && !std::mem::replace(&mut self.was_up, is_up) {
            self.interface.announce();
        }
        self.was_up = is_up;
        let now = self.shared().now();
        let mut state = self.driving.0.lock();
        state.begin_round(driver);
        state.end_idle(now);
        let moved = exchange(now, BATCH, &mut self.link, &mut self.interface, &mut state.stack);
        state.take_woken(now, &mut self.woken);
        let deadline = state.poll_at().min(self.interface.poll_at());
        let is_over = state.ended.is_some();
        drop(state);
        self.woken.drain(..).for_each(Waker::wake);
        match moved {
            Ok(Moved { received: BATCH, .. } | Moved { sent: BATCH, .. }) => Ok(After::Round),
            Ok(_) if is_over => Ok(After::End),
            Ok(_) => Ok(After::Wait(deadline)),
            Err(error) => {
                let error = error.to_string();
                self.driving.failed(&error);
                Err(io::Error::other(error))
            }
        }
    }
}

impl Net {
    /// A network over this link, and its driver, which the program spawns. Any link can be used that calls
    /// its [waker](Link::set_waker).
    ///
    /// # Errors
    /// A setting or an address cannot be used.
    pub fn with_driver<L: Link<Error: fmt::Display>, T: Timer>(
        link: L,
        timer: T,
        config: &NetConfig,
    ) -> Result<(Self, Driver<L, T>), NetError> {
        Net::with_driver_and(link, Direct, timer, config)
    }

    /// As [`with_driver`](Self::with_driver), with a layer between the stack and the link, such as the
    /// core's Ethernet layer ([`Ethernet`](ackclock::link::ethernet::Ethernet)).
    ///
    /// # Errors
    /// A setting or an address cannot be used.
    pub fn with_driver_and<L: Link<Error: fmt::Display>, I: Interface, T: Timer>(
        link: L,
        interface: I,
        timer: T,
        config: &NetConfig,
    ) -> Result<(Self, Driver<L, T, I>), NetError> {
        let stack = config.stack(link.capabilities())?;
        let timer = Arc::new(timer);
        let clock = Arc::clone(&timer);
        let net = Net::new(stack, Box::new(move || clock.now()), config);
        let rounds = Rounds::new(Arc::clone(net.shared()), link, interface);
        Ok((net, Driver { rounds, timer, sleep: None }))
    }
}

impl<L: Link<Error: fmt::Display> + Unpin, T: Timer, I: Interface + Unpin> Future
    for Driver<L, T, I>
{
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let deadline = match self.rounds.round(cx.waker()) {
            Err(error) => return Poll::Ready(Err(error)),
            Ok(After::End) => return Poll::Ready(Ok(())),
            Ok(After::Round) => {
                // Others have their turn first.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Ok(After::Wait(deadline)) => deadline,
        };
        let is_too_late = self.sleep.as_ref().is_none_or(|(end, _)| *end > deadline);
        if is_too_late && !deadline.is_never() {
            self.sleep = Some((deadline, Box::pin(self.timer.sleep_until(deadline))));
        }
        if let Some((_, sleep)) = &mut self.sleep
            && sleep.as_mut().poll(cx).is_ready()
        {
            self.sleep = None;
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl<L, T, I> fmt::Debug for Driver<L, T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}
