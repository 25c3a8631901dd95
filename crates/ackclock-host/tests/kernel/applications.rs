//! Applications over our stack that verify what they receive.

use crate::pattern::Content;
use ackclock::apps::{Application, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Event, Handle, ListenConfig, Listener, Stack};
use ackclock::tcp::{Config, Error, Info, ReceiveError, SendError};
use ackclock::time::{Duration, Instant};
use std::collections::HashMap;
use std::net::SocketAddr;

/// The time after which a test counts as hanging and fails.
const PATIENCE: Duration = Duration::from_secs(300);

/// Bytes moved in one call.
const BUFFER: usize = 64 * 1024;

type OurStack = Stack<'static, BuiltIn>;

/// The time at which a side begins to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// As soon as possible.
    AtOnce,
    /// After the peer has ended its side.
    AfterPeersEnd,
    /// Each byte when it has been received: an echo.
    AsReceived,
}

/// The script of our side of a connection: it sends `sends` and ends its side, and verifies that it
/// receives exactly `receives`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Script {
    pub(crate) sends: Content,
    pub(crate) receives: Content,
    pub(crate) turn: Turn,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) error: Option<Error>,
    pub(crate) info: Info,
}

/// A connection that follows a script.
#[derive(Debug)]
struct Conversation {
    script: Script,
    sent: u64,
    received: u64,
    peer_finished: bool,
    shut_down: bool,
}

impl Conversation {
    fn new(script: Script) -> Self {
        Conversation { script, sent: 0, received: 0, peer_finished: false, shut_down: false }
    }

    /// Does what can be done now. Returns the outcome once the connection is over.
    fn proceed(&mut self, now: Instant, stack: &mut OurStack, handle: Handle) -> Option<Outcome> {
        let error = match self.receive(now, stack, handle) {
            Ok(()) => self.send(now, stack, handle).err(),
            Err(error) => Some(error),
        };
        let ready = stack.readiness(handle).expect("an open connection");
        let both_ended = self.peer_finished && self.shut_down;
        let over = error.is_some() || ready.closed || both_ended && ready.flushed;
        if !over {
            return None;
        }
        let info = stack.info(now, handle).expect("an open connection");
        stack.close(now, handle).expect("an open connection");
        let error = error.or(info.error);
        if error.is_none() {
            assert!(both_ended, "the connection ended early: {self:?}");
            assert_eq!(self.received, self.script.receives.length, "bytes received");
        }
        Some(Outcome { error, info })
    }

    fn receive(&mut self, now: Instant, stack: &mut OurStack, handle: Handle) -> Result<(), Error> {
        let mut buffer = [0; BUFFER];
        while !self.peer_finished {
            match stack.receive(now, handle, &mut buffer) {
                Err(ReceiveError::WouldBlock) => break,
                Ok(n) => {
                    self.script.receives.pattern.verify(self.received, &buffer[..n]);
                    self.received += n as u64;
                }
                Err(ReceiveError::Finished) => self.peer_finished = true,
                Err(ReceiveError::Closed(error)) => return Err(error),
                Err(error) => panic!("{error}"),
            }
        }
        Ok(())
    }

    fn send(&mut self, now: Instant, stack: &mut OurStack, handle: Handle) -> Result<(), Error> {
        let Script { sends, turn, .. } = self.script;
        let allowed = match turn {
            Turn::AtOnce => sends.length,
            Turn::AfterPeersEnd if self.peer_finished => sends.length,
            Turn::AfterPeersEnd => return Ok(()),
            Turn::AsReceived => self.received.min(sends.length),
        };
        let mut buffer = [0; BUFFER];
        let now_due = Content { length: allowed, ..sends };
        while self.sent < allowed {
            match stack.send(now, handle, now_due.next(self.sent, &mut buffer)) {
                Ok(0) => break,
                Ok(n) => self.sent += n as u64,
                Err(SendError::Closed(error)) => return Err(error),
                Err(error) => panic!("{error}"),
            }
        }
        if self.sent == sends.length && !self.shut_down {
            self.shut_down = true;
            stack.shutdown(now, handle).expect("an open connection");
        }
        Ok(())
    }
}

/// Connections that follow the same script.
struct Conversations {
    script: Script,
    open: HashMap<Handle, Conversation>,
    outcomes: Vec<Outcome>,
}

impl Conversations {
    fn new(script: Script) -> Self {
        Conversations { script, open: HashMap::new(), outcomes: Vec::new() }
    }

    fn begin(&mut self, now: Instant, stack: &mut OurStack, handle: Handle) {
        self.open.insert(handle, Conversation::new(self.script));
        self.proceed(now, stack, handle);
    }

    fn proceed(&mut self, now: Instant, stack: &mut OurStack, handle: Handle) {
        if let Some(conversation) = self.open.get_mut(&handle)
            && let Some(outcome) = conversation.proceed(now, stack, handle)
        {
            self.open.remove(&handle);
            self.outcomes.push(outcome);
        }
    }
}

