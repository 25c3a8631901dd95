//! An application that does what a plan says at one end of a connection, and tells the judge of each call.

use crate::emulated::Bench;
use crate::hosts::Tune;
use ackclock::apps::{Application, Pattern, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Event, Handle, ListenConfig, Listener, Stack};
use ackclock::tcp::{Config, ReceiveError};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::HostId;
use ackclock_judge::Call;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;

/// How an end leaves the connection when it has written all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Leave {
    /// It closes its direction, and the rest when the other has closed too.
    #[default]
    HalfClose,
    /// It closes both directions at once.
    CloseBoth,
    /// It gives the connection up.
    Abort,
    /// It stays.
    Never,
}

/// What one end does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Bytes to write, in pieces of so many, with so much time between them.
    pub(crate) amount: u64,
    pub(crate) piece: usize,
    pub(crate) gap: Duration,
    /// So many pieces go at once before each gap.
    pub(crate) burst: u32,
    /// Every so many pieces are urgent; 0: none is.
    pub(crate) urgent: u64,
    /// It reads from then on, at most so many bytes at a time, with so much time between.
    pub(crate) reads_from: Duration,
    pub(crate) read: usize,
    pub(crate) read_gap: Duration,
    pub(crate) leave: Leave,
    /// How long it stays after it has written all.
    pub(crate) stays: Duration,
    /// A server accepts no connection before.
    pub(crate) accepts_from: Duration,
    /// It writes only when the other has finished.
    pub(crate) answers: bool,
    /// It changes a setting of the connection so long after the beginning.
    pub(crate) tune: Option<(Duration, Tune)>,
}

/// Writes nothing, reads all.
pub(crate) const QUIET: Plan = Plan {
    amount: 0,
    piece: 4096,
    gap: Duration::ZERO,
    burst: 1,
    urgent: 0,
    reads_from: Duration::ZERO,
    read: 65536,
    read_gap: Duration::ZERO,
    leave: Leave::HalfClose,
    stays: Duration::ZERO,
    accepts_from: Duration::ZERO,
    answers: false,
    tune: None,
};

/// Which end, and of what.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are a few at a time")]
pub(crate) enum Role {
    Connects {
        local: Option<SocketAddr>,
        remote: SocketAddr,
        at: Instant,
    },
    /// With a listener of its own, or one that all servers of the host share.
    Listens {
        with: ListenConfig,
        shared: bool,
    },
}

/// One end of one connection.
#[derive(Debug)]
pub(crate) struct Actor {
    plan: Plan,
    role: Role,
    config: Config,
    host: HostId,
    bench: Bench,
    now: Instant,
    listener: Option<Listener>,
    handle: Option<Handle>,
    ends: Option<(SocketAddr, SocketAddr)>,
    written: u64,
    pieces: u64,
    read: u64,
    next_write: Instant,
    next_read: Instant,
    /// When a setting is changed.
    next_tune: Instant,
    /// When all was written.
    written_at: Option<Instant>,
    /// When the connection was opened here, and when this end had heard the end of it.
    opened_at: Option<Instant>,
    ended_at: Option<Instant>,
    /// What the stack has told of window and pacing since then, and when.
    told: DefaultHasher,
    /// The other has finished.
    heard_end: bool,
    has_shut: bool,
    is_over: bool,
}

/// Contents of what the one that connects writes, and of what the one that listens does.
const STREAMS: [Pattern; 2] = [Pattern::new(11), Pattern::new(12)];

type Net = Stack<'static, BuiltIn>;

impl Actor {
    pub(crate) fn new(plan: Plan, role: Role, config: Config, host: HostId, bench: Bench) -> Actor {
        Actor {
            plan,
            role,
            config,
            host,
            bench,
            now: Instant::ZERO,
            listener: None,
            handle: None,
            ends: None,
            written: 0,
            pieces: 0,
            read: 0,
            next_write: Instant::ZERO,
            next_read: Instant::ZERO,
            next_tune: Instant::FAR_FUTURE,
            written_at: None,
            opened_at: None,
            ended_at: None,
            told: DefaultHasher::new(),
            heard_end: false,
            has_shut: false,
            is_over: false,
        }
    }

    /// Bytes written and read.
    pub(crate) fn moved(&self) -> (u64, u64) {
        (self.written, self.read)
    }

    /// How long the connection took until the other end of it was heard.
    pub(crate) fn took(&self) -> Option<Duration> {
        Some(self.ended_at?.saturating_since(self.opened_at?))
    }

    /// What was told of the connection's window and pacing, as one number.
    pub(crate) fn told(&self) -> u64 {
        self.told.finish()
    }

