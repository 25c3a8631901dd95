//! One end of a flow: an application that writes its pattern and verifies the other's.

use super::ledger::{CallNote, SharedLedger};
use crate::case::Flow;
use ackclock::apps::Pattern;
use ackclock::congestion::BuiltIn;
use ackclock::profile::Profile;
use ackclock::stack::{Event, Handle, ListenConfig, Listener, Stack};
use ackclock::tcp::{Config, Error};
use ackclock::time::{Duration, Instant};
use ackclock_judge::Call;
use std::net::SocketAddr;

/// Most bytes of one write.
const WRITE: usize = 16 * 1024;

/// The seed of the pattern that this side of a flow writes.
pub(crate) fn pattern_seed(flow: usize, side: usize) -> u64 {
    (flow as u64 + 1) * 0x1_0001 + side as u64
}

fn pattern(flow: usize, side: usize) -> Pattern {
    Pattern::new(pattern_seed(flow, side))
}

/// The same moment by the network's time and by the host's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) network: Instant,
    pub(crate) local: Instant,
}

/// One end of a flow.
pub(crate) struct Talker {
    flow: Flow,
    number: usize,
    /// 0 for the client, 1 for the server.
    side: usize,
    /// Where the server listens.
    remote: SocketAddr,
    /// Where the client connects from, unless the stack chooses.
    local: Option<SocketAddr>,
    config: Config,
    ledger: SharedLedger,
    listener: Option<Listener>,
    handle: Option<Handle>,
    written: u64,
    read: u64,
    /// Rounds that the client has begun.
    round: u64,
    /// When the client begins, or its next round.
    round_at: Instant,
    /// Whether the pause before the next round is over.
    has_rested: bool,
    /// When the reader goes on.
    read_at: Instant,
    is_shut: bool,
    is_done: bool,
    chunk: Vec<u8>,
}

impl Talker {
    pub(crate) fn new(
        number: usize,
        side: usize,
        flow: &Flow,
        [local, remote]: [Option<SocketAddr>; 2],
        config: Config,
        ledger: SharedLedger,
    ) -> Self {
        Talker {
            flow: flow.clone(),
            number,
            side,
            remote: remote.expect("the server has an address"),
            local,
            config,
            ledger,
            listener: None,
            handle: None,
            written: 0,
            read: 0,
            round: 0,
            round_at: Instant::FAR_FUTURE,
            has_rested: false,
            read_at: Instant::ZERO,
            is_shut: false,
            is_done: false,
            chunk: vec![0; WRITE],
        }
    }

    /// Listens, or makes up when to connect. `clock` is what the host's clock shows when the network's
    /// shows zero.
    pub(crate) fn begin<P: Profile>(
        &mut self,
        stack: &mut Stack<'static, BuiltIn, P>,
        clock: Duration,
    ) {
        if self.side == 1 {
            let mut listen = ListenConfig::new(self.remote);
            listen.connection = self.config;
            listen.set_fast_open(self.config.fast_open);
            self.listener = Some(stack.listen(listen).expect("a free port"));
        } else {
            self.round_at = Instant::ZERO + clock + self.flow.start;
        }
    }

    /// Whether it has nothing more to do; nor has a server whose client has given up before it came.
    pub(crate) fn is_done(&self) -> bool {
        let is_idle = self.side == 1 && self.handle.is_none();
        self.is_done || is_idle && self.ledger.borrow().flows[self.number].ended[0].is_some()
    }

    /// When it wants to be woken, by the host's clock.
    pub(crate) fn wake_at(&self) -> Instant {
        if self.is_done {
            return Instant::FAR_FUTURE;
        }
        let read = if self.read_at == Instant::ZERO { Instant::FAR_FUTURE } else { self.read_at };
        self.round_at.min(read)
    }

    pub(crate) fn on_event<P: Profile>(
        &mut self,
        now: Now,
        stack: &mut Stack<'static, BuiltIn, P>,
        event: &Event,
    ) {
        match *event {
            Event::Acceptable(listener) if self.listener == Some(listener) => {
                self.handle = stack.accept(listener);
                if self.handle.is_some() {
                    stack.close_listener(now.local, listener);
                    self.listener = None;
                    self.note(now, |flow| flow.accepted = true);
                    self.advance(now, stack);
                }
            }
            Event::Connection { handle, .. } if self.handle == Some(handle) => {
                self.advance(now, stack)
            }
            _ => {}
        }
    }

