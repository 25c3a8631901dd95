//! Values of options: what a user types, and what is wrong with it if it is wrong.

mod bytes;
mod cidr;
mod duration;
mod paths;
mod peer;
mod trace_file;

pub(crate) use bytes::parse_bytes;
pub(crate) use cidr::parse_cidr;
pub(crate) use duration::{parse_interval, parse_positive_duration};
pub(crate) use paths::{path_text, there_and_back};
pub(crate) use peer::Peer;
pub(crate) use trace_file::TraceFile;
