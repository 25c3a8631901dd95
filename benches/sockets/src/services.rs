//! Discard, echo and source, which each contestant serves: once for threads and once for tasks.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

pub const ECHO: u16 = 7;
pub const DISCARD: u16 = 9;
pub const SOURCE: u16 = 19;

/// Bytes of a read or a write where there is much to do; an echo needs little.
pub const LARGE: usize = 64 << 10;
const SMALL: usize = 4 << 10;

/// Bytes that the discard service has taken, over all connections.
pub static DISCARDED: AtomicU64 = AtomicU64::new(0);

/// Serves a connection to this port until the peer has finished. How it ends is of no interest: what did
/// not arrive does not count.
pub fn serve(port: u16, mut stream: impl Read + Write) {
    let mut buffer = vec![0x5a; size(port)];
    loop {
        let n = if port == SOURCE { LARGE } else { stream.read(&mut buffer).unwrap_or(0) };
        if n == 0 {
            return;
        }
        match port {
            DISCARD => drop(DISCARDED.fetch_add(n as u64, Relaxed)),
            _ if stream.write_all(&buffer[..n]).is_err() => return,
            _ => {}
        }
    }
}

/// Serves as [`serve`] does.
pub async fn serve_async(port: u16, mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut buffer = vec![0x5a; size(port)];
    loop {
        let n = if port == SOURCE { LARGE } else { stream.read(&mut buffer).await.unwrap_or(0) };
        if n == 0 {
            // Some of the peers' streams close only so.
            let _ = stream.shutdown().await;
            return;
        }
        match port {
            DISCARD => drop(DISCARDED.fetch_add(n as u64, Relaxed)),
            _ if stream.write_all(&buffer[..n]).await.is_err() => return,
            _ => {}
        }
    }
}

fn size(port: u16) -> usize {
    if port == ECHO { SMALL } else { LARGE }
}
