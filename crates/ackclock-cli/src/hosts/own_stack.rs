//! Attempts with this program's stack, which learns the peer's receive window.

use super::addresses::choose_addresses;
use super::candidate::{Accepted, Candidate, Outcome, REFUSED, SILENT, Told};
use super::settings::Manner;
use crate::driver::{Driver, Limits};
use crate::failure::Failure;
use crate::interrupt;
use crate::way::{self, Purpose, WaySettings};
use ackclock::apps::{Application, StartError};
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::stack::{Event, Handle, Stack};
use ackclock::tcp::{Config, Error, Info};
use ackclock::time::Instant;
use std::net::SocketAddr;
use std::slice::from_mut;

/// Tries each host that has an address.
pub(super) fn attempt(
    hosts: &mut [Candidate],
    way: &WaySettings,
    manner: &Manner,
) -> Result<(), Failure> {
    let all: Vec<_> = hosts.iter().flat_map(|host| host.addresses.iter().copied()).collect();
    if all.is_empty() {
        return Ok(());
    }
    let way = way::plan(way, Purpose::Reach(&all))?;
    choose_addresses(hosts, |peer, addresses| {
        way::choose(&*way, peer, addresses).map_err(|failure| failure.to_string())
    });
    let mut driver = Driver::open(&*way, BuiltIn::default(), Limits::default(), None, None)?;
    interrupt::on_request(driver.stopper())?;
    let addresses = hosts.iter().map(|host| host.address);
    let mut attempts = Attempts::new(addresses, manner);
    let ran = driver.run(from_mut(&mut attempts));
    driver.leave(from_mut(&mut attempts), Attempts::abort);
    driver.finish()?;
    for (host, outcome) in hosts.iter_mut().zip(attempts.outcomes) {
        host.outcome = host.outcome.take().or(outcome);
    }
    ran
}

/// Application that connects to the hosts, several at a time.
struct Attempts<'m> {
    manner: &'m Manner,
    connection: Config,
    /// Addresses still to be tried, with their places among the outcomes; the next one is at the end.
    waiting: Vec<(usize, SocketAddr)>,
    /// Earliest time of the next attempt.
    turn: Instant,
    open: Vec<Attempt>,
    outcomes: Vec<Option<Outcome>>,
}

/// Attempt whose connection is still open.
struct Attempt {
    place: usize,
    handle: Handle,
    began: Instant,
    /// Time at which a connection is aborted whose peer has accepted and does not close.
    abort_at: Instant,
}

impl<'m> Attempts<'m> {
    fn new(addresses: impl Iterator<Item = Option<SocketAddr>>, manner: &'m Manner) -> Self {
        let places = addresses.enumerate();
        let mut waiting: Vec<_> = Vec::new();
        let mut outcomes = Vec::new();
        for (place, address) in places {
            waiting.extend(address.map(|address| (place, address)));
            outcomes.push(None);
        }
        waiting.reverse();
        let mut connection = Config::default();
        connection.syn_give_up = manner.timeout;
        let (turn, open) = (Instant::ZERO, Vec::new());
        Attempts { manner, connection, waiting, turn, open, outcomes }
    }

    fn note(&mut self, place: usize, outcome: Outcome) {
        if let Some(slot) = self.outcomes.get_mut(place) {
            slot.get_or_insert(outcome);
        }
    }

    /// Begins as many attempts as are allowed now.
    fn open<C: CongestionController + Clone>(&mut self, now: Instant, stack: &mut Stack<'_, C>) {
        while self.may_open() && self.turn <= now {
            let Some((place, address)) = self.waiting.pop() else {
                return;
            };
            self.turn = now + self.manner.interval;
            match stack.connect(now, address, None, &self.connection) {
                Ok(handle) => {
                    let abort_at = Instant::FAR_FUTURE;
                    self.open.push(Attempt { place, handle, began: now, abort_at });
                }
                Err(error) => self.note(place, Err(error.to_string())),
            }
        }
    }

    fn may_open(&self) -> bool {
        !self.waiting.is_empty() && self.open.len() < self.manner.parallel
    }

    /// Aborts the open connections.
    fn abort<C: CongestionController + Clone>(&mut self, now: Instant, stack: &mut Stack<'_, C>) {
        for attempt in self.open.drain(..) {
            let _ = stack.abort(now, attempt.handle);
        }
    }
}

impl<'a, C: CongestionController + Clone> Application<'a, C> for Attempts<'_> {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        self.open(now, stack);
        Ok(())
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C>, event: &Event) {
        let Event::Connection { handle, readiness } = *event else {
            return;
        };
        let Some(index) = self.open.iter().position(|attempt| attempt.handle == handle) else {
            return;
        };
        let Attempt { place, began, abort_at, .. } = self.open[index];
        let info = stack.info(now, handle);
        if readiness.established && abort_at.is_never() {
            let told = info.map(|info| Told { window: info.send_window, mss: info.peer_mss });
            self.note(place, Ok(Accepted { connect: now.saturating_since(began), told }));
            let _ = stack.shutdown(now, handle);
            self.open[index].abort_at = now + self.manner.timeout;
        }
        if readiness.closed || (readiness.finished && readiness.flushed) {
            self.note(place, Err(reason(info.as_ref())));
            let _ = stack.close(now, handle);
            self.open.swap_remove(index);
            self.open(now, stack);
        }
    }

    fn wake_at(&self) -> Instant {
        let turn = if self.may_open() { self.turn } else { Instant::FAR_FUTURE };
        self.open.iter().map(|attempt| attempt.abort_at).fold(turn, Instant::min)
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C>) {
        self.open.retain(|attempt| {
            let is_over = attempt.abort_at <= now;
            if is_over {
                let _ = stack.abort(now, attempt.handle);
            }
            !is_over
        });
        self.open(now, stack);
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.open.is_empty()
    }
}

/// Reason why a connection was never established.
fn reason(info: Option<&Info>) -> String {
    match info.and_then(|info| info.error) {
        Some(Error::Refused) => REFUSED.into(),
        Some(Error::TimedOut) => SILENT.into(),
        Some(error) => error.to_string(),
        None => "closes at once".into(),
    }
}
