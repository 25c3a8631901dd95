//! The host as a sender of data: what it may send, how much of it, when again, and in what words.

mod congestion;
mod conservation;
mod data;
mod flight;
mod path_probe;
mod patience;
mod retransmission;
mod silence;
mod window;

use crate::call::Call;
use crate::ecn::{Notification, Text};
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::verdict::Docket;
use ackclock::seq::SeqNumber;
use ackclock::time::Instant;
use ackclock::wire::Flags;
use congestion::Congestion;
use data::Data;
use flight::{Flight, SynTimes};
use path_probe::PathProbe;
use patience::Patience;
use retransmission::{Cause, Retransmissions};
use silence::{Ledger, Silence};
use window::{Tail, Window};

/// A host may measure by the timestamp of one of so many SYNs.
const MOST_SYNS: u32 = 3;

/// The rules of a sender. Each method is called with the facts as they were *before* the segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    data: Data,
    flight: Flight,
    retransmissions: Retransmissions,
    window: Window,
    congestion: Congestion,
    silence: Silence,
    patience: Patience,
    ecn: Notification,
    /// The timestamp of the first retransmission since the last reduction.
    first_again: Option<u32>,
    /// Timestamps of the first SYNs, or SYN-ACKs, and when they were sent.
    syns: Vec<(u32, Instant)>,
    /// Which of them was answered, and so how many were lost before it.
    answered_syn: Option<usize>,
    /// The text of the last probe of a closed window.
    probed: Option<(Offset, Offset)>,
    path_probe: PathProbe,
    /// SND.UNA by the segments that every host takes into account.
    surely_acked: Offset,
    /// A router has dropped what was too large, and nothing was sent again since.
    is_lost_by_size: bool,
    /// The latest timestamp that came from the peer.
    stamp: Option<SeqNumber>,
}