/// An application that opens connections to one address, with a limit in all and at a time.
pub(crate) struct Client {
    remote: SocketAddr,
    /// The local end of the connections, if the test sets it.
    pub(crate) local: Option<SocketAddr>,
    /// Settings of the connections.
    pub(crate) config: Config,
    total: usize,
    at_once: usize,
    opened: usize,
    conversations: Conversations,
}

impl Client {
    pub(crate) fn new(remote: SocketAddr, script: Script) -> Self {
        Client::many(remote, script, 1, 1)
    }

    pub(crate) fn many(remote: SocketAddr, script: Script, total: usize, at_once: usize) -> Self {
        Client {
            remote,
            local: None,
            config: Config::default(),
            total,
            at_once,
            opened: 0,
            conversations: Conversations::new(script),
        }
    }

    /// How each connection ended.
    pub(crate) fn outcomes(&self) -> &[Outcome] {
        &self.conversations.outcomes
    }

    fn open(&mut self, now: Instant, stack: &mut OurStack) -> Result<(), StartError> {
        while self.opened < self.total && self.conversations.open.len() < self.at_once {
            let handle = stack.connect(now, self.remote, self.local, &self.config);
            self.opened += 1;
            self.conversations.begin(now, stack, handle.map_err(StartError::Connect)?);
        }
        Ok(())
    }
}

impl Application<'static, BuiltIn> for Client {
    fn start(&mut self, now: Instant, stack: &mut OurStack) -> Result<(), StartError> {
        self.open(now, stack)
    }

    fn on_event(&mut self, now: Instant, stack: &mut OurStack, event: &Event) {
        if let Event::Connection { handle, .. } = *event {
            self.conversations.proceed(now, stack, handle);
            self.open(now, stack).expect("another connection");
        }
    }

    fn is_done(&self) -> bool {
        self.outcomes().len() == self.total
    }
}

/// An application that accepts a number of connections.
pub(crate) struct Server {
    local: SocketAddr,
    total: usize,
    listener: Option<Listener>,
    conversations: Conversations,
}

impl Server {
    pub(crate) fn new(local: SocketAddr, script: Script, total: usize) -> Self {
        Server { local, total, listener: None, conversations: Conversations::new(script) }
    }

    /// How each connection ended.
    pub(crate) fn outcomes(&self) -> &[Outcome] {
        &self.conversations.outcomes
    }
}

impl Application<'static, BuiltIn> for Server {
    fn start(&mut self, _now: Instant, stack: &mut OurStack) -> Result<(), StartError> {
        let listener = stack.listen(ListenConfig::new(self.local));
        self.listener = Some(listener.map_err(StartError::Listen)?);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut OurStack, event: &Event) {
        match *event {
            Event::Acceptable(listener) if Some(listener) == self.listener => {
                while let Some(handle) = stack.accept(listener) {
                    self.conversations.begin(now, stack, handle);
                }
            }
            Event::Connection { handle, .. } => self.conversations.proceed(now, stack, handle),
            _ => {}
        }
    }

    fn is_done(&self) -> bool {
        self.outcomes().len() == self.total
    }
}

/// An application that opens a connection and waits for `until`.
pub(crate) struct Waiting {
    remote: SocketAddr,
    config: Config,
    handle: Option<Handle>,
    established: bool,
    /// The event that ends the wait.
    pub(crate) until: Until,
    /// The error of the connection, once it has one.
    pub(crate) error: Option<Error>,
}

/// The event that a [`Waiting`] waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Until {
    Established,
    Closed,
}

impl Waiting {
    pub(crate) fn new(remote: SocketAddr, config: Config) -> Self {
        Waiting {
            remote,
            config,
            handle: None,
            established: false,
            until: Until::Established,
            error: None,
        }
    }
}

impl Application<'static, BuiltIn> for Waiting {
    fn start(&mut self, now: Instant, stack: &mut OurStack) -> Result<(), StartError> {
        let handle = stack.connect(now, self.remote, None, &self.config);
        self.handle = Some(handle.map_err(StartError::Connect)?);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut OurStack, event: &Event) {
        if let Event::Connection { handle, readiness } = *event
            && Some(handle) == self.handle
        {
            self.established |= readiness.established;
            self.error = stack.info(now, handle).and_then(|info| info.error);
        }
    }

    fn is_done(&self) -> bool {
        match self.until {
            Until::Established => self.established,
            Until::Closed => self.error.is_some(),
        }
    }
}

/// Ends a test that hangs.
pub(crate) struct Watchdog {
    deadline: Instant,
}

impl Watchdog {
    pub(crate) fn new(now: Instant) -> Self {
        Watchdog { deadline: now + PATIENCE }
    }
}

impl Application<'static, BuiltIn> for Watchdog {
    fn start(&mut self, _now: Instant, _stack: &mut OurStack) -> Result<(), StartError> {
        Ok(())
    }

    fn on_event(&mut self, _now: Instant, _stack: &mut OurStack, _event: &Event) {}

    fn wake_at(&self) -> Instant {
        self.deadline
    }

    fn on_wake(&mut self, _now: Instant, stack: &mut OurStack) {
        panic!("not done after {PATIENCE}; {:?}", stack.statistics());
    }

    fn is_done(&self) -> bool {
        true
    }
}
