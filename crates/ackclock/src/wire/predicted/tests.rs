//! The templates and the general reader and writer agree on every packet.

use super::*;
use crate::seq::{SeqNumber, SeqRange};
use crate::wire::{
    Checksum, Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, Protocol, SackBlocks,
    Segment, Timestamps, WriteChecksum, complete_checksum, parse_packet, write_packet_header,
};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::vec::Vec;

const ECN: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];
const VERIFY: [Checksums; 4] = [
    Checksums { ip: false, transport: false },
    Checksums { ip: false, transport: true },
    Checksums { ip: true, transport: false },
    Checksums { ip: true, transport: true },
];
const WRITE: [WriteChecksum; 2] = [WriteChecksum::Complete, WriteChecksum::PseudoHeader];
const TIMESTAMPS: Timestamps = Timestamps { value: 0x0102_0304, echo: 0x0506_0708 };

/// Two ends: addresses of one family, each with a port.
type Ends = [(IpAddr, u16); 2];

const V4_ENDS: Ends = [
    (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 80),
    (IpAddr::V4(Ipv4Addr::new(192, 168, 7, 200)), 40_000),
];
const V6_ENDS: Ends = [
    (IpAddr::V6(Ipv6Addr::new(0xfd00, 1, 2, 3, 4, 5, 6, 7)), 80),
    (IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0x8000, 0, 0x7fff, 0xfffe)), 40_000),
];

/// A template of these ends that served others of either family before.
fn write_template(ends: Ends) -> WriteTemplate {
    let mut template = WriteTemplate::EMPTY;
    let of_other_family = if ends[0].0.is_ipv4() { V6_ENDS } else { V4_ENDS };
    for ends in [V4_ENDS, V6_ENDS, of_other_family, ends] {
        assert!(template.begin(ends.map(|(address, port)| (address.into(), port))));
        let fields = WriteFields {
            hop_limit: 0xff,
            dscp: 0x3f,
            ecn: Ecn::Ce,
            seq: SeqNumber(u32::MAX),
            ack: SeqNumber(u32::MAX),
            flags: Flags::from_bits(0xfff),
            window: u16::MAX,
            timestamps: Some(Timestamps { value: u32::MAX, echo: u32::MAX }),
        };
        template.write(&fields, [&[0xff; 9], &[]], WriteChecksum::Complete);
    }
    template
}

fn ends() -> impl Strategy<Value = Ends> {
    let port = || 1..=u16::MAX;
    let v4 = || any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from(bits % 0xdfff_ffff + 1)));
    let v6 = || any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from((bits >> 1) | 1)));
    prop_oneof![
        (v4(), port(), v4(), port()).prop_map(|(a, p, b, q)| [(a, p), (b, q)]),
        (v6(), port(), v6(), port()).prop_map(|(a, p, b, q)| [(a, p), (b, q)]),
    ]
}

fn timestamps() -> impl Strategy<Value = Timestamps> {
    any::<(u32, u32)>().prop_map(|(value, echo)| Timestamps { value, echo })
}

fn fields() -> impl Strategy<Value = WriteFields> {
    let flags = prop_oneof![select(vec_of_flags()), any::<u16>().prop_map(Flags::from_bits),];
    let ip = (any::<u8>(), 0..64u8, select(&ECN[..]));
    (ip, any::<(u32, u32, u16)>(), flags, prop::option::of(timestamps())).prop_map(
        |((hop_limit, dscp, ecn), (seq, ack, window), flags, timestamps)| WriteFields {
            hop_limit,
            dscp,
            ecn,
            seq: SeqNumber(seq),
            ack: SeqNumber(ack),
            flags,
            window,
            timestamps,
        },
    )
}

fn vec_of_flags() -> Vec<Flags> {
    let ack = Flags::ACK;
    [ack, ack | Flags::PSH, ack | Flags::PSH | Flags::FIN].to_vec()
}

/// What the general writer writes of these fields.
fn general([source, destination]: Ends, fields: &WriteFields) -> (IpInfo, Header) {
    let &WriteFields { hop_limit, dscp, ecn, seq, ack, flags, window, timestamps } = fields;
    let (from, to) = (source.0.into(), destination.0.into());
    let ip = IpInfo { source: from, destination: to, hop_limit, dscp, ecn };
    let header = Header {
        source_port: source.1,
        destination_port: destination.1,
        seq,
        ack,
        flags,
        window,
        urgent_pointer: 0,
        options: Options { timestamps, ..Options::default() },
    };
    (ip, header)
}

