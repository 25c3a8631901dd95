//! Points for graphs, as many as a graph can show.

/// Points of a series that are kept. When there are more, every second goes, and of those to come
/// as many.
const MOST: usize = 8192;

/// A series of bounded length.
#[derive(Clone, Debug)]
pub(crate) struct Thinned<T> {
    points: Vec<T>,
    /// One in this number of points is kept.
    stride: u64,
    seen: u64,
}

impl<T> Default for Thinned<T> {
    fn default() -> Self {
        Thinned { points: Vec::new(), stride: 1, seen: 0 }
    }
}

impl<T> Thinned<T> {
    pub(crate) fn push(&mut self, point: T) {
        if self.seen.is_multiple_of(self.stride) {
            if self.points.len() == MOST {
                let mut index = 0;
                self.points.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
            if self.seen.is_multiple_of(self.stride) {
                self.points.push(point);
            }
        }
        self.seen += 1;
    }

    pub(crate) fn points(&self) -> &[T] {
        &self.points
    }

    /// Whether some were left out.
    pub(crate) fn is_thinned(&self) -> bool {
        self.stride > 1
    }
}

/// Bins of a rate.
const BINS: usize = 256;

/// Amounts over time, in bins that become wider as time goes on.
#[derive(Clone, Debug)]
pub(crate) struct Rate {
    bins: Vec<u64>,
    /// Seconds.
    width: f64,
}

impl Default for Rate {
    fn default() -> Self {
        Rate { bins: Vec::new(), width: 0.001 }
    }
}

impl Rate {
    /// Adds an amount at a time in seconds.
    pub(crate) fn add(&mut self, time: f64, amount: u64) {
        while time / self.width >= BINS as f64 {
            self.bins = self.bins.chunks(2).map(|pair| pair.iter().sum()).collect();
            self.width *= 2.0;
        }
        let bin = (time / self.width) as usize;
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, 0);
        }
        if let Some(sum) = self.bins.get_mut(bin) {
            *sum += amount;
        }
    }

    /// When each bin begins and the rate in it, per second; and when the last one ends.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let rates = self.bins.iter().map(|sum| *sum as f64 / self.width);
        let last = self.bins.last().map(|sum| *sum as f64 / self.width);
        rates.chain(last).enumerate().map(|(bin, rate)| (bin as f64 * self.width, rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_keeps_points_at_equal_distances() {
        let mut series = Thinned::default();
        (0..MOST as u64 * 3).for_each(|n| series.push(n));
        let expected: Vec<_> = (0..MOST as u64 * 3).step_by(4).collect();
        assert_eq!(series.points(), expected);
        assert!(series.is_thinned());
    }

    #[test]
    fn a_short_series_keeps_all() {
        let mut series = Thinned::default();
        (0..MOST as u64).for_each(|n| series.push(n));
        assert_eq!(series.points().len(), MOST);
        assert!(!series.is_thinned());
    }

    #[test]
    fn bins_become_wider_and_lose_nothing() {
        let mut rate = Rate::default();
        for millisecond in 0..1000 {
            rate.add(f64::from(millisecond) / 1e3 + 0.0005, 10);
        }
        let points: Vec<_> = rate.points().collect();
        // 4 ms each, 250 of them and the end of the last one.
        assert_eq!(points.len(), 251);
        assert!(points.iter().all(|(_, rate)| *rate == 10_000.0), "{points:?}");
        assert_eq!(points.last().map(|point| point.0), Some(1.0));
    }

    #[test]
    fn a_time_far_away_is_no_more_bins() {
        let mut rate = Rate::default();
        rate.add(0.0, 1);
        rate.add(1e12, 1);
        assert!(rate.points().count() <= BINS + 1);
    }
}
