//! Blocking sockets, named and behaving as those of [`std::net`].

mod listener;
mod patience;
mod requests;
mod stream;

pub use listener::{Incoming, TcpListener};
pub use requests::{AnyListener, Request};
pub use stream::TcpStream;

/// Most connections that wait to be accepted, where nobody says otherwise: as many as [`std::net`] has.
pub(crate) const BACKLOG: usize = 128;
