//! Values of options: parsers of what users type, with errors that say what to type instead.

mod bytes;
mod cidr;
mod duration;
mod emulated_path;
mod laws;
mod peer;
mod signature_key;
mod trace_file;

pub(crate) use bytes::parse_bytes;
pub(crate) use cidr::parse_cidr;
pub(crate) use duration::{parse_duration, parse_interval, parse_positive_duration};
pub(crate) use emulated_path::{path_text, there_and_back};
pub(crate) use laws::Laws;
pub(crate) use peer::Peer;
pub(crate) use signature_key::SignatureKey;
pub(crate) use trace_file::TraceFile;
