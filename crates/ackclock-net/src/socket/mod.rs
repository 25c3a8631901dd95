//! Sockets as the network knows them. Blocking and asynchronous streams and listeners make the same calls
//! here, and differ in who waits.

pub(crate) mod connection;
pub(crate) mod listener;
pub(crate) mod requests;
