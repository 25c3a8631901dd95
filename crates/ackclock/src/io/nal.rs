//! The network abstraction of embedded-nal-async.

use super::{IoError, SharedStack, Stream};
use crate::congestion::CongestionController;
use core::net::SocketAddr;
use embedded_nal_async::TcpConnect;

impl<'a, C: CongestionController + Clone, const WAKERS: usize> TcpConnect
    for SharedStack<'a, C, WAKERS>
{
    type Error = IoError;

    type Connection<'s>
        = Stream<'s, 'a, C, WAKERS>
    where
        Self: 's;

    async fn connect<'s>(
        &'s self,
        remote: SocketAddr,
    ) -> Result<Stream<'s, 'a, C, WAKERS>, IoError> {
        self.open(remote).await
    }
}
