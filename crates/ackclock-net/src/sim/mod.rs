//! Whole programs in virtual time: hosts whose code is ordinary asynchronous Rust, on a network of the
//! emulator.
//!
//! A host is a future that is given its [`Net`](crate::Net). It connects, listens, spawns tasks and sleeps
//! with tokio as it would over a TUN device. Time moves only while no host can run: then the emulator
//! makes its next event happen, and each host's clock shows the same time as the network, to the
//! nanosecond. The same seed and the same code give the same packets at the same times.
//!
//! ```
//! use ackclock_net::aio::{TcpListener, TcpStream};
//! use ackclock_net::sim::SimNet;
//! use ackclock::time::Duration;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut sim = SimNet::pair("rate=10mbit,delay=100ms,loss=2%", 7, ())?;
//! sim.service("right", |host| async move {
//!     let listener = TcpListener::bind(host.net(), "10.0.0.2:7".parse()?)?;
//!     let (mut stream, _) = listener.accept().await?;
//!     let (mut read, mut write) = stream.split();
//!     tokio::io::copy(&mut read, &mut write).await?;
//!     Ok(())
//! })?;
//! sim.host("left", |host| async move {
//!     let mut stream = TcpStream::connect(host.net(), "10.0.0.2:7".parse()?).await?;
//!     stream.write_all(b"Is anybody there?").await?;
//!     let mut answer = [0; 100];
//!     assert_eq!(stream.read(&mut answer).await?, 17);
//!     Ok(())
//! })?;
//! sim.run(Duration::from_secs(60))?;
//! # Ok(())
//! # }
//! ```
//!
//! # What breaks it
//! The network's side is deterministic; a program may still ask something else than the network:
//!
//! | what | what becomes of it | instead |
//! | --- | --- | --- |
//! | `tokio::select!` and `join!` of ready futures | `select!` draws at random which it looks at first | `biased;` |
//! | `spawn_blocking`, threads, names resolved by the system | real time, and an end at any time | addresses; what is made before the run |
//! | blocking sockets of this crate | refused ([`SocketError::VirtualTime`](crate::SocketError::VirtualTime)) | those of [`aio`](crate::aio) |
//! | `std::time` | shows real time | `tokio::time`, [`Net::now`](crate::Net::now) |
//! | the order of a `HashMap`, random numbers | differ from run to run | a `BTreeMap`, a seeded generator |
//! | a `Date` header, the randomness of TLS | differ from run to run, and so do the bytes | switch it off, or seed it |
//! | channels between hosts | heard of at the next whole millisecond | the network |
//!
//! [`repeats`] runs twice, and says at which packet there was such a thing.
//!
//! # Time
//! Tokio's timers fire at whole milliseconds after their host began, as everywhere. Between two packets a
//! run looks at each of these milliseconds, about a microsecond per host: an hour in which nothing happens
//! takes seconds.

mod endpoint;
mod repeats;
mod runtime;
mod world;

pub use repeats::{NotRepeated, Trail, repeats};
pub use world::{Fault, Host, HostError, Outcome, SimError, SimNet};
