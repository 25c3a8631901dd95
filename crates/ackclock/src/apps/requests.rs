//! Requests and responses over one connection: the client, and the protocol by which it talks to
//! [`Respond`](super::Respond).

use super::client::Client;
use super::pattern::send_pattern;
use super::{Application, Completed, Pattern, Schedule, StartError};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Event, Handle, Stack};
use crate::tcp::{self, Config, Info};
use crate::time::{Duration, Instant};
use core::fmt;
use core::net::SocketAddr;

/// A request and its response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// How long the client waits before it sends the request, counted from the establishment of the
    /// connection or from the end of the previous response.
    pub pause: Duration,
    /// Length of the request in bytes, with its header; less than [`Exchange::HEADER`] counts as that.
    pub request: u32,
    /// Length of the response in bytes; 0 counts as 1.
    pub response: u32,
}

impl Exchange {
    /// Length in bytes of a request's header: the lengths of the request and of its response, each as a
    /// 32-bit number in network byte order.
    pub const HEADER: u32 = 8;

    fn header(&self) -> [u8; Self::HEADER as usize] {
        let [a, b, c, d] = self.request.to_be_bytes();
        let [e, f, g, h] = self.response.to_be_bytes();
        [a, b, c, d, e, f, g, h]
    }

    /// The exchange that a header describes, with too small lengths raised to their minima.
    pub(super) fn read(header: [u8; Self::HEADER as usize]) -> Self {
        let [a, b, c, d, e, f, g, h] = header;
        Exchange {
            pause: Duration::ZERO,
            request: u32::from_be_bytes([a, b, c, d]),
            response: u32::from_be_bytes([e, f, g, h]),
        }
        .within_bounds()
    }

    fn within_bounds(self) -> Self {
        Exchange { request: self.request.max(Self::HEADER), response: self.response.max(1), ..self }
    }
}

/// What [`Requests`] is to do.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RequestsConfig {
    /// The service to connect to.
    pub remote: SocketAddr,
    /// Our address and port; `None` leaves them to the stack.
    pub local: Option<SocketAddr>,
    /// Settings of the connection.
    pub connection: Config,
}

impl RequestsConfig {
    /// Default settings.
    pub fn new(remote: SocketAddr) -> Self {
        RequestsConfig { remote, local: None, connection: Config::default() }
    }
}

/// Why requests failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RequestsError {
    /// The connection could not be opened, or ended with an error.
    Connection(tcp::Error),
    /// A received byte differs from the expected response.
    Mismatch {
        /// Its offset in the stream of all responses.
        offset: u64,
    },
    /// The peer closed its side before it had answered in full.
    Unanswered,
}

impl fmt::Display for RequestsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestsError::Connection(error) => error.fmt(f),
            RequestsError::Mismatch { offset } => write!(
                f,
                "content mismatch: byte {offset} of the responses is not the one expected; the peer \
                 is no such service, or the path corrupts data"
            ),
            RequestsError::Unanswered => f.write_str(
                "the peer closed before it had answered; check that it is such a service",
            ),
        }
    }
}

impl core::error::Error for RequestsError {}

/// A client that connects to a service that answers ([`Respond`](super::Respond)), sends its requests one
/// after another, and closes. Each request is sent when the previous response is complete and the pause
/// before the request is over.
///
/// A request is completed when the last byte of its response has been read. The content of the responses is
/// verified.
#[derive(Debug)]
pub struct Requests<S> {
    config: RequestsConfig,
    client: Client,
    schedule: S,
    stage: Stage,
    /// When the current request began, and how much had been sent and received before it.
    exchange: Completed,
    sent: u64,
    received: u64,
    completed: u64,
    error: Option<RequestsError>,
}

/// State of the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The next exchange is to be taken from the schedule.
    Ready,
    /// Waits until the given time before it sends the request.
    Pausing(Instant, Exchange),
    /// The request is being sent, its header first.
    Sending(Exchange),
    /// The response is awaited.
    Awaiting(Exchange),
    /// No requests are left, or the connection is over.
    Finished,
}

