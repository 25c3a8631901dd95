//! A connection while it is tracked.

use crate::acks::{Ack, reported_duplicate};
use crate::half::{Half, syn_options};
use crate::observer::{Event, EventKind, Observer, Place};
use crate::packet::Packet;
use crate::report::{Connection, Ending};
use crate::segments::Sighting;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Ecn, Flags};
use std::net::SocketAddr;

/// A connection and both directions of it.
#[derive(Debug)]
pub(crate) struct Tracked {
    pub(crate) number: u64,
    pub(crate) interface: usize,
    a: SocketAddr,
    b: SocketAddr,
    from_the_start: bool,
    first: Instant,
    last: Instant,
    idle_max: Duration,
    reset_by: Option<char>,
    was_refused: bool,
    halves: [Half; 2],
}

impl Tracked {
    pub(crate) fn new(number: u64, interface: usize, now: Instant, packet: &Packet) -> Self {
        let flags = packet.header.flags;
        let is_syn = flags.contains(Flags::SYN);
        // An answer to a SYN that was not seen comes from the end that did not begin.
        let is_answer = is_syn && flags.contains(Flags::ACK);
        let (a, b) = match is_answer {
            false => (packet.source, packet.destination),
            true => (packet.destination, packet.source),
        };
        let mut halves = [Half::default(), Half::default()];
        for half in &mut halves {
            half.in_initial_window = true;
        }
        Tracked {
            number,
            interface,
            a,
            b,
            from_the_start: is_syn,
            first: now,
            last: now,
            idle_max: Duration::ZERO,
            reset_by: None,
            was_refused: false,
            halves,
        }
    }

    /// Whether a SYN belongs to another connection between the same ends.
    pub(crate) fn is_succeeded_by(&self, packet: &Packet) -> bool {
        let flags = packet.header.flags;
        if !flags.contains(Flags::SYN) || flags.contains(Flags::ACK) {
            return false;
        }
        let [a, b] = &self.halves;
        let half = if packet.source == self.a { a } else { b };
        match half.base {
            Some(base) => base != packet.header.seq || !half.has_syn,
            None => !self.from_the_start,
        }
    }

    /// Whether nothing more can come but copies and strays.
    pub(crate) fn is_over(&self) -> bool {
        let [a, b] = &self.halves;
        let fin_is_acked = |half: &Half| half.fin.is_some_and(|fin| half.una >= fin);
        self.reset_by.is_some() || fin_is_acked(a) && fin_is_acked(b)
    }

    pub(crate) fn last_seen(&self) -> Instant {
        self.last
    }

    /// Things remembered that may become many.
    pub(crate) fn records(&self) -> usize {
        self.halves.iter().map(Half::records).sum()
    }

    /// A packet of this connection.
    pub(crate) fn on_packet(
        &mut self,
        now: Instant,
        number: u64,
        packet: &Packet,
        listed: usize,
        observer: &mut impl Observer,
    ) {
        // Captures from several processors are not always in order.
        let now = now.max(self.first);
        self.idle_max = self.idle_max.max(now.saturating_since(self.last));
        self.last = self.last.max(now);
        let from_a = packet.source == self.a;
        let round_trip = self.round_trip();
        let sack_permitted = self.sack_permitted();
        let began = self.first;
        let place = |from_a: bool| Place {
            connection: self.number,
            source: if from_a { self.a } else { self.b },
            destination: if from_a { self.b } else { self.a },
            from_a,
            began,
        };
        let [a, b] = &mut self.halves;
        let (me, peer) = if from_a { (a, b) } else { (b, a) };
        count(me, now, packet);
        let flags = packet.header.flags;
        let is_syn = flags.contains(Flags::SYN);
        if is_syn {
            negotiate(me, peer, packet);
        }
        if flags.contains(Flags::RST) && self.reset_by.is_none() {
            self.reset_by = Some(if from_a { 'a' } else { 'b' });
            self.was_refused = !me.has_syn && peer.has_syn && me.base.is_none();
        }
        let window_changed = me.advertise(packet.header.window, is_syn, flags.contains(Flags::RST));
        if flags.contains(Flags::ACK) && (self.reset_by.is_none() || peer.base.is_some()) {
            let has_payload = packet.payload_len > 0;
            let header = &packet.header;
            let outcome = peer.on_ack(&Ack { now, header, has_payload, window_changed });
            let place = place(!from_a);
            let outstanding = peer.outstanding();
            let mut tell = |kind| observer.on_event(&Event { place, time: now, outstanding, kind });
            for block in packet.header.options.sack.as_slice() {
                let (start, end) = (peer.offset(block.start), peer.offset(block.end));
                let (start, end) = (peer.relative(start), peer.relative(end));
                tell(EventKind::Sacked { start, end });
            }
            tell(EventKind::Acked {
                ack: peer.relative(peer.una),
                window: me.window.unwrap_or_default(),
                is_duplicate: outcome.is_duplicate,
            });
            if let Some(rtt) = outcome.rtt {
                tell(EventKind::Rtt(rtt));
            }
        }
        let passed = me.on_segment(&Sighting {
            now,
            number,
            began,
            packet,
            window: peer.window,
            mss: peer.counts.syn_options.and_then(|options| options.mss),
            round_trip,
            sack_permitted,
            listed,
        });
        if let Some(passed) = passed {
            let (start, end) = (me.relative(passed.start), me.relative(passed.end));
            let kind = EventKind::Sent { start, end, sort: passed.sort };
            let (place, outstanding) = (place(from_a), me.outstanding());
            observer.on_event(&Event { place, time: now, outstanding, kind });
        }
    }