    fn streams(&self) -> (Pattern, Pattern) {
        // Of two that open at once the one with the lesser port counts as the one that connects.
        let first = match self.role {
            Role::Connects { local, remote, .. } => {
                local.is_none_or(|local| local.port() <= remote.port() || local.port() > 10_000)
            }
            Role::Listens { .. } => false,
        };
        if first { (STREAMS[0], STREAMS[1]) } else { (STREAMS[1], STREAMS[0]) }
    }

    fn tell(&self, now: Instant, call: Call) {
        if let Some((local, remote)) = self.ends {
            self.bench.call(now, self.host, local, remote, call);
        }
    }

    fn connect(&mut self, now: Instant, stack: &mut Net) -> Result<(), StartError> {
        if let Role::Connects { local, remote, at } = self.role
            && now >= at
            && self.handle.is_none()
            && !self.is_over
        {
            let handle =
                stack.connect(now, remote, local, &self.config).map_err(StartError::Connect)?;
            self.begin(now, stack, handle);
        }
        Ok(())
    }

    fn begin(&mut self, now: Instant, stack: &Net, handle: Handle) {
        self.handle = Some(handle);
        self.opened_at = Some(now);
        self.ends = stack.local_addr(handle).zip(stack.remote_addr(handle));
        self.next_write = now;
        self.next_read = now + self.plan.reads_from;
        self.next_tune = self.plan.tune.map_or(Instant::FAR_FUTURE, |(after, _)| now + after);
    }

    fn accepts_at(&self) -> Instant {
        Instant::ZERO + self.plan.accepts_from
    }

    /// Does what can be done now.
    fn drive(&mut self, now: Instant, stack: &mut Net) {
        self.now = now;
        if self.handle.is_none()
            && now >= self.accepts_at()
            && let Some(listener) = self.listener
            && let Some(handle) = stack.accept(listener)
        {
            self.begin(now, stack, handle);
        }
        if self.connect(now, stack).is_err() {
            self.is_over = true;
        }
        let Some(handle) = self.handle else { return };
        let readiness = stack.readiness(handle).unwrap_or_default();
        if readiness.closed && !readiness.readable {
            // It is over already: the call changes nothing.
            _ = stack.close(now, handle);
            (self.handle, self.is_over) = (None, true);
            return;
        }
        if !readiness.established && !readiness.closed {
            return;
        }
        self.read(now, stack, handle);
        if !self.plan.answers || self.heard_end {
            self.write(now, stack, handle);
        }
        self.tune(now, stack, handle);
        self.finish(now, stack, handle);
        self.check(now, stack);
        if stack.readiness(handle).is_some_and(|readiness| readiness.closed)
            && let Err(why) = stack.received(handle)
        {
            if why == ReceiveError::WouldBlock {
                self.bench.untrue("more is to come of a connection that is over".into());
            }
            _ = stack.close(now, handle);
            (self.handle, self.is_over) = (None, true);
        }
    }

    fn tune(&mut self, now: Instant, stack: &mut Net, handle: Handle) {
        if let Some((_, tune)) = self.plan.tune
            && now >= self.next_tune
        {
            self.next_tune = Instant::FAR_FUTURE;
            if !tune.call(now, stack, handle) {
                self.bench.untrue(format!("{tune:?} is refused"));
            }
            if let Tune::UserTimeout(time) = tune {
                self.tell(now, Call::UserTimeout(time));
            }
        }
    }

    /// What the stack tells of the connection is what the application knows of it.
    fn check(&mut self, now: Instant, stack: &Net) {
        let Some(info) = self.handle.and_then(|handle| stack.info(now, handle)) else { return };
        let since = self.opened_at.map(|opened| now.saturating_since(opened).as_micros());
        (since, info.cwnd, info.pacing_rate).hash(&mut self.told);
        let first_sent = info.bytes_sent.saturating_sub(info.bytes_retransmitted);
        let holds = [
            (info.bytes_received == self.read + u64::from(info.receive_queue), "bytes received"),
            (info.bytes_acked + u64::from(info.send_queue) == self.written, "bytes acknowledged"),
            ((info.bytes_acked..=self.written).contains(&first_sent), "bytes sent"),
            (!self.heard_end || info.out_of_order == 0, "bytes out of order"),
            (info.cwnd > 0 && info.ssthresh > 0, "window and threshold"),
        ];
        // The pointer of one segment reaches no further.
        let ahead = self.handle.and_then(|handle| stack.urgent_ahead(handle));
        if let (Some(ahead), Some((local, remote))) =
            (ahead.filter(|ahead| *ahead < 60_000), self.ends)
            && !self.bench.is_urgent_end((remote, local), self.read + u64::from(ahead))
        {
            self.bench.untrue(format!("urgent data is to end {ahead} bytes after {}", self.read));
        }
        if let Some((_, what)) = holds.iter().find(|(holds, _)| !holds) {
            let (written, read) = (self.written, self.read);
            self.bench.untrue(format!("{what} with {written} written, {read} read: {info:?}"));
        }
    }

