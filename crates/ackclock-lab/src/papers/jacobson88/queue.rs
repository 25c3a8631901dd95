//! How long a queue is, but for what lasts no time.

use ackclock::time::{Duration, Instant};
use ackclock_emulator::Series;

/// The shortest and the longest queue of those that last for a twentieth of a packet's time at least. A
/// packet that comes at the very instant at which another one leaves does not make a queue longer.
pub(super) fn lasting(
    queue: &Series,
    [from, until]: [Instant; 2],
    packet: Duration,
) -> Option<[f64; 2]> {
    let steps = queue.steps();
    let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([until]);
    let lasting = steps.iter().zip(ends).filter(|((begin, _), end)| {
        let [begin, end] = [(*begin).max(from), (*end).min(until)];
        end.saturating_since(begin) > packet / 20
    });
    let lengths = || lasting.clone().map(|((_, length), _)| *length as f64);
    Some([lengths().min_by(f64::total_cmp)?, lengths().max_by(f64::total_cmp)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_no_time_does_not_count() {
        let at = Instant::from_millis;
        let mut queue = Series::starting_with(0);
        for (time, length) in [(10, 3), (20, 4), (20, 3), (30, 2), (40, 3)] {
            queue.record(at(time), length);
        }
        let packet = Duration::from_millis(10);
        assert_eq!(lasting(&queue, [at(10), at(50)], packet), Some([2.0, 3.0]));
        assert_eq!(lasting(&queue, [at(0), at(25)], packet), Some([0.0, 3.0]));
    }
}
