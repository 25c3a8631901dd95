//! Requests for connections to anybody, in tasks.

use super::TcpStream;
use crate::net::Net;
use crate::socket::requests::{Asked, Requests};
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

/// A listener at every address and port, the network's own and all others, that hands out requests before
/// anything was answered: for proxies and forwarders, to which the packets of others are routed. A listener
/// at an address or port of its own comes first.
///
/// ```no_run
/// use ackclock_net::{Net, aio::AnyListener};
///
/// async fn web_only(net: &Net) -> std::io::Result<()> {
///     let listener = AnyListener::bind(net, 1024)?;
///     loop {
///         let request = listener.request().await?;
///         if request.to().port() != 80 {
///             request.refuse();
///             continue;
///         }
///         // It may take its time to find out; the peer waits for its SYN-ACK.
///         let mut stream = request.accept().await?;
///         stream.write(b"HTTP/1.0 204 No Content\r\n\r\n").await?;
///     }
/// }
/// ```
#[derive(Debug)]
pub struct AnyListener(Requests);

impl AnyListener {
    /// Listens; at most `most` requests over IPv4, and as many over IPv6, wait for their answer or for the
    /// handshake that follows. Beyond that the oldest is discarded, if it is older than 100 ms.
    ///
    /// # Errors
    /// There is such a listener already, or `most` is 0: [`SocketError::Listen`](crate::SocketError::Listen).
    pub fn bind(net: &Net, most: usize) -> io::Result<Self> {
        Requests::listen(net, most).map(AnyListener)
    }

    /// Waits for a request. If the future is dropped, the request goes to the next that waits.
    ///
    /// # Errors
    /// The network has ended.
    pub async fn request(&self) -> io::Result<Request> {
        poll_fn(|cx| self.poll_request(cx)).await
    }

    /// Takes the next request, if there is one.
    pub fn poll_request(&self, cx: &mut Context<'_>) -> Poll<io::Result<Request>> {
        self.0.poll_request(cx.waker()).map_ok(Request)
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

    /// Accepts it, and waits until the connection is established. If the future is dropped before, the
    /// connection is reset when it comes.
    ///
    /// # Errors
    /// [`SocketError::RequestGone`](crate::SocketError::RequestGone): the peer has given up.
    pub async fn accept(mut self) -> io::Result<TcpStream> {
        poll_fn(|cx| self.0.poll_accept(cx.waker())).await.map(TcpStream::of)
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
