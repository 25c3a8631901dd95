//! The two directions of an asynchronous connection.

use crate::socket::connection::Connection;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;

/// The direction of a [`TcpStream`](super::TcpStream) that is read, borrowed.
#[derive(Debug)]
pub struct ReadHalf<'s>(pub(super) &'s Connection);

/// The direction of a [`TcpStream`](super::TcpStream) that is written, borrowed.
#[derive(Debug)]
pub struct WriteHalf<'s>(pub(super) &'s Connection);

/// The direction of a [`TcpStream`](super::TcpStream) that is read. The connection is closed when both are
/// dropped.
#[derive(Debug)]
pub struct OwnedReadHalf(pub(super) Arc<Connection>);

/// The direction of a [`TcpStream`](super::TcpStream) that is written. Dropping it ends the direction: the
/// peer reads to the end of what was written.
#[derive(Debug)]
pub struct OwnedWriteHalf(pub(super) Arc<Connection>);

impl Drop for OwnedWriteHalf {
    fn drop(&mut self) {
        // A connection that is over has no direction to end.
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

/// The methods of what reads: `$half`.
macro_rules! reads {
    ($half:ty) => {
        impl $half {
            /// Waits until a read would not wait.
            ///
            /// # Errors
            /// The network is over.
            pub async fn readable(&self) -> io::Result<()> {
                poll_fn(|cx| self.0.poll_read_ready(cx.waker())).await
            }

            /// Reads what is there, and waits if that is nothing; 0 is the end.
            ///
            /// # Errors
            /// Why the connection ended, once.
            pub async fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                poll_fn(|cx| self.0.poll_read(cx.waker(), &mut [&mut *to])).await
            }

            /// Reads what is there and leaves it for the next read.
            ///
            /// # Errors
            /// As `read`.
            pub async fn peek(&mut self, to: &mut [u8]) -> io::Result<usize> {
                poll_fn(|cx| self.0.poll_peek(cx.waker(), to)).await
            }
        }
    };
}

/// The methods of what writes: `$half`.
macro_rules! writes {
    ($half:ty) => {
        impl $half {
            /// Waits until a write would not wait.
            ///
            /// # Errors
            /// The network is over.
            pub async fn writable(&self) -> io::Result<()> {
                poll_fn(|cx| self.0.poll_write_ready(cx.waker())).await
            }

            /// Writes what there is room for, and waits if that is nothing.
            ///
            /// # Errors
            /// Why the connection ended, once; [`SocketError::Finished`](crate::SocketError::Finished).
            pub async fn write(&mut self, from: &[u8]) -> io::Result<usize> {
                poll_fn(|cx| self.0.poll_write(cx.waker(), &[IoSlice::new(from)])).await
            }

            /// Writes all of it.
            ///
            /// # Errors
            /// As `write`; a part of it may have been written.
            pub async fn write_all(&mut self, mut from: &[u8]) -> io::Result<()> {
                while !from.is_empty() {
                    let n = self.write(from).await?;
                    from = &from[n..];
                }
                Ok(())
            }
        }
    };
}

reads!(super::TcpStream);
writes!(super::TcpStream);
reads!(ReadHalf<'_>);
writes!(WriteHalf<'_>);
reads!(OwnedReadHalf);
writes!(OwnedWriteHalf);
