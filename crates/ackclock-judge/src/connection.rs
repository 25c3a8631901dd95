//! One connection of the judged host, from the first SYN on.

use crate::call::Call;
use crate::facts::{Facts, Syn};
use crate::format;
use crate::handshake;
use crate::receiver::Receiver;
use crate::reset::Resets;
use crate::segment::{Offset, Seen, Space};
use crate::sender::Sender;
use crate::sentence::Sentence;
use crate::settings::Settings;
use crate::urgent::Urgent;
use crate::verdict::{Docket, Unknown};
use ackclock::seq::SeqNumber;
use ackclock::time::Instant;
use ackclock::wire::{Ecn, Flags, Header};

pub(crate) static SKIPPED: Sentence = Sentence::must(
    "seq-beyond-sent",
    9293,
    "3.8.1",
    "When the sender creates a segment and transmits it, the sender advances SND.NXT.",
);

/// A packet as it was read, before its numbers are placed in the connection's: then it is a [`Seen`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a> {
    pub(crate) time: Instant,
    pub(crate) number: u64,
    pub(crate) header: Header,
    pub(crate) ecn: Ecn,
    pub(crate) payload: &'a [u8],
    /// The TCP header and what follows it.
    pub(crate) tcp: &'a [u8],
}

impl<'a> Raw<'a> {
    /// The segment, if its numbers can be placed: `own` is its sender's space.
    fn seen(&self, own: &Space, other: Option<&Space>) -> Seen<'a> {
        let ack = self.header.flags.contains(Flags::ACK);
        Seen {
            time: self.time,
            number: self.number,
            header: self.header,
            ecn: self.ecn,
            payload: self.payload,
            seq: own.offset(self.header.seq),
            ack: other.filter(|_| ack).map(|other| other.offset(self.header.ack)),
            options_len: self.tcp.len() - self.payload.len() - 20,
        }
    }
}

/// One connection of the judged host.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) facts: Facts,
    sender: Sender,
    receiver: Receiver,
    resets: Resets,
    urgent: Urgent,
    /// Why nothing more is said of this connection.
    pub(crate) lost: Option<Unknown>,
}

impl Connection {
    /// A connection begins with the host's SYN, or with its SYN-ACK to a SYN of the peer.
    pub(crate) fn new(
        settings: &Settings,
        is_ipv6: bool,
        syn: &Raw<'_>,
        peer: Option<(SeqNumber, Syn)>,
    ) -> Connection {
        let facts = Facts {
            settings: settings.clone(),
            is_ipv6,
            host: Space::new(syn.header.seq),
            peer: peer.map(|(initial, _)| Space::new(initial)),
            host_syn: Syn::of(syn),
            host_syns: 0,
            peer_syn: peer.map(|(_, syn)| syn),
            sent: 0,
            sent_after_syn: 0,
            acked: 0,
            fin: None,
            peer_fin: None,
            peer_fin_told: false,
            told: 0,
            edge: 0,
            peer_max_window: peer.map_or(0, |(_, syn)| Offset::from(syn.window)),
            is_over: false,
            largest_received: 0,
        };
        Connection {
            facts,
            sender: Sender::default(),
            receiver: Receiver::after(peer.as_ref().map(|(_, syn)| syn)),
            resets: Resets::default(),
            urgent: Urgent::default(),
            lost: None,
        }
    }

    /// Whether the connection began with this SYN of the host, or with this SYN-ACK, which may acknowledge text
    /// that came with the peer's SYN.
    pub(crate) fn began_with(&self, header: &Header) -> bool {
        let answers = header.flags.contains(Flags::ACK);
        let text = self.facts.peer_syn.map_or(0, |syn| syn.text);
        let acknowledges =
            self.facts.peer.is_none_or(|peer| (1..=1 + text).contains(&peer.offset(header.ack)));
        self.facts.host.initial() == header.seq && (!answers || acknowledges)
    }

    /// Whether a segment of the host begins where its SYN-ACK of number `before` ended: a cookie, which has come back after a
    /// later one was given up (RFC 4987 section 3.6).
    pub(crate) fn is_of_cookie(&self, header: &Header, before: Option<SeqNumber>) -> bool {
        let is_open = self.facts.is_synchronized() && !self.facts.is_over;
        let is_plain = !header.flags.intersects(Flags::SYN | Flags::RST);
        !is_open && is_plain && before.is_some_and(|isn| header.seq == isn + 1)
    }

    /// The number of its SYN-ACK, if that is what it began with.
    pub(crate) fn answered_with(&self) -> Option<SeqNumber> {
        let answers = self.facts.host_syn.flags.contains(Flags::ACK);
        answers.then_some(self.facts.host.initial())
    }

    /// The host has sent a segment.
    pub(crate) fn on_sent(&mut self, raw: &Raw<'_>, docket: &mut Docket<'_>) {
        let seen = raw.seen(&self.facts.host, self.facts.peer.as_ref());
        if seen.seq > self.facts.sent && !seen.is(Flags::RST) {
            if !self.facts.settings.sees_all {
                self.lost = Some(Unknown::Gap);
                return;
            }
            docket.forbid(&SKIPPED, seen.time, seen.number, || {
                format!(
                    "begins at {}, though nothing was sent from {} on",
                    seen.seq, self.facts.sent
                )
            });
        }
        format::judge(&seen, raw.tcp, docket);
        handshake::judge(&seen, &self.facts, docket);
        self.resets.on_sent(&seen, &self.facts, docket);
        self.urgent.on_sent(&seen, &self.facts, self.sender.surely_acked(), docket);
        if !seen.is(Flags::RST) {
            self.receiver.on_sent(&seen, &self.facts, docket);
            self.sender.on_sent(&seen, &self.facts, docket);
        } else {
            self.sender.on_reset(&seen, &self.facts, docket);
        }
        self.note_sent(&seen);
    }

