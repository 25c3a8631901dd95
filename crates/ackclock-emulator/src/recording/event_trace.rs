//! Event traces: every event as a line of CSV or JSON, for programs that draw plots.

use crate::observer::{ConnectionOnHost, Event, Observer, PacketOnLink, QueueOnLink, Wants};
use crate::topology::Topology;
use ackclock::time::Instant;
use ackclock::wire::{Checksums, Protocol, parse_packet};
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::{self, Write};
use std::net::SocketAddr;

/// The format of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TraceFormat {
    /// CSV (RFC 4180, with LF at line ends): a line of names, then a line for each event. Fields
    /// that do not apply to an event are empty.
    Csv,
    /// JSON lines: an object on a line of its own for each event, without the fields that do not
    /// apply to it.
    JsonLines,
}

/// An observer that writes every event as a line, with the same field names in each format.
/// `docs/emulator_recordings.md` describes them.
///
/// After an error of the writer nothing more is written, and [`finish`](Self::finish) returns the
/// error. The writer should be a buffered one.
pub struct Trace<W: Write> {
    topology: Topology,
    lines: Lines<W>,
    error: Option<io::Error>,
}

enum Lines<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Json(W),
}

impl<W: Write> Trace<W> {
    /// A trace of the emulator that will be built from this topology, whose names it uses.
    ///
    /// # Errors
    /// The writer's error.
    pub fn new(topology: &Topology, format: TraceFormat, writer: W) -> io::Result<Self> {
        let lines = match format {
            TraceFormat::Csv => {
                let mut lines = csv::Writer::from_writer(writer);
                lines.write_record(NAMES)?;
                Lines::Csv(Box::new(lines))
            }
            TraceFormat::JsonLines => Lines::Json(writer),
        };
        Ok(Trace { topology: topology.clone(), lines, error: None })
    }

    /// Ends the trace and returns the flushed writer.
    ///
    /// # Errors
    /// The first error of the writer, after which nothing was written.
    pub fn finish(self) -> io::Result<W> {
        if let Some(error) = self.error {
            return Err(error);
        }
        match self.lines {
            Lines::Csv(lines) => lines.into_inner().map_err(csv::IntoInnerError::into_error),
            Lines::Json(mut writer) => {
                writer.flush()?;
                Ok(writer)
            }
        }
    }

    fn write(&mut self, row: &Row) -> io::Result<()> {
        match &mut self.lines {
            Lines::Csv(lines) => {
                for cell in &row.0 {
                    lines.write_field(cell.to_string())?;
                }
                lines.write_record(None::<&[u8]>)?;
            }
            Lines::Json(writer) => {
                serde_json::to_writer(&mut *writer, row)?;
                writer.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Observer for Trace<W> {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        if self.error.is_some() {
            return;
        }
        let mut row = Row::new(now, event.name());
        if let Some(packet) = event.packet() {
            row.set_packet(&self.topology, packet);
        }
        match event {
            Event::Dropped(_, reason) => row.set(Column::Reason, reason.name()),
            Event::Queue(queue) => row.set_queue(&self.topology, queue),
            Event::Connection(connection) | Event::ConnectionGone(connection) => {
                row.set_connection(&self.topology, connection);
            }
            _ => {}
        }
        self.error = self.write(&row).err();
    }

    fn wants(&self) -> Wants {
        Wants::EVERYTHING
    }
}

impl<W: Write> fmt::Debug for Trace<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("error", &self.error).finish_non_exhaustive()
    }
}

/// The fields of an event, described in `docs/emulator_recordings.md`. Their names have the unit at
/// the end and never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Column {
    Time,
    Event,
    Link,
    From,
    To,
    Packet,
    Bytes,
    Reason,
    Source,
    Destination,
    Flags,
    Seq,
    Ack,
    Payload,
    QueuePackets,
    QueueBytes,
    InService,
    Host,
    Connection,
    Local,
    Remote,
    State,
    Cwnd,
    Ssthresh,
    InFlight,
    Rtt,
    InRecovery,
}

/// The name of each [`Column`], in the same order.
const NAMES: [&str; Column::InRecovery as usize + 1] = [
    "time_ns",
    "event",
    "link",
    "from",
    "to",
    "packet",
    "bytes",
    "reason",
    "source",
    "destination",
    "flags",
    "seq",
    "ack",
    "payload_bytes",
    "queue_packets",
    "queue_bytes",
    "in_service_packets",
    "host",
    "connection",
    "local",
    "remote",
    "state",
    "cwnd_bytes",
    "ssthresh_bytes",
    "in_flight_bytes",
    "rtt_ns",
    "in_recovery",
];

