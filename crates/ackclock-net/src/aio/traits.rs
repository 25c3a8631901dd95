//! The traits of tokio and of futures-io, on the stream and its halves.

use super::TcpStream;
use super::half::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
use crate::socket::connection::Connection;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Ends writing. On a connection that has ended this does nothing.
fn shutdown(connection: &Connection) -> Poll<io::Result<()>> {
    Poll::Ready(match connection.shutdown(Shutdown::Write) {
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        done => done,
    })
}

#[cfg(feature = "tokio")]
mod of_tokio {
    use super::*;
    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

    macro_rules! reads {
        ($half:ty) => {
            impl AsyncRead for $half {
                fn poll_read(
                    self: Pin<&mut Self>,
                    cx: &mut Context<'_>,
                    to: &mut ReadBuf<'_>,
                ) -> Poll<io::Result<()>> {
                    let unfilled = to.initialize_unfilled();
                    self.0.poll_read(cx.waker(), &mut [unfilled]).map_ok(|n| to.advance(n))
                }
            }
        };
    }

    macro_rules! writes {
        ($half:ty) => {
            impl AsyncWrite for $half {
                fn poll_write(
                    self: Pin<&mut Self>,
                    cx: &mut Context<'_>,
                    from: &[u8],
                ) -> Poll<io::Result<usize>> {
                    self.0.poll_write(cx.waker(), &[IoSlice::new(from)])
                }

                fn poll_write_vectored(
                    self: Pin<&mut Self>,
                    cx: &mut Context<'_>,
                    from: &[IoSlice<'_>],
                ) -> Poll<io::Result<usize>> {
                    self.0.poll_write(cx.waker(), from)
                }

                fn is_write_vectored(&self) -> bool {
                    true
                }

                /// Nothing: what was written is on its way.
                fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                    Poll::Ready(Ok(()))
                }

                fn poll_shutdown(
                    self: Pin<&mut Self>,
                    _: &mut Context<'_>,
                ) -> Poll<io::Result<()>> {
                    shutdown(&self.0)
                }
            }
        };
    }

    reads!(TcpStream);
    writes!(TcpStream);
    reads!(ReadHalf<'_>);
    writes!(WriteHalf<'_>);
    reads!(OwnedReadHalf);
    writes!(OwnedWriteHalf);
}

#[cfg(feature = "futures-io")]
mod of_futures {
    use super::*;
    use futures_io::{AsyncRead, AsyncWrite};
    use std::io::IoSliceMut;

    macro_rules! reads {
        ($half:ty) => {
            impl AsyncRead for $half {
                fn poll_read(
                    self: Pin<&mut Self>,
                    cx: &mut Context<'_>,
                    to: &mut [u8],
                ) -> Poll<io::Result<usize>> {
                    self.0.poll_read(cx.waker(), &mut [to])
                }

                fn poll_read_vectored(
                    self: Pin<&mut Self>,
                    cx: &mut Context<'_>,
                    to: &mut [IoSliceMut<'_>],
                ) -> Poll<io::Result<usize>> {
                    self.0.poll_read(cx.waker(), to)
                }
            }
        };
    }

    macro_rules! writes {
        ($half:ty) => {
            impl AsyncWrite for $half {
                fn poll_write(
                    self: Pin<&mut Self>,
                    cx: &mut Context<'_>,
                    from: &[u8],
                ) -> Poll<io::Result<usize>> {
                    self.0.poll_write(cx.waker(), &[IoSlice::new(from)])
                }

                fn poll_write_vectored(
                    self: Pin<&mut Self>,
                    cx: &mut Context<'_>,
                    from: &[IoSlice<'_>],
                ) -> Poll<io::Result<usize>> {
                    self.0.poll_write(cx.waker(), from)
                }

                /// Nothing: what was written is on its way.
                fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                    Poll::Ready(Ok(()))
                }

                fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                    shutdown(&self.0)
                }
            }
        };
    }

    reads!(TcpStream);
    writes!(TcpStream);
    reads!(ReadHalf<'_>);
    writes!(WriteHalf<'_>);
    reads!(OwnedReadHalf);
    writes!(OwnedWriteHalf);
}
