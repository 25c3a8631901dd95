//! Waiting in a thread for what a task would wait for.

use crate::error::SocketError;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// What wakes a thread that is parked.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

thread_local! {
    static WAKER: Waker = Waker::from(Arc::new(Parked(thread::current())));
}

/// Asks until there is an answer, and parks the thread in between; `None` when the deadline comes first.
pub(crate) fn wait<R>(
    deadline: Option<Instant>,
    mut poll: impl FnMut(&Waker) -> Poll<R>,
) -> Option<R> {
    WAKER.with(|waker| {
        loop {
            if let Poll::Ready(answer) = poll(waker) {
                return Some(answer);
            }
            match deadline {
                None => thread::park(),
                Some(deadline) => match deadline.checked_duration_since(Instant::now()) {
                    None | Some(Duration::ZERO) => return None,
                    Some(left) => thread::park_timeout(left),
                },
            }
        }
    })
}

/// How long a direction of a socket waits; clones of the socket share it.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// In nanoseconds; 0: for ever.
    timeout: AtomicU64,
}

impl Patience {
    pub(crate) fn set(&self, timeout: Option<Duration>) -> io::Result<()> {
        let nanos = match timeout {
            None => 0,
            Some(Duration::ZERO) => return Err(SocketError::ZeroTimeout.into()),
            // Longer than 584 years is for ever.
            Some(timeout) => timeout.as_nanos().try_into().unwrap_or(0),
        };
        self.timeout.store(nanos, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn get(&self) -> Option<Duration> {
        match self.timeout.load(Ordering::Relaxed) {
            0 => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }

    /// Waits so long, or not at all in a socket that may not.
    pub(crate) fn wait<R>(
        &self,
        is_nonblocking: &AtomicBool,
        mut poll: impl FnMut(&Waker) -> Poll<io::Result<R>>,
    ) -> io::Result<R> {
        let answer = if is_nonblocking.load(Ordering::Relaxed) {
            match poll(Waker::noop()) {
                Poll::Ready(answer) => Some(answer),
                Poll::Pending => None,
            }
        } else {
            wait(self.get().and_then(|timeout| Instant::now().checked_add(timeout)), poll)
        };
        answer.unwrap_or_else(|| Err(SocketError::WouldBlock.into()))
    }
}
