//! One variant beside another, seed by seed.

use crate::experiment::Stop;
use crate::sample::{Samples, Spread};
use std::collections::BTreeMap;

/// What follows from a quantity of two variants, over the seeds that both have.
pub(super) fn derived(
    samples: &Samples,
    [one, other]: [&str; 2],
    quantity: &str,
    derive: impl Fn(f64, f64) -> f64,
) -> Result<Spread, Stop> {
    let others: Vec<_> = samples.of(other).collect();
    let values = samples.of(one).filter_map(|(seed, sample)| {
        let (_, other) = others.iter().find(|(each, _)| *each == seed)?;
        Some(derive(sample.get(quantity)?, other.get(quantity)?))
    });
    Spread::of(values)
        .ok_or_else(|| Stop::Failed(format!("no {quantity} of both '{one}' and '{other}'")))
}

/// A quantity of the first variant in parts of the second's.
pub(super) fn ratio(
    samples: &Samples,
    variants: [&str; 2],
    quantity: &str,
) -> Result<Spread, Stop> {
    derived(samples, variants, quantity, |one, other| one / other)
}

/// A quantity of the first variants in parts of the second's, each the mean over their points, as
/// over loads: what a line of a figure is above another, seed by seed.
pub(super) fn means_of_points(
    samples: &Samples,
    [one, other]: [Vec<String>; 2],
    quantity: &str,
) -> Result<Spread, Stop> {
    Spread::of(ratios_of_points(samples, [one, other], quantity))
        .ok_or_else(|| Stop::Failed(format!("no {quantity} of both lines")))
}

/// In which share of the seeds a line of a figure is above another.
pub(super) fn share_above_one(
    samples: &Samples,
    variants: [Vec<String>; 2],
    quantity: &str,
) -> Result<Spread, Stop> {
    let ratios = ratios_of_points(samples, variants, quantity);
    let above = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    match ratios.len() {
        0 => Err(Stop::Failed(format!("no {quantity} of both lines"))),
        seeds => Ok(Spread::exactly(above as f64 / seeds as f64)),
    }
}

/// By seed, what both lines have in common.
fn ratios_of_points(samples: &Samples, [one, other]: [Vec<String>; 2], quantity: &str) -> Vec<f64> {
    let sums = |variants: &[String]| {
        let mut sums: BTreeMap<u64, (usize, f64)> = BTreeMap::new();
        for (seed, sample) in variants.iter().flat_map(|variant| samples.of(variant)) {
            if let Some(value) = sample.get(quantity) {
                let (count, sum) = sums.entry(seed).or_default();
                (*count, *sum) = (*count + 1, *sum + value);
            }
        }
        sums
    };
    let (one, other) = (sums(&one), sums(&other));
    let ratios = one.iter().filter_map(|(seed, (count, sum))| {
        let (others, of_others) = other.get(seed)?;
        (count == others).then(|| sum / of_others)
    });
    ratios.collect()
}
