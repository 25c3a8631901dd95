//! Allman, Hayes & Ostermann, 1998.

mod burst_probe;
mod campaign;
mod equations;
mod internet;
mod modem;
mod network;
mod stated;

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    modem::EXPERIMENT,
    internet::EXPERIMENT,
    equations::EXPERIMENT,
    burst_probe::EXPERIMENT,
    campaign::EXPERIMENT,
];
