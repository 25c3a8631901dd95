//! The runtime of a host: tokio's, with a paused clock that the simulation advances.

use ackclock::time::{Duration, Instant};
use std::future::{Future, poll_fn};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Tokio's timers count these.
const TICK: Duration = Duration::from_millis(1);

/// A runtime whose tasks run until none can, and whose clock moves only in between.
#[derive(Debug)]
pub(super) struct HostRuntime {
    runtime: Runtime,
    idle: Arc<Idle>,
    /// When its clock began, and what it shows, on the network's clock.
    began: Instant,
    shows: Instant,
}

/// Detector of the moment when no task can run.
///
/// Tokio calls a hook before the thread would sleep. The hook wakes the task that waits for this moment,
/// so that the thread does not sleep and tokio does not advance the paused clock by itself.
#[derive(Debug, Default)]
struct Idle {
    is_idle: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Idle {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        if let Some(waker) = self.lock().take() {
            self.is_idle.store(true, Ordering::Relaxed);
            waker.wake();
        }
    }

    /// Is done when no task can run.
    fn reached(&self) -> impl Future<Output = ()> {
        self.is_idle.store(false, Ordering::Relaxed);
        poll_fn(|cx| {
            if self.is_idle.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            *self.lock() = Some(cx.waker().clone());
            Poll::Pending
        })
    }
}

impl HostRuntime {
    /// A runtime whose clock begins now.
    pub(super) fn new(now: Instant) -> io::Result<Self> {
        let idle = Arc::<Idle>::default();
        let told = Arc::clone(&idle);
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .on_thread_park(move || told.tell())
            .build()?;
        Ok(HostRuntime { runtime, idle, began: now, shows: now })
    }

    pub(super) fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        self.runtime.spawn(future)
    }

    /// Moves the clock to this time, and runs tasks until none can.
    pub(super) fn run_at(&mut self, now: Instant) {
        let step = now.saturating_since(self.shows);
        self.shows = now;
        self.runtime.block_on(async {
            if !step.is_zero() {
                tokio::time::advance(step.into()).await;
            }
            self.idle.reached().await;
        });
    }

    /// Whether a task is left, which may wait for a timer.
    pub(super) fn has_tasks(&self) -> bool {
        self.runtime.metrics().num_alive_tasks() > 0
    }

    /// The next time at which a timer may fire.
    pub(super) fn next_tick(&self) -> Instant {
        let ticks = self.shows.saturating_since(self.began).as_nanos() / TICK.as_nanos();
        self.began + TICK.saturating_mul(ticks + 1)
    }
}
