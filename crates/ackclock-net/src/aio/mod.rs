//! Asynchronous sockets, for any executor.
//!
//! Their methods are futures that may be dropped at any time: nothing is read or written by one that was
//! not done. With the feature `tokio` streams have tokio's `AsyncRead` and `AsyncWrite`, with `futures-io`
//! those of that crate.

mod half;
mod listener;
mod methods;
mod requests;
mod stream;
#[cfg(any(feature = "futures-io", feature = "tokio"))]
mod traits;

pub use half::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
pub use listener::TcpListener;
pub use requests::{AnyListener, Request};
pub use stream::TcpStream;
