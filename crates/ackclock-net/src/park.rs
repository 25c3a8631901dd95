//! Waiting in a thread for what a task would wait for.

use std::sync::Arc;
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

/// What wakes this thread when it is parked.
pub(crate) fn waker() -> Waker {
    WAKER.with(Waker::clone)
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
