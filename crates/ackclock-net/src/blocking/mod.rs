//! Blocking sockets, named and behaving as those of [`std::net`].

mod listener;
mod patience;
mod requests;
mod stream;

pub use listener::{Incoming, TcpListener};
pub use requests::{AnyListener, Request};
pub use stream::TcpStream;

/// Default backlog, the maximum number of connections that wait to be accepted: that of [`std::net`].
pub(crate) const BACKLOG: usize = 128;
