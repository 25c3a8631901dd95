//! Loops: they drive stacks and wires over links, and sleep while there is nothing to do.

pub mod bridge;
pub mod queues;
pub mod run_loop;
mod sleeper;
mod strays;
mod wait;
mod wake_ups;
