//! The run loop: drives a stack and its applications over a link, in real time.
//!
//! The loop sleeps until the device is readable (or writable, when it had no room), a deadline is due,
//! or a [`Waker`] calls.

use crate::system::clock::Clock;
use ackclock::apps::{Application, StartError};
use ackclock::congestion::CongestionController;
use ackclock::link::ethernet::Ethernet;
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Offered, Received, Rejected, Stack, Transmit};
use ackclock::time::Instant;
use rustix::event::PollFlags;
use std::fmt;
use std::io;
use std::os::fd::AsFd;

use super::sleeper::Sleeper;
use super::strays::Strays;
pub use super::wait::Waker;
use super::wait::is_gone;
use super::wake_ups::WakeUps;

/// Maximum number of packets taken from the device, events handed to applications and packets given to the
/// device in one round, so that neither direction starves the other.
const BATCH: usize = 64;

/// The reason for the end of a run without an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All applications are done, and everything that could be sent was.
    Done,
    /// [`Waker::stop`] was called.
    Stopped,
}

/// The result of one round of the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// There is more to do at once.
    Busy,
    /// There is nothing to do until an event.
    Idle,
    /// Packets wait until the device has room.
    Blocked,
}

/// A run loop: a link and a clock.
#[derive(Debug)]
pub struct RunLoop<L> {
    link: L,
    clock: Clock,
    waker: Waker,
    wake_ups: WakeUps,
    /// Whether the device was found readable, and nothing was read since.
    readable: bool,
    /// Whether the device has just said that something is wrong, and has not been asked what.
    alarmed: bool,
    /// This queue's place in the round of stray packets, for a device of several queues.
    strays: Option<Strays>,
    /// The Ethernet layer between the stack and a link that carries frames.
    ethernet: Option<Box<HostEthernet>>,
    /// Where the loop sleeps; a new one after the link may have been replaced.
    sleeper: Option<Sleeper>,
}

/// The Ethernet layer with room for as many neighbours as hosts have.
pub type HostEthernet = Ethernet<256, 16>;

