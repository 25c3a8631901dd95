//! How long the calls of a blocking socket wait.

use crate::error::SocketError;
use crate::park::wait;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

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

    /// Waits for this time, or not at all in a non-blocking socket.
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
