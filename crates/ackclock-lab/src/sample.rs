//! What jobs measure, and what several seeds have in common.

use crate::experiment::Stop;
use ackclock_report::Plot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one job measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample {
    /// By quantity.
    pub(crate) values: BTreeMap<String, f64>,
    pub(crate) plots: Vec<Plot>,
}

impl Sample {
    /// Nothing yet.
    pub fn new() -> Self {
        Sample::default()
    }

    /// Measured this. What is no number (a mean of nothing) is left out.
    pub fn set(&mut self, quantity: impl Into<String>, value: f64) {
        if value.is_finite() {
            self.values.insert(quantity.into(), value);
        }
    }

    /// What was measured of this quantity.
    pub fn get(&self, quantity: &str) -> Option<f64> {
        self.values.get(quantity).copied()
    }

    /// Drew this. The plot's name is to be unique in the job; a job draws only if
    /// [`Job::draws`](crate::Job::draws).
    pub fn draw(&mut self, plot: Plot) {
        self.plots.push(plot);
    }
}

/// What all jobs of an experiment measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Samples {
    /// By variant and seed.
    pub(crate) by_variant: BTreeMap<String, BTreeMap<u64, Sample>>,
}

impl Samples {
    /// The samples of a variant, by seed.
    pub fn of(&self, variant: &str) -> impl Iterator<Item = (u64, &Sample)> {
        self.by_variant.get(variant).into_iter().flatten().map(|(seed, sample)| (*seed, sample))
    }

    /// The names of the variants.
    pub fn variants(&self) -> impl Iterator<Item = &str> {
        self.by_variant.keys().map(String::as_str)
    }

    /// A quantity of a variant over its seeds.
    ///
    /// # Errors
    /// [`Stop::Failed`] if no job measured it.
    pub fn spread(&self, variant: &str, quantity: &str) -> Result<Spread, Stop> {
        self.derived(variant, quantity, |sample| sample.get(quantity))
    }

    /// What follows from each sample of a variant, over its seeds; `what` says what it is.
    ///
    /// # Errors
    /// [`Stop::Failed`] if it follows from none.
    pub fn derived(
        &self,
        variant: &str,
        what: &str,
        derive: impl Fn(&Sample) -> Option<f64>,
    ) -> Result<Spread, Stop> {
        let values = self.of(variant).filter_map(|(_, sample)| derive(sample));
        Spread::of(values).ok_or_else(|| Stop::Failed(format!("no {what} of '{variant}'")))
    }
}

/// What several values have in common.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// As many values are above as below it.
    pub median: f64,
    /// The least one.
    pub least: f64,
    /// The greatest one.
    pub most: f64,
    /// How many there are.
    pub count: usize,
}

impl Spread {
    /// Of these values, NaN left out; `None` if there is none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let count = values.len();
        let median = (values[(count - 1) / 2] + values[count / 2]) / 2.0;
        Some(Spread { median, least, most, count })
    }

    /// Of one exact value.
    pub fn exactly(value: f64) -> Self {
        Spread { median: value, least: value, most: value, count: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_halfway_between_the_middle_two() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(spread, Spread { median: 2.5, least: 1.0, most: 4.0, count: 4 });
        assert_eq!(Spread::of([7.0]), Some(Spread::exactly(7.0)));
        assert_eq!(Spread::of([f64::NAN]), None);
    }
}
