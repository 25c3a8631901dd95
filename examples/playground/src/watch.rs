//! The observer of a run, which fills the tables and notes what happened at hosts in an instant.

use crate::columns::{CrossingRow, PacketRow, QueueRow, Tables, kind};
use crate::reason::Reason;
use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Checksums, Header, Protocol, Segment, parse_packet};
use ackclock_emulator::{DropReason, Event, HostId, LinkId, NodeId, Observer, PacketOnLink, Wants};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The port of the first flow's service; each further flow has the next one.
const FIRST_PORT: u16 = 1024;
/// Bytes of a header that are kept: the longest IPv4 and TCP headers.
const LONGEST_HEADERS: usize = 120;

/// The fates of packets by their codes.
const FATES: [&str; 13] = [
    "on its way",
    "delivered",
    "dropped: the queue was full",
    "dropped early by RED, by chance",
    "dropped by RED, its average queue was too long",
    "dropped by CoDel: packets had waited for too long",
    "lost on the line",
    "lost in an outage",
    "dropped: longer than the link takes",
    "dropped: its hop limit was used up",
    "dropped: no route",
    "dropped: unreadable header",
    "dropped",
];
pub(crate) const ON_ITS_WAY: u8 = 0;
pub(crate) const DELIVERED: u8 = 1;

/// A fate in words.
pub(crate) fn fate(code: u8) -> &'static str {
    FATES.get(usize::from(code)).copied().unwrap_or_default()
}

fn dropped(reason: DropReason) -> u8 {
    match reason {
        DropReason::QueueFull => 2,
        DropReason::Early => 3,
        DropReason::Forced => 4,
        DropReason::Late => 5,
        DropReason::Loss => 6,
        DropReason::Outage => 7,
        DropReason::TooBig => 8,
        DropReason::Expired => 9,
        DropReason::NoRoute => 10,
        DropReason::Malformed => 11,
        _ => 12,
    }
}

/// Virtual time as the page has it.
pub(crate) fn seconds(at: Instant) -> f64 {
    span(at.saturating_since(Instant::ZERO))
}

/// A span as the page has it.
pub(crate) fn span(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e9
}

/// One end of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct End {
    pub(crate) flow: u8,
    /// Whether it is the end that did not open the connection.
    pub(crate) replies: bool,
}

/// A segment that a host sent or received in an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    /// The end on that host.
    pub(crate) end: End,
    pub(crate) host: HostId,
    /// Number of the packet.
    pub(crate) packet: usize,
    /// The header, and how many bytes of payload there are.
    pub(crate) header: Header,
    pub(crate) payload: u32,
}

/// What is kept of a run.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The bottleneck, from left to right and back.
    bottleneck: [LinkId; 2],
    flows: u16,
    pub(crate) tables: Tables,
    /// The headers of all packets one after another, and where those of each begin.
    pub(crate) headers: Vec<u8>,
    pub(crate) headers_at: Vec<usize>,
    /// Why each packet was sent, and the number that belongs to it.
    pub(crate) reasons: Vec<(Reason, u32)>,
    /// Rows of crossings that are not over.
    crossing: [VecDeque<u32>; 2],
    /// The first sequence number of each end, once it was seen: of the opener, and of the other.
    initial: Vec<[Option<SeqNumber>; 2]>,
    /// Of this instant.
    pub(crate) sent: Vec<Passed>,
    pub(crate) arrived: Vec<Passed>,
}

impl Watch {
    pub(crate) fn new(bottleneck: [LinkId; 2], flows: u16) -> Self {
        Watch {
            bottleneck,
            flows,
            tables: Tables::default(),
            headers: Vec::new(),
            headers_at: Vec::new(),
            reasons: Vec::new(),
            crossing: Default::default(),
            initial: vec![[None; 2]; usize::from(flows)],
            sent: Vec::new(),
            arrived: Vec::new(),
        }
    }

    /// The sender's end of a segment's flow.
    fn sender(&self, header: &Header) -> Option<End> {
        let flow = |port: u16| port.checked_sub(FIRST_PORT).filter(|flow| *flow < self.flows);
        let end = |flow: u16, replies| End { flow: flow as u8, replies };
        let opens = flow(header.destination_port).map(|flow| end(flow, false));
        opens.or_else(|| flow(header.source_port).map(|flow| end(flow, true)))
    }