    fn note_sent(&mut self, seen: &Seen<'_>) {
        let facts = &mut self.facts;
        if seen.is(Flags::RST) {
            facts.is_over = true;
            return;
        }
        if seen.is(Flags::SYN) {
            facts.host_syns += 1;
            facts.host_syn.flags =
                if facts.host_syns == 1 { seen.header.flags } else { facts.host_syn.flags };
        }
        if seen.is(Flags::SYN) && seen.ack.is_none() {
            facts.edge = 1 + Offset::from(seen.header.window);
        }
        if !seen.is(Flags::SYN) {
            facts.sent_after_syn = facts.sent_after_syn.max(seen.end());
        }
        facts.sent = facts.sent.max(seen.end());
        facts.host.note(facts.sent);
        if seen.is(Flags::FIN) {
            facts.fin = Some(seen.text_end());
        }
        if let Some(ack) = seen.ack {
            facts.told = facts.told.max(ack);
            facts.peer_fin_told |= facts.peer_fin.is_some_and(|fin| ack > fin);
            facts.edge = facts.edge.max(ack + facts.host_window(seen));
        }
    }

    /// A segment has reached the host.
    pub(crate) fn on_received(&mut self, raw: &Raw<'_>, docket: &mut Docket<'_>) {
        if self.facts.peer.is_none() && raw.header.flags.contains(Flags::SYN) {
            self.learn_peer(raw);
        }
        let Some(peer) = self.facts.peer else {
            self.resets.on_unplaced(raw, &self.facts);
            return;
        };
        let seen = raw.seen(&peer, Some(&self.facts.host));
        if seen.ack.is_some_and(|ack| ack > self.facts.sent) && self.facts.sent == 0 {
            self.lost = Some(Unknown::Gap);
        }
        let expected = self.receiver.expected(&self.facts);
        self.resets.on_received(&seen, &self.facts, &expected);
        self.receiver.on_received(&seen, &self.facts, docket);
        if !seen.is(Flags::RST) {
            self.sender.on_received(&seen, &self.facts, expected.most);
        }
        self.note_received(&seen);
    }

    /// The peer's SYN answers the host's, and perhaps text that went with that, or both are sent at once.
    fn learn_peer(&mut self, raw: &Raw<'_>) {
        let header = &raw.header;
        let answers = !header.flags.contains(Flags::ACK)
            || (1..=self.facts.sent).contains(&self.facts.host.offset(header.ack))
                && !header.flags.contains(Flags::RST);
        if answers {
            self.facts.peer = Some(Space::new(header.seq));
            self.facts.peer_syn = Some(Syn::of(raw));
        }
    }

    fn note_received(&mut self, seen: &Seen<'_>) {
        let facts = &mut self.facts;
        if seen.is(Flags::RST) {
            facts.is_over |= self.resets.has_ended();
            return;
        }
        if let Some(ack) = facts.acknowledged_by(seen) {
            facts.acked = facts.acked.max(ack);
            facts.peer_max_window = facts.peer_max_window.max(facts.peer_window(seen));
        }
        // Before what the host has acknowledged no FIN can stand: it has nothing new (RFC 9293 section 3.10.7.4).
        if seen.is(Flags::FIN) && (facts.told..=facts.edge).contains(&seen.text_end()) {
            facts.peer_fin = Some(seen.text_end());
        }
        facts.largest_received = facts.largest_received.max(seen.payload_len());
        if let Some(peer) = &mut facts.peer
            && seen.seq <= facts.edge.max(1)
        {
            peer.note(seen.end());
        }
    }

    /// Whether it was reset, never answered, or closed by both ends, or nothing more is said of it.
    pub(crate) fn is_over(&self) -> bool {
        let facts = &self.facts;
        let is_unanswered = facts.acked == 0;
        facts.is_over
            || self.resets.has_perhaps_ended()
            || facts.is_closed()
            || is_unanswered
            || self.lost.is_some()
    }

    /// The path's largest packet has become known by ICMP, which quotes a segment that begins with `seq`.
    pub(crate) fn on_too_big(&mut self, now: Instant, mtu: u32, seq: SeqNumber) {
        self.sender.on_too_big(now, mtu, self.facts.host.offset(seq), &self.facts);
    }

    /// The application has called.
    pub(crate) fn on_call(&mut self, now: Instant, call: Call) {
        self.sender.on_call(now, call);
        self.receiver.on_call(now, call);
        self.resets.on_call(now, call, &self.facts);
        self.urgent.on_call(call);
    }

    /// Says what is overdue at `now`.
    pub(crate) fn on_time(&mut self, now: Instant, docket: &mut Docket<'_>) {
        if self.lost.is_none() && !self.facts.is_over && !self.resets.has_perhaps_ended() {
            self.receiver.on_time(now, &self.facts, docket);
            self.resets.on_time(now, &self.facts, docket);
            self.sender.on_time(now, &self.facts, docket);
        }
    }

    /// When the next silence is too long.
    pub(crate) fn due(&self) -> Instant {
        if self.lost.is_some() || self.facts.is_over || self.resets.has_perhaps_ended() {
            return Instant::FAR_FUTURE;
        }
        let resets = self.resets.due(self.facts.settings.reaction);
        self.receiver.due(&self.facts).min(self.sender.due(&self.facts)).min(resets)
    }
}