impl Sender {
    /// The host has sent a segment.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        if seen.is(Flags::SYN) {
            let stamp = seen.header.options.timestamps.map(|stamps| stamps.value);
            let keeps = facts.host_syns < MOST_SYNS;
            self.syns.extend(stamp.filter(|_| keeps).map(|stamp| (stamp, seen.time)));
            if facts.host_syns > 0 {
                self.retransmissions.on_syn_again(seen, facts, docket);
            }
            self.tell_silence(seen, facts, docket);
            self.ecn.on_sent(seen, facts, Text::None, docket);
            return;
        }
        let is_keepalive = facts.acked == facts.sent && seen.text_end() <= facts.acked;
        let is_fin = seen.is(Flags::FIN);
        let text = match () {
            () if seen.payload.is_empty() => Text::None,
            () if self.window.is_probe(seen, facts) => Text::Probe,
            () if seen.text_end() <= facts.sent => Text::Again,
            () if seen.text() < facts.sent => Text::Both,
            () => Text::New,
        };
        if text == Text::Probe {
            self.probed = Some((seen.text(), seen.text_end()));
        }
        self.ecn.on_sent(seen, facts, text, docket);
        self.tell_silence(seen, facts, docket);
        if seen.payload.is_empty() && !is_fin {
            return;
        }
        if facts.acked == 0 {
            // A server may send before its SYN-ACK is acknowledged (RFC 7413 section 4.2.2): the timer is that of the SYN-ACK.
            self.flight.on_sent(seen, facts.sent_or_acked());
            return;
        }
        let acked_again = seen.end() <= facts.acked;
        self.data.on_sent(
            seen,
            facts,
            is_keepalive && acked_again && seen.payload_len() <= 1,
            docket,
        );
        if acked_again {
            // The ack of a segment that cannot be accepted counts for nothing (RFC 9293 section 3.10.7.4).
            if seen.payload_len() > 1 && seen.end() <= self.surely_acked {
                self.retransmissions.on_acked_again(seen, facts, docket);
            } else if seen.len() > 0 && seen.end() > self.surely_acked {
                self.retransmissions.on_perhaps_timeout();
            }
            return;
        }
        if text != Text::Probe {
            self.patience.on_sent(seen, facts, docket);
        }
        if seen.text() < facts.sent {
            self.on_again(seen, text, facts, docket);
        }
        if seen.payload_len() > 0 && seen.text_end() > facts.sent {
            self.path_probe.on_new_data(seen);
            let tail = Tail {
                unsent: self.silence.unsent(seen.text_end()),
                is_closing: self.silence.closed_at.is_some(),
                is_probed: self.retransmissions.may_probe_tail(seen.time, facts, &self.flight),
            };
            if self.window.on_new_data(seen, facts, tail, docket) {
                self.retransmissions.note_tail_probe();
            }
        }
        if text != Text::Probe && text != Text::None {
            let waits = self.retransmissions.waits(&self.flight, facts);
            self.congestion.judge(seen, facts, &self.flight, waits, docket);
        }
        self.flight.on_sent(seen, facts.sent_or_acked());
        self.retransmissions.note_data(seen.time, facts.outstanding() == 0);
    }

    fn tell_silence(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (silence, ledger) = self.accounts(facts);
        silence.on_sent(seen, ledger, docket);
    }

    fn on_again(&mut self, seen: &Seen<'_>, text: Text, facts: &Facts, docket: &mut Docket<'_>) {
        let recovering = self.congestion.is_recovering(facts);
        if !recovering {
            self.first_again = None;
        }
        let stamp = seen.header.options.timestamps.map(|stamps| stamps.value);
        self.first_again = self.first_again.or(stamp);
        let known = (&self.flight, &self.data);
        let cause = self.retransmissions.cause(seen, facts, known, recovering, docket);
        // What was sent into a closed window was not lost by congestion, nor what goes into it to probe it.
        let was_probe =
            self.probed.is_some_and(|probed| probed.0 <= facts.acked && facts.sent <= probed.1);
        let is_probe = text == Text::Probe && self.window.closed.is_some();
        let was_beyond = self
            .flight
            .record(seen.text().max(facts.acked))
            .is_some_and(|record| self.window.was_beyond(seen.text_end(), record.last));
        let was_longer = match cause {
            Cause::Evidence => self.path_probe.is_repeated_by(seen, facts),
            Cause::Timer => self.path_probe.is_alone(facts),
            _ => false,
        };
        let is_no_loss = was_probe || is_probe || was_beyond || was_longer;
        let cause = if is_no_loss { Cause::Probe } else { cause };
        if cause == Cause::TooBig && std::mem::take(&mut self.is_lost_by_size) {
            self.flight.empty_pipe();
        }
        self.congestion.on_again(seen, cause, facts, &mut self.flight);
    }

    /// The host has sent a RST.
    pub(crate) fn on_reset(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (silence, ledger) = self.accounts(facts);
        silence.on_reset(seen, ledger, docket);
    }

    /// A segment has reached the host.
    /// `expected` is RCV.NXT at most, before it.
    pub(crate) fn on_received(&mut self, seen: &Seen<'_>, facts: &Facts, expected: Offset) {
        self.patience.on_received(seen.time);
        let Some(ack) = facts.acknowledged_by(seen) else {
            self.silence.on_received(seen, false, false);
            self.retransmissions.on_received(seen.time, None, None);
            return;
        };
        if facts.acked == 0 && ack >= 1 {
            self.on_syn_acked(seen, facts);
        }
        let certain = self.is_certain(seen, facts, expected);
        if certain || facts.acked == 0 {
            self.surely_acked = self.surely_acked.max(ack);
            self.silence.on_taken(seen.time);
        }
        if ack > facts.acked {
            self.retransmissions.on_advance(seen.time, &self.flight, facts);
        }
        if let Some((dropped, since)) = self.data.dropped()
            && ack > dropped
            && self.flight.record(dropped).is_some_and(|record| record.last <= since)
        {
            self.data.on_forged();
        }
        let delivered = self.flight.on_ack(seen, ack, facts, certain);
        self.data.on_ack(ack);
        self.find_eifel(seen, ack, facts);
        let partial = facts.settings.heeds_partial_acks
            && certain
            && ack > facts.acked
            && self.congestion.repairs_before(ack)
            && self.flight.record(ack).is_some_and(|record| record.sends == 1);
        if ack > facts.acked || partial {
            self.silence.note_partial(seen.time, partial);
        }
        let syn_timeouts =
            self.answered_syn.map_or(self.retransmissions.syn_timeouts, |lost| lost as u32);
        self.congestion.on_ack(&delivered, ack, facts, syn_timeouts);
        self.window.on_received(seen, ack, facts, certain);
        if self.ecn.on_received(seen, facts, certain, self.congestion.answered()) {
            self.congestion.on_mark(seen.time, facts);
        }
        let lost = self.flight.sure_repeats >= 3 && certain;
        self.silence.on_received(seen, ack > facts.acked, lost);
        let echo = seen.header.options.timestamps.map(|stamps| stamps.echo);
        self.retransmissions.on_received(seen.time, Some(&delivered), echo);
    }

    /// The host's SYN, or SYN-ACK, is acknowledged: which one a timestamp tells (RFC 3522).
    fn on_syn_acked(&mut self, seen: &Seen<'_>, facts: &Facts) {
        let since = |then: Instant| seen.time.saturating_since(then);
        let echo = seen.header.options.timestamps.map(|theirs| theirs.echo);
        let answered = self.syns.iter().position(|syn| echo == Some(syn.0));
        self.answered_syn = answered;
        let times = SynTimes {
            since_first: since(facts.host_syn.time),
            since_last: since(self.retransmissions.last_syn_sent(facts)),
            was_once: facts.host_syns == 1,
        };
        // An answer that comes again echoes the first SYN that arrived, however long ago that was.
        let measured = answered.and_then(|at| self.syns.get(at));
        self.flight.on_syn_acked(times, measured.map(|syn| since(syn.1)));
        if facts.timestamps() && answered.is_none() {
            self.flight.on_unknown_echo(times.since_last);
        }
        // With that the timer is begun anew for what was sent before (RFC 6298 rule 5.3).
        if facts.sent > 1 {
            self.retransmissions.note_data(seen.time, true);
        }
    }

    /// Whether every host takes a segment into account: it lies in the window, and its timestamp is no older
    /// than others.
    fn is_certain(&mut self, seen: &Seen<'_>, facts: &Facts, expected: Offset) -> bool {
        let stamp = seen.header.options.timestamps.map(|stamps| SeqNumber(stamps.value));
        let in_order = match (facts.timestamps(), stamp, self.stamp) {
            (true, Some(now), Some(latest)) => now.at_or_after(latest),
            (true, None, _) => false,
            _ => true,
        };
        self.stamp = match (stamp, self.stamp) {
            (Some(now), Some(latest)) => Some(now.max(latest)),
            (now, latest) => now.or(latest),
        };
        in_order && !seen.is(Flags::SYN) && seen.seq >= expected && seen.end() <= facts.edge
    }

    /// An ack of something new that echoes what was sent before the retransmission (RFC 3522 section 3.2).
    fn find_eifel(&mut self, seen: &Seen<'_>, ack: Offset, facts: &Facts) {
        let echo = seen.header.options.timestamps.map(|stamps| SeqNumber(stamps.echo));
        if let (Some(echo), Some(first)) = (echo, self.first_again)
            && ack > facts.acked
            && echo.before(SeqNumber(first))
        {
            self.congestion.on_eifel();
        }
    }

    /// An ICMP message that says the path carries packets of at most `mtu` bytes has reached the host.
    pub(crate) fn on_too_big(&mut self, now: Instant, mtu: u32, seq: Offset, facts: &Facts) {
        self.data.on_too_big(now, mtu, seq, (facts.acked..facts.sent).contains(&seq));
        self.window.on_too_big(mtu);
        self.is_lost_by_size = true;
    }

    /// The application has called.
    pub(crate) fn on_call(&mut self, now: Instant, call: Call) {
        self.silence.on_call(now, call);
        self.patience.on_call(call);
    }

    /// Nothing else has happened until `now`: what is overdue?
    pub(crate) fn on_time(&mut self, now: Instant, facts: &Facts, docket: &mut Docket<'_>) {
        let (silence, ledger) = self.accounts(facts);
        silence.on_time(now, ledger, docket);
    }

    /// When the next silence is too long.
    pub(crate) fn due(&self, facts: &Facts) -> Instant {
        self.silence.due(self.ledger(facts))
    }

    /// SND.UNA by the segments that every host takes into account.
    pub(crate) fn surely_acked(&self) -> Offset {
        self.surely_acked
    }

    /// The silences, and what their debts are reckoned from.
    fn accounts<'a>(&'a mut self, facts: &'a Facts) -> (&'a mut Silence, Ledger<'a>) {
        let Sender { flight, retransmissions, window, silence, surely_acked, congestion, .. } =
            self;
        let (surely_acked, is_marked) = (*surely_acked, congestion.is_marked());
        (silence, Ledger { facts, flight, retransmissions, window, surely_acked, is_marked })
    }

    fn ledger<'a>(&'a self, facts: &'a Facts) -> Ledger<'a> {
        let Sender { flight, retransmissions, window, surely_acked, congestion, .. } = self;
        let (surely_acked, is_marked) = (*surely_acked, congestion.is_marked());
        Ledger { facts, flight, retransmissions, window, surely_acked, is_marked }
    }
}
