//! Implements the traits of embedded-nal-async.

use super::{IoError, SharedStack, Stream};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use core::net::SocketAddr;
use embedded_nal_async::TcpConnect;

impl<'a, C: CongestionController + Clone, const WAKERS: usize, P: Profile> TcpConnect
    for SharedStack<'a, C, WAKERS, P>
{
    type Error = IoError;

    type Connection<'s>
        = Stream<'s, 'a, C, WAKERS, P>
    where
        Self: 's;

    async fn connect<'s>(
        &'s self,
        remote: SocketAddr,
    ) -> Result<Stream<'s, 'a, C, WAKERS, P>, IoError> {
        self.open(remote).await
    }
}
