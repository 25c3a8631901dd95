//! Zhang, Shenker & Clark, 1991.

mod network;
mod one_way_3;
mod watch;

use crate::experiment::Experiment;

pub(super) const EXPERIMENTS: &[Experiment] = &[one_way_3::EXPERIMENT];
