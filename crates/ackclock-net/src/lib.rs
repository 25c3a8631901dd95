//! Sockets over `ackclock`: a network in the program, and streams and listeners that are handles to it.
//!
//! A [`Net`] has addresses of its own and is carried by a driver: a thread, or a task that the program
//! spawns. Sockets may be used from any thread, and hold no part of the driver.
//!
//! | to | take |
//! | --- | --- |
//! | read and write as with [`std::net`] | [`TcpStream`], [`TcpListener`] |
//! | do it in tasks | [`aio::TcpStream`], [`aio::TcpListener`]; features `tokio` and `futures-io` for their traits |
//! | answer connections to anybody | [`AnyListener`], [`aio::AnyListener`] |
//! | join connections to those of the system, as a proxy | module `relay` of feature `tokio-net` |
//! | run over a TUN device or raw sockets | `Net::over`, `Net::over_queues` (Linux) |
//! | run over anything that carries packets | [`channel::packets`], [`Net::on_thread`] |
//! | run without another thread | [`Net::with_driver`]; feature `tokio-net` for devices of the host |
//! | run whole programs in virtual time | feature `sim` |
//!
//! The ways in and out are the core's [`Link`](ackclock::link::Link): a batch in, packets out, and whom
//! to wake. A driver does nothing while no packet comes, no timer is due and no socket has something to
//! send: there is no tick.
//!
//! Everything that fails says why in an [`std::io::Error`] of the kind that other sockets have, whose
//! source is a [`SocketError`].
#![forbid(unsafe_code)]

pub mod aio;
mod blocking;
pub mod channel;
mod driver;
mod ended;
mod error;
mod net;
mod network;
mod park;
#[cfg(feature = "tokio-net")]
pub mod relay;
#[cfg(feature = "sim")]
pub mod sim;
mod socket;

pub use blocking::{AnyListener, Incoming, Request, TcpListener, TcpStream};
#[cfg(all(unix, feature = "tokio-net"))]
pub use driver::TokioLink;
#[cfg(feature = "tokio")]
pub use driver::TokioTimer;
pub use driver::{Driver, Timer};
pub use ended::Ended;
pub use error::SocketError;
pub use net::{Net, NetConfig, NetError};