/// A packet with a right checksum.
fn packet(ip: &IpInfo, header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut bytes = [0; MAX_HEADER];
    let sum = WriteChecksum::Complete;
    let len = write_packet_header(&mut bytes, ip, header, [payload, &[]], sum);
    [&bytes[..len], payload].concat()
}

/// An ack with this payload.
fn ack(ends: Ends, timestamps: Option<Timestamps>, payload: &[u8]) -> Vec<u8> {
    let fields = WriteFields {
        hop_limit: 64,
        dscp: 3,
        ecn: Ecn::Ect0,
        seq: SeqNumber(0x8765_4321),
        ack: SeqNumber(0xfedc_ba98),
        flags: Flags::ACK | Flags::PSH,
        window: 1_000,
        timestamps,
    };
    let (ip, header) = general(ends, &fields);
    packet(&ip, &header, payload)
}

fn parse(packet: &[u8], verify: Checksums) -> Option<Segment<'_>> {
    match parse_packet(packet, verify).ok()?.protocol {
        Protocol::Tcp(segment) => Some(segment),
        _ => None,
    }
}

fn template_after(packet: &[u8]) -> ReadTemplate {
    let segment = parse(packet, Checksums::default()).expect("a segment");
    ReadTemplate::after(&segment).expect("of a connection")
}

/// What the template reads, which must be what the general reader does, or nothing.
fn read<'a>(
    template: &ReadTemplate,
    ends: Ends,
    packet: &'a [u8],
    verify: Checksums,
) -> Option<PredictedSegment<'a>> {
    let read = template.read(packet, verify)?;
    let segment = parse(packet, verify);
    let segment = segment.unwrap_or_else(|| panic!("refused: {:?}", parse_packet(packet, verify)));
    assert_eq!(Some(read), PredictedSegment::of(&segment));
    let Segment { ip, header, .. } = segment;
    let source = (IpAddr::from(ip.source), header.source_port);
    let destination = (IpAddr::from(ip.destination), header.destination_port);
    assert_eq!([source, destination], ends, "of another connection");
    Some(read)
}

/// Makes the checksums right that a change has made wrong.
fn mend(packet: &mut [u8]) {
    if packet.first().is_some_and(|first| first >> 4 == 4) {
        let len = usize::from(packet[0] & 0xf) * 4;
        if let Some(header) = packet.get_mut(..len.max(12)) {
            header[10..12].fill(0);
            let sum = Checksum::default().over(header).complement();
            header[10..12].copy_from_slice(&sum.to_be_bytes());
        }
    }
    complete_checksum(packet);
}

/// A change of a packet's form.
#[derive(Clone, Copy, Debug)]
enum Form {
    Whole,
    /// Bytes beyond what the headers say.
    Padded(usize),
    /// Cut off.
    Cut(usize),
    /// Four bytes of IPv4 options, or eight of an IPv6 extension header.
    Extended,
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        3 => Just(Form::Whole),
        1 => (1..20usize).prop_map(Form::Padded),
        1 => (0..100usize).prop_map(Form::Cut),
        1 => Just(Form::Extended),
    ]
}

impl Form {
    fn apply(self, packet: &mut Vec<u8>) {
        match self {
            Form::Whole => {}
            Form::Padded(more) => packet.resize(packet.len() + more, 0xa5),
            Form::Cut(len) => packet.truncate(len),
            Form::Extended if packet[0] >> 4 == 4 => {
                packet[0] += 1;
                packet[3] = packet[3].wrapping_add(4);
                packet.splice(20..20, [1; 4]);
            }
            Form::Extended => {
                let next = core::mem::replace(&mut packet[6], 60);
                packet[5] = packet[5].wrapping_add(8);
                packet.splice(40..40, [next, 0, 1, 4, 0, 0, 0, 0]);
            }
        }
    }
}

