//! From packets to connections.

use crate::capture::{Capture, Record};
use crate::connection::Tracked;
use crate::error::CaptureError;
use crate::observer::Observer;
use crate::packet::{Packet, Skipped};
use ackclock::time::{Duration, Instant};
use lru::LruCache;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;
use std::io::Read;
use std::net::SocketAddr;

/// How long a connection is kept after its end, for what the network still delivers: half of the
/// 2 MSL of RFC 9293 section 3.4.2, in the capture's time.
const LINGER: Duration = Duration::from_secs(120);

/// Limits of the analyser's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Connections that are tracked at a time; beyond that the one that was silent longest is given
    /// up.
    pub connections: usize,
    /// Segments on their way, SACKed ranges and listed retransmissions that are remembered in all
    /// connections together; beyond that too. Each takes up to 64 bytes.
    pub records: usize,
    /// Retransmissions of a direction that are listed with their explanation; all are counted.
    pub listed: usize,
}

impl Default for Settings {
    /// 20,000 connections, a million records, 1,000 listed: less than 200 MB.
    fn default() -> Self {
        Settings { connections: 20_000, records: 1_000_000, listed: 1_000 }
    }
}

/// Summary of a capture.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Packets.
    pub packets: u64,
    /// TCP segments among them, which are analysed.
    pub tcp_packets: u64,
    /// Packets of other protocols.
    pub other_packets: u64,
    /// Fragments of IP packets; they are not put together.
    pub fragments: u64,
    /// Packets whose headers make no sense.
    pub malformed_packets: u64,
    /// Packets whose headers were not captured whole.
    pub cut_packets: u64,
    /// Packets with link-layer headers that are not known.
    pub unknown_link_packets: u64,
    /// Such link types (`LINKTYPE_…`), one of them.
    pub unknown_link_type: Option<i32>,
    /// Connections.
    pub connections: u64,
    /// Connections that were given up before their end to make room for others.
    pub given_up: u64,
    /// Packets with a time earlier than that of the packet before.
    pub backward_times: u64,
    /// Seconds from the Unix epoch to the first packet.
    pub first_s: f64,
    /// Seconds from the earliest to the latest packet.
    pub duration_s: f64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { packets, tcp_packets, connections, duration_s, .. } = self;
        write!(
            f,
            "{packets} packets in {duration_s:.3} s, {tcp_packets} of TCP; {connections} connections"
        )?;
        let left_out = [
            (self.other_packets, "of other protocols"),
            (self.fragments, "fragments, which are not put together"),
            (self.malformed_packets, "with headers that make no sense"),
            (self.cut_packets, "with headers that were not captured whole"),
            (self.unknown_link_packets, "with a link-layer header that is not known"),
        ];
        for (count, what) in left_out {
            if count > 0 {
                write!(f, "; {count} packets {what}")?;
            }
        }
        if let Some(link_type) = self.unknown_link_type {
            write!(f, " (link type {link_type})")?;
        }
        if self.given_up > 0 {
            write!(
                f,
                "; {} connections were given up before their end to make room",
                self.given_up
            )?;
        }
        if self.backward_times > 0 {
            write!(f, "; {} packets are not in the order of their times", self.backward_times)?;
        }
        Ok(())
    }
}

/// Tells connections apart. At each interface a connection is one of its own, since what passes two
/// points of the path is there twice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    interface: usize,
    low: SocketAddr,
    high: SocketAddr,
}

/// Takes packets and gives out connections.
#[derive(Debug)]
struct Analyser<O> {
    settings: Settings,
    observer: O,
    /// By when they were seen last.
    tracked: LruCache<Key, Tracked>,
    /// Closed connections, in the order of their end.
    over: VecDeque<(Key, u64)>,
    records: usize,
    summary: Summary,
    earliest: Option<Instant>,
    latest: Instant,
    before: Instant,
    names: Vec<Option<String>>,
}

/// Reads a capture and reports its connections to `observer`. Memory does not grow with the capture.
///
/// # Errors
/// The reason why the capture could not be read to its end, beside the summary of the part that was
/// read; of a file that is not a capture, this is zero packets.
pub fn analyse<R: Read, O: Observer>(
    input: R,
    settings: Settings,
    observer: O,
) -> (Summary, Result<(), CaptureError>) {
    let mut analyser = Analyser::new(settings, observer);
    let result = analyser.read(input);
    (analyser.finish(), result)
}

