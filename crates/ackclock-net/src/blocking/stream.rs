//! A blocking connection.

use super::patience::Patience;
use crate::error::SocketError;
use crate::net::Net;
use crate::park::wait;
use crate::socket::connection::Connection;
use ackclock::tcp::Info;
use std::fmt;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::{Shutdown, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A connection with blocking calls, as [`std::net::TcpStream`].
///
/// It may be read and written by several threads, through clones or `&TcpStream`. When the last clone is
/// dropped it is closed: written data are still delivered, but unread data reset it.
///
/// Differences from the standard library's: [`connect`](Self::connect) takes the network; host names are
/// resolved by the operating system; a write takes the bytes that fit, which may be fewer than all, where a
/// kernel would block; and errors have more detail, in [`SocketError`].
///
/// ```no_run
/// use ackclock_net::{Net, TcpStream};
/// use std::io::{Read, Write};
///
/// fn ask(net: &Net) -> std::io::Result<String> {
///     let mut stream = TcpStream::connect(net, "10.7.0.1:7")?;
///     stream.write_all(b"Is anybody there?")?;
///     stream.shutdown(std::net::Shutdown::Write)?;
///     let mut answer = String::new();
///     stream.read_to_string(&mut answer)?;
///     Ok(answer)
/// }
/// ```
#[derive(Clone)]
pub struct TcpStream(Arc<Lasting>);

/// A connection and how long its calls wait.
#[derive(Debug)]
struct Lasting {
    connection: Connection,
    reads: Patience,
    writes: Patience,
    is_nonblocking: AtomicBool,
    linger: Mutex<Option<Duration>>,
}

impl TcpStream {
    /// Opens a connection, and waits until it is established. Of several addresses the first that answers
    /// is taken.
    ///
    /// # Errors
    /// That of the last address: [`SocketError::Connect`], or [`SocketError::Closed`] if it was refused or
    /// there was no answer.
    pub fn connect(net: &Net, remote: impl ToSocketAddrs) -> io::Result<Self> {
        let mut failed = SocketError::NoAddress.into();
        for remote in remote.to_socket_addrs()? {
            match TcpStream::connect_within(net, remote, None) {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Opens a connection as [`connect`](Self::connect) does, and waits no longer than this.
    ///
    /// # Errors
    /// As `connect`; [`ErrorKind::TimedOut`](io::ErrorKind::TimedOut) when the time has passed,
    /// [`SocketError::ZeroTimeout`] for none.
    pub fn connect_timeout(net: &Net, remote: &SocketAddr, timeout: Duration) -> io::Result<Self> {
        if timeout.is_zero() {
            return Err(SocketError::ZeroTimeout.into());
        }
        TcpStream::connect_within(net, *remote, Instant::now().checked_add(timeout))
    }

    /// Opens a connection as [`connect`](Self::connect) does, and writes all of `data`. They go with the SYN, and
    /// the answer comes a round trip earlier, if the host has given this network a cookie before (TCP Fast Open,
    /// RFC 7413); otherwise the SYN requests one. Data in a SYN may reach the peer's program twice, so
    /// they should be a request that may be processed twice.
    ///
    /// # Errors
    /// As `connect`, and as writing.
    pub fn connect_with_data(net: &Net, remote: &SocketAddr, data: &[u8]) -> io::Result<Self> {
        if net.shared().is_virtual {
            return Err(SocketError::VirtualTime.into());
        }
        let (connection, taken) = Connection::open_with_data(net, *remote, data)?;
        let mut stream = TcpStream::established(connection, None)?;
        stream.write_all(&data[taken..])?;
        Ok(stream)
    }

    fn connect_within(net: &Net, remote: SocketAddr, until: Option<Instant>) -> io::Result<Self> {
        if net.shared().is_virtual {
            return Err(SocketError::VirtualTime.into());
        }
        TcpStream::established(Connection::open(net, remote, None)?, until)
    }

    /// The connection once it is established, if that is not too late.
    fn established(connection: Connection, until: Option<Instant>) -> io::Result<Self> {
        match wait(until, |waker| connection.poll_established(waker)) {
            Some(answer) => answer.map(|()| TcpStream::of(connection)),
            None => Err(SocketError::ConnectTimedOut.into()),
        }
    }

    pub(super) fn of(connection: Connection) -> Self {
        TcpStream(Arc::new(Lasting {
            connection,
            reads: Patience::default(),
            writes: Patience::default(),
            is_nonblocking: AtomicBool::new(false),
            linger: Mutex::new(None),
        }))
    }

    /// The peer's address.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.connection.peer_addr())
    }

    /// This side's address.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.connection.local_addr())
    }

    /// Ends one direction, or both. After the end of writing the peer can read all written data and then
    /// the end of the stream. After the end of reading a read returns the data that have arrived, and then the
    /// end of the stream.
    ///
    /// # Errors
    /// [`ErrorKind::NotConnected`](io::ErrorKind::NotConnected) if the connection has ended.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.0.connection.shutdown(how)
    }

    /// The same connection once more.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(self.clone())
    }

    /// How long a read waits; `None`: for ever. A read that has waited for this time fails with
    /// [`ErrorKind::WouldBlock`](io::ErrorKind::WouldBlock).
    ///
    /// # Errors
    /// [`SocketError::ZeroTimeout`] for zero.
    pub fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.reads.set(timeout)
    }

    /// How long a write waits for room; as [`set_read_timeout`](Self::set_read_timeout).
    ///
    /// # Errors
    /// [`SocketError::ZeroTimeout`] for zero.
    pub fn set_write_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.writes.set(timeout)
    }

    /// How long a read waits.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn read_timeout(&self) -> io::Result<Option<Duration>> {
        Ok(self.0.reads.get())
    }

    /// How long a write waits.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn write_timeout(&self) -> io::Result<Option<Duration>> {
        Ok(self.0.writes.get())
    }

    /// Whether calls fail with [`ErrorKind::WouldBlock`](io::ErrorKind::WouldBlock) instead of waiting.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.0.is_nonblocking.store(nonblocking, Ordering::Relaxed);
        Ok(())
    }

    /// Reads the data that have arrived and leaves them for the next read.
    ///
    /// # Errors
    /// As a read.
    pub fn peek(&self, to: &mut [u8]) -> io::Result<usize> {
        let Lasting { connection, reads, is_nonblocking, .. } = &*self.0;
        reads.wait(is_nonblocking, |waker| connection.poll_peek(waker, to))
    }

    /// Switches Nagle's algorithm (RFC 9293 section 3.7.4) off or on.
    ///
    /// # Errors
    /// [`ErrorKind::NotConnected`](io::ErrorKind::NotConnected) if the network has forgotten the
    /// connection.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.0.connection.set_nodelay(nodelay)
    }

    /// Whether Nagle's algorithm is off.
    ///
    /// # Errors
    /// None; the signature is that of the standard library.
    pub fn nodelay(&self) -> io::Result<bool> {
        Ok(self.0.connection.nodelay())
    }

    /// Effect of dropping the last clone (`SO_LINGER`): `None` closes and returns at once; a time is how long
    /// to wait until everything was acknowledged; zero resets the connection.
    ///
    /// # Errors
    /// None; the signature is that of the `socket2` crate.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        self.0.connection.set_reset_on_drop(linger == Some(Duration::ZERO));
        *self.0.linger.lock().unwrap_or_else(PoisonError::into_inner) = linger;
        Ok(())
    }

    /// The value set with [`set_linger`](Self::set_linger).
    ///
    /// # Errors
    /// None; the signature is that of the `socket2` crate.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        Ok(*self.0.linger.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How long the connection may be idle: if neither side has received data from the other for this time, it
    /// is reset, and ends with [`Error::Idle`](ackclock::tcp::Error::Idle). `None`, which is the default:
    /// for ever. The timeout costs nothing while data are transferred.
    ///
    /// # Errors
    /// [`SocketError::ZeroTimeout`] for zero; the network has ended.
    pub fn set_idle_time(&self, most: Option<Duration>) -> io::Result<()> {
        self.0.connection.set_idle_time(most.map(Into::into))
    }

    /// The error that ended the connection, if no call has reported it yet.
    ///
    /// # Errors
    /// The network has ended.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.0.connection.take_error()
    }

    /// A snapshot of the connection.
    ///
    /// # Errors
    /// The network has ended.
    pub fn info(&self) -> io::Result<Info> {
        self.0.connection.info()
    }

    fn read_into(&self, to: &mut [impl std::ops::DerefMut<Target = [u8]>]) -> io::Result<usize> {
        let Lasting { connection, reads, is_nonblocking, .. } = &*self.0;
        reads.wait(is_nonblocking, |waker| connection.poll_read(waker, to))
    }

    fn write_from(&self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        let Lasting { connection, writes, is_nonblocking, .. } = &*self.0;
        writes.wait(is_nonblocking, |waker| connection.poll_write(waker, from))
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        let linger = self.linger.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(linger) = linger.filter(|linger| !linger.is_zero()) else {
            return;
        };
        // Whatever comes of it, the connection is closed then.
        if self.connection.shutdown(Shutdown::Write).is_ok() {
            let until = Instant::now().checked_add(linger);
            let _ = wait(until, |waker| self.connection.poll_flushed(waker));
        }
    }
}

impl Read for &TcpStream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.read_into(&mut [to])
    }

    fn read_vectored(&mut self, to: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.read_into(to)
    }
}

impl Read for TcpStream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        (&*self).read(to)
    }

    fn read_vectored(&mut self, to: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&*self).read_vectored(to)
    }
}

impl Write for &TcpStream {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.write_from(&[IoSlice::new(from)])
    }

    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        self.write_from(from)
    }

    /// Nothing: what was written is on its way.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for TcpStream {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        (&*self).write(from)
    }

    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        (&*self).write_vectored(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for TcpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (local, peer) = (self.0.connection.local_addr(), self.0.connection.peer_addr());
        f.debug_struct("TcpStream").field("local", &local).field("peer", &peer).finish()
    }
}