/// The value of one field of an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
enum Cell {
    Nothing,
    Number(u64),
    Text(String),
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Cell::Number(number)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Cell::Number(number.into())
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Cell::Number(number as u64)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

/// Writes the value as CSV has it.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Nothing => Ok(()),
            Cell::Number(number) => number.fmt(f),
            Cell::Text(text) => f.write_str(text),
        }
    }
}

/// All fields of an event, by [`Column`].
#[derive(Debug)]
struct Row([Cell; NAMES.len()]);

impl Row {
    fn new(now: Instant, event: &'static str) -> Self {
        let mut row = Row([const { Cell::Nothing }; NAMES.len()]);
        row.set(Column::Time, now.as_nanos());
        row.set(Column::Event, event);
        row
    }

    fn set(&mut self, column: Column, cell: impl Into<Cell>) {
        self.0[column as usize] = cell.into();
    }

    fn set_packet(&mut self, topology: &Topology, packet: &PacketOnLink<'_>) {
        self.set(Column::Link, packet.link.0);
        self.set(Column::From, topology.name(packet.from));
        self.set(Column::To, topology.name(packet.to));
        self.set(Column::Packet, packet.number);
        self.set(Column::Bytes, packet.bytes.len());
        // Nothing is verified, since a bit of the packet may have been flipped.
        let verify = Checksums { ip: false, transport: false };
        let Ok(parsed) = parse_packet(packet.bytes, verify) else {
            return;
        };
        let Protocol::Tcp(segment) = parsed.protocol else {
            self.set(Column::Source, &*parsed.ip.source.to_string());
            self.set(Column::Destination, &*parsed.ip.destination.to_string());
            return;
        };
        let header = &segment.header;
        let end = |address, port| SocketAddr::new(address, port).to_string();
        self.set(Column::Source, &*end(parsed.ip.source.into(), header.source_port));
        self.set(Column::Destination, &*end(parsed.ip.destination.into(), header.destination_port));
        self.set(Column::Flags, &*format!("{:?}", header.flags));
        self.set(Column::Seq, header.seq.0);
        self.set(Column::Ack, header.ack.0);
        self.set(Column::Payload, segment.payload.len());
    }

    fn set_queue(&mut self, topology: &Topology, queue: &QueueOnLink) {
        self.set(Column::Link, queue.link.0);
        self.set(Column::From, topology.name(queue.from));
        self.set(Column::To, topology.name(queue.to));
        self.set(Column::QueuePackets, queue.length.packets);
        self.set(Column::QueueBytes, queue.length.bytes);
        self.set(Column::InService, u64::from(queue.length.in_service));
    }

    fn set_connection(&mut self, topology: &Topology, connection: &ConnectionOnHost<'_>) {
        let info = connection.info;
        self.set(Column::Host, topology.name(connection.host));
        self.set(Column::Connection, connection.number);
        self.set(Column::Local, &*connection.local.to_string());
        self.set(Column::Remote, &*connection.remote.to_string());
        self.set(Column::State, info.state.name());
        self.set(Column::Cwnd, info.cwnd);
        if info.ssthresh != u32::MAX {
            self.set(Column::Ssthresh, info.ssthresh);
        }
        self.set(Column::InFlight, info.in_flight);
        if !info.rtt.is_zero() {
            self.set(Column::Rtt, info.rtt.as_nanos());
        }
        self.set(Column::InRecovery, u64::from(info.in_recovery));
    }
}

