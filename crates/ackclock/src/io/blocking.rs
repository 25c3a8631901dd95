//! A blocking stream that drives the stack while it waits.

use super::error::{IoError, read_result};
use crate::congestion::CongestionController;
use crate::profile::{Full, Profile};
use crate::stack::{Handle, InvalidHandle, Readiness, Stack};
use crate::time::Instant;
use embedded_io::{ErrorType, Read, ReadReady, Write, WriteReady};

/// A connection with the traits of embedded-io, for programs without an async executor.
///
/// `drive` runs one round of the main loop (packets in, timers, packets out; it may sleep until something
/// happens) and returns the time. Each call of a trait method begins with a round, and runs further ones
/// while it has to wait. Written data is sent in the next round, or by `flush`, which waits until everything
/// is acknowledged. Dropping the stream leaves the connection as it is.
///
/// ```
/// use ackclock::congestion::Reno;
/// use ackclock::io::{Blocking, IoError};
/// use ackclock::stack::{Handle, Stack};
/// use ackclock::time::Instant;
/// use embedded_io::{Read, Write};
///
/// fn ask<'a>(
///     stack: &mut Stack<'a, Reno>,
///     connection: Handle,
///     round: impl FnMut(&mut Stack<'a, Reno>) -> Instant,
/// ) -> Result<bool, IoError> {
///     let mut stream = Blocking::new(stack, connection, round);
///     stream.write_all(b"Is anybody there?")?;
///     let mut answer = [0; 17];
///     Ok(stream.read(&mut answer)? > 0)
/// }
/// ```
#[derive(Debug)]
pub struct Blocking<'s, 'a, C, D, P: Profile = Full> {
    stack: &'s mut Stack<'a, C, P>,
    handle: Handle,
    drive: D,
}

impl<'s, 'a, C, D, P: Profile> Blocking<'s, 'a, C, D, P>
where
    C: CongestionController + Clone,
    P: Profile,
    D: FnMut(&mut Stack<'a, C, P>) -> Instant,
{
    /// A stream for this connection.
    pub const fn new(stack: &'s mut Stack<'a, C, P>, handle: Handle, drive: D) -> Self {
        Blocking { stack, handle, drive }
    }

    fn drive(&mut self) -> Instant {
        (self.drive)(self.stack)
    }

    fn readiness(&mut self) -> Result<Readiness, IoError> {
        self.drive();
        self.stack.readiness(self.handle).ok_or(IoError::InvalidHandle)
    }

    /// Shuts down our sending direction: the peer reads to the end of what was written.
    ///
    /// # Errors
    /// The handle names no connection.
    pub fn shutdown(&mut self) -> Result<(), InvalidHandle> {
        let now = self.drive();
        self.stack.shutdown(now, self.handle)
    }
}

impl<C, D, P: Profile> ErrorType for Blocking<'_, '_, C, D, P> {
    type Error = IoError;
}

impl<'a, C, D, P: Profile> Read for Blocking<'_, 'a, C, D, P>
where
    C: CongestionController + Clone,
    P: Profile,
    D: FnMut(&mut Stack<'a, C, P>) -> Instant,
{
    fn read(&mut self, to: &mut [u8]) -> Result<usize, IoError> {
        while !to.is_empty() {
            let now = self.drive();
            if let Some(result) = read_result(self.stack.receive(now, self.handle, to)) {
                return result;
            }
        }
        Ok(0)
    }
}

impl<'a, C, D, P: Profile> Write for Blocking<'_, 'a, C, D, P>
where
    C: CongestionController + Clone,
    P: Profile,
    D: FnMut(&mut Stack<'a, C, P>) -> Instant,
{
    fn write(&mut self, data: &[u8]) -> Result<usize, IoError> {
        while !data.is_empty() {
            let now = self.drive();
            match self.stack.send(now, self.handle, data)? {
                0 => {}
                n => return Ok(n),
            }
        }
        Ok(0)
    }

    fn flush(&mut self) -> Result<(), IoError> {
        loop {
            let readiness = self.readiness()?;
            if readiness.flushed {
                return Ok(());
            }
            if readiness.closed {
                let now = self.drive();
                let error = self.stack.info(now, self.handle).and_then(|info| info.error);
                return error.map_or(Ok(()), |error| Err(IoError::Closed(error)));
            }
        }
    }
}

impl<'a, C, D, P: Profile> ReadReady for Blocking<'_, 'a, C, D, P>
where
    C: CongestionController + Clone,
    P: Profile,
    D: FnMut(&mut Stack<'a, C, P>) -> Instant,
{
    fn read_ready(&mut self) -> Result<bool, IoError> {
        Ok(self.readiness()?.readable)
    }
}

impl<'a, C, D, P: Profile> WriteReady for Blocking<'_, 'a, C, D, P>
where
    C: CongestionController + Clone,
    P: Profile,
    D: FnMut(&mut Stack<'a, C, P>) -> Instant,
{
    fn write_ready(&mut self) -> Result<bool, IoError> {
        Ok(self.readiness()?.writable)
    }
}
