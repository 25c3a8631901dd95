//! The client of discard and echo: it connects, sends, and follows the transfer to its end.

use super::client::Client;
use super::pattern::send_pattern;
use super::{Application, Completed, Pattern, Schedule, StartError};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Event, Handle, Stack};
use crate::tcp::{self, Config, FastOpenMode, Info};
use crate::time::{Duration, Instant};
use core::fmt;
use core::iter::Once;
use core::net::SocketAddr;

/// How much a [`Source`] sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// This many bytes.
    Bytes(u64),
    /// As much as can be sent within this time, counted from the establishment of the connection, or from its
    /// opening with Fast Open.
    Time(Duration),
}

/// What a [`Source`] is to do.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SourceConfig {
    /// The service to connect to.
    pub remote: SocketAddr,
    /// Our address and port; `None` leaves them to the stack.
    pub local: Option<SocketAddr>,
    /// Settings of the connection.
    pub connection: Config,
    /// How much to send.
    pub amount: Amount,
    /// Whether the peer is an echo service, so that every byte must come back and is verified. Otherwise
    /// received data is counted and discarded.
    pub echo: bool,
    /// Seed of the content (see [`Pattern`]).
    pub seed: u64,
}

impl SourceConfig {
    /// Sends 1 MiB (2^20 bytes) to a discard service at `remote`.
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
    /// A byte that came back differs from the one that was sent.
    Mismatch {
        /// Its offset in the stream.
        offset: u64,
    },
    /// The peer closed its side before it had echoed everything.
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

/// An amount of data to send, and the pause before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Burst {
    /// How long the connection is idle before the burst, counted from its establishment or from the
    /// acknowledgment of everything sent before.
    pub pause: Duration,
    /// How much to send.
    pub amount: Amount,
}

/// A client that connects, sends, closes its side, and is done when everything has been acknowledged and the
/// peer has closed its side too.
///
/// It sends once, or in bursts with pauses in between (an on-off source), as its schedule says. A burst is
/// completed when everything sent is acknowledged. No data is kept: it is generated when there is room in the
/// send queue, and verified in the receive queue.
#[derive(Debug)]
pub struct Source<S = Once<Burst>> {
    config: SourceConfig,
    client: Client,
    schedule: S,
    stage: Stage,
    /// When the current burst began, and how much had been sent and received before it.
    burst: Completed,
    sent: u64,
    received: u64,
    first_received: Option<Instant>,
    error: Option<SourceError>,
}

/// State of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The connection is not established yet.
    Opening,
    /// Waits until the given time before it sends the burst.
    Pausing(Instant, Amount),
    /// Sends until the given number of bytes has been sent in all, or until the given time.
    Sending(u64, Instant),
    /// Everything before this burst is sent, but not all of it is acknowledged.
    Flushing(Burst),
    /// The last burst is sent, but not all of it is acknowledged.
    Finishing,
    /// The last burst was acknowledged, or the transfer is over.
    Finished,
}

impl Source {
    /// A transfer that has not started.
    pub fn new(config: SourceConfig) -> Self {
        let burst = Burst { pause: Duration::ZERO, amount: config.amount };
        Source::with_schedule(config, core::iter::once(burst))
    }
}

impl<S> Source<S> {
    /// A transfer that has not started; it sends the bursts of `schedule` instead of
    /// [`SourceConfig::amount`].
    pub const fn with_schedule(config: SourceConfig, schedule: S) -> Self {
        Source {
            config,
            client: Client::new(),
            schedule,
            stage: Stage::Opening,
            burst: Completed { began: Instant::ZERO, ended: Instant::ZERO, sent: 0, received: 0 },
            sent: 0,
            received: 0,
            first_received: None,
            error: None,
        }
    }

    /// When the connection was opened.
    pub const fn started(&self) -> Option<Instant> {
        self.client.started()
    }

    /// When the handshake was finished.
    pub const fn established(&self) -> Option<Instant> {
        self.client.established()
    }

    /// When the transfer was over, successfully or not.
    pub const fn ended(&self) -> Option<Instant> {
        self.client.ended()
    }

    /// Bytes queued on the connection for sending.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes received; with an echo service, also verified.
    pub const fn received(&self) -> u64 {
        self.received
    }

    /// When the first byte was received.
    pub const fn first_received(&self) -> Option<Instant> {
        self.first_received
    }

    /// Why the transfer failed, if it did.
    pub const fn error(&self) -> Option<SourceError> {
        self.error
    }

    /// The connection, until it is over.
    pub const fn handle(&self) -> Option<Handle> {
        self.client.handle()
    }

    /// The schedule from which the bursts are taken.
    pub const fn schedule(&self) -> &S {
        &self.schedule
    }

    /// The state of the connection: the current one while it is open, the last one afterwards.
    pub fn info<C: CongestionController + Clone, P: Profile>(
        &self,
        now: Instant,
        stack: &Stack<'_, C, P>,
    ) -> Option<Info> {
        let live = self.client.handle().and_then(|handle| stack.info(now, handle));
        live.or(self.client.last_info().copied())
    }

    /// The last state of a connection that is over.
    pub const fn last_info(&self) -> Option<&Info> {
        self.client.last_info()
    }

