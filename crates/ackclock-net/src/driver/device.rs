//! A driver that is a thread, for a device of the host: the run loop of `ackclock-host`.

use super::Driving;
use crate::ended::Ended;
use crate::net::{Net, NetConfig, NetError};
use crate::network::Shared;
use crate::network::waiting::Waiting;
use ackclock::apps::{Application, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{Event, Stack};
use ackclock::time::Instant;
use ackclock_host::run_loop::{self, Round, RunLoop};
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread;

/// The run loop's waker as that of a task.
struct LoopWaker(run_loop::Waker);

impl Wake for LoopWaker {
    fn wake(self: Arc<Self>) {
        self.0.wake();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.wake();
    }
}

/// Receiver of the run loop's events: it collects the wakers of the sockets that they concern.
struct Takes<'r> {
    waiting: &'r mut Waiting,
    woken: &'r mut Vec<Waker>,
}

impl Application<'static, BuiltIn> for Takes<'_> {
    fn start(&mut self, _: Instant, _: &mut Stack<'static>) -> Result<(), StartError> {
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'static>, event: &Event) {
        self.waiting.take(now, stack, event, self.woken);
    }

    fn is_done(&self) -> bool {
        false
    }
}

impl Net {
    /// A network over a device of the host: a [TUN device](ackclock_host::tun), with offload or without,
    /// or [raw sockets](ackclock_host::raw). A thread of its own carries the packets.
    ///
    /// # Errors
    /// A setting or an address cannot be used, or there can be no further thread or descriptor.
    pub fn over<L>(device: L, config: &NetConfig) -> Result<Self, NetError>
    where
        L: Link<Error: fmt::Display> + AsFd + Send + 'static,
    {
        Net::over_run_loop(RunLoop::new(device)?, config)
    }

    /// A network over the device of this run loop, which may have an Ethernet layer, as
    /// [packet sockets](ackclock_host::packet) and [TAP devices](ackclock_host::tap) need it.
    ///
    /// # Errors
    /// As [`over`](Self::over).
    pub fn over_run_loop<L>(run_loop: RunLoop<L>, config: &NetConfig) -> Result<Self, NetError>
    where
        L: Link<Error: fmt::Display> + AsFd + Send + 'static,
    {
        let stack = config.stack(run_loop.link().capabilities())?;
        let clock = run_loop.clock();
        let net = Net::new(stack, Box::new(move || clock.now()), config);
        spawn(Vec::from([Arc::clone(net.shared())]), 0, run_loop)?;
        Ok(net)
    }

    /// A network over the queues of a device ([`Tun::open_queues`](ackclock_host::tun::Tun::open_queues)),
    /// each with a thread and a stack of its own: its connections share no lock with those of others. They
    /// are opened on the queues in turn, and accepted where the kernel brings them. Each queue has its part of
    /// the memory.
    ///
    /// # Errors
    /// As [`over`](Self::over); no queue is [`NetError::NoQueue`].
    pub fn over_queues<L>(queues: Vec<L>, config: &NetConfig) -> Result<Self, NetError>
    where
        L: Link<Error: fmt::Display> + AsFd + Send + 'static,
    {
        let first = queues.first().ok_or(NetError::NoQueue)?;
        let stacks = u16::try_from(queues.len()).unwrap_or(u16::MAX);
        let whole = config.stack_config(first.capabilities());
        let run_loops = RunLoop::of_queues(queues)?;
        let shared = (0..).zip(&run_loops).map(|(index, run_loop)| {
            let stack = config.stack_of(whole.share(index, stacks))?;
            let clock = run_loop.clock();
            let clock = Box::new(move || clock.now());
            Ok(Shared::new(stack, clock, config.connection, false))
        });
        let net = Net::of_queues(shared.collect::<Result<_, NetError>>()?);
        for (index, run_loop) in run_loops.into_iter().enumerate() {
            spawn(net.queues().to_vec(), index, run_loop)?;
        }
        Ok(net)
    }
}

/// Drives a queue in a thread. When it ends, so do the others.
fn spawn<L>(all: Vec<Arc<Shared>>, index: usize, run_loop: RunLoop<L>) -> io::Result<()>
where
    L: Link<Error: fmt::Display> + AsFd + Send + 'static,
{
    let driving = Driving(Arc::clone(&all[index]));
    let thread = thread::Builder::new().name("ackclock-net".to_owned());
    thread.spawn(move || {
        drive(&driving, run_loop);
        let why = driving.0.lock().ended.clone().unwrap_or(Ended::DriverDropped);
        all.iter().for_each(|queue| queue.end(why.clone()));
    })?;
    Ok(())
}

/// Carries packets until the network has ended.
fn drive<L: Link<Error: fmt::Display> + AsFd>(driving: &Driving, mut run_loop: RunLoop<L>) {
    let driver = Waker::from(Arc::new(LoopWaker(run_loop.waker())));
    let mut woken = Vec::new();
    loop {
        let mut state = driving.0.lock();
        state.begin_round(&driver);
        state.end_idle(run_loop.now());
        let (stack, waiting) = state.parts();
        let mut takes = Takes { waiting, woken: &mut woken };
        let round = run_loop.round(stack, &mut [&mut takes]);
        let (deadline, is_over) = (state.poll_at(), state.ended.is_some());
        drop(state);
        woken.drain(..).for_each(Waker::wake);
        let slept = round.and_then(|round| {
            if is_over && round != Round::Busy {
                return Ok(true);
            }
            run_loop.sleep(round, deadline).map(|()| false)
        });
        match slept {
            Ok(false) => {}
            Ok(true) => return,
            Err(error) => return driving.failed(error),
        }
    }
}
