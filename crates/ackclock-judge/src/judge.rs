//! The judge of one host.

use crate::call::Call;
use crate::connection::{Connection, Raw};
use crate::facts::Syn;
use crate::format;
use crate::isn::InitialNumbers;
use crate::settings::Settings;
use crate::strangers::Strangers;
use crate::verdict::{Docket, Findings, Unknown};
use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{
    Checksums, Flags, IcmpErrorKind, Packet, Protocol, Segment, SignatureKind, WireError,
    parse_packet,
};
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};

/// The ends of a connection as the judged host has them: its own and the other.
type Ends = (SocketAddr, SocketAddr);

/// The judge of one host, who sits at its interface: sees every packet that it sends and every packet that
/// reaches it, in order, and says which of them no RFC allows.
#[derive(Debug, Default)]
pub struct Judge {
    settings: Settings,
    slots: HashMap<Ends, Slot>,
    /// When there are so many slots, those are forgotten that are over.
    most_slots: usize,
    initial_numbers: InitialNumbers,
    /// No connection is overdue before this time.
    due: Instant,
    packets: u64,
    findings: Findings,
}

/// So many pairs of ends are remembered, whatever became of their connections.
const REMEMBERED: usize = 1024;
/// How long a connection that is over is remembered at least: four times 2 MSL (RFC 9293 section 3.4.2).
const OVER: Duration = Duration::from_secs(16 * 60);

/// The state of one pair of ends: the connection between them, or the segments that came without one.
#[derive(Debug, Default)]
struct Slot {
    /// When a packet passed last.
    last: Instant,
    connection: Option<Connection>,
    /// Whether the host signs its segments (RFC 2385).
    signature: Option<SignatureKind>,
    /// The number of the SYN-ACK before the one with which it began.
    before: Option<SeqNumber>,
    /// The last SYN of the peer that no connection has taken yet.
    syn: Option<(SeqNumber, Syn)>,
    /// Calls before the first SYN.
    early: Vec<(Instant, Call)>,
    strangers: Strangers,
    /// Verdicts so far, by sentence.
    written: BTreeMap<&'static str, usize>,
}

impl Judge {
    /// A judge who has seen nothing yet.
    pub fn new(settings: Settings) -> Judge {
        let most_slots = REMEMBERED;
        Judge { settings, most_slots, due: Instant::FAR_FUTURE, ..Judge::default() }
    }

    /// The host has sent an IP packet. Times must not go back.
    pub fn on_sent(&mut self, now: Instant, packet: &[u8]) {
        self.on_time(now);
        self.packets += 1;
        let number = self.packets;
        match parse_packet(packet, self.checksums()) {
            Ok(Packet { protocol: Protocol::Tcp(segment), .. }) => {
                let Some((raw, ends)) = self.read(now, packet, &segment, true) else { return };
                self.sent(&raw, ends);
            }
            Ok(_) => {}
            Err(error) => self.unreadable(now, number, packet, error),
        }
    }

    /// An IP packet has reached the host. Times must not go back.
    pub fn on_received(&mut self, now: Instant, packet: &[u8]) {
        self.on_time(now);
        self.packets += 1;
        match parse_packet(packet, self.checksums()) {
            Ok(Packet { protocol: Protocol::Tcp(segment), .. }) => {
                let Some((raw, ends)) = self.read(now, packet, &segment, false) else { return };
                self.received(&raw, ends);
            }
            Ok(Packet { protocol: Protocol::IcmpError(error), .. }) => {
                if let IcmpErrorKind::PacketTooBig { mtu } = error.kind {
                    let ends = (error.local, error.remote);
                    if let Some(connection) =
                        self.slots.get_mut(&ends).and_then(|slot| slot.connection.as_mut())
                    {
                        connection.on_too_big(now, mtu, error.seq);
                    }
                }
            }
            // What cannot be read the host drops.
            Ok(_) | Err(_) => {}
        }
    }

    /// The application of the judged host has called for the connection from `local` to `remote`.
    pub fn on_call(&mut self, now: Instant, local: SocketAddr, remote: SocketAddr, call: Call) {
        self.on_time(now);
        let slot = self.slots.entry((local, remote)).or_default();
        match &mut slot.connection {
            Some(connection) => {
                connection.on_call(now, call);
                self.due = self.due.min(connection.due());
            }
            // What was called before the SYN went.
            None if slot.early.len() < REMEMBERED => slot.early.push((now, call)),
            None => {}
        }
    }

    /// Time has passed until `now`, and no packet: silences that have become too long are judged.
    pub fn on_time(&mut self, now: Instant) {
        if now <= self.due {
            return;
        }
        let mut due = Instant::FAR_FUTURE;
        for (ends, slot) in &mut self.slots {
            let (findings, written) = (&mut self.findings, &mut slot.written);
            let mut docket = Docket { findings, local: ends.0, remote: ends.1, written };
            let Some(connection) = &mut slot.connection else {
                slot.strangers.on_time(now, &self.settings, &mut docket);
                due = due.min(slot.strangers.due(&self.settings));
                continue;
            };
            if connection.due() < now {
                connection.on_time(now, &mut docket);
            }
            due = due.min(connection.due());
        }
        self.due = due;
    }

    /// The number of the next packet, where packets have numbers already, as those of a capture.
    pub fn number_next(&mut self, number: u64) {
        self.packets = number.saturating_sub(1);
    }

    /// What was found so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Ends the watch at `now`.
    pub fn finish(mut self, now: Instant) -> Findings {
        self.on_time(now);
        self.findings
    }

    fn checksums(&self) -> Checksums {
        let transport = self.settings.checksums_are_complete;
        Checksums { ip: transport, transport }
    }

