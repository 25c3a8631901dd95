//! Groups of options that several subcommands share, one in each file, and their conversion into the
//! settings that the implementation of the subcommands takes.

mod amount;
mod connection;
mod limits;
mod queues;
mod report;
mod signatures;
mod tcp_choice;
mod transfer;
mod way;

pub(crate) use amount::AmountOptions;
pub(crate) use connection::ConnectionOptions;
pub(crate) use limits::LimitOptions;
pub(crate) use queues::{QueueOptions, queues};
pub(crate) use report::ReportOptions;
pub(crate) use signatures::SignatureOptions;
pub(crate) use tcp_choice::TcpChoice;
pub(crate) use transfer::{OF_A_SCENARIO, TransferOptions};
pub(crate) use way::WayOptions;
