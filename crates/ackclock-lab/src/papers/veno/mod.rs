//! Chung, Fu & Liew.

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[];
