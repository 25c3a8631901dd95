//! What many measurements have in common.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Measured values in order.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Distribution {
    sorted: Vec<f64>,
}

impl FromIterator<f64> for Distribution {
    /// Values that are not finite are left out.
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        Distribution { sorted }
    }
}

impl Distribution {
    /// The values in order.
    pub fn values(&self) -> &[f64] {
        &self.sorted
    }

    /// The cumulative distribution: each value that occurs, and the share of all values that are not
    /// above it.
    pub fn cumulative(&self) -> Vec<(f64, f64)> {
        let all = self.sorted.len() as f64;
        let groups = self.sorted.chunk_by(|one, next| one == next);
        let mut below = 0;
        let mut points = Vec::new();
        for group in groups {
            below += group.len();
            points.extend(group.first().map(|&value| (value, below as f64 / all)));
        }
        points
    }

    /// The share of the values that are less; `None` if there are none.
    pub fn share_below(&self, limit: f64) -> Option<f64> {
        let below = self.sorted.partition_point(|&value| value < limit);
        (!self.sorted.is_empty()).then(|| below as f64 / self.sorted.len() as f64)
    }

    /// The value in the middle, or the mean of the two there.
    pub fn median(&self) -> Option<f64> {
        let last = self.sorted.len().checked_sub(1)?;
        let [low, high] = [last / 2, self.sorted.len() / 2].map(|at| self.sorted.get(at));
        Some((low? + high?) / 2.0)
    }

    /// The mean.
    pub fn mean(&self) -> Option<f64> {
        let count = self.sorted.len();
        (count > 0).then(|| self.sorted.iter().sum::<f64>() / count as f64)
    }
}

/// A mean of measurements, and where the mean of all that could be made lies with a confidence of
/// 95 %, by Student's distribution.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The interval's lower and upper end; `None` of fewer than two measurements.
    pub interval: Option<[f64; 2]>,
    /// How many measurements there are.
    pub count: usize,
}

impl Mean {
    /// Of these, without values that are not finite; `None` if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        /// Of 5 % outside of the interval one half is above it.
        const UPPER: f64 = 0.975;
        let values: Distribution = values.into_iter().collect();
        let mean = values.mean()?;
        let count = values.values().len();
        let freedom = (count - 1) as f64;
        let squares: f64 = values.values().iter().map(|value| (value - mean).powi(2)).sum();
        let student = StudentsT::new(0.0, 1.0, freedom).ok();
        let interval = student.map(|student| {
            let error = (squares / freedom / count as f64).sqrt();
            let half = student.inverse_cdf(UPPER) * error;
            [mean - half, mean + half]
        });
        Some(Mean { mean, interval, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cumulative_distribution_climbs_to_one_at_the_greatest_value() {
        let distribution: Distribution = [3.0, 1.0, f64::NAN, 3.0, 2.0].into_iter().collect();
        assert_eq!(distribution.values(), [1.0, 2.0, 3.0, 3.0]);
        assert_eq!(distribution.cumulative(), [(1.0, 0.25), (2.0, 0.5), (3.0, 1.0)]);
        assert_eq!(distribution.share_below(3.0), Some(0.5));
        assert_eq!((distribution.median(), distribution.mean()), (Some(2.5), Some(2.25)));
    }

    #[test]
    fn the_confidence_interval_is_students() {
        // Deviation sqrt(2.5), n = 5: 2.776 * sqrt(2.5 / 5) on either side, by the tables.
        let mean = Mean::of([1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let [low, high] = mean.interval.unwrap();
        assert_eq!((mean.mean, mean.count), (3.0, 5));
        assert!((high - 3.0 - 2.776_445 * 0.5_f64.sqrt()).abs() < 1e-5, "{high}");
        assert!((low + high - 6.0).abs() < 1e-12);
        assert_eq!(Mean::of([7.0]), Some(Mean { mean: 7.0, interval: None, count: 1 }));
        assert_eq!(Mean::of([]), None);
    }

    #[test]
    fn nothing_measured_has_no_distribution() {
        let nothing = Distribution::default();
        assert_eq!(nothing.cumulative(), []);
        assert_eq!(
            (nothing.share_below(1.0), nothing.median(), nothing.mean()),
            (None, None, None)
        );
    }
}
