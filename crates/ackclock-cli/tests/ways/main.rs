//! Ways out of the machine, against the kernel, each test in network namespaces of its own.
#![cfg(target_os = "linux")]

mod hosts;
#[path = "../namespace/mod.rs"]
mod namespace;
mod packet;
mod raw;
mod setup;