    fn read<'p>(&self, packet: &PacketOnLink<'p>) -> Option<(End, Segment<'p>)> {
        let unverified = Checksums { ip: false, transport: false };
        let Protocol::Tcp(segment) = parse_packet(packet.bytes, unverified).ok()?.protocol else {
            return None;
        };
        Some((self.sender(&segment.header)?, segment))
    }

    /// A packet that its sender sends.
    fn on_new(&mut self, now: Instant, packet: &PacketOnLink<'_>) {
        let mut row = PacketRow {
            sent: seconds(now),
            ended: f64::NAN,
            seq: 0,
            ack: 0,
            payload: 0,
            bytes: packet.bytes.len() as u32,
            flow: u8::MAX,
            kind: 0,
            fate: ON_ITS_WAY,
        };
        self.headers_at.push(self.headers.len());
        self.reasons.push((Reason::default(), 0));
        if let Some((end, segment)) = self.read(packet) {
            let [own, other] = [end.replies, !end.replies].map(usize::from);
            let initial = &mut self.initial[usize::from(end.flow)];
            let start = *initial[own].get_or_insert(segment.header.seq);
            row.seq = segment.header.seq.0.wrapping_sub(start.0);
            row.ack = initial[other].map_or(0, |start| segment.header.ack.0.wrapping_sub(start.0));
            row.payload = segment.payload.len() as u32;
            row.flow = end.flow;
            let bits = [(!segment.is_empty(), kind::DATA), (end.replies, kind::REPLY)];
            row.kind = bits.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum();
            let headers = packet.bytes.len() - segment.payload.len();
            self.headers.extend_from_slice(&packet.bytes[..headers.min(LONGEST_HEADERS)]);
            if let NodeId::Host(host) = packet.from {
                let number = packet.number as usize;
                let payload = row.payload;
                self.sent.push(Passed {
                    end,
                    host,
                    packet: number,
                    header: segment.header,
                    payload,
                });
            }
        }
        self.tables.packets.push(row);
    }

    fn on_delivered(&mut self, now: Instant, packet: &PacketOnLink<'_>) {
        let NodeId::Host(host) = packet.to else {
            return;
        };
        let number = packet.number as usize;
        let packets = &mut self.tables.packets;
        if packets.fate[number] == ON_ITS_WAY {
            packets.ended[number] = seconds(now);
            packets.fate[number] = DELIVERED;
        }
        if packets.kind[number] & kind::CORRUPTED != 0 {
            return;
        }
        if let Some((from, segment)) = self.read(packet) {
            let end = End { replies: !from.replies, ..from };
            let (header, payload) = (segment.header, segment.payload.len() as u32);
            self.arrived.push(Passed { end, host, packet: number, header, payload });
        }
    }

    fn on_dropped(&mut self, now: Instant, packet: &PacketOnLink<'_>, reason: DropReason) {
        let packets = &mut self.tables.packets;
        let number = packet.number as usize;
        if packets.fate[number] == ON_ITS_WAY {
            packets.ended[number] = seconds(now);
            packets.fate[number] = dropped(reason);
        }
    }

    /// What a packet's event is to the bottleneck.
    fn on_bottleneck(&mut self, way: usize, now: Instant, event: &Event<'_>) {
        let now = seconds(now);
        if let Event::Queue(queue) = event {
            let row = QueueRow { time: now, packets: queue.length.packets as u32 };
            let series = &mut self.tables.queues[way];
            if series.packets.last() != Some(&row.packets) {
                series.push(row);
            }
            return;
        }
        let Some(packet) = event.packet().map(|packet| packet.number as u32) else {
            return;
        };
        let crossings = &mut self.tables.crossings[way];
        if matches!(event, Event::Sent(_) | Event::Duplicated(_)) {
            let (began, left) = match event {
                Event::Sent(_) => (f64::NAN, f64::NAN),
                _ => (now, now),
            };
            self.crossing[way].push_back(crossings.packet.len() as u32);
            let (ended, fate) = (f64::NAN, ON_ITS_WAY);
            return crossings.push(CrossingRow { offered: now, began, left, ended, packet, fate });
        }
        // The oldest row of the packet that is not over.
        let open = &mut self.crossing[way];
        let is_it = |row: &u32| crossings.packet[*row as usize] == packet;
        let Some(place) = open.iter().position(is_it) else {
            return;
        };
        let row = open[place] as usize;
        let fate = match event {
            Event::TransmissionBegan(_) => return crossings.began[row] = now,
            Event::TransmissionEnded(_) => return crossings.left[row] = now,
            Event::Delivered(_) => DELIVERED,
            Event::Dropped(_, reason) => dropped(*reason),
            _ => return,
        };
        (crossings.ended[row], crossings.fate[row]) = (now, fate);
        open.remove(place);
    }

    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            // Packets are counted in the order in which they are sent first.
            Event::Sent(packet) if packet.number as usize == self.tables.packets.sent.len() => {
                self.on_new(now, packet);
            }
            Event::Delivered(packet) => self.on_delivered(now, packet),
            Event::Dropped(packet, reason) => self.on_dropped(now, packet, *reason),
            Event::Marked(packet) => self.note(packet, kind::MARKED),
            Event::Corrupted(packet) => self.note(packet, kind::CORRUPTED),
            _ => {}
        }
        let link = match event {
            Event::Queue(queue) => Some(queue.link),
            other => other.packet().map(|packet| packet.link),
        };
        let way = self.bottleneck.iter().position(|bottleneck| Some(*bottleneck) == link);
        if let Some(way) = way {
            self.on_bottleneck(way, now, event);
        }
    }

    fn note(&mut self, packet: &PacketOnLink<'_>, bit: u8) {
        self.tables.packets.kind[packet.number as usize] |= bit;
    }
}

/// The handle of a watch that the emulator has.
#[derive(Clone, Debug)]
pub(crate) struct Watcher(pub(crate) Rc<RefCell<Watch>>);

impl Observer for Watcher {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        self.0.borrow_mut().on_event(now, event);
    }

    fn wants(&self) -> Wants {
        Wants { packets: true, queues: true, connections: false }
    }
}
