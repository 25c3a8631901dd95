//! Values that a program gives in the form of the standard library, which have to be the same in the stack's.

use crate::{Fault, Situation};
use ackclock::time::{Duration, Instant};

/// Seconds and nanoseconds, on both sides of each carry.
const TIMES: [(u64, u32); 8] = [
    (0, 0),
    (0, 1),
    (0, 999_999_999),
    (1, 0),
    (1, 1),
    (59, 999_999_999),
    (86_400, 500_000_000),
    (4_000_000_000, 7),
];

/// All of them.
pub(crate) fn all() -> Vec<Situation> {
    vec![Situation { name: "times of the standard library".into(), run: Box::new(times) }]
}

/// A time is as long as it was given, goes back into what it was, and lies as far behind an instant.
fn times() -> Result<u64, Fault> {
    for (seconds, nanos) in TIMES {
        let given = std::time::Duration::new(seconds, nanos);
        let taken = Duration::from(given);
        let later = (Instant::from_secs(9) + taken).saturating_since(Instant::from_secs(9));
        let is_same = u128::from(taken.as_nanos()) == given.as_nanos();
        if !is_same || std::time::Duration::from(taken) != given || later != taken {
            return Err(Fault::Numbers(format!("{given:?} is taken for {taken:?}")));
        }
    }
    Ok(0)
}
