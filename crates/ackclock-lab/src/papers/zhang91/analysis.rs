//! What the paper says of a run, as numbers.

use super::watch::Drop;
use crate::papers::flows::second;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::Series;
use std::collections::BTreeMap;

/// A congestion epoch: when it began, and how many packets of data each connection lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Epoch {
    pub(super) began: Instant,
    pub(super) losses: BTreeMap<u16, u64>,
}

impl Epoch {
    pub(super) fn total(&self) -> u64 {
        self.losses.values().sum()
    }
}

/// The epochs in which data were lost (section 2.1): a new one begins when nothing was lost for
/// `gap`, the time in which a window is acknowledged when the buffers are full.
pub(super) fn epochs(drops: &[Drop], gap: Duration) -> Vec<Epoch> {
    let mut epochs: Vec<Epoch> = Vec::new();
    let mut last = None;
    for drop in drops.iter().filter(|drop| drop.is_data) {
        let goes_on = last.is_some_and(|last| drop.at.saturating_since(last) <= gap);
        if !goes_on {
            epochs.push(Epoch { began: drop.at, losses: BTreeMap::new() });
        }
        if let Some(epoch) = epochs.last_mut() {
            *epoch.losses.entry(drop.port).or_default() += 1;
        }
        last = Some(drop.at);
    }
    epochs
}

/// Share of elements of which something is true; NaN of none.
pub(super) fn share<T>(all: &[T], is_so: impl Fn(&T) -> bool) -> f64 {
    all.iter().filter(|each| is_so(each)).count() as f64 / all.len() as f64
}

/// Mean seconds between the beginnings of epochs; NaN if there are not two.
pub(super) fn period(epochs: &[Epoch]) -> f64 {
    match (epochs.first(), epochs.last()) {
        (Some(first), Some(last)) if epochs.len() > 1 => {
            (second(last.began) - second(first.began)) / (epochs.len() - 1) as f64
        }
        _ => f64::NAN,
    }
}

/// The mean of a series over each of the pieces of `step` that a span has.
pub(super) fn means(series: &Series, [from, until]: [Instant; 2], step: Duration) -> Vec<f64> {
    let mut means = Vec::new();
    let mut at = from;
    while at + step <= until {
        means.push(series.over(at, at + step).map_or(0.0, |summary| summary.mean));
        at += step;
    }
    means
}

/// Pearson's correlation: 1 in phase, -1 out of phase; NaN if one does not vary.
pub(super) fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_one, mean_other) = (mean(one), mean(other));
    let product = |a: &[f64], mean_a: f64, b: &[f64], mean_b: f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum()
    };
    let scale =
        product(one, mean_one, one, mean_one) * product(other, mean_other, other, mean_other);
    product(one, mean_one, other, mean_other) / scale.sqrt()
}

/// The largest rise of a series within less than `within`.
pub(super) fn largest_rise(series: &Series, [from, until]: [Instant; 2], within: Duration) -> u64 {
    let steps = series.steps();
    let steps = &steps
        [steps.partition_point(|(at, _)| *at < from)..steps.partition_point(|(at, _)| *at < until)];
    let mut first = 0;
    let mut largest = 0;
    for (index, &(at, value)) in steps.iter().enumerate() {
        while at.saturating_since(steps[first].0) >= within {
            first += 1;
        }
        let least = steps[first..=index].iter().map(|(_, value)| *value).min().unwrap_or(value);
        largest = largest.max(value - least);
    }
    largest
}

/// Seconds between one and the next, from `from` on.
pub(super) fn spacings(times: &[Instant], from: Instant) -> Vec<f64> {
    let times = &times[times.partition_point(|at| *at < from)..];
    times.windows(2).map(|pair| pair[1].saturating_since(pair[0]).as_nanos() as f64 / 1e9).collect()
}

/// How many packets of one connection follow each other on average, from `from` on.
pub(super) fn cluster(passed: &[(Instant, u16)], from: Instant) -> f64 {
    let passed = &passed[passed.partition_point(|(at, _)| *at < from)..];
    let clusters = passed.chunk_by(|one, other| one.1 == other.1).count();
    passed.len() as f64 / clusters as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[test]
    fn an_epoch_ends_when_nothing_is_lost_for_a_while() {
        let drop = |millis, port| Drop { at: ms(millis), port, is_data: true };
        let ack = Drop { is_data: false, ..drop(5000, 1) };
        let epochs = epochs(
            &[drop(0, 1), drop(900, 2), drop(1800, 1), ack, drop(9000, 2)],
            Duration::from_secs(1),
        );
        assert_eq!(epochs.len(), 2);
        assert_eq!(epochs[0].losses, BTreeMap::from([(1, 2), (2, 1)]));
        assert_eq!((epochs[1].began, epochs[1].total()), (ms(9000), 1));
        assert_eq!(period(&epochs), 9.0);
    }

    #[test]
    fn correlation_tells_in_phase_from_out_of_phase() {
        let up = [1.0, 2.0, 3.0];
        assert_eq!(correlation(&up, &[2.0, 4.0, 6.0]), 1.0);
        assert_eq!(correlation(&up, &[3.0, 2.0, 1.0]), -1.0);
        assert!(correlation(&up, &[1.0, 1.0, 1.0]).is_nan());
    }

    #[test]
    fn a_rise_counts_within_its_time_only() {
        let mut series = Series::new();
        for (millis, value) in [(0, 0), (10, 3), (20, 5), (100, 6), (110, 1), (120, 4)] {
            series.record(ms(millis), value);
        }
        let rise = |within| largest_rise(&series, [ms(0), ms(200)], Duration::from_millis(within));
        assert_eq!((rise(10), rise(15), rise(50), rise(200)), (0, 3, 5, 6));
    }

    #[test]
    fn clusters_are_packets_of_one_connection_in_a_row() {
        let passed = [1, 1, 1, 2, 2, 1].map(|port| (ms(1), port));
        assert_eq!(cluster(&passed, ms(0)), 2.0);
    }
}
