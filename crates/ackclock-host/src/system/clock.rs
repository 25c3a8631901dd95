//! The monotonic clock of the operating system, and the processor time of this process.

#[cfg(unix)]
use ackclock::time::Duration;
use ackclock::time::Instant;

/// A clock that starts at zero when it is made and never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: std::time::Instant,
}

impl Clock {
    /// A clock that shows [`Instant::ZERO`] now.
    pub fn start() -> Self {
        Clock { origin: std::time::Instant::now() }
    }

    /// The time since the clock was started.
    pub fn now(&self) -> Instant {
        Instant::ZERO + self.origin.elapsed().into()
    }
}

/// The processor time of this process, time in the kernel included.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(spent.tv_sec).unwrap_or_default();
    // The nanoseconds are less than a second, so the cast loses nothing.
    Duration::from_secs(seconds) + Duration::from_nanos(spent.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn computing_takes_processor_time_and_no_more_than_there_was() {
        let (begin, clock) = (processor_time(), Clock::start());
        let mut spent = Duration::ZERO;
        while spent.as_millis() < 5 {
            spent = processor_time().saturating_sub(begin);
        }
        let processors = std::thread::available_parallelism().unwrap().get() as u64;
        let passed = clock.now().saturating_since(Instant::ZERO);
        assert!(spent <= passed.saturating_mul(processors) + Duration::from_millis(1));
    }

    #[test]
    fn never_goes_back_and_keeps_up_with_a_sleep() {
        let clock = Clock::start();
        let before = clock.now();
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(clock.now().saturating_since(before).as_millis() >= 5);
    }
}
