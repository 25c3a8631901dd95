//! Chung, Fu & Liew.

mod coexistence;
mod dummynet;
mod loss_sweep;
mod modem;
mod network;
mod stated;
mod utilisation;

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    modem::EXPERIMENT,
    dummynet::EXPERIMENT,
    loss_sweep::EXPERIMENT,
    utilisation::EXPERIMENT,
    coexistence::EXPERIMENT,
];