impl<S> Requests<S> {
    /// A client that has not started.
    pub const fn new(config: RequestsConfig, schedule: S) -> Self {
        Requests {
            config,
            client: Client::new(),
            schedule,
            stage: Stage::Ready,
            exchange: Completed {
                began: Instant::ZERO,
                ended: Instant::ZERO,
                sent: 0,
                received: 0,
            },
            sent: 0,
            received: 0,
            completed: 0,
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

    /// When everything was over, successfully or not.
    pub const fn ended(&self) -> Option<Instant> {
        self.client.ended()
    }

    /// Bytes of requests queued for sending.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes of responses received and verified.
    pub const fn received(&self) -> u64 {
        self.received
    }

    /// Requests that were answered in full.
    pub const fn completed(&self) -> u64 {
        self.completed
    }

    /// Why it failed, if it did.
    pub const fn error(&self) -> Option<RequestsError> {
        self.error
    }

    /// The schedule from which the requests are taken.
    pub const fn schedule(&self) -> &S {
        &self.schedule
    }

    /// The connection, until it is over.
    pub const fn handle(&self) -> Option<Handle> {
        self.client.handle()
    }

    /// The last state of a connection that is over.
    pub const fn last_info(&self) -> Option<&Info> {
        self.client.last_info()
    }

    /// Aborts the connection if there is one: the peer gets a RST.
    pub fn abort<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
    ) {
        if self.client.abort(now, stack) {
            self.stage = Stage::Finished;
        }
    }

    /// Bytes of the current response that are still to come; 0 unless its request was sent in full.
    fn awaited(&self) -> u64 {
        match self.stage {
            Stage::Awaiting(exchange) => {
                let received = self.received.saturating_sub(self.exchange.received);
                u64::from(exchange.response).saturating_sub(received)
            }
            _ => 0,
        }
    }

    /// Reads and verifies what has been received.
    fn receive<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
    ) -> Result<(), RequestsError> {
        let Ok(parts) = stack.received(handle) else {
            return Ok(());
        };
        let mut n = 0;
        for part in parts {
            let wrong = Pattern::new(0).first_mismatch(self.received, part);
            let awaited = self.awaited();
            let excess = (part.len() as u64 > awaited).then_some(awaited);
            if let Some(at) = wrong.map(|at| at as u64).into_iter().chain(excess).min() {
                return Err(RequestsError::Mismatch { offset: self.received.saturating_add(at) });
            }
            self.received = self.received.saturating_add(part.len() as u64);
            n += part.len();
        }
        if n > 0 {
            let _ = stack.consume(now, handle, n);
        }
        Ok(())
    }
}

impl<S: Schedule<Item = Exchange>> Requests<S> {
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
        if self.client.is_established(now, stack, handle) {
            while self.step(now, stack, handle) {}
        }
        let unanswered = self.stage != Stage::Finished;
        if let Some(last) = self.client.close_if_over(now, stack, handle, !unanswered) {
            self.end(last, unanswered);
        } else if unanswered && stack.readiness(handle).is_some_and(|ready| ready.finished) {
            self.abort(now, stack);
            self.error = Some(RequestsError::Unanswered);
        }
    }

    fn end(&mut self, last: Info, unanswered: bool) {
        self.stage = Stage::Finished;
        self.error = match last.error {
            Some(error) => Some(RequestsError::Connection(error)),
            None => unanswered.then_some(RequestsError::Unanswered),
        };
    }

    /// Moves on to the next stage if it can; returns whether it did.
    fn step<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
    ) -> bool {
        match self.stage {
            Stage::Ready => match self.schedule.take_next() {
                Some(exchange) => {
                    self.stage = Stage::Pausing(now + exchange.pause, exchange.within_bounds());
                }
                None => {
                    self.stage = Stage::Finished;
                    let _ = stack.shutdown(now, handle);
                }
            },
            Stage::Pausing(until, exchange) if now >= until => {
                let (sent, received) = (self.sent, self.received);
                self.exchange = Completed { began: now, ended: now, sent, received };
                self.stage = Stage::Sending(exchange);
            }
            Stage::Sending(exchange) => {
                if !self.send(now, stack, handle, &exchange) {
                    return false;
                }
                self.stage = Stage::Awaiting(exchange);
            }
            Stage::Awaiting(_) if self.awaited() == 0 => {
                let Completed { began, sent, received, .. } = self.exchange;
                let (sent, received) = (self.sent - sent, self.received - received);
                self.schedule.on_completed(&Completed { began, ended: now, sent, received });
                self.completed += 1;
                self.stage = Stage::Ready;
            }
            Stage::Pausing(..) | Stage::Awaiting(_) | Stage::Finished => return false,
        }
        true
    }

    /// Queues as much of the request as there is room for; returns whether the request is now queued in full.
    fn send<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        handle: Handle,
        exchange: &Exchange,
    ) -> bool {
        let begin = self.exchange.sent;
        let header = exchange.header();
        let done = usize::try_from(self.sent.saturating_sub(begin)).unwrap_or(usize::MAX);
        if let Some(rest) = header.get(done..).filter(|rest| !rest.is_empty()) {
            let taken = stack.send(now, handle, rest).unwrap_or(0);
            self.sent += taken as u64;
            if taken < rest.len() {
                return false;
            }
        }
        let end = begin.saturating_add(exchange.request.into());
        self.sent += send_pattern(now, stack, handle, 0, self.sent, end);
        self.sent >= end
    }
}

impl<'a, C, P, S> Application<'a, C, P> for Requests<S>
where
    C: CongestionController + Clone,
    P: Profile,
    S: Schedule<Item = Exchange>,
{
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C, P>) -> Result<(), StartError> {
        let RequestsConfig { remote, local, .. } = self.config;
        self.client.open(now, stack, (remote, local), &self.config.connection)
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
            Stage::Pausing(until, _) => until,
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
