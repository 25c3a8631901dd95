//! Waiting for devices, a deadline, or a call from another thread.

use ackclock::time::Instant;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::{Errno, read, write};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle that wakes or stops a loop from another thread, such as that of a signal handler.
#[derive(Clone, Debug)]
pub struct Waker(Arc<Signal>);

#[derive(Debug)]
struct Signal {
    event: OwnedFd,
    stop: AtomicBool,
}

impl Waker {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Waker(Arc::new(Signal { event: eventfd(0, flags)?, stop: AtomicBool::new(false) })))
    }

    /// Makes the loop do a round, so that it asks applications again when they want to be woken and
    /// whether they are done.
    pub fn wake(&self) {
        // This fails only if the counter is at its limit, and then the loop wakes anyway.
        let _ = write(&self.0.event, &1u64.to_ne_bytes());
    }

    /// Ends the present run, or the next one if there is none.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
        self.wake();
    }

    /// Whether the loop was told to stop; resets the flag.
    pub(crate) fn take_stop(&self) -> bool {
        self.0.stop.swap(false, Ordering::AcqRel)
    }

    /// The descriptor that becomes readable when the waker calls.
    pub(crate) fn event(&self) -> BorrowedFd<'_> {
        self.0.event.as_fd()
    }

    /// The descriptor of [`event`](Self::event) for `ppoll`.
    pub(crate) fn poll_fd(&self) -> PollFd<'_> {
        PollFd::new(&self.0.event, PollFlags::IN)
    }

    /// Clears the calls so far.
    pub(crate) fn reset(&self) {
        let _ = read(&self.0.event, &mut [0u8; 8]);
    }
}

/// Waits in one `ppoll` until a descriptor is ready or the deadline is due. A signal may end the
/// wait early.
pub(crate) fn wait(them: &mut [PollFd<'_>], now: Instant, deadline: Instant) -> io::Result<()> {
    let timeout = (!deadline.is_never()).then(|| timespec(now, deadline));
    match poll(them, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Whether these events of a device say that it is gone. A device that is gone is readable only as
/// long as it has packets or an error to report.
pub(crate) fn is_gone(device: PollFlags) -> bool {
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    device.intersects(gone) && !device.contains(PollFlags::IN)
}

/// The time from `now` to `deadline`; zero if it has passed.
pub(crate) fn timespec(now: Instant, deadline: Instant) -> Timespec {
    let nanos = deadline.saturating_since(now).as_nanos();
    Timespec {
        // At most 584 years, which fits any kernel's seconds.
        tv_sec: (nanos / 1_000_000_000).try_into().unwrap_or(i64::MAX),
        tv_nsec: (nanos % 1_000_000_000) as _,
    }
}
