//! Relay between a connection of a network and one of the operating system, for proxies and forwarders.

use crate::aio::{ReadHalf, TcpStream, WriteHalf};
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use tokio::io::{AsyncWrite, AsyncWriteExt, Interest};
use tokio::net::tcp;

/// Maximum number of bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// Bytes that a relay has forwarded so far.
#[derive(Debug, Default)]
pub struct Carried {
    out: AtomicU64,
    back: AtomicU64,
}

impl Carried {
    /// From the network's connection to the operating system's.
    pub fn out(&self) -> u64 {
        self.out.load(Ordering::Relaxed)
    }

    /// From the operating system's connection to the network's.
    pub fn back(&self) -> u64 {
        self.back.load(Ordering::Relaxed)
    }
}

/// Relays between two connections until both directions have ended: data that one receives are sent on the other, and
/// so is the end of either direction. If one side fails, by a reset or a timeout, the other is reset.
///
/// Memory for data is held only while there are data: two idle connections hold none. An
/// [idle time](TcpStream::set_idle_time) of `inside` ends both.
///
/// # Errors
/// Why one of them failed.
///
/// ```no_run
/// use ackclock_net::aio::Request;
/// use ackclock_net::relay::{Carried, relay};
///
/// async fn pass_on(request: Request) -> std::io::Result<()> {
///     let outside = tokio::net::TcpStream::connect(request.to()).await?;
///     relay(request.accept().await?, outside, &Carried::default()).await
/// }
/// ```
pub async fn relay(
    mut inside: TcpStream,
    mut outside: tokio::net::TcpStream,
    carried: &Carried,
) -> io::Result<()> {
    let done = carry(&mut inside, &mut outside, carried).await;
    if done.is_err() {
        inside.set_reset_on_drop(true);
        // A connection that has ended already cannot be reset.
        let _ = outside.set_zero_linger();
    }
    done
}

/// Carries both directions until both have ended, or one of the connections has failed.
async fn carry(
    inside: &mut TcpStream,
    outside: &mut tokio::net::TcpStream,
    carried: &Carried,
) -> io::Result<()> {
    let (from_inside, to_inside) = inside.split();
    let (from_outside, to_outside) = outside.split();
    let out = carry_out(from_inside, to_outside, &carried.out);
    let back = carry_back(from_outside, to_inside, &carried.back);
    tokio::try_join!(out, back).map(|_| ())
}

/// Forwards the data of the network's peer, and then the end of the stream.
async fn carry_out(
    mut from: ReadHalf<'_>,
    mut to: tcp::WriteHalf<'_>,
    carried: &AtomicU64,
) -> io::Result<()> {
    let mut piece = Vec::new();
    loop {
        tokio::select! {
            biased;
            ready = before_waiting(from.readable(), || piece = Vec::new()) => ready?,
            failed = outside_fails(&to) => return Err(failed),
        }
        piece.resize(PIECE, 0);
        match from.read(&mut piece).await? {
            0 => return to.shutdown().await,
            n => {
                write_counted(&mut to, &piece[..n], carried).await?;
            }
        }
    }
}

/// Forwards the data of the operating system's peer, and then the end of the stream.
async fn carry_back(
    from: tcp::ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    carried: &AtomicU64,
) -> io::Result<()> {
    let mut piece = Vec::new();
    loop {
        tokio::select! {
            biased;
            ready = before_waiting(from.readable(), || piece = Vec::new()) => ready?,
            failed = inside_fails(&to) => return Err(failed),
        }
        piece.resize(PIECE, 0);
        match from.try_read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
            Ok(0) => return AsyncWriteExt::shutdown(&mut to).await,
            Ok(n) => {
                write_counted(&mut to, &piece[..n], carried).await?;
            }
        }
    }
}

/// Writes all bytes, and counts those that were taken, also where the connection fails in their midst.
async fn write_counted(
    to: &mut (impl AsyncWrite + Unpin),
    mut bytes: &[u8],
    carried: &AtomicU64,
) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = to.write(bytes).await?;
        if n == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        carried.fetch_add(n as u64, Ordering::Relaxed);
        bytes = &bytes[n..];
    }
    Ok(())
}

/// Waits until the network's connection has failed, which a relay that sends nothing would not notice otherwise.
async fn inside_fails(to: &WriteHalf<'_>) -> io::Error {
    match to.closed().await {
        Err(error) => error,
        // It has ended regularly.
        Ok(()) => std::future::pending().await,
    }
}

/// The same of the operating system's connection.
async fn outside_fails(to: &tcp::WriteHalf<'_>) -> io::Error {
    match to.ready(Interest::ERROR).await {
        Err(error) => error,
        Ok(_) => match to.as_ref().take_error() {
            Ok(Some(error)) | Err(error) => error,
            Ok(None) => std::future::pending().await,
        },
    }
}

/// Waits for a future, and does something before if it is not done at once.
async fn before_waiting<F: Future>(future: F, does: impl FnOnce()) -> F::Output {
    let mut future = pin!(future);
    match poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await {
        Poll::Ready(done) => done,
        Poll::Pending => {
            does();
            future.await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::Pin;
    use std::task::Context;

    /// Takes three bytes at a time, and fails when it has taken this many.
    struct FailsAfter(usize);

    impl AsyncWrite for FailsAfter {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            let taken = bytes.len().min(3).min(self.0);
            self.0 -= taken;
            Poll::Ready(if taken > 0 {
                Ok(taken)
            } else {
                Err(io::ErrorKind::ConnectionReset.into())
            })
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn what_was_taken_counts_also_where_the_rest_is_not() {
        let carried = AtomicU64::new(0);
        let done = write_counted(&mut FailsAfter(10), &[0; 10], &carried).await;
        assert!(done.is_ok() && carried.load(Ordering::Relaxed) == 10);
        let failed = write_counted(&mut FailsAfter(7), &[0; 10], &carried).await;
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(carried.load(Ordering::Relaxed), 17);
    }
}