    pub(crate) fn on_wake<P: Profile>(&mut self, now: Now, stack: &mut Stack<'static, BuiltIn, P>) {
        if self.round_at <= now.local {
            self.round_at = Instant::FAR_FUTURE;
            if self.handle.is_none() && self.side == 0 {
                self.connect(now, stack);
            } else {
                self.has_rested = true;
            }
        }
        if self.read_at != Instant::ZERO && self.read_at <= now.local {
            self.read_at = Instant::ZERO;
        }
        self.advance(now, stack);
    }

    fn connect<P: Profile>(&mut self, now: Now, stack: &mut Stack<'static, BuiltIn, P>) {
        match stack.connect(now.local, self.remote, self.local, &self.config) {
            Ok(handle) => {
                self.handle = Some(handle);
                self.note(now, |flow| flow.started = Some(now.network));
            }
            Err(_) => {
                self.note(now, |flow| {
                    flow.started = Some(now.network);
                    flow.ended[0] = Some(now.network);
                    flow.errors[0] = Some(Error::NoResources);
                });
                self.is_done = true;
            }
        }
    }

    /// Notes that something went on.
    fn note(&self, now: Now, change: impl FnOnce(&mut super::ledger::FlowNotes)) {
        let mut ledger = self.ledger.borrow_mut();
        let flow = &mut ledger.flows[self.number];
        flow.progress_at = now.network;
        flow.steps += 1;
        change(flow);
    }

    /// Tells the judge of a call.
    fn tell<P: Profile>(
        &self,
        now: Now,
        stack: &Stack<'static, BuiltIn, P>,
        handle: Handle,
        call: Call,
    ) {
        if let Some(calls) = &mut self.ledger.borrow_mut().calls
            && let (Some(local), Some(remote)) =
                (stack.local_addr(handle), stack.remote_addr(handle))
        {
            let (flow, side, at) = (self.number, self.side, now.network);
            calls.push(CallNote { flow, side, at, ends: [local, remote], call });
        }
    }

    fn advance<P: Profile>(&mut self, now: Now, stack: &mut Stack<'static, BuiltIn, P>) {
        let Some(handle) = self.handle else { return };
        if self.is_done {
            return;
        }
        self.read(now, stack, handle);
        self.write(now, stack, handle);
        if self.is_done {
            return;
        }
        let Some(readiness) = stack.readiness(handle) else { return };
        if !(readiness.closed || readiness.finished) {
            return;
        }
        let info = stack.info(now.local, handle);
        let error = info.and_then(|info| info.error);
        let side = self.side;
        if readiness.finished && !self.ledger.borrow().flows[self.number].finished[side] {
            self.note(now, |flow| flow.finished[side] = true);
        }
        // All that was queued may be acknowledged before a round that is still to come.
        let is_flushed = self.is_shut && readiness.flushed;
        let over = readiness.finished && (is_flushed || readiness.closed);
        if over || error.is_some() {
            self.end(now, stack, handle);
            if error.is_none() {
                self.tell(now, stack, handle, Call::CloseBoth);
            }
            let _ = stack.close(now.local, handle);
        }
    }

    /// Notes how it ended.
    fn end<P: Profile>(&mut self, now: Now, stack: &Stack<'static, BuiltIn, P>, handle: Handle) {
        let (side, info) = (self.side, stack.info(now.local, handle));
        self.note(now, |flow| {
            flow.errors[side] = info.and_then(|info| info.error);
            flow.infos[side] = info;
            flow.ended[side] = Some(now.network);
        });
        self.is_done = true;
    }

