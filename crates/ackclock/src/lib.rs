//! A TCP stack as a pure state machine (work in progress: the map of the crate comes here).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod apps;
pub mod congestion;
pub mod link;
pub mod seq;
pub mod stack;
pub mod storage;
pub mod tcp;
pub mod time;
pub mod wire;
