//! The host as a receiver of data: what it acknowledges, when, and in what words.

mod acks;
mod arrived;
mod sack;
mod stamps;
mod window;

use crate::accurate_ecn::AccurateEcn;
use crate::call::Call;
use crate::facts::{Facts, Syn};
use crate::reset::Expected;
use crate::segment::Seen;
use crate::verdict::Docket;
use ackclock::time::Instant;
use ackclock::wire::Flags;
use acks::{Acks, Order};
use arrived::{Arrived, Fate};
use sack::Sacks;
use stamps::Stamps;
use window::Windows;

/// The rules of a receiver. Each method is called with the facts as they were *before* the segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver {
    arrived: Arrived,
    acks: Acks,
    sacks: Sacks,
    stamps: Stamps,
    windows: Windows,
    accurate_ecn: AccurateEcn,
}

impl Receiver {
    /// The rules of a host that has the peer's SYN already.
    pub(crate) fn after(peer: Option<&Syn>) -> Receiver {
        let mut receiver = Receiver::default();
        if let Some(syn) = peer {
            receiver.stamps.on_syn(&syn.options);
            receiver.arrived.on_syn_text(syn.text);
            receiver.accurate_ecn = AccurateEcn::after(syn);
        }
        receiver
    }

    /// The host has sent a segment.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        self.arrived.settle(seen.time, facts);
        self.stamps.settle(seen.time, facts);
        self.acks.on_sent(seen, facts, &self.arrived, docket);
        self.sacks.on_sent(seen, facts, &self.arrived, docket);
        self.stamps.on_sent(seen, facts, docket);
        self.windows.on_sent(seen, facts, docket);
        self.accurate_ecn.on_sent(seen, facts, docket);
        if let Some(ack) = seen.ack {
            self.arrived.forget_below(ack.max(facts.told));
        }
        // What comes after the host's own FIN it may refuse: perhaps nobody reads it any more.
        self.arrived.refuses |= seen.is(Flags::FIN) && !facts.settings.calls_are_told;
    }

    /// Where the host expects the next segment.
    pub(crate) fn expected(&self, facts: &Facts) -> Expected {
        let told = facts.told.max(1);
        let least = self.arrived.certain_reach(told);
        Expected { least, most: self.arrived.reach(told), edge: self.windows.last_edge }
    }

    /// A segment has reached the host.
    pub(crate) fn on_received(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        self.arrived.settle(seen.time, facts);
        self.stamps.settle(seen.time, facts);
        self.acks.on_any(seen, facts);
        if seen.is(Flags::SYN) && !seen.is(Flags::RST) && seen.seq == 0 {
            self.stamps.on_received(seen, facts, facts.told.max(1), false);
        }
        if seen.is(Flags::SYN) {
            self.accurate_ecn.on_received(seen, facts, false, docket);
        }
        if seen.is(Flags::RST) || seen.is(Flags::SYN) && facts.told >= 1 {
            if self.must_challenge(seen, facts) {
                self.acks.on_challenged(seen);
            }
            return;
        }
        let stale = self.stamps.is_stale(seen);
        let mut fate = self.arrived.fate(seen, facts, self.windows.last_edge, stale);
        if fate == Fate::Taken && self.stamps.may_be_stale(seen) {
            fate = Fate::Perhaps;
        }
        let told = facts.told.max(1);
        self.stamps.on_received(seen, facts, self.arrived.reach(told), fate == Fate::Taken);
        let is_certain = self.arrived.certain_reach(told) == self.arrived.reach(told)
            && self.arrived.has_certain_hole(told);
        let reach = self.arrived.reach(told);
        let order = match () {
            () if stale => Order::OldStamp,
            () if seen.seq > reach => Order::BehindHole,
            () if seen.end() <= told => Order::Old,
            () if self.arrived.has_hole(told) => Order::FillsGap,
            () => Order::Next,
        };
        // What perhaps joins what came before is perhaps behind a hole.
        let is_behind = fate == Fate::Taken && seen.seq > self.arrived.certain_reach(told);
        if is_behind && !self.arrived.has_place(seen, facts) {
            fate = Fate::Perhaps;
        }
        if !seen.is(Flags::SYN) {
            // What brings nothing new is not acceptable, unless it is where the host expects it.
            let is_next = if seen.len() > 0 { seen.end() > reach } else { seen.seq >= reach };
            let counts = fate == Fate::Taken && is_next;
            self.accurate_ecn.on_received(seen, facts, counts, docket);
        }
        let behind_hole = fate == Fate::Taken && order == Order::BehindHole;
        self.sacks.on_received(seen, facts, self.arrived.perhaps(), behind_hole);
        if fate == Fate::Dropped {
            let is_closed = self.windows.last_edge == facts.told && seen.seq == facts.told;
            if is_closed && seen.payload_len() > 0 && !stale && facts.is_synchronized() {
                self.acks.on_taken(seen, Order::ClosedWindow);
            }
            self.answer_refused(seen, facts, stale);
            return;
        }
        let is_whole = seen.payload_len() > 0 && !facts.peer_fin_told;
        if fate == Fate::Taken
            && is_whole
            && (seen.text_end() <= told
                || self.arrived.taken().covers(seen.text(), seen.text_end()))
        {
            self.sacks.on_again(seen);
        }
        let new = self.arrived.note(seen, facts, fate);
        let counts = match order {
            Order::Next => new && !self.arrived.is_doubtful(told),
            Order::BehindHole => new,
            Order::FillsGap => new && is_certain,
            Order::Old | Order::ClosedWindow | Order::OldStamp => seen.payload_len() > 0,
        };
        if fate == Fate::Taken && counts {
            self.acks.on_taken(seen, order);
        }
    }

    /// What every host drops, and answers, because of its timestamp or what it acknowledges.
    fn answer_refused(&mut self, seen: &Seen<'_>, facts: &Facts, stale: bool) {
        if !facts.is_synchronized() || facts.is_over || seen.is(Flags::SYN) {
            return;
        }
        let is_next = seen.seq == self.arrived.reach(facts.told.max(1)) && seen.end() <= facts.edge;
        let is_stamped = !facts.timestamps() || seen.header.options.timestamps.is_some();
        let is_old =
            seen.payload_len() > 0 && seen.end() < facts.told && is_stamped && !facts.peer_fin_told;
        let is_plausible = seen.ack.is_some_and(|ack| (facts.acked..=facts.sent).contains(&ack));
        if stale && seen.payload_len() > 0 {
            self.acks.on_taken(seen, Order::OldStamp);
        } else if is_old && is_plausible && !stale {
            if !self.stamps.may_be_stale(seen) {
                self.sacks.on_again(seen);
            }
            self.acks.on_taken(seen, Order::Old);
        } else if seen.ack.is_some_and(|ack| ack > facts.sent) {
            // In TIME-WAIT nothing but a FIN is answered (RFC 9293 section 3.10.7.4).
            if is_next && is_stamped && !stale && !facts.is_closed() {
                self.acks.on_challenged(seen);
            } else {
                self.acks.on_perhaps_challenged(seen);
            }
        }
    }

    /// Whether a RST, or a SYN in a synchronized connection, must be challenged (RFC 5961 sections 3.2 and
    /// 4.2). In TIME-WAIT, and where one end has closed, a SYN may open a connection.
    fn must_challenge(&self, seen: &Seen<'_>, facts: &Facts) -> bool {
        let Expected { least, most, edge } = self.expected(facts);
        let is_open = facts.is_synchronized() && facts.fin.is_none() && !facts.is_over;
        if seen.is(Flags::SYN) && !seen.is(Flags::RST) {
            return is_open;
        }
        is_open && seen.seq > most && seen.seq < edge && least == most
    }

    /// The application has called.
    pub(crate) fn on_call(&mut self, _now: Instant, call: Call) {
        if matches!(call, Call::Abort | Call::CloseBoth) {
            self.arrived.refuses = true;
            self.acks.release();
        }
    }

    /// Nothing else has happened until `now`: what is overdue?
    pub(crate) fn on_time(&mut self, now: Instant, facts: &Facts, docket: &mut Docket<'_>) {
        if facts.is_remembered() {
            self.acks.on_time(now, facts, docket);
        }
    }

    /// When the next silence is too long.
    pub(crate) fn due(&self, facts: &Facts) -> Instant {
        if facts.is_remembered() { self.acks.due(facts) } else { Instant::FAR_FUTURE }
    }
}