/// Writes a JSON object without the fields that do not apply.
impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = NAMES.iter().zip(&self.0);
        serializer.collect_map(named.filter(|(_, cell)| **cell != Cell::Nothing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::pair::{LEFT, RIGHT};
    use crate::ids::{HostId, LinkId};
    use crate::link::path::Path;
    use crate::observer::{DropReason, QueueLength};
    use crate::packet::testing::ip_packet;
    use ackclock::wire::Ecn;

    /// The lines of a trace of a dropped packet, a queue and a damaged packet.
    fn lines(format: TraceFormat) -> Vec<String> {
        let mut topology = Topology::new();
        let hosts = ["near, very", "far"].map(|name| topology.host(name));
        assert_eq!(hosts, [LEFT, RIGHT]);
        topology.link(LEFT, RIGHT, [Path::default(), Path::default()]);
        let mut trace = Trace::new(&topology, format, Vec::new()).unwrap();
        let ends = |from: HostId, to: HostId| (LinkId(from.0), from.into(), to.into());
        let (link, from, to) = ends(LEFT, RIGHT);
        let bytes = ip_packet(false, 1000, Ecn::NotEct, 100);
        let packet = PacketOnLink { number: 7, bytes: &bytes, link, from, to };
        trace.on_event(Instant::from_millis(5), &Event::Sent(packet));
        let dropped = Event::Dropped(packet, DropReason::QueueFull);
        trace.on_event(Instant::from_nanos(5_000_001), &dropped);
        let (link, from, to) = ends(RIGHT, LEFT);
        let length = QueueLength { packets: 2, bytes: 140, in_service: true };
        let queue = Event::Queue(QueueOnLink { length, link, from, to });
        trace.on_event(Instant::from_secs(20), &queue);
        // A packet whose headers cannot be read.
        let damaged = PacketOnLink { bytes: &[0x45, 0], ..packet };
        trace.on_event(Instant::from_secs(20), &Event::Delivered(damaged));
        let text = String::from_utf8(trace.finish().unwrap()).unwrap();
        assert!(text.ends_with('\n'));
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn as_csv_every_line_has_every_field() {
        assert_eq!(
            lines(TraceFormat::Csv),
            [
                "time_ns,event,link,from,to,packet,bytes,reason,source,destination,flags,seq,ack,\
                 payload_bytes,queue_packets,queue_bytes,in_service_packets,host,connection,local,\
                 remote,state,cwnd_bytes,ssthresh_bytes,in_flight_bytes,rtt_ns,in_recovery",
                "5000000,sent,0,\"near, very\",far,7,100,,10.0.0.1:1000,10.0.0.2:9,ACK,0,0,60\
                 ,,,,,,,,,,,,,",
                "5000001,dropped,0,\"near, very\",far,7,100,queue_full,10.0.0.1:1000,10.0.0.2:9,ACK,\
                 0,0,60,,,,,,,,,,,,,",
                "20000000000,queue,1,far,\"near, very\",,,,,,,,,,2,140,1,,,,,,,,,,",
                "20000000000,delivered,0,\"near, very\",far,7,2,,,,,,,,,,,,,,,,,,,,",
            ]
        );
    }

    #[test]
    fn as_json_a_line_has_what_there_is_to_say() {
        assert_eq!(
            lines(TraceFormat::JsonLines),
            [
                "{\"time_ns\":5000000,\"event\":\"sent\",\"link\":0,\"from\":\"near, very\",\
                 \"to\":\"far\",\"packet\":7,\"bytes\":100,\"source\":\"10.0.0.1:1000\",\
                 \"destination\":\"10.0.0.2:9\",\"flags\":\"ACK\",\"seq\":0,\"ack\":0,\
                 \"payload_bytes\":60}",
                "{\"time_ns\":5000001,\"event\":\"dropped\",\"link\":0,\"from\":\"near, very\",\
                 \"to\":\"far\",\"packet\":7,\"bytes\":100,\"reason\":\"queue_full\",\
                 \"source\":\"10.0.0.1:1000\",\"destination\":\"10.0.0.2:9\",\"flags\":\"ACK\",\
                 \"seq\":0,\"ack\":0,\"payload_bytes\":60}",
                "{\"time_ns\":20000000000,\"event\":\"queue\",\"link\":1,\"from\":\"far\",\
                 \"to\":\"near, very\",\"queue_packets\":2,\"queue_bytes\":140,\
                 \"in_service_packets\":1}",
                "{\"time_ns\":20000000000,\"event\":\"delivered\",\"link\":0,\
                 \"from\":\"near, very\",\"to\":\"far\",\"packet\":7,\"bytes\":2}",
            ]
        );
    }

    #[test]
    fn every_field_is_documented() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/emulator_recordings.md");
        let text = std::fs::read_to_string(path).unwrap();
        for name in NAMES {
            assert!(text.contains(&format!("| `{name}` |")), "{name}");
        }
    }

    /// A writer that takes nothing.
    struct FullDisk;

    impl Write for FullDisk {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_writers_error_is_told_in_the_end() {
        for format in [TraceFormat::Csv, TraceFormat::JsonLines] {
            let mut topology = Topology::new();
            let alone = topology.host("alone");
            let mut trace = Trace::new(&topology, format, FullDisk).unwrap();
            let length = QueueLength::default();
            let (link, from, to) = (LinkId(0), alone.into(), alone.into());
            trace.on_event(Instant::ZERO, &Event::Queue(QueueOnLink { length, link, from, to }));
            let error = trace.finish().err().map(|error| error.kind());
            assert_eq!(error, Some(io::ErrorKind::StorageFull));
        }
    }
}
