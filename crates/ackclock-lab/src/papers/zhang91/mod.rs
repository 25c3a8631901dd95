//! Zhang, Shenker & Clark, 1991.

mod ack_compression;
mod analysis;
mod conjecture;
mod delayed_acks;
mod fixed_windows;
mod formulas;
mod four_switches;
mod network;
mod one_way_3;
mod phases;
mod stated;
mod two_way_1_1;
mod two_way_5_5;
mod unequal_rtt;
mod watch;

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    one_way_3::EXPERIMENT,
    formulas::EXPERIMENT,
    two_way_5_5::EXPERIMENT,
    two_way_1_1::SMALL_PIPE,
    two_way_1_1::LARGE_PIPE,
    phases::EXPERIMENT,
    fixed_windows::EXPERIMENT,
    ack_compression::EXPERIMENT,
    conjecture::EXPERIMENT,
    delayed_acks::EXPERIMENT,
    unequal_rtt::EXPERIMENT,
    four_switches::EXPERIMENT,
];
