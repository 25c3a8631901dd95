//! What many measurements have in common.

use serde::Serialize;

/// Measured values in order.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Distribution {
    sorted: Vec<f64>,
}

impl FromIterator<f64> for Distribution {
    /// What is no number is left out.
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
    fn nothing_measured_has_no_distribution() {
        let nothing = Distribution::default();
        assert_eq!(nothing.cumulative(), []);
        assert_eq!(
            (nothing.share_below(1.0), nothing.median(), nothing.mean()),
            (None, None, None)
        );
    }
}
