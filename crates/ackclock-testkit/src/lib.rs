//! What tests of several crates need: the language of [packet scripts](script), and what plays them
//! against one stack.
//!
//! The core does not depend on this crate, not even for its tests: those run without `std` and
//! `alloc` too, which a dependency that needs both would switch on. Scripts are therefore tests of
//! this crate (`tests/scripts`, one file per section of an RFC).

#[cfg(target_os = "linux")]
pub mod kernel_watch;
pub mod script;