fn options() -> impl Strategy<Value = Options> {
    let block = |(start, len)| {
        let mut blocks = SackBlocks::EMPTY;
        blocks.push(SeqRange::from_len(SeqNumber(start), len));
        blocks
    };
    let sack = prop_oneof![
        2 => Just(SackBlocks::EMPTY),
        1 => any::<(u32, u32)>().prop_map(block),
    ];
    let mss = prop_oneof![3 => Just(None), 1 => any::<u16>().prop_map(Some)];
    (mss, prop::option::of(timestamps()), sack).prop_map(|(mss, timestamps, sack)| Options {
        mss,
        timestamps,
        sack,
        ..Options::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn whatever_is_read_is_what_the_general_reader_reads(
        ends in ends(),
        timestamps in prop::option::of(timestamps()),
        fields in fields(),
        urgent_pointer in any::<u16>(),
        options in options(),
        payload in vec(any::<u8>(), 0..40),
        form in form(),
        changes in vec((0..80usize, 1..=u8::MAX), 0..3),
        mended in any::<bool>(),
        verify in select(&VERIFY[..]),
    ) {
        let template = template_after(&ack(ends, timestamps, &[]));
        let (ip, header) = general(ends, &fields);
        let mut next = packet(&ip, &Header { urgent_pointer, options, ..header }, &payload);
        form.apply(&mut next);
        for (at, change) in changes {
            if let Some(byte) = next.get_mut(at) {
                *byte ^= change;
            }
        }
        if mended {
            mend(&mut next);
        }
        read(&template, ends, &next, verify);
    }

    #[test]
    fn the_next_packet_of_a_connection_is_read(
        ends in ends(),
        fields in fields(),
        push in any::<bool>(),
        payload in vec(any::<u8>(), 0..300),
        padding in 0..3usize,
        verify in select(&VERIFY[..]),
    ) {
        let template = template_after(&ack(ends, fields.timestamps, &[]));
        let flags = if push { Flags::ACK | Flags::PSH } else { Flags::ACK };
        let (ip, header) = general(ends, &WriteFields { flags, ..fields });
        let mut next = packet(&ip, &header, &payload);
        next.resize(next.len() + padding, 7);
        let segment = PredictedSegment {
            seq: fields.seq,
            ack: fields.ack,
            push,
            window: fields.window,
            ecn: fields.ecn,
            timestamps: fields.timestamps,
            payload: &payload,
        };
        prop_assert_eq!(read(&template, ends, &next, verify), Some(segment));
    }

    #[test]
    fn whatever_is_written_is_what_the_general_writer_writes(
        ends in ends(),
        packets in vec((fields(), vec(any::<u8>(), 0..200), 0..200usize, select(&WRITE[..])), 1..6),
    ) {
        let mut template = write_template(ends);
        for (fields, payload, middle, checksum) in packets {
            let payload: [&[u8]; 2] = payload.split_at(middle.min(payload.len())).into();
            let mut expected = [0; MAX_HEADER];
            let (ip, header) = general(ends, &fields);
            let len = write_packet_header(&mut expected, &ip, &header, payload, checksum);
            prop_assert_eq!(template.write(&fields, payload, checksum), &expected[..len]);
            let transport = if ends[0].0.is_ipv4() { 20 } else { 40 };
            prop_assert_eq!(template.transport_offset(), transport);
        }
    }

    #[test]
    fn full_segments_in_a_row_have_the_headers_of_the_general_writer(
        ends in ends(),
        fields in fields(),
        payload in vec(any::<u8>(), 1..400),
        segments in 1..8usize,
        checksum in select(&WRITE[..]),
    ) {
        let mut template = write_template(ends);
        let len = payload.len() / segments;
        template.prepare(&fields, len, checksum);
        for n in 0..segments {
            let part = &payload[n * len..][..len];
            let part: [&[u8]; 2] = part.split_at(len / 3).into();
            let seq = fields.seq + (n * len) as u32;
            let (ip, header) = general(ends, &WriteFields { seq, ..fields });
            let mut expected = [0; MAX_HEADER];
            let len = write_packet_header(&mut expected, &ip, &header, part, checksum);
            prop_assert_eq!(template.write_next(seq, part), &expected[..len]);
        }
    }
}

/// Bytes of an IPv4 header in which nothing is compared, with those bits: type of service,
/// identification, the first two flags, time to live and checksum.
const V4_VARYING: [(usize, u8); 7] =
    [(1, 0xff), (4, 0xff), (5, 0xff), (6, 0xc0), (8, 0xff), (10, 0xff), (11, 0xff)];
/// The same of IPv6: traffic class, flow label and hop limit.
const V6_VARYING: [(usize, u8); 5] = [(0, 0x0f), (1, 0xff), (2, 0xff), (3, 0xff), (7, 0xff)];
/// The same of TCP: sequence numbers, PSH, window, checksum and urgent pointer.
const TCP_VARYING: [(usize, u8); 15] = [
    (4, 0xff),
    (5, 0xff),
    (6, 0xff),
    (7, 0xff),
    (8, 0xff),
    (9, 0xff),
    (10, 0xff),
    (11, 0xff),
    (13, 0x08),
    (14, 0xff),
    (15, 0xff),
    (16, 0xff),
    (17, 0xff),
    (18, 0xff),
    (19, 0xff),
];

#[test]
fn every_other_bit_of_the_headers_must_be_that_of_the_connection() {
    for (ends, timestamps) in [V4_ENDS, V6_ENDS]
        .into_iter()
        .flat_map(|ends| [None, Some(TIMESTAMPS)].map(|timestamps| (ends, timestamps)))
    {
        let intact = ack(ends, timestamps, &[1; 28]);
        let template = template_after(&intact);
        let (tcp, length_at, varying) = match ends[0].0 {
            IpAddr::V4(_) => (20, 2, &V4_VARYING[..]),
            IpAddr::V6(_) => (40, 4, &V6_VARYING[..]),
        };
        let headers = intact.len() - 28;
        let varies = |at: usize, bit: u8| {
            let of_tcp = |(byte, bits)| (tcp + byte, bits);
            let listed = varying.iter().copied().chain(TCP_VARYING.map(of_tcp));
            let mut listed = listed.filter(|&(byte, bits)| byte == at && bits & bit != 0);
            listed.next().is_some() || at >= tcp + 24
        };
        for (at, bit) in (0..headers).flat_map(|at| (0..8).map(move |bit| (at, 1 << bit))) {
            let mut bytes = intact.clone();
            bytes[at] ^= bit;
            let is_read = read(&template, ends, &bytes, VERIFY[0]).is_some();
            let expected = if (length_at..length_at + 2).contains(&at) {
                // A length that the packet has, and that leaves room for the headers.
                let length = u16::from_be_bytes([bytes[length_at], bytes[length_at + 1]]);
                let length = usize::from(length) + if tcp == 20 { 0 } else { tcp };
                (headers..=bytes.len()).contains(&length)
            } else {
                varies(at, bit)
            };
            assert_eq!(is_read, expected, "{ends:?} {timestamps:?} byte {at} bit {bit:#x}");
        }
    }
}

#[test]
fn a_damaged_or_shortened_packet_is_not_read() {
    for (ends, timestamps) in [V4_ENDS, V6_ENDS]
        .into_iter()
        .flat_map(|ends| [None, Some(TIMESTAMPS)].map(|timestamps| (ends, timestamps)))
    {
        let intact = ack(ends, timestamps, &[1; 28]);
        let template = template_after(&intact);
        assert!(template.read(&intact, Checksums::default()).is_some());
        // IPv6 has no sum of the traffic class, the flow label and the hop limit.
        let summed = if ends[0].0.is_ipv4() { 0..intact.len() } else { 8..intact.len() };
        for at in summed {
            let mut bytes = intact.clone();
            bytes[at] ^= 0x10;
            assert_eq!(template.read(&bytes, Checksums::default()), None, "{ends:?} byte {at}");
        }
        for len in 0..intact.len() {
            assert_eq!(template.read(&intact[..len], VERIFY[0]), None, "{ends:?} {len} bytes");
        }
    }
}

#[test]
fn ends_that_no_connection_has_have_no_template() {
    let bytes = ack(V4_ENDS, None, &[]);
    let segment = parse(&bytes, Checksums::default()).expect("a segment");
    let with_source = |source: IpAddr| {
        let ip = IpInfo { source: source.into(), ..segment.ip };
        ReadTemplate::after(&Segment { ip, ..segment })
    };
    let with_port = |source_port| {
        let header = Header { source_port, ..segment.header };
        ReadTemplate::after(&Segment { header, ..segment })
    };
    assert!(with_source(Ipv4Addr::new(10, 0, 0, 9).into()).is_some());
    assert!(with_source(Ipv6Addr::LOCALHOST.into()).is_none());
    assert!(with_port(1).is_some());
    assert!(with_port(0).is_none());
    let mixed = [V4_ENDS[0], V6_ENDS[1]].map(|(address, port)| (address.into(), port));
    let mut template = WriteTemplate::EMPTY;
    assert!(!template.begin(mixed));
}

#[test]
fn lengths_beyond_the_field_are_written_as_the_general_writer_does() {
    let payload = [7; 65_535];
    for (ends, len) in [V4_ENDS, V6_ENDS]
        .into_iter()
        .flat_map(|ends| [65_494, 65_496, 65_504, 65_516, 65_535].map(|len| (ends, len)))
    {
        let fields = WriteFields {
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
            seq: SeqNumber(1),
            ack: SeqNumber(2),
            flags: Flags::ACK,
            window: 3,
            timestamps: None,
        };
        let (ip, header) = general(ends, &fields);
        let payload = [&payload[..len], &[]];
        let mut expected = [0; MAX_HEADER];
        let sum = WriteChecksum::Complete;
        let header_len = write_packet_header(&mut expected, &ip, &header, payload, sum);
        let mut template = write_template(ends);
        assert_eq!(template.write(&fields, payload, sum), &expected[..header_len], "{len}");
    }
}