impl<L: Link + AsFd> RunLoop<L> {
    /// A loop over this link, whose descriptor must be non-blocking.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new(link: L) -> io::Result<Self> {
        Ok(RunLoop {
            link,
            clock: Clock::start(),
            waker: Waker::new()?,
            wake_ups: WakeUps::default(),
            readable: false,
            alarmed: false,
            strays: None,
            ethernet: None,
            sleeper: None,
        })
    }

    /// A loop over a link that carries Ethernet frames.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn with_ethernet(link: L, ethernet: HostEthernet) -> io::Result<Self> {
        Ok(RunLoop { ethernet: Some(Box::new(ethernet)), ..RunLoop::new(link)? })
    }

    /// The Ethernet layer, if there is one.
    pub fn ethernet_mut(&mut self) -> Option<&mut HostEthernet> {
        self.ethernet.as_deref_mut()
    }

    /// A loop for each queue of a device, whose stacks have the same addresses, and settings made
    /// by [`StackConfig::share`](ackclock::stack::StackConfig::share). Each loop is to be run by a
    /// thread of its own. A packet of a connection that the queue's stack does not know is shown to
    /// the other stacks before it is answered. The loops have one clock.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn of_queues(links: Vec<L>) -> io::Result<Vec<Self>> {
        let clock = Clock::start();
        let wakers = links.iter().map(|_| Waker::new()).collect::<io::Result<Vec<_>>>()?;
        let strays = Strays::round(&wakers);
        let parts = links.into_iter().zip(wakers).zip(strays);
        Ok(parts
            .map(|((link, waker), strays)| RunLoop {
                link,
                clock,
                waker,
                wake_ups: WakeUps::default(),
                readable: false,
                alarmed: false,
                strays: Some(strays),
                ethernet: None,
                sleeper: None,
            })
            .collect())
    }

    /// A handle to wake or stop the loop with.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Stray packets, of connections of other queues, that were lost here, since the next queue was
    /// overrun or had ended.
    pub fn lost_strays(&self) -> u64 {
        self.strays.as_ref().map_or(0, Strays::lost)
    }

    /// The loop's clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The time on the loop's clock, for calls on the stack from outside.
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The link.
    pub fn link(&self) -> &L {
        &self.link
    }

    /// The link, to be changed between runs.
    pub fn link_mut(&mut self) -> &mut L {
        &mut self.link
    }

    /// Starts the applications and drives them until all are done or [`Waker::stop`] is called.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run<'a, C: CongestionController + Clone>(
        &mut self,
        stack: &mut Stack<'a, C>,
        applications: &mut [&mut dyn Application<'a, C>],
    ) -> Result<Ended, RunError<L::Error>> {
        for application in &mut *applications {
            let started = application.start(self.clock.now(), stack);
            started.map_err(RunError::Start)?;
        }
        self.resume(stack, applications)
    }

    /// Drives applications that were started before, as [`run`](Self::run) does. Without
    /// applications it processes the packets that have arrived, sends those that are due (such as the RST
    /// of a connection just aborted) and returns.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn resume<'a, C: CongestionController + Clone>(
        &mut self,
        stack: &mut Stack<'a, C>,
        applications: &mut [&mut dyn Application<'a, C>],
    ) -> Result<Ended, RunError<L::Error>> {
        self.sleeper = None;
        loop {
            let round = self.round(stack, applications)?;
            if self.waker.take_stop() {
                return Ok(Ended::Stopped);
            }
            if round == Round::Idle && applications.iter().all(|each| each.is_done()) {
                return Ok(Ended::Done);
            }
            let wake_at = applications.iter().map(|each| each.wake_at()).min();
            let deadline = wake_at.unwrap_or(Instant::FAR_FUTURE).min(stack.poll_at());
            self.sleep(round, deadline)?;
        }
    }

    /// One round: receives packets, fires timers, calls applications, sends packets, each within
    /// bounds. With [`sleep`](Self::sleep) it is for programs that share the stack between threads, and lend it
    /// to the loop for one round at a time.
    ///
    /// # Errors
    /// [`RunError::Device`].
    pub fn round<'a, C: CongestionController + Clone>(
        &mut self,
        stack: &mut Stack<'a, C>,
        applications: &mut [&mut dyn Application<'a, C>],
    ) -> Result<Round, RunError<L::Error>> {
        let now = self.clock.now();
        let strays = &self.strays;
        let ethernet = &mut self.ethernet;
        let deliver = &mut |received: Received<'_>| match (strays, &mut *ethernet) {
            (_, Some(ethernet)) => ethernet.on_received(now, stack, &received),
            (Some(strays), None) => strays.deliver(now, stack, &received),
            (None, None) => {
                stack.on_received(now, &received);
            }
        };
        let budget = if self.readable { self.wake_ups.budget(BATCH) } else { BATCH };
        let received = self.link.receive(now, budget, deliver).map_err(RunError::Device)?;
        if std::mem::take(&mut self.readable) {
            self.wake_ups.count(received);
        }
        let strays = strays.as_ref().map_or(0, |strays| strays.receive(now, BATCH, stack));
        if stack.poll_at() <= now {
            stack.on_timeout(now);
        }
        for application in &mut *applications {
            if application.wake_at() <= now {
                application.on_wake(now, stack);
            }
        }
        let mut events = 0;
        while events < BATCH
            && let Some(event) = stack.poll_event()
        {
            events += 1;
            for application in &mut *applications {
                application.on_event(now, stack, &event);
            }
        }
        let mut sent = 0;
        let mut rest = Round::Idle;
        while sent < BATCH {
            match self.transmit(now, stack)? {
                Offered::Nothing => break,
                Offered::Taken => sent += 1,
                Offered::Rejected => {
                    rest = Round::Blocked;
                    break;
                }
            }
        }
        let busy = [received, strays, events, sent].contains(&BATCH);
        Ok(if busy { Round::Busy } else { rest })
    }

    /// Gives the device the stack's next packet, if there is one.
    fn transmit<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) -> Result<Offered, RunError<L::Error>> {
        let mut failed = None;
        let link = &mut self.link;
        let sink = &mut |transmit: &Transmit<'_>| match link.transmit(now, transmit) {
            Ok(()) => Ok(()),
            Err(TransmitError::Full) => Err(Rejected),
            Err(TransmitError::Device(error)) => {
                failed = Some(error);
                Ok(())
            }
        };
        let offered = match &mut self.ethernet {
            Some(ethernet) => ethernet.transmit(now, stack, sink),
            None => stack.transmit(now, sink),
        };
        failed.map_or(Ok(offered), |error| Err(RunError::Device(error)))
    }

    /// Sleeps after a round until the device is ready, the deadline (that of stack and applications) is
    /// due, or the waker calls; not at all after a [busy](Round::Busy) one. When the device says that
    /// something is wrong, the next round asks it what; if it goes on to say so, it is gone.
    ///
    /// # Errors
    /// [`RunError::Gone`] or [`RunError::Poll`].
    pub fn sleep(&mut self, after: Round, deadline: Instant) -> Result<(), RunError<L::Error>> {
        let sleeper = match &mut self.sleeper {
            Some(sleeper) if after == Round::Busy => {
                return sleeper.look_away(&self.link).map_err(RunError::Poll);
            }
            None if after == Round::Busy => return Ok(()),
            Some(sleeper) => sleeper,
            none => {
                let new = Sleeper::new(self.waker.clone(), self.clock).map_err(RunError::Poll)?;
                none.insert(new)
            }
        };
        let neighbours = self.ethernet.as_ref().map_or(Instant::FAR_FUTURE, |it| it.poll_at());
        let wants_room = after == Round::Blocked;
        let said = sleeper.sleep(&self.link, deadline.min(neighbours), wants_room);
        let said = said.map_err(RunError::Poll)?;
        self.readable = said.contains(PollFlags::IN);
        let was_alarmed = std::mem::replace(&mut self.alarmed, is_gone(said));
        if self.alarmed && was_alarmed { Err(RunError::Gone) } else { Ok(()) }
    }
}

