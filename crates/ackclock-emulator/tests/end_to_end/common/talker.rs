//! An application that sends a stream and verifies the peer's, at a speed that the test sets.

use ackclock::apps::{Application, Pattern, StartError};
use ackclock::congestion::CongestionController;
use ackclock::stack::{Event, Handle, ListenConfig, Listener, Stack};
use ackclock::tcp::{Config, Info};
use ackclock::time::{Duration, Instant};
use std::net::SocketAddr;

/// The bytes that one side sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// Seed of the [`Pattern`].
    pub(crate) seed: u64,
    /// Length in bytes.
    pub(crate) length: u64,
}

/// The sizes and times of an application's reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Most bytes per call of `send`.
    pub(crate) write: usize,
    /// Most bytes per read.
    pub(crate) read: usize,
    /// Time from one read to the next.
    pub(crate) pause: Duration,
}

impl Default for Manner {
    fn default() -> Self {
        Manner { write: 4096, read: usize::MAX, pause: Duration::ZERO }
    }
}

/// An application that sends its content and verifies the peer's. It is done when everything is
/// acknowledged and read, or the connection is over.
#[derive(Debug)]
pub(crate) struct Talker {
    address: SocketAddr,
    listens: bool,
    config: Config,
    manner: Manner,
    content: Content,
    expected: Content,
    listener: Option<Listener>,
    pub(crate) handle: Option<Handle>,
    sent: u64,
    read_at: Instant,
    /// Bytes received, all of which were right.
    pub(crate) received: u64,
    /// Offset of the first wrong byte.
    pub(crate) wrong: Option<u64>,
    /// The last state of the connection, when it is over.
    pub(crate) info: Option<Info>,
}

impl Talker {
    /// An application that connects to `address`.
    pub(crate) fn connecting(
        address: SocketAddr,
        config: Config,
        [ours, theirs]: [Content; 2],
    ) -> Self {
        Talker {
            address,
            listens: false,
            config,
            manner: Manner::default(),
            content: ours,
            expected: theirs,
            listener: None,
            handle: None,
            sent: 0,
            read_at: Instant::FAR_FUTURE,
            received: 0,
            wrong: None,
            info: None,
        }
    }

    /// An application that waits for a connection at `address`.
    pub(crate) fn listening(address: SocketAddr, config: Config, contents: [Content; 2]) -> Self {
        Talker { listens: true, ..Talker::connecting(address, config, contents) }
    }

    /// This application with other manners.
    pub(crate) fn with_manner(self, manner: Manner) -> Self {
        Talker { manner, ..self }
    }

    fn advance<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        handle: Handle,
    ) {
        self.read(now, stack, handle);
        self.write(now, stack, handle);
        let readiness = stack.readiness(handle).unwrap();
        // A connection that is over without an error may still hold data to be read.
        let failed = stack.info(now, handle).unwrap().error.is_some();
        let over = readiness.finished && (readiness.flushed || readiness.closed);
        if over || failed || self.wrong.is_some() {
            self.info = stack.info(now, handle);
            self.handle = None;
            stack.close(now, handle).unwrap();
        }
    }

    fn read<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        handle: Handle,
    ) {
        if !self.read_at.is_never() && self.read_at > now {
            return;
        }
        self.read_at = Instant::FAR_FUTURE;
        let pattern = Pattern::new(self.expected.seed);
        while let Ok([first, _]) = stack.received(handle) {
            let part = &first[..first.len().min(self.manner.read)];
            if part.is_empty() {
                return;
            }
            let wrong = pattern.first_mismatch(self.received, part).map(|at| at as u64);
            let left = self.expected.length - self.received;
            let excess = (part.len() as u64 > left).then_some(left);
            self.wrong = wrong.into_iter().chain(excess).min().map(|at| self.received + at);
            if self.wrong.is_some() {
                return;
            }
            let n = part.len();
            self.received += n as u64;
            stack.consume(now, handle, n).unwrap();
            if !self.manner.pause.is_zero() {
                self.read_at = now + self.manner.pause;
                return;
            }
        }
    }

    fn write<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        handle: Handle,
    ) {
        let pattern = Pattern::new(self.content.seed);
        let mut chunk = vec![0; self.manner.write];
        while self.sent < self.content.length {
            let n = (self.content.length - self.sent).min(chunk.len() as u64) as usize;
            pattern.fill(self.sent, &mut chunk[..n]);
            let taken = stack.send(now, handle, &chunk[..n]).unwrap_or(0);
            self.sent += taken as u64;
            if taken < n {
                return;
            }
        }
        stack.shutdown(now, handle).unwrap();
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for Talker {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        if self.listens {
            let mut config = ListenConfig::new(self.address);
            config.connection = self.config;
            self.listener = Some(stack.listen(config).map_err(StartError::Listen)?);
        } else {
            let handle = stack.connect(now, self.address, None, &self.config);
            self.handle = Some(handle.map_err(StartError::Connect)?);
        }
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        match *event {
            Event::Acceptable(listener) if self.listener == Some(listener) => {
                let handle = stack.accept(listener).unwrap();
                self.listener = None;
                stack.close_listener(now, listener);
                self.handle = Some(handle);
                self.advance(now, stack, handle);
            }
            Event::Connection { handle, .. } if self.handle == Some(handle) => {
                self.advance(now, stack, handle);
            }
            _ => {}
        }
    }

    fn wake_at(&self) -> Instant {
        if self.handle.is_some() { self.read_at } else { Instant::FAR_FUTURE }
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        if let Some(handle) = self.handle {
            self.advance(now, stack, handle);
        }
    }

    fn is_done(&self) -> bool {
        self.info.is_some()
    }
}
