//! A small shop over HTTP and a client that asks again, for any network: ordinary code over hyper.

pub mod client;
pub mod service;
pub mod sim;

/// So many bytes that differ from place to place; `which` tells one such text from another.
pub fn pattern(which: usize, length: usize) -> Vec<u8> {
    (which..).map(|at| (at % 251) as u8).take(length).collect()
}
