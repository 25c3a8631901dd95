//! What the programs share.
#![forbid(unsafe_code)]

pub mod http;