    fn read<P: Profile>(
        &mut self,
        now: Now,
        stack: &mut Stack<'static, BuiltIn, P>,
        handle: Handle,
    ) {
        if self.read_at > now.local {
            return;
        }
        let (most, pause) = self.flow.reads[self.side].unwrap_or((usize::MAX, Duration::ZERO));
        let theirs = pattern(self.number, 1 - self.side);
        let expected = self.flow.totals()[1 - self.side];
        while let Ok([first, _]) = stack.received(handle) {
            let part = &first[..first.len().min(most)];
            if part.is_empty() {
                return;
            }
            let mismatch = theirs.first_mismatch(self.read, part).map(|at| self.read + at as u64);
            let excess = (self.read + part.len() as u64 > expected).then_some(expected);
            let count = part.len();
            self.read += count as u64;
            let _ = stack.consume(now.local, handle, count);
            self.tell(now, stack, handle, Call::Read(count as u64));
            let (side, read) = (self.side, self.read);
            let rests = if pause.is_zero() { Instant::ZERO } else { now.network + pause };
            self.note(now, |flow| {
                flow.read[side] = read;
                flow.rests_until = flow.rests_until.max(rests);
                if let Some(at) = mismatch {
                    flow.wrong.get_or_insert(format!(
                        "byte {at} that side {side} read is not the one that was written"
                    ));
                } else if let Some(at) = excess {
                    flow.wrong.get_or_insert(format!(
                        "side {side} read more than the {at} bytes that were written"
                    ));
                }
            });
            if self.flow.aborts[1].is_some_and(|after| side == 1 && read >= after) {
                return self.abort(now, stack, handle);
            }
            if !pause.is_zero() {
                self.read_at = now.local + pause;
                return;
            }
        }
    }

    /// How many bytes it may have written by now.
    fn may_write(&mut self, now: Now) -> u64 {
        let Flow { rounds, bytes: [ours, theirs], waits, pause, .. } = self.flow;
        if !waits {
            return self.flow.totals()[self.side];
        }
        if self.side == 1 {
            let asked = self.read.checked_div(ours).unwrap_or(rounds);
            return asked.min(rounds) * theirs;
        }
        while self.round < rounds
            && self.written == self.round * ours
            && self.read >= self.round * theirs
        {
            if self.round > 0 && !pause.is_zero() && !self.has_rested {
                if self.round_at.is_never() {
                    self.round_at = now.local + pause;
                    let until = now.network + pause;
                    self.note(now, |flow| flow.rests_until = flow.rests_until.max(until));
                }
                break;
            }
            self.has_rested = false;
            self.round += 1;
            if ours > 0 {
                break;
            }
        }
        self.round * ours
    }

    fn write<P: Profile>(
        &mut self,
        now: Now,
        stack: &mut Stack<'static, BuiltIn, P>,
        handle: Handle,
    ) {
        let total = self.flow.totals()[self.side];
        let abort_at = self.flow.aborts[0].filter(|_| self.side == 0);
        let most = self.may_write(now).min(abort_at.unwrap_or(u64::MAX));
        while self.written < most {
            let want = (most - self.written).min(WRITE as u64) as usize;
            let want = want.min(stack.send_room(handle));
            if want == 0 {
                break;
            }
            let chunk = &mut self.chunk[..want];
            pattern(self.number, self.side).fill(self.written, chunk);
            let taken = stack.send(now.local, handle, chunk).unwrap_or(0);
            if taken == 0 {
                break;
            }
            self.written += taken as u64;
            self.tell(now, stack, handle, Call::Write(taken as u64));
            let (side, written) = (self.side, self.written);
            self.note(now, |flow| flow.written[side] = written);
        }
        if abort_at.is_some_and(|at| self.written >= at) {
            return self.abort(now, stack, handle);
        }
        let waits = self.side == 0 && !self.flow.half_close;
        let has_all = self.read >= self.flow.totals()[1 - self.side];
        if !self.is_shut && self.written == total && (has_all || !waits) {
            self.is_shut = true;
            self.tell(now, stack, handle, Call::Close);
            let _ = stack.shutdown(now.local, handle);
        }
    }

    fn abort<P: Profile>(
        &mut self,
        now: Now,
        stack: &mut Stack<'static, BuiltIn, P>,
        handle: Handle,
    ) {
        let side = self.side;
        self.end(now, stack, handle);
        self.note(now, |flow| flow.aborted[side] = true);
        self.tell(now, stack, handle, Call::Abort);
        let _ = stack.abort(now.local, handle);
    }
}
