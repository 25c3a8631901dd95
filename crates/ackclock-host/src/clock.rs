//! The monotonic clock of the operating system.

use ackclock::time::Instant;

/// A clock that counts from the moment it was made and never goes back.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_goes_back_and_keeps_up_with_a_sleep() {
        let clock = Clock::start();
        let before = clock.now();
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(clock.now().saturating_since(before).as_millis() >= 5);
    }
}
