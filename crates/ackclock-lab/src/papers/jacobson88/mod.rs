//! Jacobson & Karels, 1988.

mod ack_clock;
mod chronology;
mod collapse;
mod conversations;
mod damage_loss;
mod delay_sweep;
mod figure_12;
mod four_conversations;
mod idle_restart;
mod one_trace;
mod queue;
mod senders;
mod slip_timer;
mod startup;
mod stated;
mod timers;
mod window_adjustment;

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    collapse::EXPERIMENT,
    ack_clock::EXPERIMENT,
    chronology::EXPERIMENT,
    startup::EXPERIMENT,
    one_trace::EXPERIMENT,
    timers::EXPERIMENT,
    four_conversations::EXPERIMENT,
    delay_sweep::EXPERIMENT,
    damage_loss::EXPERIMENT,
    idle_restart::EXPERIMENT,
    slip_timer::EXPERIMENT,
    window_adjustment::EXPERIMENT,
];
