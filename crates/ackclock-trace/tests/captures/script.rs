//! Captures written packet by packet.

use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::wire::{
    Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, SackBlocks, Timestamps, WriteChecksum,
    write_packet_header,
};
use ackclock_trace::{CaptureError, Connection, Observer, Settings, Summary, analyse};
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, Endianness, TsResolution};
use std::time::Duration;

/// An end of the connection that scripts are about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    A,
    B,
}

/// Sequence numbers of the SYNs.
pub(crate) const ISN: [u32; 2] = [1000, 2_000_000_000];

/// A segment. Sequence numbers are relative to the SYNs.
#[derive(Clone)]
pub(crate) struct Segment {
    pub(crate) at: Duration,
    from: End,
    ports: [u16; 2],
    isn: [u32; 2],
    header: Header,
    length: usize,
    captured: usize,
    id: u16,
    ipv6: bool,
}

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A segment with ACK and without payload.
pub(crate) fn segment(at: Duration, from: End, seq: u32, ack: u32) -> Segment {
    let header = Header { flags: Flags::ACK, window: 60_000, ..Header::default() };
    let length = 0;
    let new = Segment {
        at,
        from,
        ports: [4000, 9],
        isn: ISN,
        header,
        length,
        captured: usize::MAX,
        id: 0,
        ipv6: false,
    };
    new.numbers(seq, ack)
}

impl Segment {
    fn numbers(mut self, seq: u32, ack: u32) -> Self {
        let [a, b] = self.isn;
        let (mine, others) = if self.from == End::A { (a, b) } else { (b, a) };
        self.header.seq = SeqNumber(mine.wrapping_add(seq));
        self.header.ack = SeqNumber(others.wrapping_add(ack));
        self
    }

    pub(crate) fn flags(mut self, flags: Flags) -> Self {
        self.header.flags = flags;
        self
    }

    pub(crate) fn and(mut self, flags: Flags) -> Self {
        self.header.flags |= flags;
        self
    }

    pub(crate) fn payload(mut self, length: usize) -> Self {
        self.length = length;
        self
    }

    /// Bytes of the payload that are in the capture.
    pub(crate) fn captured(mut self, bytes: usize) -> Self {
        self.captured = bytes;
        self
    }

    pub(crate) fn window(mut self, window: u16) -> Self {
        self.header.window = window;
        self
    }

    pub(crate) fn options(mut self, options: Options) -> Self {
        self.header.options = options;
        self
    }

    pub(crate) fn timestamps(mut self, value: u32, echo: u32) -> Self {
        self.header.options.timestamps = Some(Timestamps { value, echo });
        self
    }

    /// SACK blocks of the other end's numbers.
    pub(crate) fn sack(mut self, blocks: &[(u32, u32)]) -> Self {
        let base = SeqNumber(self.isn[usize::from(self.from == End::A)]);
        let mut list = SackBlocks::EMPTY;
        for &(start, end) in blocks {
            assert!(list.push(SeqRange::new(base + start, base + end)));
        }
        self.header.options.sack = list;
        self
    }

    pub(crate) fn id(mut self, id: u16) -> Self {
        self.id = id;
        self
    }

    /// Of another connection: from another port, with these initial sequence numbers.
    pub(crate) fn port(mut self, port: u16) -> Self {
        self.ports[0] = port;
        self
    }

    pub(crate) fn isn(mut self, isn: [u32; 2]) -> Self {
        let [a, b] = self.isn;
        let (mine, others) = if self.from == End::A { (a, b) } else { (b, a) };
        let (seq, ack) =
            (self.header.seq.0.wrapping_sub(mine), self.header.ack.0.wrapping_sub(others));
        self.isn = isn;
        self.numbers(seq, ack)
    }

    pub(crate) fn ipv6(mut self) -> Self {
        self.ipv6 = true;
        self
    }

