//! Virtual time, the packets between the stack and the caller, and calls that wait.
//!
//! The caller has two threads. The one that made the machine plays the script; the time it spends
//! (sleeping, waiting for a packet, in a call that waits) is the time that passes. The other one
//! makes the calls that are expected to wait. It sleeps on a condition variable until what it waits
//! for has happened; then time stands still until it has read the clock, because the caller compares
//! what it reads with the script.

use crate::flags::Flags;
use crate::sockets::{Errno, Sockets, WOULD_BLOCK};
use crate::trace::{Direction, Trace};
use ackclock::tcp::ConfigError;
use ackclock::time::{Duration, Instant};
use ackclock_judge::Judge;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// Time when a script begins: late enough that nothing lies before the clock's origin.
const START: Instant = Instant::from_secs(1_000);
/// How long `netdev_receive` waits for a packet. The caller retries for ever when it fails, so it
/// must end by itself, after more than any script waits.
const RECEIVE_LIMIT: Duration = Duration::from_secs(5);
/// How far a look at the clock moves it, so that a caller that waits for a time reaches it.
const CLOCK_STEP: Duration = Duration::from_micros(1);
/// Real time after which a thread that was woken and does not read the clock is not waited for any
/// more: the caller is not packetdrill.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);

/// Real time in which a thread that came back from `accept` notes the descriptor.
const NOTING: std::time::Duration = std::time::Duration::from_millis(5);

/// How long a call may wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// Not at all.
    No,
    For(Duration),
    Forever,
}

impl Wait {
    fn until(self, now: Instant) -> Instant {
        match self {
            Wait::No => now,
            Wait::For(time) => now + time,
            Wait::Forever => Instant::FAR_FUTURE,
        }
    }
}

/// A packet that the stack has sent.
pub(crate) struct Sent {
    pub(crate) at: Instant,
    pub(crate) packet: Vec<u8>,
}

/// The stack, its sockets, and time.
pub(crate) struct Machine {
    state: Mutex<State>,
    changed: Condvar,
    script_thread: ThreadId,
}

struct State {
    sockets: Sockets,
    sent: VecDeque<Sent>,
    /// Whoever looks on.
    trace: Option<Trace>,
    judge: Option<Judge>,
    waiters: Vec<Waiter>,
    /// Counts the occasions on which waiters have to look again.
    epoch: u64,
    /// Threads that were woken and have not read the clock.
    unread: Vec<ThreadId>,
    /// A thread that waited was answered a descriptor, which it may still have to note.
    has_descriptor: bool,
}

/// A thread in a call that waits.
struct Waiter {
    thread: ThreadId,
    deadline: Instant,
    /// The last epoch in which it has looked.
    seen: u64,
}

type Guard<'m> = MutexGuard<'m, State>;

impl State {
    fn now(&self) -> Instant {
        self.sockets.now()
    }

    fn collect(&mut self) {
        self.trace_states();
        for packet in self.sockets.transmit() {
            let at = self.now();
            self.note_packet(Direction::Out, &packet);
            self.sent.push_back(Sent { at, packet });
        }
        self.trace_states();
    }

    /// Shows a packet to whoever looks on. If the judge forbids it the process ends: the interface has no
    /// way to say so.
    fn note_packet(&mut self, direction: Direction, packet: &[u8]) {
        let now = self.now();
        if let Some(trace) = &mut self.trace {
            tell(&trace.packet(now, direction, packet));
        }
        let Some(judge) = &mut self.judge else { return };
        match direction {
            Direction::In => judge.on_received(now, packet),
            Direction::Out => judge.on_sent(now, packet),
        }
        if let Some(verdict) = judge.findings().of_form() {
            tell(&format!("ackclock: the judge says: {verdict}\n"));
            std::process::exit(1);
        }
    }

    fn trace_states(&mut self) {
        let now = self.now();
        if let Some(trace) = &mut self.trace {
            tell(&trace.states(now, self.sockets.states()));
        }
    }

    fn waiter(&mut self, thread: ThreadId) -> Option<&mut Waiter> {
        self.waiters.iter_mut().find(|waiter| waiter.thread == thread)
    }

    /// When something happens next, by a timer or because a waiter's time is over.
    fn next(&self) -> Instant {
        let deadlines = self.waiters.iter().map(|waiter| waiter.deadline);
        deadlines.fold(self.sockets.poll_at(), Instant::min)
    }
}

impl Machine {
    /// The calling thread is the one that plays the script.
    ///
    /// # Errors
    /// Names the flag that cannot be used.
    pub(crate) fn new(flags: Flags) -> Result<Self, ConfigError> {
        let trace = flags.trace.then(|| Trace::new(START));
        let told = ackclock_judge::Settings { sees_all: true, ..Default::default() };
        let judge = flags.judge.then(|| Judge::new(told));
        let state = State {
            sockets: Sockets::new(flags, START)?,
            sent: VecDeque::new(),
            trace,
            judge,
            waiters: Vec::new(),
            epoch: 0,
            unread: Vec::new(),
            has_descriptor: false,
        };
        Ok(Machine {
            state: Mutex::new(state),
            changed: Condvar::new(),
            script_thread: thread::current().id(),
        })
    }

    fn lock(&self) -> Guard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call that does not wait.
    pub(crate) fn call<R>(&self, call: impl FnOnce(&mut Sockets) -> R) -> R {
        let mut state = self.lock();
        let answer = call(&mut state.sockets);
        state.collect();
        answer
    }

