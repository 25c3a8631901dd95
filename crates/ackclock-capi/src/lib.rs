//! ackclock for firmware written in C: a TCP stack over Ethernet and IPv4 in memory that the firmware
//! lends, without a heap, a clock, threads or callbacks.
//!
//! `include/ackclock.h` is made from this crate; it says what each function does. Nothing here
//! panics: errors are reported by the returned value. (`examples/firmware/panics.py` looks for
//! places that could, in an image with all of these functions.)
#![cfg_attr(target_os = "none", no_std)]

mod connections;
mod memory;
mod packets;
#[cfg(target_os = "none")]
mod panicked;
mod stack;

pub use connections::{
    ackclock_abort, ackclock_accept, ackclock_close, ackclock_connect, ackclock_listen,
    ackclock_read, ackclock_readiness, ackclock_room, ackclock_shutdown, ackclock_write,
};
pub use packets::{ackclock_frame, ackclock_poll_at, ackclock_transmit};
pub use stack::{ackclock_config, ackclock_init, ackclock_memory_needed, ackclock_stack};

/// Most connections at a time.
pub const ACKCLOCK_CONNECTIONS: usize = 4;
/// Most connections whose handshake is not finished.
pub const ACKCLOCK_HALF_OPEN: usize = 4;
/// Maximum number of connections in TIME-WAIT; the oldest is dropped for a new one.
pub const ACKCLOCK_TIME_WAIT: usize = 4;
/// Most listeners.
pub const ACKCLOCK_LISTENERS: usize = 4;

/// Readiness: the handshake is finished, and the connection is not over.
pub const ACKCLOCK_ESTABLISHED: u8 = 1;
/// Readiness: there is something to read, or the end of it.
pub const ACKCLOCK_READABLE: u8 = 2;
/// Readiness: there is room for something to send.
pub const ACKCLOCK_WRITABLE: u8 = 4;
/// Readiness: the peer has said all, and all of it was read.
pub const ACKCLOCK_FINISHED: u8 = 8;
/// Readiness: everything that was to be sent was acknowledged.
pub const ACKCLOCK_FLUSHED: u8 = 16;
/// Readiness: the connection has ended; close it.
pub const ACKCLOCK_CLOSED: u8 = 32;

/// The handle names no connection, or the listener no listener.
pub const ACKCLOCK_BAD_HANDLE: i32 = -1;
/// The peer has said all.
pub const ACKCLOCK_END: i32 = -2;
/// The connection has ended, or its sending side was shut down.
pub const ACKCLOCK_OVER: i32 = -3;