impl<O: Observer> Analyser<O> {
    fn new(settings: Settings, observer: O) -> Self {
        Analyser {
            settings,
            observer,
            tracked: LruCache::unbounded(),
            over: VecDeque::new(),
            records: 0,
            summary: Summary::default(),
            earliest: None,
            latest: Instant::ZERO,
            before: Instant::ZERO,
            names: Vec::new(),
        }
    }

    fn read<R: Read>(&mut self, input: R) -> Result<(), CaptureError> {
        let mut capture = Capture::new(input)?;
        while let Some(record) = capture.next_record() {
            self.on_record(&record?);
            if self.names.len() < capture.interfaces().len() {
                let interfaces = capture.interfaces().iter();
                self.names = interfaces.map(|interface| interface.name.clone()).collect();
            }
        }
        Ok(())
    }

    fn on_record(&mut self, record: &Record<'_>) {
        self.summary.packets += 1;
        self.summary.backward_times += u64::from(record.time < self.before);
        self.before = record.time;
        self.earliest = Some(self.earliest.map_or(record.time, |time| time.min(record.time)));
        self.latest = self.latest.max(record.time);
        match Packet::read(record) {
            Ok(packet) => {
                self.summary.tcp_packets += 1;
                self.on_packet(record, &packet);
            }
            Err(Skipped::NotTcp) => self.summary.other_packets += 1,
            Err(Skipped::Fragment) => self.summary.fragments += 1,
            Err(Skipped::Malformed) => self.summary.malformed_packets += 1,
            Err(Skipped::Cut) => self.summary.cut_packets += 1,
            Err(Skipped::LinkType) => {
                self.summary.unknown_link_packets += 1;
                self.summary.unknown_link_type = Some(record.link_type);
            }
        }
        self.give_out(record.time);
    }

    fn on_packet(&mut self, record: &Record<'_>, packet: &Packet) {
        let (source, destination) = (packet.source, packet.destination);
        let (low, high) = (source.min(destination), source.max(destination));
        let key = Key { interface: record.interface, low, high };
        if self.tracked.get(&key).is_some_and(|tracked| tracked.is_succeeded_by(packet)) {
            self.remove(&key, false);
        }
        let summary = &mut self.summary;
        let tracked = self.tracked.get_or_insert_mut(key, || {
            summary.connections += 1;
            Tracked::new(summary.connections, record.interface, record.time, packet)
        });
        let (was_over, had) = (tracked.is_over(), tracked.records());
        let listed = self.settings.listed;
        tracked.on_packet(record.time, record.number, packet, listed, &mut self.observer);
        self.records = (self.records - had).saturating_add(tracked.records());
        if !was_over && tracked.is_over() {
            self.over.push_back((key, tracked.number));
        }
    }

    /// Reports connections that closed long ago, and makes room.
    fn give_out(&mut self, now: Instant) {
        while let Some(&(key, number)) = self.over.front() {
            let tracked = self.tracked.peek(&key).filter(|tracked| tracked.number == number);
            let is_kept = tracked.is_some_and(|of| now.saturating_since(of.last_seen()) < LINGER);
            if is_kept && self.over.len() <= self.settings.connections {
                break;
            }
            let is_there = tracked.is_some();
            self.over.pop_front();
            if is_there {
                self.remove(&key, false);
            }
        }
        while self.tracked.len() > self.settings.connections || self.records > self.settings.records
        {
            let Some((&key, tracked)) = self.tracked.peek_lru() else { break };
            let is_early = !tracked.is_over();
            self.remove(&key, is_early);
        }
    }

    fn remove(&mut self, key: &Key, given_up: bool) {
        if let Some(tracked) = self.tracked.pop(key) {
            self.records -= tracked.records();
            self.summary.given_up += u64::from(given_up);
            self.give(tracked, given_up);
        }
    }

    fn give(&mut self, tracked: Tracked, given_up: bool) {
        let name = match self.names.len() {
            0 | 1 => None,
            _ => self.names.get(tracked.interface).cloned().flatten(),
        };
        self.observer.on_connection(&tracked.finish(name, given_up));
    }

    fn finish(mut self) -> Summary {
        let mut rest = Vec::with_capacity(self.tracked.len());
        while let Some((_, tracked)) = self.tracked.pop_lru() {
            rest.push(tracked);
        }
        rest.sort_by_key(|tracked| tracked.number);
        for tracked in rest {
            self.give(tracked, false);
        }
        let earliest = self.earliest.unwrap_or_default();
        self.summary.first_s = earliest.as_nanos() as f64 / 1e9;
        self.summary.duration_s = self.latest.saturating_since(earliest).as_nanos() as f64 / 1e9;
        self.summary
    }
}
