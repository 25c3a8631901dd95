//! A connection of a shared stack, as a stream that can be split into its two directions.

use super::SharedStack;
use super::error::{IoError, read_result};
use super::wakers::{Direction, Key};
use crate::congestion::CongestionController;
use crate::profile::{Full, Profile};
use crate::stack::{Handle, Readiness, Stack};
use embedded_io::{ErrorType, ReadReady, WriteReady};
use embedded_io_async::{Read, Write};

/// A connection of a [`SharedStack`]. Dropping it closes the connection: queued data is still delivered, but
/// unread data resets it.
#[derive(Debug)]
pub struct Stream<'s, 'a, C: CongestionController + Clone, const WAKERS: usize, P: Profile = Full> {
    pub(super) shared: &'s SharedStack<'a, C, WAKERS, P>,
    pub(super) handle: Handle,
}

/// The receiving direction of a [`Stream`].
#[derive(Debug)]
pub struct ReadHalf<
    'h,
    's,
    'a,
    C: CongestionController + Clone,
    const WAKERS: usize,
    P: Profile = Full,
>(&'h Stream<'s, 'a, C, WAKERS, P>);

/// The sending direction of a [`Stream`].
#[derive(Debug)]
pub struct WriteHalf<
    'h,
    's,
    'a,
    C: CongestionController + Clone,
    const WAKERS: usize,
    P: Profile = Full,
>(&'h Stream<'s, 'a, C, WAKERS, P>);

impl<'s, 'a, C: CongestionController + Clone, const WAKERS: usize, P: Profile>
    Stream<'s, 'a, C, WAKERS, P>
{
    /// The connection's handle, for calls of the stack.
    pub const fn handle(&self) -> Handle {
        self.handle
    }

    /// Splits the stream into both directions, for use by two tasks.
    pub const fn split(
        &mut self,
    ) -> (ReadHalf<'_, 's, 'a, C, WAKERS, P>, WriteHalf<'_, 's, 'a, C, WAKERS, P>) {
        (ReadHalf(self), WriteHalf(self))
    }

    /// Shuts down our sending direction: the peer reads to the end of what was written.
    pub fn shutdown(&mut self) {
        self.finish();
    }

    /// Aborts the connection at once with a RST.
    pub fn abort(self) {
        self.shared.with(|now, stack| stack.abort(now, self.handle));
    }

    fn finish(&self) {
        self.shared.with(|now, stack| stack.shutdown(now, self.handle));
    }

    const fn key(&self) -> Key {
        Key::Connection(self.handle)
    }

    /// Waits until `is_there` is true of the connection's readiness, or the connection is over.
    async fn reached(&self, is_there: impl Fn(&Readiness) -> bool) -> Result<(), IoError> {
        let ask = |now, stack: &mut Stack<'a, C, P>| {
            let Some(readiness) = stack.readiness(self.handle) else {
                return Some(Err(IoError::InvalidHandle));
            };
            if is_there(&readiness) {
                return Some(Ok(()));
            }
            let error = || stack.info(now, self.handle).and_then(|info| info.error);
            readiness.closed.then(|| error().map_or(Ok(()), |error| Err(IoError::Closed(error))))
        };
        self.shared.poll_stack(self.key(), Direction::Write, ask).await
    }

    pub(super) async fn established(&self) -> Result<(), IoError> {
        self.reached(|readiness| readiness.established).await
    }

    async fn read_some(&self, to: &mut [u8]) -> Result<usize, IoError> {
        if to.is_empty() {
            return Ok(0);
        }
        self.shared
            .poll_stack(self.key(), Direction::Read, |now, stack| {
                read_result(stack.receive(now, self.handle, to))
            })
            .await
    }

    async fn write_some(&self, data: &[u8]) -> Result<usize, IoError> {
        if data.is_empty() {
            return Ok(0);
        }
        self.shared
            .poll_stack(self.key(), Direction::Write, |now, stack| {
                match stack.send(now, self.handle, data) {
                    Ok(0) => None,
                    result => Some(result.map_err(IoError::from)),
                }
            })
            .await
    }

    async fn acknowledged(&self) -> Result<(), IoError> {
        self.reached(|readiness| readiness.flushed).await
    }

    fn is(&self, what: impl Fn(&Readiness) -> bool) -> Result<bool, IoError> {
        let readiness = self.shared.with(|_, stack| stack.readiness(self.handle)).flatten();
        readiness.map(|readiness| what(&readiness)).ok_or(IoError::InvalidHandle)
    }
}

impl<C: CongestionController + Clone, const WAKERS: usize, P: Profile>
    WriteHalf<'_, '_, '_, C, WAKERS, P>
{
    /// Shuts down this direction, as [`Stream::shutdown`] does; the other half is unaffected.
    pub fn shutdown(&mut self) {
        self.0.finish();
    }
}

impl<C: CongestionController + Clone, const WAKERS: usize, P: Profile> Drop
    for Stream<'_, '_, C, WAKERS, P>
{
    fn drop(&mut self) {
        self.shared.with(|now, stack| stack.close(now, self.handle));
        self.shared.forget(self.key());
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> ErrorType
    for Stream<'_, '_, C, W, P>
{
    type Error = IoError;
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> Read for Stream<'_, '_, C, W, P> {
    async fn read(&mut self, to: &mut [u8]) -> Result<usize, IoError> {
        self.read_some(to).await
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> Write
    for Stream<'_, '_, C, W, P>
{
    async fn write(&mut self, data: &[u8]) -> Result<usize, IoError> {
        self.write_some(data).await
    }

    /// Waits until everything was acknowledged.
    async fn flush(&mut self) -> Result<(), IoError> {
        self.acknowledged().await
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> ReadReady
    for Stream<'_, '_, C, W, P>
{
    fn read_ready(&mut self) -> Result<bool, IoError> {
        self.is(|readiness| readiness.readable)
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> WriteReady
    for Stream<'_, '_, C, W, P>
{
    fn write_ready(&mut self) -> Result<bool, IoError> {
        self.is(|readiness| readiness.writable)
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> ErrorType
    for ReadHalf<'_, '_, '_, C, W, P>
{
    type Error = IoError;
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> Read
    for ReadHalf<'_, '_, '_, C, W, P>
{
    async fn read(&mut self, to: &mut [u8]) -> Result<usize, IoError> {
        self.0.read_some(to).await
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> ReadReady
    for ReadHalf<'_, '_, '_, C, W, P>
{
    fn read_ready(&mut self) -> Result<bool, IoError> {
        self.0.is(|readiness| readiness.readable)
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> ErrorType
    for WriteHalf<'_, '_, '_, C, W, P>
{
    type Error = IoError;
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> Write
    for WriteHalf<'_, '_, '_, C, W, P>
{
    async fn write(&mut self, data: &[u8]) -> Result<usize, IoError> {
        self.0.write_some(data).await
    }

    /// Waits until everything was acknowledged.
    async fn flush(&mut self) -> Result<(), IoError> {
        self.0.acknowledged().await
    }
}

impl<C: CongestionController + Clone, const W: usize, P: Profile> WriteReady
    for WriteHalf<'_, '_, '_, C, W, P>
{
    fn write_ready(&mut self) -> Result<bool, IoError> {
        self.0.is(|readiness| readiness.writable)
    }
}
