//! A small shop over HTTP and a client that asks again, for any network: ordinary code over hyper.

pub mod client;
pub mod service;
pub mod sim;

/// This many bytes, different at each position; `which` distinguishes texts.
pub fn pattern(which: usize, length: usize) -> Vec<u8> {
    (which..).map(|at| (at % 251) as u8).take(length).collect()
}
