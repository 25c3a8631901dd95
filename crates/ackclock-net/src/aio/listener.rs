//! An asynchronous listener.

use super::TcpStream;
use crate::blocking::BACKLOG;
use crate::net::Net;
use crate::socket::listener::Listening;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

/// A listener whose calls are futures, as tokio's `TcpListener`. When it is dropped, connections that were
/// not accepted are reset.
#[derive(Debug)]
pub struct TcpListener(Listening);

impl TcpListener {
    /// Listens at this address of the network; an unspecified one means all of its family, and port 0 a
    /// dynamic port that is free. As many as 128 connections wait to be accepted.
    ///
    /// # Errors
    /// [`SocketError::Listen`](crate::SocketError::Listen) or
    /// [`SocketError::NoPort`](crate::SocketError::NoPort).
    pub fn bind(net: &Net, local: SocketAddr) -> io::Result<Self> {
        TcpListener::bind_with_backlog(net, local, BACKLOG)
    }

    /// Listens as [`bind`](Self::bind) does, with a backlog of this many connections.
    ///
    /// # Errors
    /// As `bind`; a backlog of zero is refused.
    pub fn bind_with_backlog(net: &Net, local: SocketAddr, backlog: usize) -> io::Result<Self> {
        Listening::bind(net, local, backlog).map(TcpListener)
    }

    /// Where it listens.
    ///
    /// # Errors
    /// None; the signature is that of tokio.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.local_addr())
    }

    /// Waits for a connection; returns it and the peer's address. If the future is dropped, the connection
    /// goes to the next that waits.
    ///
    /// # Errors
    /// The network has ended.
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        poll_fn(|cx| self.poll_accept(cx)).await
    }

    /// Takes the next connection, if there is one.
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        self.0.poll_accept(cx.waker()).map_ok(|connection| {
            let peer = connection.peer_addr();
            (TcpStream::of(connection), peer)
        })
    }
}