    /// The IP packet, and its length on the wire.
    pub(crate) fn bytes(&self) -> (Vec<u8>, u32) {
        let address = |n: u16| match self.ipv6 {
            false => std::net::Ipv4Addr::new(10, 0, 0, n as u8).into(),
            true => std::net::Ipv6Addr::new(0xfd09, 0, 0, 0, 0, 0, 0, n).into(),
        };
        let (mut source, mut destination) =
            ((address(1), self.ports[0]), (address(2), self.ports[1]));
        if self.from == End::B {
            (source, destination) = (destination, source);
        }
        let mut header = self.header;
        (header.source_port, header.destination_port) = (source.1, destination.1);
        let ip = IpInfo {
            source: source.0,
            destination: destination.0,
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let mut place = [0; MAX_HEADER];
        let payload = vec![0; self.length];
        let sum = WriteChecksum::PseudoHeader;
        let length = write_packet_header(&mut place, &ip, &header, [&payload, &[]], sum);
        let mut bytes = place[..length].to_vec();
        if !self.ipv6 {
            bytes[4..6].copy_from_slice(&self.id.to_be_bytes());
        }
        bytes.extend(&payload[..self.length.min(self.captured)]);
        (bytes, (length + self.length) as u32)
    }
}

/// SYN, SYN-ACK and ACK with MSS 1000, no scaling, SACK if asked for, and a round trip of 40 ms as
/// a sees it.
pub(crate) fn handshake(sack_permitted: bool) -> Vec<Segment> {
    let options = Options { mss: Some(1000), sack_permitted, ..Options::default() };
    vec![
        segment(ms(0), End::A, 0, 0).flags(Flags::SYN).options(options),
        segment(ms(40), End::B, 0, 1).and(Flags::SYN).options(options),
        segment(ms(40), End::A, 1, 1),
    ]
}

/// A pcap file of raw IP packets.
pub(crate) fn pcap(segments: &[Segment]) -> Vec<u8> {
    pcap_as(segments, DataLink::RAW, TsResolution::NanoSecond, Endianness::Little, &[])
}

/// A pcap file whose packets have this in front.
pub(crate) fn pcap_as(
    segments: &[Segment],
    datalink: DataLink,
    ts_resolution: TsResolution,
    endianness: Endianness,
    link_header: &[u8],
) -> Vec<u8> {
    let header = PcapHeader {
        snaplen: 1 << 18,
        datalink,
        ts_resolution,
        endianness,
        ..PcapHeader::default()
    };
    let mut writer = PcapWriter::with_header(Vec::new(), header).expect("a header");
    for segment in segments {
        let (ip, on_wire) = segment.bytes();
        let bytes = [link_header, &ip].concat();
        let on_wire = on_wire + link_header.len() as u32;
        writer.write_packet(&PcapPacket::new(segment.at, on_wire, &bytes)).expect("a packet");
    }
    writer.into_writer()
}

/// All that was told.
#[derive(Default)]
pub(crate) struct Told(pub(crate) Vec<Connection>);

impl Observer for Told {
    fn on_connection(&mut self, connection: &Connection) {
        self.0.push(connection.clone());
    }
}

/// What is found in a file.
pub(crate) fn read(file: &[u8]) -> (Vec<Connection>, Summary, Result<(), CaptureError>) {
    let mut told = Told::default();
    let (summary, result) = analyse(file, Settings::default(), &mut told);
    (told.0, summary, result)
}

/// The connections of a capture of these segments.
#[track_caller]
pub(crate) fn connections(segments: &[Segment]) -> Vec<Connection> {
    let (connections, summary, result) = read(&pcap(segments));
    result.expect("the capture is whole");
    assert_eq!(summary.tcp_packets, segments.len() as u64);
    connections
}

/// The only one.
#[track_caller]
pub(crate) fn connection(segments: &[Segment]) -> Connection {
    let [connection] = <[_; 1]>::try_from(connections(segments)).expect("one connection");
    connection
}
