//! Connections as byte streams, with the traits of the embedded Rust ecosystem.
//!
//! | feature | type | traits |
//! | --- | --- | --- |
//! | `embedded-io` | [`Blocking`] | `Read`, `Write`, `ReadReady`, `WriteReady` of embedded-io 0.7 |
//! | `embedded-io-async` | `SharedStack`, `Stream` and its halves | `Read`, `Write` of embedded-io-async 0.7; `ReadReady`, `WriteReady` |
//! | `embedded-nal-async` | `SharedStack` | `TcpConnect` of embedded-nal-async 0.9 |
//!
//! None of them needs a heap, and the asynchronous ones work with any executor.

mod blocking;
mod error;
#[cfg(feature = "embedded-nal-async")]
mod nal;
#[cfg(feature = "embedded-io-async")]
mod shared;
#[cfg(feature = "embedded-io-async")]
mod stream;
#[cfg(all(test, feature = "alloc", feature = "embedded-nal-async", feature = "ipv4"))]
mod tests;
#[cfg(feature = "embedded-io-async")]
mod wakers;

pub use blocking::Blocking;
pub use error::IoError;
#[cfg(feature = "embedded-io-async")]
pub use shared::SharedStack;
#[cfg(feature = "embedded-io-async")]
pub use stream::{ReadHalf, Stream, WriteHalf};
