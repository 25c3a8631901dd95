//! Reading and writing.

use super::socket::{Kind, Stream};
use super::{Descriptor, Errno, Sockets, WOULD_BLOCK};
use ackclock::tcp::{ReceiveError, SendError, State};

impl Sockets {
    /// `recv`: reads into `to`; 0 at the end of the peer's data. Knows MSG_PEEK;
    /// MSG_WAITALL and MSG_DONTWAIT are for those who wait.
    pub(crate) fn receive(
        &mut self,
        descriptor: Descriptor,
        to: &mut [u8],
        flags: i32,
    ) -> Result<usize, Errno> {
        let handle = self.handle(descriptor)?;
        if flags & libc::MSG_OOB != 0 {
            // Urgent data stays in the stream, as with SO_OOBINLINE.
            return Err(Errno(libc::EINVAL));
        }
        let Kind::Stream(Stream { read_shut, .. }) = self.get(descriptor)?.kind else {
            return Err(Errno(libc::ENOTCONN));
        };
        let received = match self.stack.received(handle) {
            Ok([first, second]) => {
                let n = copy(to, first);
                n + copy(to.get_mut(n..).unwrap_or_default(), second)
            }
            Err(ReceiveError::Finished) => return Ok(0),
            Err(ReceiveError::InvalidHandle) => return Err(Errno(libc::EBADF)),
            Err(_) => return self.take_error(descriptor).map_or(Ok(0), Err),
        };
        match received {
            0 if to.is_empty() || read_shut => Ok(0),
            0 => Err(WOULD_BLOCK),
            n => {
                if flags & libc::MSG_PEEK == 0 {
                    let _ = self.stack.consume(self.now, handle, n);
                    self.forget_unready(descriptor);
                }
                Ok(n)
            }
        }
    }

    /// `send`: queues what fits of `data`. Knows MSG_MORE and MSG_OOB.
    pub(crate) fn send(
        &mut self,
        descriptor: Descriptor,
        data: &[u8],
        flags: i32,
    ) -> Result<usize, Errno> {
        let handle = match self.handle(descriptor) {
            Err(Errno(libc::ENOTCONN)) => return Err(Errno(libc::EPIPE)),
            handle => handle?,
        };
        let socket = self.get(descriptor)?;
        let cork = socket.cork || flags & libc::MSG_MORE != 0;
        let info = self.stack.info(self.now, handle).ok_or(Errno(libc::EBADF))?;
        if matches!(info.state, State::SynSent | State::SynReceived) {
            return Err(WOULD_BLOCK);
        }
        let _ = self.stack.set_cork(self.now, handle, cork);
        let sent = match flags & libc::MSG_OOB {
            0 => self.stack.send(self.now, handle, data),
            _ => self.stack.send_urgent(self.now, handle, data),
        };
        self.forget_unready(descriptor);
        match sent {
            Ok(0) if !data.is_empty() => Err(WOULD_BLOCK),
            Ok(n) => Ok(n),
            Err(SendError::InvalidHandle) => Err(Errno(libc::EBADF)),
            Err(_) => Err(self.take_error(descriptor).unwrap_or(Errno(libc::EPIPE))),
        }
    }

    /// SIOCINQ (FIONREAD): bytes that can be read.
    pub(crate) fn readable_bytes(&self, descriptor: Descriptor) -> Result<u32, Errno> {
        match self.get(descriptor)?.kind {
            Kind::Listening(_) => Err(Errno(libc::EINVAL)),
            Kind::Fresh => Ok(0),
            _ => self.info(descriptor).map(|info| info.receive_queue),
        }
    }

    /// SIOCOUTQ: bytes that the peer has not acknowledged.
    pub(crate) fn unacknowledged_bytes(&self, descriptor: Descriptor) -> Result<u32, Errno> {
        match self.get(descriptor)?.kind {
            Kind::Listening(_) => Err(Errno(libc::EINVAL)),
            Kind::Fresh => Ok(0),
            _ => self.info(descriptor).map(|info| info.send_queue),
        }
    }

    /// SIOCOUTQNSD: bytes that were not sent yet.
    pub(crate) fn unsent_bytes(&self, descriptor: Descriptor) -> Result<u32, Errno> {
        let queued = self.unacknowledged_bytes(descriptor)?;
        let sent = self.info(descriptor).map_or(0, |info| info.unacked);
        Ok(queued.saturating_sub(sent))
    }

    pub(super) fn info(&self, descriptor: Descriptor) -> Result<ackclock::tcp::Info, Errno> {
        let handle = self.handle(descriptor)?;
        self.stack.info(self.now, handle).ok_or(Errno(libc::EBADF))
    }
}

/// Copies what fits; says how many bytes.
fn copy(to: &mut [u8], from: &[u8]) -> usize {
    let n = to.len().min(from.len());
    to[..n].copy_from_slice(&from[..n]);
    n
}
