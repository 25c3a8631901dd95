//! Whole programs in virtual time: hosts whose code is ordinary asynchronous Rust, on a network of the
//! emulator.
//!
//! A host is a future that is given its [`Net`](crate::Net). It connects, listens, spawns tasks and sleeps
//! with tokio as it would over a TUN device. Time advances only while no host can run: then the emulator
//! processes its next event, and each host's clock shows the same time as the network, to the
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
//! The network is deterministic; a program may still depend on other inputs:
//!
//! | input | effect | instead |
//! | --- | --- | --- |
//! | `tokio::select!` and `join!` of ready futures | `select!` polls the branches in random order | `biased;` |
//! | `spawn_blocking`, threads, names resolved by the system | real time, and results at any time | addresses; results computed before the run |
//! | blocking sockets of this crate | refused ([`SocketError::VirtualTime`](crate::SocketError::VirtualTime)) | those of [`aio`](crate::aio) |
//! | `std::time` | shows real time | `tokio::time`, [`Net::now`](crate::Net::now) |
//! | the order of a `HashMap`, random numbers | differ from run to run | a `BTreeMap`, a seeded generator |
//! | a `Date` header, the randomness of TLS | differ from run to run, and so do the bytes | switch it off, or seed it |
//! | channels between hosts | messages are noticed at the next whole millisecond | the network |
//!
//! [`repeats`] runs twice, and reports at which packet the runs differ.
//!
//! # Time
//! Tokio's timers fire at whole milliseconds after the start of their host, as everywhere. Between two packets a
//! run visits each of these milliseconds, which takes about a microsecond per host: an hour without events
//! takes seconds.

mod endpoint;
mod repeats;
mod runtime;
mod world;

pub use repeats::{NotRepeated, Trail, repeats};
pub use world::{Fault, Host, HostError, Outcome, SimError, SimNet};
