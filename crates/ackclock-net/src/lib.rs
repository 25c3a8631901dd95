//! Sockets over `ackclock`: a network in the program, and streams and listeners that are handles to it.
//!
//! A [`Net`] has addresses of its own and is carried by a driver: a thread, or a task that the program
//! spawns. Sockets may be used from any thread, and hold no part of the driver.
//!
//! | to | use |
//! | --- | --- |
//! | read and write as with [`std::net`] | [`TcpStream`], [`TcpListener`] |
//! | do the same in async tasks | [`aio::TcpStream`], [`aio::TcpListener`]; features `tokio` and `futures-io` for their traits |
//! | accept connections to any address | [`AnyListener`], [`aio::AnyListener`] |
//! | relay between connections and those of the operating system, as a proxy | module `relay` of feature `tokio-net` |
//! | run over a TUN device or raw sockets | `Net::over`, `Net::over_queues` (Linux) |
//! | run over anything that carries packets | [`channel::packets`], [`Net::on_thread`] |
//! | run without another thread | [`Net::with_driver`]; feature `tokio-net` for devices of the host |
//! | run whole programs in virtual time | feature `sim` |
//!
//! Packets come and go through the core's trait [`Link`](ackclock::link::Link): it receives batches, sends
//! packets, and calls a waker. A driver sleeps while no packet arrives, no timer is due and no socket has data
//! to send: there is no periodic tick.
//!
//! Errors are [`std::io::Error`] with the kind that other sockets return, whose source is a
//! [`SocketError`].
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
