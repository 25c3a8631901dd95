//! Allman, 1999.

mod fairness;
mod many_flows;
mod mixed;
mod network;
mod one_on_one;
mod scaled;
mod stated;
mod traffic;

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    many_flows::EXPERIMENT,
    scaled::EXPERIMENT,
    one_on_one::EXPERIMENT,
    fairness::EXPERIMENT,
    mixed::EXPERIMENT,
];