    /// A call that waits while it answers [`WOULD_BLOCK`], which it also does when its time is over.
    pub(crate) fn wait<R>(
        &self,
        wait: Wait,
        mut call: impl FnMut(&mut Sockets) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let mut state = self.lock();
        let answer = call(&mut state.sockets);
        state.collect();
        if wait == Wait::No || !matches!(answer, Err(WOULD_BLOCK)) {
            return answer;
        }
        let deadline = wait.until(state.now());
        if thread::current().id() == self.script_thread {
            self.wait_by_moving_time(state, deadline, call)
        } else {
            self.wait_for_others(state, deadline, call)
        }
    }

    /// Nobody else moves time while the script's own thread waits.
    fn wait_by_moving_time<'m, R>(
        &'m self,
        mut state: Guard<'m>,
        deadline: Instant,
        mut call: impl FnMut(&mut Sockets) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        loop {
            let next = state.next().min(deadline);
            if next.is_never() {
                // Nothing can happen any more that would end the wait.
                return Err(Errno(libc::EDEADLK));
            }
            state = self.advance(state, next);
            let answer = call(&mut state.sockets);
            state.collect();
            if !matches!(answer, Err(WOULD_BLOCK)) || state.now() >= deadline {
                return answer;
            }
        }
    }

    fn wait_for_others<'m, R>(
        &'m self,
        mut state: Guard<'m>,
        deadline: Instant,
        mut call: impl FnMut(&mut Sockets) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let thread = thread::current().id();
        let mut seen = state.epoch;
        state.unread.retain(|woken| *woken != thread);
        state.waiters.push(Waiter { thread, deadline, seen });
        loop {
            while state.epoch == seen {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            seen = state.epoch;
            let answer = call(&mut state.sockets);
            state.collect();
            let goes_on = matches!(answer, Err(WOULD_BLOCK)) && state.now() < deadline;
            if goes_on {
                if let Some(waiter) = state.waiter(thread) {
                    waiter.seen = seen;
                }
            } else {
                state.waiters.retain(|waiter| waiter.thread != thread);
                state.unread.push(thread);
            }
            self.changed.notify_all();
            if !goes_on {
                return answer;
            }
        }
    }

    /// Lets waiters look, and those who go on read the clock.
    fn settle<'m>(&'m self, mut state: Guard<'m>) -> Guard<'m> {
        if state.waiters.is_empty() && state.unread.is_empty() {
            return state;
        }
        state.epoch += 1;
        let epoch = state.epoch;
        self.changed.notify_all();
        let is_restless = |state: &mut State| {
            let has_to_look = |waiter: &Waiter| waiter.seen < epoch;
            state.waiters.iter().any(has_to_look) || !state.unread.is_empty()
        };
        let waited = self.changed.wait_timeout_while(state, PATIENCE, is_restless);
        let (mut state, result) = waited.unwrap_or_else(PoisonError::into_inner);
        if result.timed_out() {
            state.unread.clear();
        }
        state
    }

    /// Time passes until `to`, and what is due on the way happens.
    fn advance<'m>(&'m self, state: Guard<'m>, to: Instant) -> Guard<'m> {
        let mut state = self.settle(state);
        loop {
            let at = state.next().min(to).max(state.now());
            let is_last = at >= to;
            state.sockets.on_time(at);
            state.collect();
            state = self.settle(state);
            if is_last {
                return state;
            }
        }
    }

    /// A call that may have waited answers a descriptor.
    pub(crate) fn answers_descriptor(&self) {
        self.lock().has_descriptor |= thread::current().id() != self.script_thread;
    }

    // ---- the caller's clock and network ----

    /// `usleep`.
    pub(crate) fn sleep(&self, time: Duration) {
        let mut state = self.lock();
        if std::mem::take(&mut state.has_descriptor) {
            // The caller notes it after it has read the clock, and may be asked for it next.
            drop(state);
            thread::sleep(NOTING);
            state = self.lock();
        }
        let to = state.now() + time;
        drop(self.advance(state, to));
    }

    /// `gettimeofday`: microseconds since the clock's origin, later each time.
    pub(crate) fn read_clock(&self) -> u64 {
        let mut state = self.lock();
        let thread = thread::current().id();
        let now = state.now() + CLOCK_STEP;
        if thread == self.script_thread {
            state = self.advance(state, now);
        } else {
            state.sockets.on_time(now);
            state.collect();
            state.unread.retain(|woken| *woken != thread);
            self.changed.notify_all();
        }
        micros(state.now())
    }

    /// `netdev_send`: a packet for the stack.
    pub(crate) fn inject(&self, packet: &[u8]) {
        let mut state = self.lock();
        state.note_packet(Direction::In, packet);
        state.sockets.on_packet(packet);
        state.collect();
        drop(self.settle(state));
    }

    /// `netdev_receive`: the next packet that the stack has sent, or will send before a limit;
    /// `None` if it sends none.
    pub(crate) fn next_packet(&self) -> Option<Sent> {
        let mut state = self.lock();
        let limit = state.now() + RECEIVE_LIMIT;
        loop {
            if let Some(sent) = state.sent.pop_front() {
                return Some(sent);
            }
            if state.now() >= limit {
                return None;
            }
            let next = state.next().min(limit);
            state = self.advance(state, next);
        }
    }
}

/// Writes to stderr, whether anybody reads it or not.
fn tell(lines: &str) {
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

/// Microseconds since the clock's origin.
pub(crate) fn micros(at: Instant) -> u64 {
    at.as_nanos() / 1_000
}
