//! Hosts of the swarm: a stack with its applications, its clock and its faults, or smoltcp, in place of
//! the emulator's own.

mod clock;
pub(crate) mod ledger;
pub(crate) mod liar;
pub(crate) mod talker;

use crate::case::HostSettings;
use ackclock::congestion::BuiltIn;
use ackclock::profile::Profile;
use ackclock::stack::{Event, Rejected, Stack};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::Endpoint;
use clock::Clock;
use ledger::SharedLedger;
use liar::Liar;
use std::collections::VecDeque;
use talker::{Now, Talker};

ackclock::profile! {
    /// What hosts have, without the predicted road.
    pub(crate) struct General: full { Prediction = ackclock::profile::Absent }
}

/// Invariants are looked at after each of so many first calls, then after every so many.
const FIRST_LOOKS: u64 = 300;
const LOOK_EVERY: u64 = 61;

/// Packets that no window of a case lets a host send at one time: who sends so many would never stop.
const ENDLESS: u64 = 1_000_000;

/// A host: a stack with its applications, whose clock, device and processor can fail.
pub(crate) struct Host<P: Profile> {
    number: usize,
    stack: Stack<'static, BuiltIn, P>,
    talkers: Vec<Talker>,
    liar: Option<Liar>,
    clock: Clock,
    poll: Duration,
    /// Packets that have come while the host did not look.
    backlog: VecDeque<Vec<u8>>,
    /// A packet being put together for the network.
    packet: Vec<u8>,
    ledger: SharedLedger,
    calls: u64,
    due: Instant,
    /// It has sent [`ENDLESS`] packets at one time, and is not called again.
    is_endless: bool,
}

impl<P: Profile> Host<P> {
    pub(crate) fn new(
        number: usize,
        stack: Stack<'static, BuiltIn, P>,
        talkers: Vec<Talker>,
        settings: &HostSettings,
        ledger: SharedLedger,
    ) -> Self {
        let clock = Clock::new(settings.clock, &settings.faults);
        let mut host = Host {
            number,
            stack,
            talkers,
            liar: settings.lie.map(Liar::new),
            clock,
            poll: settings.poll,
            backlog: VecDeque::new(),
            packet: Vec::new(),
            ledger,
            calls: 0,
            due: Instant::ZERO,
            is_endless: false,
        };
        for talker in &mut host.talkers {
            talker.begin(&mut host.stack, settings.clock);
        }
        host
    }

    /// When the host looks at what has come by `at`, or at a timer of that time.
    fn looks_at(&self, at: Instant) -> Instant {
        let at = self.clock.awake_at(at);
        match self.poll.as_nanos() {
            0 => at,
            _ if at.is_never() => at,
            interval => {
                let next = Instant::from_nanos(at.as_nanos().div_ceil(interval) * interval);
                self.clock.awake_at(next)
            }
        }
    }

    /// Does all that is due.
    fn serve(&mut self, network: Instant, send: &mut dyn FnMut(&[u8])) {
        let now = Now { network, local: self.clock.local(network) };
        while let Some(packet) = self.backlog.pop_front() {
            self.stack.on_packet(now.local, &packet);
        }
        if self.stack.poll_at() <= now.local {
            self.stack.on_timeout(now.local);
            self.ledger.borrow_mut().hosts[self.number].timers += 1;
        }
        for talker in &mut self.talkers {
            if talker.wake_at() <= now.local {
                talker.on_wake(now, &mut self.stack);
            }
        }
        let mut sent = 0;
        loop {
            self.tell(now);
            let before = sent;
            self.transmit(now, &mut sent, send);
            self.is_endless = sent >= ENDLESS;
            if sent == before || self.is_endless {
                break;
            }
        }
        self.ledger.borrow_mut().hosts[self.number].sent += sent;
        self.look(now);
    }

    fn tell(&mut self, now: Now) {
        while let Some(event) = self.stack.poll_event() {
            let event: Event = event;
            for talker in &mut self.talkers {
                talker.on_event(now, &mut self.stack, &event);
            }
        }
    }

    fn transmit(&mut self, now: Now, sent: &mut u64, send: &mut dyn FnMut(&[u8])) {
        let has_device = self.clock.has_device(now.network);
        let Host { stack, liar, packet, .. } = self;
        let sink = &mut |transmit: &ackclock::stack::Transmit<'_>| {
            if !has_device || *sent >= ENDLESS {
                return Err(Rejected);
            }
            transmit.cut(&mut |each| {
                *sent += 1;
                packet.clear();
                packet.extend_from_slice(each.header);
                packet.extend_from_slice(each.payload[0]);
                packet.extend_from_slice(each.payload[1]);
                match liar {
                    None => send(packet),
                    Some(liar) => liar.tell(packet, send),
                }
            });
            Ok(())
        };
        while stack.transmit(now.local, sink).is_taken() {}
    }

    /// Looks at what must hold.
    fn look(&mut self, now: Now) {
        self.calls += 1;
        let is_done = self.talkers.iter().all(Talker::is_done) || self.is_endless;
        if self.calls > FIRST_LOOKS && !self.calls.is_multiple_of(LOOK_EVERY) && !is_done {
            return;
        }
        let broken = match self.is_endless {
            true => Some(format!("{ENDLESS} packets leave a host at one time")),
            false => crate::oracles::invariants::broken(&self.stack, now.local),
        };
        let mut ledger = self.ledger.borrow_mut();
        let notes = &mut ledger.hosts[self.number];
        if let (Some(what), None) = (broken, &notes.broken) {
            notes.broken = Some((now.network, what));
        }
        notes.memory = notes.memory.max(self.stack.memory_in_use());
        notes.resets_suppressed = self.stack.statistics().resets_suppressed;
        notes.left = if is_done { self.stack.states().count() } else { 0 };
    }

    /// When it has to be called next.
    fn next(&self, network: Instant) -> Instant {
        let wakes = self.talkers.iter().map(Talker::wake_at);
        let deadline = wakes.fold(self.stack.poll_at(), Instant::min);
        let deadline = self.clock.network(deadline, network);
        self.looks_at(deadline).min(self.clock.next_change(network))
    }
}

impl<P: Profile> Endpoint for Host<P> {
    fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        if !self.clock.has_device(now) {
            return;
        }
        self.ledger.borrow_mut().hosts[self.number].received += 1;
        if self.looks_at(now) > now || !self.backlog.is_empty() {
            self.backlog.push_back(bytes.to_vec());
        } else {
            self.stack.on_packet(self.clock.local(now), bytes);
        }
    }

    fn poll(&mut self, now: Instant, send: &mut dyn FnMut(&[u8])) {
        if self.is_endless {
            return;
        }
        let looks_at = self.looks_at(now);
        if looks_at > now {
            self.due = looks_at;
            return;
        }
        self.serve(now, send);
        self.due = if self.is_endless { Instant::FAR_FUTURE } else { self.next(now) };
    }

    fn poll_at(&self) -> Instant {
        self.due
    }

    fn is_done(&self) -> bool {
        self.talkers.iter().all(Talker::is_done)
    }
}