    /// Aborts the transfer unless it is over: the peer gets a RST.
    pub fn abort<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
    ) {
        if self.client.abort(now, stack) {
            self.stage = Stage::Finished;
        }
    }

    /// Reads, and with an echo service verifies, what has been received.
    fn receive<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
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
            self.first_received.get_or_insert(now);
            let _ = stack.consume(now, handle, n);
        }
        Ok(())
    }

    /// Compares the next part of an echo with what was sent.
    fn verify(&self, part: &[u8]) -> Result<(), SourceError> {
        let wrong = Pattern::new(self.config.seed).first_mismatch(self.received, part);
        // Data beyond what was sent cannot be an echo, even if it equals what would be sent next.
        let outstanding = self.sent.saturating_sub(self.received);
        let excess = ((part.len() as u64) > outstanding).then_some(outstanding);
        match wrong.map(|at| at as u64).into_iter().chain(excess).min() {
            Some(at) => Err(SourceError::Mismatch { offset: self.received.saturating_add(at) }),
            None => Ok(()),
        }
    }
}

impl<S: Schedule<Item = Burst>> Source<S> {
    /// Reads and sends as much as is possible now, and closes the connection when all is done.
    fn advance<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
    ) {
        if let Err(error) = self.receive(now, stack, handle) {
            self.abort(now, stack);
            self.error = Some(error);
            return;
        }
        // Data queued before the SYN is sent may travel in it (Fast Open).
        let may_send = self.client.is_established(now, stack, handle)
            || self.config.connection.fast_open != FastOpenMode::Off;
        if may_send {
            while self.send(now, stack, handle) {}
        }
        let finished_sending = matches!(self.stage, Stage::Finishing | Stage::Finished);
        if let Some(last) = self.client.close_if_over(now, stack, handle, finished_sending) {
            if self.stage == Stage::Finishing && last.error.is_none() {
                self.complete(now);
            }
            self.stage = Stage::Finished;
            self.error = match last.error {
                Some(error) => Some(SourceError::Connection(error)),
                None if self.config.echo && self.received < self.sent => {
                    Some(SourceError::Short { sent: self.sent, received: self.received })
                }
                None => None,
            };
        }
    }

    /// Moves on to the next stage, or sends, if it can; returns whether to call it again.
    fn send<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
    ) -> bool {
        let flushed = stack.readiness(handle).is_some_and(|readiness| readiness.flushed);
        match self.stage {
            Stage::Opening => {
                self.stage = match self.schedule.take_next() {
                    Some(Burst { pause, amount }) => Stage::Pausing(now + pause, amount),
                    None => Stage::Finished,
                };
                if self.stage == Stage::Finished {
                    let _ = stack.shutdown(now, handle);
                }
            }
            Stage::Pausing(until, amount) if now >= until => self.begin(now, amount),
            Stage::Sending(end, until) => {
                if now < until {
                    let seed = self.config.seed;
                    self.sent += send_pattern(now, stack, handle, seed, self.sent, end);
                    if self.sent < end {
                        return false;
                    }
                }
                self.stage = match self.schedule.take_next() {
                    Some(burst) => Stage::Flushing(burst),
                    None => Stage::Finishing,
                };
                if self.stage == Stage::Finishing {
                    let _ = stack.shutdown(now, handle);
                }
            }
            Stage::Flushing(Burst { pause, amount }) if flushed => {
                self.complete(now);
                self.stage = Stage::Pausing(now + pause, amount);
            }
            Stage::Finishing if flushed => {
                self.complete(now);
                self.stage = Stage::Finished;
            }
            Stage::Pausing(..) | Stage::Flushing(_) | Stage::Finishing | Stage::Finished => {
                return false;
            }
        }
        true
    }

    fn begin(&mut self, now: Instant, amount: Amount) {
        let (sent, received) = (self.sent, self.received);
        self.burst = Completed { began: now, ended: now, sent, received };
        self.stage = match amount {
            Amount::Bytes(bytes) => Stage::Sending(sent.saturating_add(bytes), Instant::FAR_FUTURE),
            Amount::Time(time) => Stage::Sending(u64::MAX, now + time),
        };
    }

    fn complete(&mut self, now: Instant) {
        let Completed { began, sent, received, .. } = self.burst;
        let (sent, received) = (self.sent - sent, self.received - received);
        self.schedule.on_completed(&Completed { began, ended: now, sent, received });
    }
}

impl<'a, C, P, S> Application<'a, C, P> for Source<S>
where
    C: CongestionController + Clone,
    P: Profile,
    S: Schedule<Item = Burst>,
{
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C, P>) -> Result<(), StartError> {
        let SourceConfig { remote, local, .. } = self.config;
        self.client.open(now, stack, (remote, local), &self.config.connection)?;
        self.on_wake(now, stack);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C, P>, event: &Event) {
        if let Some(handle) = self.client.concerned(event) {
            self.advance(now, stack, handle);
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        self.client.concerned(event).is_some()
    }

    fn wake_at(&self) -> Instant {
        match self.stage {
            Stage::Pausing(until, _) | Stage::Sending(_, until) => until,
            _ => Instant::FAR_FUTURE,
        }
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C, P>) {
        if let Some(handle) = self.client.handle() {
            self.advance(now, stack, handle);
        }
    }

    fn is_done(&self) -> bool {
        self.client.ended().is_some()
    }
}