    fn leave(&mut self, now: Instant, stack: &mut Net, handle: Handle) {
        self.tell(now, Call::CloseBoth);
        _ = stack.close(now, handle);
        self.handle = None;
        self.is_over = true;
    }

    fn write(&mut self, now: Instant, stack: &mut Net, handle: Handle) {
        while self.written < self.plan.amount && now >= self.next_write && !self.has_shut {
            let left = self.plan.amount - self.written;
            let len = (self.plan.piece as u64).min(left) as usize;
            if stack.send_room(handle) < len.min(1024) {
                return;
            }
            let mut bytes = vec![0; len];
            self.streams().0.fill(self.written, &mut bytes);
            let is_urgent =
                self.plan.urgent > 0 && self.pieces % self.plan.urgent == self.plan.urgent - 1;
            let taken = match is_urgent {
                true => stack.send_urgent(now, handle, &bytes),
                false => stack.send(now, handle, &bytes),
            };
            let Ok(taken) = taken else { return };
            self.tell(now, Call::Write(taken as u64));
            if is_urgent && taken > 0 {
                self.tell(now, Call::Urgent);
            }
            self.written += taken as u64;
            if let Some(ends) = self.ends.filter(|_| is_urgent && taken > 0) {
                self.bench.urgent_ends(ends, self.written);
            }
            self.pieces += 1;
            if self.pieces.is_multiple_of(self.plan.burst.into()) {
                self.next_write = now + self.plan.gap;
            }
            if taken < len {
                return;
            }
        }
    }

    fn read(&mut self, now: Instant, stack: &mut Net, handle: Handle) {
        let mut bytes = vec![0; self.plan.read];
        while now >= self.next_read {
            match stack.receive(now, handle, &mut bytes) {
                Ok(len) => {
                    self.tell(now, Call::Read(len as u64));
                    if self.streams().1.first_mismatch(self.read, &bytes[..len]).is_some() {
                        self.bench.wrong_bytes(self.read);
                    }
                    self.read += len as u64;
                    self.next_read = now + self.plan.read_gap;
                    if len == 0 {
                        return;
                    }
                }
                Err(ReceiveError::Finished) => {
                    self.heard_end = true;
                    self.ended_at.get_or_insert(now);
                    return;
                }
                Err(_) => return,
            }
        }
    }

    fn finish(&mut self, now: Instant, stack: &mut Net, handle: Handle) {
        if self.written < self.plan.amount {
            return;
        }
        let since = *self.written_at.get_or_insert(now);
        if now < since + self.plan.stays || self.plan.leave == Leave::Never {
            return;
        }
        match self.plan.leave {
            Leave::Abort => {
                self.tell(now, Call::Abort);
                _ = stack.abort(now, handle);
                self.handle = None;
                self.is_over = true;
            }
            Leave::CloseBoth => self.leave(now, stack, handle),
            _ => {
                if !self.has_shut {
                    self.has_shut = true;
                    self.tell(now, Call::Close);
                    _ = stack.shutdown(now, handle);
                }
                if self.heard_end {
                    self.leave(now, stack, handle);
                }
            }
        }
    }
}

impl Application<'static, BuiltIn> for Actor {
    fn start(&mut self, now: Instant, stack: &mut Net) -> Result<(), StartError> {
        match self.role {
            Role::Connects { .. } => self.connect(now, stack),
            Role::Listens { mut with, shared } => {
                with.connection = self.config;
                self.listener = match shared {
                    true => self.bench.listener(|| stack.listen(with).ok()),
                    false => Some(stack.listen(with).map_err(StartError::Listen)?),
                };
                Ok(())
            }
        }
    }

    fn on_event(&mut self, now: Instant, stack: &mut Net, _event: &Event) {
        if !self.is_over {
            self.drive(now, stack);
        }
    }

    fn wake_at(&self) -> Instant {
        if self.is_over {
            return Instant::FAR_FUTURE;
        }
        if self.handle.is_none() {
            return match self.role {
                Role::Connects { at, .. } => at,
                Role::Listens { .. } => Some(self.accepts_at())
                    .filter(|at| *at > self.now)
                    .unwrap_or(Instant::FAR_FUTURE),
            };
        }
        let now = self.now;
        let later = |at: Instant| if at > now { at } else { Instant::FAR_FUTURE };
        let leaves =
            self.written_at.map_or(Instant::FAR_FUTURE, |since| later(since + self.plan.stays));
        later(self.next_write).min(later(self.next_read)).min(later(self.next_tune)).min(leaves)
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Net) {
        if !self.is_over {
            self.drive(now, stack);
        }
    }

    fn is_done(&self) -> bool {
        self.is_over
    }
}
