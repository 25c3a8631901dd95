//! When flows that share a bottleneck begin.

use ackclock::time::Instant;
use ackclock_emulator::{Distribution, Draws};

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Times within the first second, all equally likely, for one flow after the other.
pub(crate) fn starts(seed: u64) -> impl Iterator<Item = Instant> {
    Draws::new(Distribution::Uniform(0, SECOND - 1), seed, 0).map(Instant::from_nanos)
}
