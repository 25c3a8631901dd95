//! Options that several subcommands share, a group a file.

mod amount;
mod connection;
mod limits;
mod queues;
mod report;
mod transfer;
mod way;

pub(crate) use amount::AmountOptions;
pub(crate) use connection::ConnectionOptions;
pub(crate) use limits::LimitOptions;
pub(crate) use queues::{QueueOptions, queues};
pub(crate) use report::ReportOptions;
pub(crate) use transfer::{OF_A_SCENARIO, TransferOptions};
#[cfg(target_os = "linux")]
pub(crate) use way::Offload;
pub(crate) use way::{Via, WayOptions};