    /// What the rules need of a TCP packet, and the ends of its connection.
    fn read<'a>(
        &self,
        time: Instant,
        packet: &'a [u8],
        segment: &Segment<'a>,
        is_sent: bool,
    ) -> Option<(Raw<'a>, Ends)> {
        let header = segment.header;
        let source = SocketAddr::new(IpAddr::from(segment.ip.source), header.source_port);
        let destination =
            SocketAddr::new(IpAddr::from(segment.ip.destination), header.destination_port);
        let tcp = format::tcp_of(packet, segment.payload)?;
        let raw = Raw {
            time,
            number: self.packets,
            header,
            ecn: segment.ip.ecn,
            payload: segment.payload,
            tcp,
        };
        Some((raw, if is_sent { (source, destination) } else { (destination, source) }))
    }

    /// Forgets connections that are over for long, if there are many; of twice as many as are left it will be
    /// done again.
    fn make_room(&mut self, now: Instant) {
        if self.slots.len() < self.most_slots {
            return;
        }
        let before = self.slots.len();
        self.slots.retain(|_, slot| {
            let is_open = slot.connection.as_ref().is_some_and(|connection| !connection.is_over());
            is_open || slot.last + OVER >= now
        });
        self.findings.forgotten += (before - self.slots.len()) as u64;
        self.most_slots = REMEMBERED.max(2 * self.slots.len());
    }

    fn sent(&mut self, raw: &Raw<'_>, ends: Ends) {
        self.make_room(raw.time);
        let slot = self.slots.entry(ends).or_default();
        slot.last = raw.time;
        slot.signature = raw.header.options.signature;
        let is_syn = raw.header.flags.contains(Flags::SYN);
        let begins = is_syn
            && !slot
                .connection
                .as_ref()
                .is_some_and(|connection| connection.began_with(&raw.header));
        if begins {
            slot.before = slot.connection.as_ref().and_then(Connection::answered_with);
            let answers = raw.header.flags.contains(Flags::ACK);
            let peer = slot.syn.take().filter(|_| answers);
            let mut docket = Docket {
                findings: &mut self.findings,
                local: ends.0,
                remote: ends.1,
                written: &mut slot.written,
            };
            let at = (raw.time, raw.number);
            self.initial_numbers.on_begin(at, ends, raw.header.seq, &mut docket);
            slot.connection = match (answers, peer) {
                // A SYN-ACK to a SYN that was not seen.
                (true, None) => None,
                (_, peer) => Some(Connection::new(&self.settings, ends.0.is_ipv6(), raw, peer)),
            };
            if let Some(connection) = &mut slot.connection {
                for (at, call) in slot.early.drain(..) {
                    connection.on_call(at, call);
                }
            }
        }
        let findings = &mut self.findings;
        let Some(connection) = &mut slot.connection else {
            // A RST without a connection answers what is not wanted.
            if raw.header.flags.contains(Flags::RST) {
                let (local, remote) = ends;
                let mut docket = Docket { findings, local, remote, written: &mut slot.written };
                slot.strangers.on_reset(raw, &mut docket);
            } else {
                *findings.unknown.entry(Unknown::NoStart).or_default() += 1;
            }
            return;
        };
        if connection.is_of_cookie(&raw.header, slot.before) {
            connection.lost = Some(Unknown::NoStart);
        }
        if let Some(reason) = connection.lost {
            *findings.unknown.entry(reason).or_default() += 1;
            return;
        }
        findings.judged += 1;
        let mut docket =
            Docket { findings, local: ends.0, remote: ends.1, written: &mut slot.written };
        connection.on_sent(raw, &mut docket);
        self.due = self.due.min(connection.due());
    }

    fn received(&mut self, raw: &Raw<'_>, ends: Ends) {
        self.make_room(raw.time);
        let slot = self.slots.entry(ends).or_default();
        slot.last = raw.time;
        let flags = raw.header.flags;
        if flags.contains(Flags::SYN) && !flags.intersects(Flags::ACK | Flags::RST) {
            let seq = raw.header.seq;
            let before = slot.syn.filter(|(known, _)| *known == seq).map_or(0, |(_, syn)| syn.text);
            let syn = Syn::of(raw);
            // One that comes again may have left its text out.
            slot.syn = Some((seq, Syn { text: syn.text.max(before), ..syn }));
        }
        let Some(connection) = &mut slot.connection else {
            slot.strangers.on_received(raw, &self.settings, slot.syn.is_some());
            self.due = self.due.min(slot.strangers.due(&self.settings));
            return;
        };
        // What has another signature than the host's segments, or none where these have one, is as if it had not
        // come (RFC 2385 section 2, RFC 5925 section 7.3), but for TCP-AO where there is no key. Whether one is
        // right the judge cannot know, who has no key.
        let is_ignored =
            (slot.signature, raw.header.options.signature) == (None, Some(SignatureKind::Ao));
        let is_other = raw.header.options.signature != slot.signature && !is_ignored;
        if connection.lost.is_some() || is_other {
            return;
        }
        let findings = &mut self.findings;
        let mut docket =
            Docket { findings, local: ends.0, remote: ends.1, written: &mut slot.written };
        connection.on_received(raw, &mut docket);
        self.due = self.due.min(connection.due());
    }

    /// The host has sent a packet that cannot be read.
    fn unreadable(&mut self, now: Instant, number: u64, packet: &[u8], error: WireError) {
        match format::blame(packet, error) {
            Some((sentence, seen, ends)) => {
                let mut written = BTreeMap::new();
                let findings = &mut self.findings;
                let mut docket =
                    Docket { findings, local: ends.0, remote: ends.1, written: &mut written };
                docket.forbid(sentence, now, number, || seen);
            }
            None => *self.findings.unknown.entry(Unknown::Unreadable).or_default() += 1,
        }
    }
}
