//! Jacobson & Karels, 1988.

mod conversations;
mod damage_loss;
mod delay_sweep;
mod four_conversations;
mod idle_restart;
mod senders;
mod slip_timer;
mod startup;
mod stated;
mod timers;

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    startup::EXPERIMENT,
    timers::EXPERIMENT,
    four_conversations::EXPERIMENT,
    delay_sweep::EXPERIMENT,
    damage_loss::EXPERIMENT,
    idle_restart::EXPERIMENT,
    slip_timer::EXPERIMENT,
];
