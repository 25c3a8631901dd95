//! DualPI2 (RFC 9332 appendix A): a queue for L4S packets beside one for all others, on one line.
//!
//! A scalable sender keeps its queue short, a classic one cannot. So each has a queue of its own, and what keeps
//! the classic queue near its target also makes the L4S senders leave room: the base probability p' of the
//! controller is squared for classic packets, and coupled to L4S packets times k. Beyond that an L4S packet
//! is marked if it has waited for more than the step. Under overload both queues drop alike.

mod controller;
mod scheduler;
#[cfg(test)]
mod tests;

use super::fifo::Fifo;
use super::{Account, DualPi2Config, Line};
use crate::link::account::Note;
use crate::observer::DropReason;
use crate::packet::Packet;
use ackclock::time::{Duration, Instant};
use controller::Controller;
use scheduler::{Scheduler, Side, Waiting};

/// `Th_len`: an L4S packet that waits alone is not marked for its wait, which on a slow line is that for the
/// packet in service.
const LEAST_MARKED_PACKETS: usize = 2;

/// Both queues, named as in RFC 9332.
#[derive(Debug)]
pub(crate) struct DualPi2 {
    l4s: Fifo,
    classic: Fifo,
    controller: Controller,
    scheduler: Scheduler,
    step: Duration,
    limit: usize,
    l4s_marks: Recurrence,
    l4s_drops: Recurrence,
    classic_signals: Recurrence,
}

/// `recur`: says yes as often as the likelihood is, and evenly instead of by chance. Marks and drops of the L4S
/// queue have one each: a likelihood of one would leave nothing of the other's.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Recurrence(f64);

impl Recurrence {
    fn happens(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood;
        let happens = self.0 > 1.0;
        if happens {
            self.0 -= 1.0;
        }
        happens
    }
}

impl DualPi2 {
    pub(super) fn new(config: DualPi2Config) -> Self {
        DualPi2 {
            l4s: Fifo::default(),
            classic: Fifo::default(),
            controller: Controller::new(config.target, config.coupling.get()),
            scheduler: Scheduler::new(config.scheduler),
            step: config.step,
            limit: config.limit.get() as usize,
            l4s_marks: Recurrence::default(),
            l4s_drops: Recurrence::default(),
            classic_signals: Recurrence::default(),
        }
    }

    /// Figure 3.
    pub(super) fn push(&mut self, now: Instant, packet: Packet, line: Line, account: &mut Account) {
        self.update(now);
        if self.packets() + line.packets >= self.limit {
            account.drop(packet, DropReason::QueueFull);
            return;
        }
        account.note(&packet, Note::Queued);
        let queue = if is_l4s(&packet.bytes) { &mut self.l4s } else { &mut self.classic };
        queue.push(now, packet);
    }

    /// Figure 7: the next packet that is not dropped.
    pub(super) fn pop(&mut self, now: Instant, account: &mut Account) -> Option<Packet> {
        self.update(now);
        loop {
            let (l4s, classic) = (waiting(&self.l4s, now), waiting(&self.classic, now));
            let packet = match self.scheduler.choose(l4s, classic)? {
                Side::L4s => self.pop_l4s(now, account),
                Side::Classic => self.pop_classic(now, account),
            };
            if packet.is_some() {
                return packet;
            }
        }
    }

    fn pop_l4s(&mut self, now: Instant, account: &mut Account) -> Option<Packet> {
        let waiting = self.l4s.packets();
        let (since, packet) = self.l4s.pop()?;
        let wait = now.saturating_since(since);
        if self.controller.is_overloaded()
            && self.l4s_drops.happens(self.controller.classic_probability())
        {
            account.drop(packet, DropReason::Early);
            return None;
        }
        account.statistics.l4s_waits.note(wait);
        let is_late = waiting >= LEAST_MARKED_PACKETS && wait >= self.step;
        let own = if is_late { 1.0 } else { 0.0 };
        if self.l4s_marks.happens(self.controller.coupled_probability().max(own)) {
            account.signal(packet, DropReason::Early, true)
        } else {
            Some(packet)
        }
    }

    fn pop_classic(&mut self, now: Instant, account: &mut Account) -> Option<Packet> {
        let (since, packet) = self.classic.pop()?;
        let mut next = Some(packet);
        if self.classic_signals.happens(self.controller.classic_probability()) {
            let marks = !self.controller.is_overloaded();
            next = account.signal(next?, DropReason::Early, marks);
        }
        if next.is_some() {
            account.statistics.classic_waits.note(now.saturating_since(since));
        }
        next
    }

    /// Brings the controller up to date with the packets that have waited until now.
    fn update(&mut self, now: Instant) {
        let oldest = [self.l4s.oldest(), self.classic.oldest()].into_iter().flatten().min();
        self.controller.update(now, oldest);
    }

    pub(super) fn packets(&self) -> usize {
        self.l4s.packets() + self.classic.packets()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.l4s.bytes() + self.classic.bytes()
    }
}

fn waiting(queue: &Fifo, now: Instant) -> Option<Waiting> {
    let (wait, bytes) = (now.saturating_since(queue.oldest()?), queue.first_bytes()?);
    Some(Waiting { wait, bytes })
}

/// ECT(1) and CE, whose last bit is set (RFC 9331 section 5.1).
fn is_l4s(packet: &[u8]) -> bool {
    match packet {
        [first, traffic_class, ..] if first >> 4 == 6 => traffic_class & 0x10 != 0,
        [first, service, ..] if first >> 4 == 4 => service & 1 != 0,
        _ => false,
    }
}
