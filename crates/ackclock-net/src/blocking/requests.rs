//! Requests for connections to anybody, in threads.

use super::TcpStream;
use super::patience::Patience;
use crate::error::SocketError;
use crate::net::Net;
use crate::socket::requests::{Asked, Requests};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;

/// A listener at every address and port that hands out requests before anything was answered; see
/// [`aio::AnyListener`](crate::aio::AnyListener).
#[derive(Debug)]
pub struct AnyListener(Requests);

impl AnyListener {
    /// Listens; at most `most` requests over IPv4, and as many over IPv6, wait for their answer or for the
    /// handshake that follows. Beyond that the oldest gives way, if it is older than 100 ms.
    ///
    /// # Errors
    /// There is such a listener already, or `most` is 0: [`SocketError::Listen`].
    pub fn bind(net: &Net, most: usize) -> io::Result<Self> {
        if net.shared().is_virtual {
            return Err(SocketError::VirtualTime.into());
        }
        Requests::listen(net, most).map(AnyListener)
    }

    /// Waits for a request.
    ///
    /// # Errors
    /// The network is over.
    pub fn request(&self) -> io::Result<Request> {
        let waits = AtomicBool::new(false);
        Patience::default().wait(&waits, |waker| self.0.poll_request(waker)).map(Request)
    }
}

/// A peer that asks for a connection, and has had no answer. One that is dropped gets none: the peer asks
/// again, which is another request. It ends with its listener.
pub struct Request(Asked);

impl Request {
    /// The peer.
    pub fn from(&self) -> SocketAddr {
        self.0.ends()[1]
    }

    /// Whom the peer wants to reach.
    pub fn to(&self) -> SocketAddr {
        self.0.ends()[0]
    }

    /// Accepts it, and waits until the connection is established.
    ///
    /// # Errors
    /// [`SocketError::RequestGone`]: the peer has given up.
    pub fn accept(mut self) -> io::Result<TcpStream> {
        let waits = AtomicBool::new(false);
        Patience::default().wait(&waits, |waker| self.0.poll_accept(waker)).map(TcpStream::of)
    }

    /// Refuses it, as where nobody listens. A peer that has given up is not told.
    pub fn refuse(mut self) {
        // There is nobody to refuse it to any more.
        let _ = self.0.refuse();
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("from", &self.from()).field("to", &self.to()).finish()
    }
}
