//! The kernel as a player: a seat in a network namespace, its settings, and the calls of the C library.

pub(crate) mod calls;
pub(crate) mod device;
pub(crate) mod md5;
pub(crate) mod seat;
pub(crate) mod settings;
pub(crate) mod watchdog;