    /// Both ends offered SACK, or a SYN was not seen.
    fn sack_permitted(&self) -> bool {
        let offered = |half: &Half| half.counts.syn_options.is_none_or(|of| of.sack_permitted);
        self.halves.iter().all(offered)
    }

    /// The round trips from here to both ends make that of the whole path.
    fn round_trip(&self) -> Option<Duration> {
        let [a, b] = &self.halves;
        match (a.rtt.min(), b.rtt.min()) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        }
    }

    /// What there is to say. `interface` is the name where it was seen.
    pub(crate) fn finish(self, interface: Option<String>, given_up: bool) -> Connection {
        let ending = self.ending();
        let seconds = |span: Duration| span.as_nanos() as f64 / 1e9;
        let duration = self.last.saturating_since(self.first);
        let [a, b] = self.halves.map(|half| half.finish(duration, self.from_the_start));
        Connection {
            number: self.number,
            a: self.a,
            b: self.b,
            interface,
            from_the_start: self.from_the_start,
            ending,
            reset_by: self.reset_by,
            first_s: self.first.as_nanos() as f64 / 1e9,
            duration_s: seconds(duration),
            packets: a.packets + b.packets,
            idle_max_s: seconds(self.idle_max),
            given_up,
            a_to_b: a,
            b_to_a: b,
        }
    }

    fn ending(&self) -> Ending {
        let [a, b] = &self.halves;
        match (self.reset_by, a.fin, b.fin) {
            (Some(_), ..) if self.was_refused => Ending::Refused,
            (Some(_), ..) => Ending::Reset,
            (None, Some(_), Some(_)) => Ending::Closed,
            (None, None, None) if a.has_syn && b.counts.packets == 0 => Ending::NeverOpened,
            (None, None, None) => Ending::Open,
            _ => Ending::HalfClosed,
        }
    }
}

/// RFC 7323 section 2.2: windows are scaled if both SYNs have the option.
fn negotiate(me: &mut Half, peer: &mut Half, packet: &Packet) {
    me.counts.syn_options = Some(syn_options(&packet.header.options));
    let scale = |half: &Half| half.counts.syn_options.and_then(|options| options.window_scale);
    if let (Some(mine), Some(other)) = (scale(me), scale(peer)) {
        me.scale = Some(mine);
        peer.scale = Some(other);
    }
}

/// What can be counted from a packet alone.
fn count(half: &mut Half, now: Instant, packet: &Packet) {
    if let Some(last) = half.last_packet.replace(now) {
        half.idle_max = half.idle_max.max(now.saturating_since(last));
    }
    let header = &packet.header;
    let has = |flag| header.flags.contains(flag);
    let counts = &mut half.counts;
    counts.packets += 1;
    counts.ack_packets += u64::from(has(Flags::ACK));
    let others = Flags::SYN | Flags::FIN | Flags::RST;
    let is_pure = has(Flags::ACK) && packet.payload_len == 0 && !header.flags.intersects(others);
    counts.pure_acks += u64::from(is_pure);
    let blocks = header.options.sack.as_slice();
    counts.sack_packets += u64::from(!blocks.is_empty());
    counts.dsack_packets += u64::from(has(Flags::ACK) && reported_duplicate(blocks, header));
    counts.max_sack_blocks = counts.max_sack_blocks.max(blocks.len() as u64);
    counts.urgent_packets += u64::from(has(Flags::URG));
    counts.syn_packets += u64::from(has(Flags::SYN));
    counts.fin_packets += u64::from(has(Flags::FIN));
    counts.rst_packets += u64::from(has(Flags::RST));
    counts.ce_packets += u64::from(packet.ecn == Ecn::Ce);
    counts.ece_packets += u64::from(has(Flags::ECE) && !has(Flags::SYN));
    counts.cwr_packets += u64::from(has(Flags::CWR) && !has(Flags::SYN));
}
