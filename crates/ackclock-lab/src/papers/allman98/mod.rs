//! Allman, Hayes & Ostermann, 1998.

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[];
