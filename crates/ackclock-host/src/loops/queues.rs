//! The queues of a device, driven together, each by a thread of its own.

use super::run_loop::{Ended, RunError, RunLoop};
use super::wait::Waker;
use ackclock::apps::{Application, StartError};
use ackclock::congestion::CongestionController;
use ackclock::link::Link;
use ackclock::stack::{Event, Stack};
use ackclock::time::Instant;
use std::os::fd::AsFd;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A queue of a device, with its loop and its stack.
#[derive(Debug)]
pub struct Queue<'a, L, C: CongestionController + Clone> {
    /// The loop of the queue: one of [`RunLoop::of_queues`], or the loop of a device with one
    /// queue.
    pub run_loop: RunLoop<L>,
    /// The stack of the queue.
    pub stack: Stack<'a, C>,
}

/// Starts an application on each queue and drives them until all are done, one of the loops is
/// stopped, or one fails. A loop whose application is done goes on until all are: the kernel may
/// give it packets of the others' connections.
///
/// # Errors
/// The error of the first loop that failed.
pub fn run<'a, L, C, A>(
    queues: &mut [Queue<'a, L, C>],
    applications: &mut [A],
) -> Result<Ended, RunError<L::Error>>
where
    L: Link<Error: Send> + AsFd + Send,
    C: CongestionController + Clone + Send,
    A: Application<'a, C> + Send,
{
    let company = &Company {
        unfinished: AtomicUsize::new(queues.len().min(applications.len())),
        wakers: queues.iter().map(|queue| queue.run_loop.waker()).collect(),
    };
    let drive = |queue: &mut Queue<'a, L, C>, application: &mut A| {
        let mut member = Member { application, company, is_counted: false };
        let ended = queue.run_loop.run(&mut queue.stack, &mut [&mut member]);
        if !matches!(ended, Ok(Ended::Done)) {
            company.wakers.iter().for_each(Waker::stop);
        }
        ended
    };
    thread::scope(|scope| {
        let mut pairs = queues.iter_mut().zip(applications);
        let Some((first, application)) = pairs.next() else {
            return Ok(Ended::Done);
        };
        let others: Vec<_> =
            pairs.map(|(queue, application)| scope.spawn(|| drive(queue, application))).collect();
        let first = drive(first, application);
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(first).chain(others).try_fold(Ended::Done, |all, ended| {
            ended.map(|ended| if ended == Ended::Stopped { ended } else { all })
        })
    })
}

/// Shared state of the applications that run together.
struct Company {
    unfinished: AtomicUsize,
    wakers: Vec<Waker>,
}

/// An application that counts as done when all are.
struct Member<'m, A> {
    application: &'m mut A,
    company: &'m Company,
    /// Whether the application was counted as done.
    is_counted: bool,
}

impl<A> Member<'_, A> {
    /// Counts the application once it is done. The last one wakes all loops, so that they see it.
    fn count<'a, C: CongestionController + Clone>(&mut self)
    where
        A: Application<'a, C>,
    {
        if !self.is_counted && self.application.is_done() {
            self.is_counted = true;
            if self.company.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.company.wakers.iter().for_each(Waker::wake);
            }
        }
    }
}

impl<'a, C: CongestionController + Clone, A: Application<'a, C>> Application<'a, C>
    for Member<'_, A>
{
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        self.application.start(now, stack)?;
        self.count();
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        self.application.on_event(now, stack, event);
        self.count();
    }

    fn concerns(&self, event: &Event) -> bool {
        self.application.concerns(event)
    }

    fn wake_at(&self) -> Instant {
        self.application.wake_at()
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        self.application.on_wake(now, stack);
        self.count();
    }

    fn is_done(&self) -> bool {
        self.company.unfinished.load(Ordering::Acquire) == 0
    }
}
