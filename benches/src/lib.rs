//! Measurements that benchmarks print and tests judge.
#![forbid(unsafe_code)]

pub mod against_smoltcp;
pub mod callgrind;
pub mod clock;
pub mod closed_forms;
pub mod contest;
pub mod copy_and_sum;
pub mod deaf_bbr;
mod end;
pub mod fair_queueing;
pub mod lossy_flight;
pub mod memory;
pub mod packets;
pub mod random_loss;
pub mod report;
pub mod scoreboard;
mod starts;
pub mod strange_paths;
pub mod two_way;
