//! Judgement of a capture: which sentences of the RFCs its hosts break.

use crate::failure::Failure;
use crate::report::stdout;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Checksums, Flags, Protocol, parse_packet};
use ackclock_judge::{Findings, Judge, Settings};
use ackclock_trace::{Capture, Record, ip_packet};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

/// How long a host may seem not to have what was captured on its way to it: far from the host nobody knows
/// when a packet arrives, or whether it does.
const FAR: Duration = Duration::from_secs(3600);

/// Connections whose place is remembered.
const MOST_CONNECTIONS: usize = 1 << 20;

/// The ends of a connection: who opens it and who accepts.
type Ends = (SocketAddr, SocketAddr);

/// A handshake as it was captured: the times tell which end is near.
#[derive(Clone, Copy, Debug, Default)]
struct Handshake {
    syn: Option<Instant>,
    syn_ack: Option<Instant>,
    ack: Option<Instant>,
}

impl Handshake {
    /// Whether who opens the connection, and who accepts it, is near: it answers at once, the other after a
    /// round trip.
    fn near(&self) -> [bool; 2] {
        let (Some(syn), Some(syn_ack), Some(ack)) = (self.syn, self.syn_ack, self.ack) else {
            return [false; 2];
        };
        let (there, back) = (syn_ack.saturating_since(syn), ack.saturating_since(syn_ack));
        [back.saturating_mul(4) < there, there.saturating_mul(4) < back]
    }
}

/// Where each end of each connection stands.
#[derive(Debug, Default)]
struct Places {
    handshakes: HashMap<Ends, Handshake>,
    /// Whether packets are larger than any path carries.
    super_segments: bool,
}

impl Places {
    fn note(&mut self, time: Instant, packet: &[u8]) {
        let Some((source, destination, flags, payload)) = read(packet) else { return };
        self.super_segments |= payload > 9_000;
        let syn = flags.contains(Flags::SYN);
        let (opens, accepts) = ((source, destination), (destination, source));
        if syn && !flags.contains(Flags::ACK) {
            if self.handshakes.len() < MOST_CONNECTIONS {
                let handshake = Handshake { syn: Some(time), ..Handshake::default() };
                self.handshakes.insert(opens, handshake);
            }
        } else if syn {
            if let Some(handshake) = self.handshakes.get_mut(&accepts) {
                handshake.syn_ack = Some(time);
            }
        } else if let Some(handshake) = self.handshakes.get_mut(&opens)
            && handshake.syn_ack.is_some()
        {
            handshake.ack.get_or_insert(time);
        }
    }

    /// Whether `host` is near on a connection to `other`; `at` are the addresses of the host that captured,
    /// if they were told.
    fn is_near(&self, host: SocketAddr, other: SocketAddr, at: &[IpAddr]) -> bool {
        if !at.is_empty() {
            return at.contains(&host.ip());
        }
        let opens = self.handshakes.get(&(host, other)).map(|handshake| handshake.near()[0]);
        let accepts = || self.handshakes.get(&(other, host)).map(|handshake| handshake.near()[1]);
        opens.or_else(accepts).unwrap_or(false)
    }
}

/// The ends, flags and payload bytes of a TCP packet.
fn read(packet: &[u8]) -> Option<(SocketAddr, SocketAddr, Flags, usize)> {
    let unverified = Checksums { ip: false, transport: false };
    let Protocol::Tcp(segment) = parse_packet(packet, unverified).ok()?.protocol else {
        return None;
    };
    let source = SocketAddr::new(IpAddr::from(segment.ip.source), segment.header.source_port);
    let destination =
        SocketAddr::new(IpAddr::from(segment.ip.destination), segment.header.destination_port);
    Some((source, destination, segment.header.flags, segment.payload.len()))
}

/// Judges the hosts of a capture and prints what they break; `at` are the addresses of the host that
/// captured, if they are known.
pub(crate) fn run(file: &Path, at: &[IpAddr]) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Err(Failure::Usage("--judge reads the capture twice: give a file, not -".into()));
    }
    let mut places = Places::default();
    each(file, |record, packet| places.note(record.time, packet))?;
    let common = Settings {
        // Who captures at the sender sees checksums that the device completes later.
        checksums_are_complete: false,
        super_segments: places.super_segments,
        ..Settings::default()
    };
    let near = Settings { reaction: Duration::from_millis(200), ..common.clone() };
    let far = Settings { reaction: FAR, ..common };
    let mut judges = [Judge::new(near), Judge::new(far)];
    let mut last = Instant::ZERO;
    each(file, |record, packet| {
        let Some((source, destination, ..)) = read(packet) else { return };
        last = last.max(record.time);
        let place = |host, other| usize::from(!places.is_near(host, other, at));
        for judge in &mut judges {
            judge.number_next(record.number);
        }
        judges[place(source, destination)].on_sent(last, packet);
        for judge in &mut judges {
            judge.number_next(record.number);
        }
        judges[place(destination, source)].on_received(last, packet);
    })?;
    let [near, far] = judges.map(|judge| judge.finish(last));
    print(&near, &far).map_err(|error| Failure::output(&error))?;
    let broken = near.counts.len()
        + far.counts.keys().filter(|name| !near.counts.contains_key(*name)).count();
    match broken {
        0 => Ok(()),
        1 => Err(Failure::Verdict("one sentence is broken".into())),
        _ => Err(Failure::Verdict(format!("{broken} sentences are broken"))),
    }
}

/// Hands each packet that was captured whole to `take`.
fn each(file: &Path, mut take: impl FnMut(&Record<'_>, &[u8])) -> Result<(), Failure> {
    let unread = |error: &dyn std::fmt::Display| {
        Failure::Environment(format!("cannot read the capture {}: {error}", file.display()))
    };
    let input = File::open(file).map_err(|error| unread(&error))?;
    let mut capture = Capture::new(input).map_err(|error| unread(&error))?;
    while let Some(record) = capture.next_record() {
        let record = record.map_err(|error| unread(&error))?;
        if let Some(packet) = ip_packet(&record) {
            take(&record, packet);
        }
    }
    Ok(())
}

fn print(near: &Findings, far: &Findings) -> io::Result<()> {
    let mut out = io::BufWriter::new(stdout());
    for (findings, place) in [(near, "at its own interface"), (far, "from afar")] {
        for verdict in &findings.verdicts {
            writeln!(out, "{verdict}")?;
        }
        for (name, count) in &findings.counts {
            writeln!(out, "{name}: {count} times")?;
        }
        let unknown: u64 = findings.unknown.values().sum();
        write!(out, "{} segments judged {place}, {unknown} not", findings.judged)?;
        for (reason, count) in &findings.unknown {
            write!(out, "; {count}: {}", reason.text())?;
        }
        if findings.forgotten > 0 {
            write!(out, "; {} connections forgotten after their end", findings.forgotten)?;
        }
        writeln!(out)?;
    }
    out.flush()
}
