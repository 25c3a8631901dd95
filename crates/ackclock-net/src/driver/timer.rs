//! The time of a driver that is a task.

use ackclock::time::Instant;
use std::future::Future;

/// A clock, and how a task waits for a time on it.
///
/// The finer it is, the better: connections that are paced send at times some ten or hundred microseconds
/// apart. A timer of milliseconds makes bursts of that, and stays correct.
pub trait Timer: Send + Sync + 'static {
    /// The time; it never goes back.
    fn now(&self) -> Instant;

    /// Is done at that time, or shortly after it.
    fn sleep_until(&self, at: Instant) -> impl Future<Output = ()> + Send + 'static;
}

impl<T: Timer> Timer for std::sync::Arc<T> {
    fn now(&self) -> Instant {
        (**self).now()
    }

    fn sleep_until(&self, at: Instant) -> impl Future<Output = ()> + Send + 'static {
        (**self).sleep_until(at)
    }
}

#[cfg(feature = "tokio")]
pub use with_tokio::TokioTimer;

#[cfg(feature = "tokio")]
mod with_tokio {
    use super::Timer;
    use ackclock::time::Instant;
    use std::future::Future;

    /// Tokio's timer, which counts milliseconds. It is to be made within the runtime.
    #[derive(Clone, Copy, Debug)]
    pub struct TokioTimer {
        origin: tokio::time::Instant,
    }

    impl TokioTimer {
        /// A clock that shows [`Instant::ZERO`] now.
        pub fn start() -> Self {
            TokioTimer { origin: tokio::time::Instant::now() }
        }
    }

    impl Timer for TokioTimer {
        fn now(&self) -> Instant {
            Instant::ZERO + self.origin.elapsed().into()
        }

        fn sleep_until(&self, at: Instant) -> impl Future<Output = ()> + Send + 'static {
            tokio::time::sleep_until(self.origin + at.saturating_since(Instant::ZERO).into())
        }
    }
}
