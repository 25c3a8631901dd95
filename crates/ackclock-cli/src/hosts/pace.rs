//! Work on several items at a time, each begun at least an interval after the one before.

use crate::interrupt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time until a waiting thread notices that the user ended the run.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does the work for each item, `at_a_time` of them in parallel. The result is `None` for items that were
/// left when the user ended the run.
pub(super) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    at_a_time: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(items.iter().map(|_| None).collect::<Vec<_>>());
    let take = || {
        while !interrupt::requested() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return;
            };
            let result = work(item);
            if let Ok(mut results) = results.lock()
                && let Some(place) = results.get_mut(index)
            {
                *place = Some(result);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..at_a_time.min(items.len()) {
            scope.spawn(take);
        }
    });
    results.into_inner().unwrap_or_default()
}

/// Turns that are at least an interval apart.
pub(super) struct Pace {
    interval: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    pub(super) fn new(interval: Duration) -> Self {
        Pace { interval, next: Mutex::new(Instant::now()) }
    }

    /// Waits for a turn; returns whether it came before the user ended the run.
    pub(super) fn wait(&self) -> bool {
        let Ok(mut next) = self.next.lock() else {
            return false;
        };
        let turn = (*next).max(Instant::now());
        *next = turn + self.interval;
        drop(next);
        while !interrupt::requested() {
            let left = turn.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(PATIENCE));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_results_are_in_order() {
        let items: Vec<usize> = (0..100).collect();
        let results = in_parallel(&items, 7, |item| item * 2);
        assert_eq!(results, items.iter().map(|item| Some(item * 2)).collect::<Vec<_>>());
        assert_eq!(in_parallel(&[0; 0], 7, |item| *item), []);
    }

    #[test]
    fn turns_are_at_least_an_interval_apart() {
        let (pace, begin) = (Pace::new(Duration::from_millis(3)), Instant::now());
        assert!((0..5).all(|_| pace.wait()));
        assert!(begin.elapsed() >= Duration::from_millis(12));
    }
}
