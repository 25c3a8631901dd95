//! Options that several subcommands share, a group a file.

mod amount;
mod connection;
mod interface;
mod report;
mod transfer;

pub(crate) use amount::AmountOptions;
pub(crate) use connection::ConnectionOptions;
pub(crate) use interface::{InterfaceOptions, Offload};
pub(crate) use report::ReportOptions;
pub(crate) use transfer::{OF_A_SCENARIO, TransferOptions};
