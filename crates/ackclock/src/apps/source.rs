//! The active side of discard and echo: connects, sends, and sees the transfer through to its end.

use super::server::CHUNK;
use super::{Application, Pattern, StartError};
use crate::congestion::CongestionController;
use crate::stack::{Event, Handle, Stack};
use crate::tcp::{self, Config, Info};
use crate::time::{Duration, Instant};
use core::fmt;
use core::net::SocketAddr;

/// How much a [`Source`] sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// As much as goes in this time, counted from when the connection is established.
    Time(Duration),
}

/// What a [`Source`] is to do.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SourceConfig {
    /// The service to connect to.
    pub remote: SocketAddr,
    /// Our end; `None`: the stack's choice.
    pub local: Option<SocketAddr>,
    /// Settings of the connection.
    pub connection: Config,
    /// How much to send.
    pub amount: Amount,
    /// Whether the peer echoes: every byte is to come back, and is verified. Otherwise what comes
    /// back is counted and thrown away.
    pub echo: bool,
    /// Seed of the content (see [`Pattern`]).
    pub seed: u64,
}

impl SourceConfig {
    /// A megabyte (2^20 bytes) to a discard service at `remote`.
    pub fn new(remote: SocketAddr) -> Self {
        SourceConfig {
            remote,
            local: None,
            connection: Config::default(),
            amount: Amount::Bytes(1 << 20),
            echo: false,
            seed: 0,
        }
    }
}

/// Why a transfer failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// The connection could not be opened, or ended with an error.
    Connection(tcp::Error),
    /// A byte came back that is not the one that was sent.
    Mismatch {
        /// Where in the stream.
        offset: u64,
    },
    /// The peer finished before it had echoed everything.
    Short {
        /// Bytes sent.
        sent: u64,
        /// Bytes that came back.
        received: u64,
    },
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Connection(error) => error.fmt(f),
            SourceError::Mismatch { offset } => write!(
                f,
                "content mismatch: byte {offset} of the echo is not the byte sent; the peer is no \
                 echo service, or the path corrupts data"
            ),
            SourceError::Short { sent, received } => write!(
                f,
                "the peer closed after echoing {received} of {sent} bytes; check that it is an \
                 echo service"
            ),
        }
    }
}

impl core::error::Error for SourceError {}

/// Connects to a service, sends, half-closes, and is done when everything has been acknowledged and
/// the peer has closed too.
///
/// It keeps no data: content is made when there is room for it and verified where it lies.
#[derive(Debug)]
pub struct Source {
    config: SourceConfig,
    handle: Option<Handle>,
    started: Option<Instant>,
    established: Option<Instant>,
    ended: Option<Instant>,
    sent: u64,
    received: u64,
    finished_sending: bool,
    error: Option<SourceError>,
    last: Option<Info>,
}

impl Source {
    /// A transfer that has not begun.
    pub const fn new(config: SourceConfig) -> Self {
        Source {
            config,
            handle: None,
            started: None,
            established: None,
            ended: None,
            sent: 0,
            received: 0,
            finished_sending: false,
            error: None,
            last: None,
        }
    }

    /// When the connection was opened.
    pub const fn started(&self) -> Option<Instant> {
        self.started
    }

    /// When the handshake was finished.
    pub const fn established(&self) -> Option<Instant> {
        self.established
    }

    /// When the transfer was over, with success or not.
    pub const fn ended(&self) -> Option<Instant> {
        self.ended
    }

    /// Bytes given to the connection for sending.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes received (and verified, if they are an echo).
    pub const fn received(&self) -> u64 {
        self.received
    }

    /// Why the transfer failed, if it did.
    pub const fn error(&self) -> Option<SourceError> {
        self.error
    }

    /// The connection, until it is over.
    pub const fn handle(&self) -> Option<Handle> {
        self.handle
    }

