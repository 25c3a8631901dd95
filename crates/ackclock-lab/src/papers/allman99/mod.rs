//! Allman, 1999.

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[];
