//! What senders sent and what was acknowledged to them: the papers' plots of sequence numbers.

use super::flows::{FIRST_PORT, second};
use crate::packets::segment;
use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;
use ackclock_emulator::{Event, NodeId, Observer, PacketOnLink};
use ackclock_report::{Axis, Plot, Style};
use std::collections::BTreeMap;

/// Data that left a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SentData {
    pub(super) at: Instant,
    /// Where in the stream.
    pub(super) offset: u32,
    pub(super) bytes: u32,
    /// Whether it had been sent before.
    pub(super) again: bool,
}

/// What one sender did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Conversation {
    first: Option<SeqNumber>,
    /// Where new data begin.
    new_from: u32,
    pub(super) sent: Vec<SentData>,
    /// When an ack arrived, and up to where data were acknowledged then.
    pub(super) acked: Vec<(Instant, u32)>,
}

/// Watches what hosts send to and hear from the receivers of [`Flows`](super::flows::Flows).
#[derive(Clone, Debug)]
pub(super) struct SegmentLog {
    senders: Vec<NodeId>,
    by_port: BTreeMap<u16, Conversation>,
}

impl SegmentLog {
    pub(super) fn new(senders: impl IntoIterator<Item = impl Into<NodeId>>) -> Self {
        let senders = senders.into_iter().map(Into::into).collect();
        SegmentLog { senders, by_port: BTreeMap::new() }
    }

    /// Of the `n`-th flow.
    pub(super) fn conversation(&self, flow: usize) -> Option<&Conversation> {
        self.by_port.get(&(FIRST_PORT + flow as u16))
    }

    /// All of them, by flow.
    pub(super) fn conversations(&self) -> impl Iterator<Item = &Conversation> {
        self.by_port.values()
    }

    fn on_sent(&mut self, now: Instant, packet: &PacketOnLink<'_>) {
        let Some(segment) = segment(packet) else { return };
        let header = segment.header;
        let conversation = self.by_port.entry(header.destination_port).or_default();
        if header.flags.contains(Flags::SYN) {
            conversation.first = Some(header.seq + 1);
        }
        let (Some(first), bytes) = (conversation.first, segment.payload.len() as u32) else {
            return;
        };
        if bytes > 0 {
            let offset = header.seq.since(first);
            let again = offset < conversation.new_from;
            conversation.sent.push(SentData { at: now, offset, bytes, again });
            conversation.new_from = conversation.new_from.max(offset + bytes);
        }
    }

    fn on_heard(&mut self, now: Instant, packet: &PacketOnLink<'_>) {
        let Some(segment) = segment(packet) else { return };
        let Some(conversation) = self.by_port.get_mut(&segment.header.source_port) else { return };
        let ack = segment.header.ack;
        let first = conversation.first.filter(|first| ack.at_or_after(*first));
        if let Some(first) = first.filter(|_| !segment.header.flags.contains(Flags::RST)) {
            // The FIN is no data.
            let acked = ack.since(first).min(conversation.new_from);
            let before = conversation.acked.last().map_or(0, |(_, before)| *before);
            conversation.acked.push((now, acked.max(before)));
        }
    }
}

impl Observer for SegmentLog {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Sent(packet) if self.senders.contains(&packet.from) => self.on_sent(now, packet),
            Event::Delivered(packet) if self.senders.contains(&packet.to) => {
                self.on_heard(now, packet);
            }
            _ => {}
        }
    }
}

impl Conversation {
    /// Packets of data sent.
    pub(super) fn packets(&self) -> usize {
        self.sent.len()
    }

    /// Those of them that had been sent before.
    pub(super) fn retransmissions(&self) -> usize {
        self.sent.iter().filter(|sent| sent.again).count()
    }

    /// Bytes acknowledged by then.
    pub(super) fn acked_by(&self, time: Instant) -> u32 {
        let behind = self.acked.partition_point(|(at, _)| *at <= time);
        behind.checked_sub(1).and_then(|last| self.acked.get(last)).map_or(0, |(_, acked)| *acked)
    }

    /// Bytes sent by then, each time that they were.
    pub(super) fn sent_by(&self, time: Instant) -> u64 {
        let sent = self.sent.iter().take_while(|sent| sent.at <= time);
        sent.map(|sent| u64::from(sent.bytes)).sum()
    }

    /// When the last data were acknowledged.
    pub(super) fn ended(&self) -> Option<Instant> {
        let (_, end) = *self.acked.last()?;
        self.acked.iter().find(|(_, acked)| *acked == end).map(|(at, _)| *at)
    }

    /// How often each stretch of `unit` bytes was sent.
    pub(super) fn times_sent(&self, unit: u32) -> Vec<u32> {
        let mut times = vec![0; self.new_from.div_ceil(unit.max(1)) as usize];
        for sent in &self.sent {
            if let Some(times) = times.get_mut((sent.offset / unit.max(1)) as usize) {
                *times += 1;
            }
        }
        times
    }
}

/// Sequence number over time, retransmissions as crosses; until `until`.
pub(super) fn sequence_plot<'a>(
    name: &str,
    title: &str,
    conversations: impl Iterator<Item = &'a Conversation>,
    until: Instant,
) -> Plot {
    let [x, y] = [Axis::linear("time (s)"), Axis::linear("sequence number (kB)")];
    let mut plot = Plot::new(name, title, x, y);
    for (number, conversation) in (1..).zip(conversations) {
        for (kind, style, again) in
            [("first", Style::Points, false), ("again", Style::Crosses, true)]
        {
            let sent = conversation.sent.iter().filter(|sent| sent.again == again);
            let sent = sent.take_while(|sent| sent.at <= until);
            let points = sent.map(|sent| (second(sent.at), f64::from(sent.offset) / 1e3));
            plot = plot.line(format!("{number}, sent {kind}"), style, points);
        }
    }
    plot
}

/// A quantity that grows, in units per second, averaged over intervals.
pub(super) fn rate_over(
    until: Instant,
    interval: Duration,
    mut amount: impl FnMut(Instant) -> f64,
) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let (mut at, mut before) = (Instant::ZERO, amount(Instant::ZERO));
    while at < until {
        at += interval;
        let now = amount(at);
        let seconds = interval.as_nanos() as f64 / 1e9;
        points.push((second(at) - seconds / 2.0, (now - before) / seconds));
        before = now;
    }
    points
}