    /// The state of the connection: now while there is one, the last one afterwards.
    pub fn info<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &Stack<'_, C>,
    ) -> Option<Info> {
        let live = self.handle.and_then(|handle| stack.info(now, handle));
        live.or(self.last)
    }

    /// The last state of a connection that is over.
    pub const fn last_info(&self) -> Option<&Info> {
        self.last.as_ref()
    }

    /// Aborts the transfer if it goes on: the peer gets a RST.
    pub fn abort<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) {
        if let Some(handle) = self.handle {
            self.last = stack.info(now, handle);
            let _ = stack.abort(now, handle);
            self.end(now, None);
        }
    }

    /// When to stop sending; never, if the number of bytes decides.
    fn deadline(&self) -> Instant {
        match (self.config.amount, self.established) {
            (Amount::Time(time), Some(established)) => established + time,
            _ => Instant::FAR_FUTURE,
        }
    }

    /// Does what can be done now.
    fn advance<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        handle: Handle,
    ) {
        if let Err(error) = self.receive(now, stack, handle) {
            self.last = stack.info(now, handle);
            let _ = stack.abort(now, handle);
            self.end(now, Some(error));
            return;
        }
        if stack.readiness(handle).is_some_and(|readiness| readiness.established) {
            self.established.get_or_insert(now);
            self.send(now, stack, handle);
        }
        let Some(readiness) = stack.readiness(handle) else {
            return;
        };
        let complete = self.finished_sending && readiness.finished && readiness.flushed;
        if readiness.closed || complete {
            self.last = stack.info(now, handle);
            let error = match self.last.and_then(|info| info.error) {
                Some(error) => Some(SourceError::Connection(error)),
                None if self.config.echo && self.received < self.sent => {
                    Some(SourceError::Short { sent: self.sent, received: self.received })
                }
                None => None,
            };
            let _ = stack.close(now, handle);
            self.end(now, error);
        }
    }

    /// Takes what has been received.
    fn receive<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        handle: Handle,
    ) -> Result<(), SourceError> {
        let Ok(parts) = stack.received(handle) else {
            return Ok(());
        };
        let mut n = 0;
        for part in parts {
            if self.config.echo {
                self.verify(part)?;
            }
            self.received += part.len() as u64;
            n += part.len();
        }
        if n > 0 {
            let _ = stack.consume(now, handle, n);
        }
        Ok(())
    }

    /// Compares the next part of an echo with what was sent.
    fn verify(&self, part: &[u8]) -> Result<(), SourceError> {
        let wrong = Pattern::new(self.config.seed).first_mismatch(self.received, part);
        // What was never sent cannot come back, even if it is what would be sent next.
        let outstanding = self.sent.saturating_sub(self.received);
        let excess = ((part.len() as u64) > outstanding).then_some(outstanding);
        match wrong.map(|at| at as u64).into_iter().chain(excess).min() {
            Some(at) => Err(SourceError::Mismatch { offset: self.received.saturating_add(at) }),
            None => Ok(()),
        }
    }

    /// Fills the send queue, and half-closes when everything is in it.
    fn send<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        handle: Handle,
    ) {
        let pattern = Pattern::new(self.config.seed);
        let mut chunk = [0; CHUNK];
        while !self.finished_sending {
            let left = match self.config.amount {
                Amount::Bytes(bytes) => bytes.saturating_sub(self.sent),
                Amount::Time(_) if now >= self.deadline() => 0,
                Amount::Time(_) => u64::MAX,
            };
            if left == 0 {
                self.finished_sending = true;
                let _ = stack.shutdown(now, handle);
                return;
            }
            let n = usize::try_from(left).unwrap_or(usize::MAX).min(CHUNK);
            let data = chunk.get_mut(..n).unwrap_or_default();
            pattern.fill(self.sent, data);
            let taken = stack.send(now, handle, data).unwrap_or(0);
            self.sent += taken as u64;
            if taken < n {
                return;
            }
        }
    }

    fn end(&mut self, now: Instant, error: Option<SourceError>) {
        self.handle = None;
        self.finished_sending = true;
        self.error = error;
        self.ended = Some(now);
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for Source {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        let SourceConfig { remote, local, .. } = self.config;
        let handle = stack
            .connect(now, remote, local, &self.config.connection)
            .map_err(StartError::Connect)?;
        self.handle = Some(handle);
        self.started = Some(now);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        match *event {
            Event::Connection { handle, .. } if self.handle == Some(handle) => {
                self.advance(now, stack, handle);
            }
            _ => {}
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        matches!(*event, Event::Connection { handle, .. } if self.handle == Some(handle))
    }

    fn wake_at(&self) -> Instant {
        if self.finished_sending { Instant::FAR_FUTURE } else { self.deadline() }
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        if let Some(handle) = self.handle {
            self.advance(now, stack, handle);
        }
    }

    fn is_done(&self) -> bool {
        self.ended.is_some()
    }
}
