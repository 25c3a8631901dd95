//! A blocking listener.

use super::BACKLOG;
use super::patience::Patience;
use super::stream::TcpStream;
use crate::error::SocketError;
use crate::net::Net;
use crate::socket::listener::Listening;
use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A listener whose calls wait, as [`std::net::TcpListener`].
///
/// When the last clone is dropped, connections that were not accepted are reset.
///
/// ```no_run
/// use ackclock_net::{Net, TcpListener};
/// use std::thread;
///
/// fn echo(net: &Net) -> std::io::Result<()> {
///     for stream in TcpListener::bind(net, "10.7.0.2:7")?.incoming() {
///         let stream = stream?;
///         thread::spawn(move || std::io::copy(&mut &stream, &mut &stream));
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct TcpListener(Arc<Inner>);

struct Inner {
    listening: Listening,
    is_nonblocking: AtomicBool,
}

impl TcpListener {
    /// Listens at this address of the network; an unspecified one means all of its family, and port 0 a
    /// dynamic port that is free ([`local_addr`](Self::local_addr) says which). As many as 128
    /// connections wait to be accepted.
    ///
    /// # Errors
    /// That of the last address: [`SocketError::Listen`] or [`SocketError::NoPort`].
    pub fn bind(net: &Net, local: impl ToSocketAddrs) -> io::Result<Self> {
        TcpListener::bind_with_backlog(net, local, BACKLOG)
    }

    /// Listens as [`bind`](Self::bind) does, with a backlog of this many connections. While it is full,
    /// SYNs of clients get no answer and are retransmitted.
    ///
    /// # Errors
    /// As `bind`; a backlog of zero is refused.
    pub fn bind_with_backlog(
        net: &Net,
        local: impl ToSocketAddrs,
        backlog: usize,
    ) -> io::Result<Self> {
        if net.shared().is_virtual {
            return Err(SocketError::VirtualTime.into());
        }
        let mut failed = SocketError::NoAddress.into();
        for local in local.to_socket_addrs()? {
            match Listening::bind(net, local, backlog) {
                Ok(listening) => {
                    let is_nonblocking = AtomicBool::new(false);
                    return Ok(TcpListener(Arc::new(Inner { listening, is_nonblocking })));
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Where it listens.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.listening.local_addr())
    }

    /// The same listener once more.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(self.clone())
    }

    /// Waits for a connection; returns it and the peer's address.
    ///
    /// # Errors
    /// [`SocketError::Network`] when the network has ended; [`SocketError::WouldBlock`] if it may not wait.
    pub fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let Inner { listening, is_nonblocking } = &*self.0;
        let accepted =
            Patience::default().wait(is_nonblocking, |waker| listening.poll_accept(waker))?;
        let peer = accepted.peer_addr();
        Ok((TcpStream::of(accepted), peer))
    }

    /// The connections that come, without end.
    pub fn incoming(&self) -> Incoming<'_> {
        Incoming(self)
    }

    /// Whether [`accept`](Self::accept) fails with [`ErrorKind::WouldBlock`](io::ErrorKind::WouldBlock)
    /// instead of waiting.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.0.is_nonblocking.store(nonblocking, Ordering::Relaxed);
        Ok(())
    }
}

impl fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpListener").field("local", &self.0.listening.local_addr()).finish()
    }
}

/// The connections of a listener; it has no end.
#[derive(Debug)]
pub struct Incoming<'l>(&'l TcpListener);

impl Iterator for Incoming<'_> {
    type Item = io::Result<TcpStream>;

    fn next(&mut self) -> Option<io::Result<TcpStream>> {
        Some(self.0.accept().map(|(stream, _)| stream))
    }
}
