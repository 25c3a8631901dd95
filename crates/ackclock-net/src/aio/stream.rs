//! An asynchronous connection.

use super::half::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
use super::methods::{reads, writes};
use crate::net::Net;
use crate::socket::connection::Connection;
use ackclock::tcp::Info;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A connection whose calls are futures, as tokio's `TcpStream`.
///
/// It is closed when it is dropped: written data are still delivered, but unread data reset
/// it.
///
/// ```no_run
/// use ackclock_net::{Net, aio::TcpStream};
///
/// async fn ask(net: &Net) -> std::io::Result<usize> {
///     let mut stream = TcpStream::connect(net, ([10, 7, 0, 1], 7).into()).await?;
///     stream.write(b"Is anybody there?").await?;
///     stream.read(&mut [0; 100]).await
/// }
/// ```
pub struct TcpStream(pub(super) Arc<Connection>);

impl TcpStream {
    /// Opens a connection, and waits until it is established. If the future is dropped before, the
    /// connection is given up.
    ///
    /// # Errors
    /// [`SocketError::Connect`](crate::SocketError::Connect), or
    /// [`SocketError::Closed`](crate::SocketError::Closed) if it was refused or there was no answer.
    pub async fn connect(net: &Net, remote: SocketAddr) -> io::Result<Self> {
        let connection = Connection::open(net, remote, None)?;
        poll_fn(|cx| connection.poll_established(cx.waker())).await?;
        Ok(TcpStream::of(connection))
    }

    /// Opens a connection as [`connect`](Self::connect) does, and writes all of `data`. They go with the SYN, and
    /// the answer comes a round trip earlier, if the host has given this network a cookie before (TCP Fast Open,
    /// RFC 7413); otherwise the SYN requests one. Data in a SYN may reach the peer's program twice, so
    /// they should be a request that may be processed twice.
    ///
    /// # Errors
    /// As `connect`, and as writing.
    pub async fn connect_with_data(net: &Net, remote: SocketAddr, data: &[u8]) -> io::Result<Self> {
        let (connection, taken) = Connection::open_with_data(net, remote, data)?;
        poll_fn(|cx| connection.poll_established(cx.waker())).await?;
        let mut stream = TcpStream::of(connection);
        stream.write_all(&data[taken..]).await?;
        Ok(stream)
    }

    pub(super) fn of(connection: Connection) -> Self {
        TcpStream(Arc::new(connection))
    }

    /// The peer's address.
    ///
    /// # Errors
    /// None; the signature is that of tokio.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.peer_addr())
    }

    /// This side's address.
    ///
    /// # Errors
    /// None; the signature is that of tokio.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.local_addr())
    }

    /// Waits until everything written was acknowledged, the end included after
    /// [`shutdown`](Self::shutdown), or the connection has ended.
    ///
    /// # Errors
    /// The network has ended.
    pub async fn acknowledged(&self) -> io::Result<()> {
        poll_fn(|cx| self.0.poll_flushed(cx.waker())).await
    }

    /// Ends one direction, or both; as [`TcpStream::shutdown`](crate::TcpStream::shutdown).
    ///
    /// # Errors
    /// The connection has ended.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.0.shutdown(how)
    }

    /// Both directions, to be used by two tasks.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        (ReadHalf(&self.0), WriteHalf(&self.0))
    }

    /// Both directions, each of which may go where it likes.
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        (OwnedReadHalf(Arc::clone(&self.0)), OwnedWriteHalf(self.0))
    }

    /// Switches Nagle's algorithm (RFC 9293 section 3.7.4) off or on.
    ///
    /// # Errors
    /// The network has ended.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.0.set_nodelay(nodelay)
    }

    /// Whether Nagle's algorithm is off.
    ///
    /// # Errors
    /// None; the signature is that of tokio.
    pub fn nodelay(&self) -> io::Result<bool> {
        Ok(self.0.nodelay())
    }

    /// Makes dropping it reset the connection, as `SO_LINGER` of zero does.
    pub fn set_reset_on_drop(&self, resets: bool) {
        self.0.set_reset_on_drop(resets);
    }

    /// How long the connection may be idle: if neither side has received data from the other for this time, it
    /// is reset, and ends with [`Error::Idle`](ackclock::tcp::Error::Idle). `None`, which is the default:
    /// for ever. The timeout costs nothing while data are transferred.
    ///
    /// # Errors
    /// [`SocketError::ZeroTimeout`](crate::SocketError::ZeroTimeout) for zero; the network has ended.
    pub fn set_idle_time(&self, most: Option<Duration>) -> io::Result<()> {
        self.0.set_idle_time(most.map(Into::into))
    }

    /// The error that ended the connection, if no call has reported it yet.
    ///
    /// # Errors
    /// The network has ended.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.0.take_error()
    }

    /// A snapshot of the connection.
    ///
    /// # Errors
    /// The network has ended.
    pub fn info(&self) -> io::Result<Info> {
        self.0.info()
    }
}

reads!(TcpStream);
writes!(TcpStream);

impl fmt::Debug for TcpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (local, peer) = (self.0.local_addr(), self.0.peer_addr());
        f.debug_struct("TcpStream").field("local", &local).field("peer", &peer).finish()
    }
}
