//! Common part of sockets. Blocking and asynchronous streams and listeners make the same calls here; in the former
//! a thread waits, in the latter a task.

pub(crate) mod connection;
pub(crate) mod listener;
pub(crate) mod requests;
