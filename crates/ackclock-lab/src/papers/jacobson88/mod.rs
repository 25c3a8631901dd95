//! Jacobson & Karels, 1988.

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[];
