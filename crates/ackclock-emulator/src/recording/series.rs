//! Time series of a quantity, and summaries over a span of time.

use ackclock::time::Instant;

/// A time series: each value holds until the next one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Series {
    /// Values in order of time. Several may have the same time, one after another.
    steps: Vec<(Instant, u64)>,
}

/// A summary of a quantity over a span of time.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The least value, however short it held.
    pub least: u64,
    /// The mean, each value weighted by how long it held. For a quantity that is either 0 or 1 this
    /// is the share of time in which it was 1.
    pub mean: f64,
    /// The median: for at least half of the time the value was this or less, and for at least half
    /// of the time this or more.
    pub median: u64,
    /// The greatest value, however short it held.
    pub most: u64,
}

impl Series {
    /// A series without values.
    pub const fn new() -> Self {
        Series { steps: Vec::new() }
    }

    /// A series with this value from the beginning.
    pub fn starting_with(value: u64) -> Self {
        Series { steps: vec![(Instant::ZERO, value)] }
    }

    /// Adds a value that holds from now on. A `now` before the last one counts as the last one.
    pub fn record(&mut self, now: Instant, value: u64) {
        let now = match self.steps.last() {
            Some(&(_, last)) if last == value => return,
            Some(&(at, _)) => now.max(at),
            None => now,
        };
        self.steps.push((now, value));
    }

    /// Each value, with the time from which it held.
    pub fn steps(&self) -> &[(Instant, u64)] {
        &self.steps
    }

    /// The value at a time; the last one if there are several, `None` before the first.
    pub fn at(&self, time: Instant) -> Option<u64> {
        let behind = self.steps.partition_point(|(at, _)| *at <= time);
        self.steps.get(behind.checked_sub(1)?).map(|(_, value)| *value)
    }

    /// The summary from `from` until just before `until`, as far as there was a value. `None` if
    /// there was none, or if the span is empty.
    pub fn over(&self, from: Instant, until: Instant) -> Option<Summary> {
        let first = self.steps.partition_point(|(at, _)| *at < from);
        let held = self.steps.get(first).is_none_or(|(at, _)| *at > from);
        let first = if held { first.saturating_sub(1) } else { first };
        let last = self.steps.partition_point(|(at, _)| *at < until);
        let steps = self.steps.get(first..last)?;
        let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([until]);
        // How long each value lasted, in nanoseconds.
        let mut lasted: Vec<(u64, u64)> = steps
            .iter()
            .zip(ends)
            .map(|(&(at, value), end)| (value, end.saturating_since(at.max(from)).as_nanos()))
            .collect();
        lasted.sort_unstable();
        let total: u64 = lasted.iter().map(|(_, time)| time).sum();
        if total == 0 {
            return None;
        }
        let area: u128 =
            lasted.iter().map(|&(value, time)| u128::from(value) * u128::from(time)).sum();
        let mut below = 0;
        let median = lasted.iter().find(|(_, time)| {
            below += time;
            below >= total.div_ceil(2)
        });
        Some(Summary {
            least: lasted.first()?.0,
            mean: area as f64 / total as f64,
            median: median?.0,
            most: lasted.last()?.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn series(steps: &[(u64, u64)]) -> Series {
        let mut series = Series::new();
        for &(millis, value) in steps {
            series.record(ms(millis), value);
        }
        series
    }

    #[test]
    fn each_value_counts_for_as_long_as_it_lasts() {
        let series = series(&[(0, 0), (10, 4), (20, 8), (60, 2)]);
        let whole = series.over(ms(0), ms(100)).unwrap();
        // 10 ms of 0, 10 of 4, 40 of 8, 40 of 2.
        assert_eq!(whole, Summary { least: 0, mean: 4.4, median: 2, most: 8 });
        let part = series.over(ms(15), ms(25)).unwrap();
        assert_eq!(part, Summary { least: 4, mean: 6.0, median: 4, most: 8 });
        let late = series.over(ms(70), ms(80)).unwrap();
        assert_eq!(late, Summary { least: 2, mean: 2.0, median: 2, most: 2 });
    }

    #[test]
    fn a_value_of_no_duration_is_an_extreme_and_nothing_else() {
        let series = series(&[(0, 5), (10, 99), (10, 1), (10, 5), (20, 6)]);
        let summary = series.over(ms(0), ms(20)).unwrap();
        assert_eq!(summary, Summary { least: 1, mean: 5.0, median: 5, most: 99 });
        let from_there = series.over(ms(10), ms(20)).unwrap();
        assert_eq!((from_there.least, from_there.most), (1, 99));
        let until_there = series.over(ms(0), ms(10)).unwrap();
        assert_eq!((until_there.least, until_there.most), (5, 5));
    }

    #[test]
    fn before_the_first_value_there_is_none() {
        let series = series(&[(10, 3), (20, 1)]);
        assert_eq!(
            (series.at(ms(9)), series.at(ms(10)), series.at(ms(99))),
            (None, Some(3), Some(1))
        );
        assert_eq!(series.over(ms(0), ms(10)), None);
        assert_eq!(series.over(ms(15), ms(15)), None);
        assert_eq!(series.over(ms(20), ms(10)), None);
        assert_eq!(series.over(ms(0), ms(30)).unwrap().mean, 2.0);
        assert_eq!(Series::new().over(ms(0), ms(30)), None);
        assert_eq!(Series::starting_with(7).at(ms(0)), Some(7));
    }

    #[test]
    fn time_does_not_go_back_and_a_value_that_stays_is_no_step() {
        let series = series(&[(10, 3), (20, 3), (5, 4)]);
        assert_eq!(series.steps(), [(ms(10), 3), (ms(10), 4)]);
    }
}
