//! Requests for connections to any address, for threads.

use super::TcpStream;
use super::patience::Patience;
use crate::error::SocketError;
use crate::net::Net;
use crate::socket::requests::{Asked, Requests};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;

/// A listener at every address and port that returns requests before they are answered; see
/// [`aio::AnyListener`](crate::aio::AnyListener).
#[derive(Debug)]
pub struct AnyListener(Requests);

impl AnyListener {
    /// Listens; at most `most` requests over IPv4, and as many over IPv6, wait for their answer or for the
    /// handshake that follows. Beyond that the oldest is discarded, if it is older than 100 ms.
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
    /// The network has ended.
    pub fn request(&self) -> io::Result<Request> {
        let waits = AtomicBool::new(false);
        Patience::default().wait(&waits, |waker| self.0.poll_request(waker)).map(Request)
    }
}

/// A peer's SYN that has not been answered. If the request is dropped it gets no answer: the peer retransmits the
/// SYN, which makes another request. A request ends with its listener.
pub struct Request(Asked);

impl Request {
    /// The peer.
    pub fn from(&self) -> SocketAddr {
        self.0.ends()[1]
    }

    /// The address and port that the peer wants to reach.
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

    /// Refuses it with a RST, as if there were no listener. A peer that has given up gets none.
    pub fn refuse(mut self) {
        // The request is gone: there is no peer to refuse.
        let _ = self.0.refuse();
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("from", &self.from()).field("to", &self.to()).finish()
    }
}