/// The reasons for a run to fail.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError<E> {
    /// An application could not start.
    Start(StartError),
    /// The device failed.
    Device(E),
    /// The device went away.
    Gone,
    /// The kernel could not be asked to wait.
    Poll(io::Error),
}

impl<E: fmt::Display> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Start(error) => error.fmt(f),
            RunError::Device(error) => error.fmt(f),
            RunError::Gone => f.write_str("the network device went away: make it anew and retry"),
            RunError::Poll(error) => write!(f, "cannot wait for the network device: {error}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RunError<E> {}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::apps::{Server, Service};
    use ackclock::congestion::BuiltIn;
    use ackclock::stack::{Capabilities, Cidr, Event, ListenConfig, StackConfig, Storage};
    use ackclock::storage::Buffer;
    use ackclock::tcp::{AckPolicy, Config};
    use ackclock::time::Duration;
    use rustix::event::{EventfdFlags, eventfd};
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::os::fd::{BorrowedFd, OwnedFd};

    /// A link that never has room.
    struct Full(OwnedFd);

    impl AsFd for Full {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    impl Link for Full {
        type Error = Infallible;

        fn capabilities(&self) -> Capabilities {
            Capabilities::with_mtu(1500)
        }

        fn transmit(
            &mut self,
            _: Instant,
            _: &Transmit<'_>,
        ) -> Result<(), TransmitError<Infallible>> {
            Err(TransmitError::Full)
        }

        fn receive(
            &mut self,
            _: Instant,
            _: usize,
            _: &mut dyn FnMut(Received<'_>),
        ) -> Result<usize, Infallible> {
            Ok(0)
        }
    }

    /// An application that counts its calls.
    #[derive(Default)]
    struct Counter(usize);

    impl Application<'static, BuiltIn> for Counter {
        fn start(&mut self, _: Instant, _: &mut Stack<'static>) -> Result<(), StartError> {
            Ok(())
        }

        fn on_event(&mut self, _: Instant, _: &mut Stack<'static>, _: &Event) {
            self.0 += 1;
        }

        fn is_done(&self) -> bool {
            false
        }
    }

    /// A link that delivers at most `batch` packets at a time, and keeps what is transmitted.
    struct Scripted {
        event: OwnedFd,
        batch: usize,
        arriving: VecDeque<Vec<u8>>,
        sent: Vec<Vec<u8>>,
    }

    impl AsFd for Scripted {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.event.as_fd()
        }
    }

    fn bytes(transmit: &Transmit<'_>) -> Vec<u8> {
        let mut bytes = vec![0; transmit.len()];
        transmit.copy_to(&mut bytes);
        bytes
    }

    impl Link for Scripted {
        type Error = Infallible;

        fn capabilities(&self) -> Capabilities {
            Capabilities::with_mtu(1500)
        }

        fn transmit(
            &mut self,
            _: Instant,
            transmit: &Transmit<'_>,
        ) -> Result<(), TransmitError<Infallible>> {
            self.sent.push(bytes(transmit));
            Ok(())
        }

        fn receive(
            &mut self,
            _: Instant,
            budget: usize,
            deliver: &mut dyn FnMut(Received<'_>),
        ) -> Result<usize, Infallible> {
            let n = budget.min(self.batch).min(self.arriving.len());
            self.arriving.drain(..n).for_each(|packet| deliver(Received::unverified(&packet)));
            Ok(n)
        }
    }

    fn stack(last: u8) -> Stack<'static> {
        let config = StackConfig::new(Capabilities::with_mtu(1500), [last.into(), 2]);
        let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).unwrap();
        stack.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 }).unwrap();
        stack
    }

    /// The number of acks for ten full segments that arrive at once, over a link that delivers
    /// `batch` packets at a time.
    fn acks_of_ten_segments(batch: usize) -> usize {
        let (mut ours, mut peer) = (stack(1), stack(2));
        let local = ([10, 0, 0, 1], 9).into();
        let mut listen = ListenConfig::new(local);
        let timeout = Duration::from_millis(499);
        listen.connection.ack_policy = AckPolicy::Delayed { timeout, quick_acks: 0 };
        let mut server = Server::new(Service::Discard, listen, Buffer::growing());
        let event = eventfd(0, EventfdFlags::NONBLOCK).unwrap();
        let link = Scripted { event, batch, arriving: VecDeque::new(), sent: Vec::new() };
        let mut run_loop = RunLoop::new(link).unwrap();
        server.start(run_loop.now(), &mut ours).unwrap();
        let now = Instant::ZERO;
        let handle = peer.connect(now, local, None, &Config::default()).unwrap();
        peer.send(now, handle, &[0; 10 * 1448]).unwrap();
        loop {
            let arriving = &mut run_loop.link.arriving;
            let take = &mut |transmit: &Transmit<'_>| {
                arriving.push_back(bytes(transmit));
                Ok(())
            };
            while peer.transmit(now, take).is_taken() {}
            let are_segments = run_loop.link.arriving.iter().any(|packet| packet.len() == 1500);
            run_loop.link.sent.clear();
            while !run_loop.link.arriving.is_empty() {
                run_loop.round(&mut ours, &mut [&mut server]).unwrap();
            }
            if are_segments {
                return run_loop.link.sent.len();
            }
            run_loop.link.sent.iter().for_each(|packet| {
                peer.on_packet(now, packet);
            });
        }
    }

    #[test]
    fn one_ack_answers_all_segments_of_a_batch() {
        assert_eq!(acks_of_ten_segments(64), 1);
        assert_eq!(acks_of_ten_segments(5), 2);
    }

    /// A delayed ack may go out in between on a machine that stands still for half a second.
    #[test]
    fn segments_that_come_one_by_one_are_acknowledged_two_by_two() {
        assert!(acks_of_ten_segments(1) >= 5);
    }

    #[test]
    fn a_full_device_does_not_hold_back_what_applications_are_to_be_told() {
        let device = Full(eventfd(0, EventfdFlags::NONBLOCK).unwrap());
        let config = StackConfig::new(device.capabilities(), [1, 2]);
        let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).unwrap();
        stack.add_address(Cidr { address: [10, 0, 0, 1].into(), prefix: 24 }).unwrap();
        for _ in 0..=BATCH {
            let remote = ([10, 0, 0, 2], 7).into();
            stack.connect(Instant::ZERO, remote, None, &Config::default()).unwrap();
        }
        let mut counter = Counter::default();
        let mut run_loop = RunLoop::new(device).unwrap();
        let mut rounds = Vec::new();
        while rounds.last().is_none_or(|last| *last == Round::Busy) {
            rounds.push(run_loop.round(&mut stack, &mut [&mut counter]).unwrap());
        }
        assert_eq!(rounds, [Round::Busy, Round::Blocked]);
        assert_eq!(counter.0, BATCH + 1);
    }
}
