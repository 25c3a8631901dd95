//! Packets that belong to nobody, ICMP, and bytes without sense.

use super::*;
use crate::tcp::{Error, ReceiveError};
use crate::wire;
use crate::wire::Ecn;
use proptest::prelude::*;

/// An IPv4 packet; its checksums are not computed.
pub(super) fn ipv4(source: [u8; 4], destination: [u8; 4], protocol: u8, payload: &[u8]) -> Vec<u8> {
    let len = 20 + payload.len() as u16;
    let mut packet =
        std::vec![0x45, 0, (len >> 8) as u8, len as u8, 0, 0, 0x40, 0, 64, protocol, 0, 0];
    packet.extend(source);
    packet.extend(destination);
    packet.extend(payload);
    packet
}

/// An echo request to the destination of `ip` from its source, with a wrong checksum.
pub(super) fn echo_request(ip: &wire::IpInfo) -> Vec<u8> {
    let mut header = [0; wire::MAX_HEADER];
    let request = wire::EchoRequest { identifier: 7, sequence: 1, data: b"" };
    let len = wire::write_echo_reply(&mut header, ip, &request);
    header[len - 8] = if ip.source.is_ipv4() { 8 } else { 128 };
    header[..len].to_vec()
}

/// A stack whose link has verified all checksums.
pub(super) fn trusting(address: &str) -> Host {
    let mut config = config();
    config.link.verify = Checksums { ip: false, transport: false };
    host_with(address, config)
}

const ICMP: u8 = 1;

#[test]
fn an_echo_request_is_answered() {
    let mut host = trusting(SERVER);
    let request = [8, 0, 0, 0, 0x12, 0x34, 0, 1, b'h', b'i'];
    host.on_packet(millis(0), &ipv4([10, 0, 0, 1], [10, 0, 0, 2], ICMP, &request));
    host.on_packet(millis(0), &ipv4([10, 0, 0, 1], [10, 0, 0, 9], ICMP, &request));
    let replies = packets(millis(0), &mut host);
    assert_eq!(replies.len(), 1);
    assert_eq!(replies[0][12..20], [10, 0, 0, 2, 10, 0, 0, 1]);
    assert_eq!(replies[0][20..22], [0, 0]);
    assert_eq!(replies[0][24..], [0x12, 0x34, 0, 1, b'h', b'i']);
    let statistics = host.statistics();
    assert_eq!((statistics.echo_replies, statistics.not_for_us), (1, 1));
}

/// RFC 792 gives the code of an echo no meaning, and Linux does not look at it.
#[test]
fn an_echo_request_is_answered_whatever_its_code() {
    for (from, to, request) in [(CLIENT, SERVER, 8), ("2001:db8::1", "2001:db8::2", 128)] {
        let mut host = trusting(to);
        let [source, destination] = [from, to].map(|ip| ip.parse::<IpAddr>().unwrap().into());
        let ip = wire::IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
        let mut ping = echo_request(&ip);
        let at = ping.len() - 8;
        ping[at + 1] = 5;
        host.on_packet(millis(0), &ping);
        let replies = packets(millis(0), &mut host);
        assert_eq!(replies.len(), 1);
        assert_eq!(replies[0][at..at + 2], [if request == 8 { 0 } else { 129 }, 0]);
    }
}

/// RFC 8200 section 4.2: a TCP segment behind an option that nobody knows and whose first two bits are
/// `action`, and what the host says of it.
fn answer_to_option(action: u8, protocol: u8) -> (u64, Vec<Vec<u8>>) {
    let mut host = trusting("2001:db8::2");
    let mut client = host_with("2001:db8::1", config());
    host.listen(ListenConfig::new(addr("[::]:80"))).unwrap();
    client.connect(millis(0), addr("[2001:db8::2]:80"), None, &Config::default()).unwrap();
    let mut packet = packets(millis(0), &mut client).remove(0);
    // Hop-by-hop options: a pad of one byte, and the option, which has three bytes.
    packet[6] = 0;
    packet[5] += 8;
    packet.splice(40..40, [protocol, 0, 0, action | 0x1e, 3, 1, 2, 3]);
    host.on_packet(millis(0), &packet);
    let answers = packets(millis(0), &mut host);
    if let [answer] = &answers[..]
        && answer[6] == 58
    {
        assert_eq!(answer[8..24], packet[24..40]);
        assert_eq!(answer[24..40], packet[8..24]);
        assert_eq!(answer[48..], packet, "the whole packet");
    }
    (host.statistics().bad_header, answers)
}

#[test]
fn an_option_that_nobody_knows_is_skipped_or_its_packet_dropped_as_it_says() {
    const TCP: u8 = 6;
    let (bad, answers) = answer_to_option(0x00, TCP);
    assert_eq!(bad, 0);
    assert_eq!(segment(&answers[0]).header.flags, Flags::SYN | Flags::ACK);
    assert_eq!(answer_to_option(0x40, TCP), (1, Vec::new()));
    for action in [0x80, 0xc0] {
        let (bad, answers) = answer_to_option(action, TCP);
        assert_eq!((bad, answers.len()), (1, 1));
        // ICMPv6, parameter problem, unrecognized option, at byte 43.
        assert_eq!(answers[0][6], 58);
        assert_eq!(answers[0][40..42], [4, 2]);
        assert_eq!(answers[0][44..48], [0, 0, 0, 43]);
        // What begins like an ICMPv6 error (type 0x9c and above are none) is answered too.
        assert_eq!(answer_to_option(action, 58).1.len(), 1);
    }
}

/// RFC 4443 section 2.4 (e.1) and (f).
#[test]
fn errors_are_not_answered_and_others_not_without_limit() {
    let ip = |from: &str, to: &str| {
        let [source, destination] = [from, to].map(|ip| ip.parse::<IpAddr>().unwrap().into());
        wire::IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct }
    };
    let mut packet = echo_request(&ip("2001:db8::1", "2001:db8::2"));
    packet[6] = 60;
    packet[5] += 8;
    packet.splice(40..40, [58, 0, 0xdf, 4, 0, 0, 0, 0]);
    let mut host = trusting("2001:db8::2");
    packet[48] = 1;
    host.on_packet(millis(0), &packet);
    assert_eq!(packets(millis(0), &mut host), Vec::<Vec<u8>>::new(), "an error");
    packet[48] = 128;
    let answers = (0..1_000).map(|_| {
        host.on_packet(millis(0), &packet);
        packets(millis(0), &mut host).len()
    });
    assert_eq!(answers.sum::<usize>(), 10);
    assert_eq!(host.statistics().bad_header, 1_001);
}

/// As Linux does.
#[test]
fn a_syn_that_is_a_fin_too_opens_nothing() {
    let mut pair = Pair::new();
    pair.listen();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    let both = with_header(&syn, |header| header.flags = Flags::SYN | Flags::FIN);
    pair.server.on_packet(pair.now, &both);
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
    assert!(pair.server.poll_at().is_never(), "no half-open connection");
}

#[test]
fn an_icmp_error_reaches_the_connection_it_quotes() {
    let mut host = trusting(CLIENT);
    let handle = host.connect(millis(0), addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    let syn = packets(millis(0), &mut host).remove(0);
    let quote = |change: u8| {
        let mut quoted = syn[..28].to_vec();
        quoted[24] ^= change;
        let message = [&[3, 3, 0, 0, 0, 0, 0, 0][..], &quoted].concat();
        ipv4([10, 0, 0, 2], [10, 0, 0, 1], ICMP, &message)
    };
    host.on_packet(millis(1), &quote(0x40));
    assert_eq!(host.statistics().icmp_ignored, 1, "that number is not in flight");
    assert!(!host.readiness(handle).unwrap().closed);
    host.on_packet(millis(1), &quote(0));
    assert_eq!(host.statistics().icmp_errors, 1);
    assert_eq!(host.info(millis(1), handle).unwrap().error, Some(Error::Refused));
}

#[test]
fn each_packet_that_ends_early_is_counted() {
    let mut host = trusting(SERVER);
    let (from, to) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let tcp = |flags: u8| [0, 9, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, flags, 0, 0, 0, 0, 0, 0];
    host.on_packet(millis(0), &[]);
    host.on_packet(millis(0), &ipv4(from, to, 17, &[0; 8]));
    host.on_packet(millis(0), &ipv4(from, [10, 0, 0, 9], 6, &tcp(2)));
    host.on_packet(millis(0), &ipv4([10, 0, 0, 255], to, 6, &tcp(2)));
    host.on_packet(millis(0), &ipv4(from, to, 6, &tcp(4)));
    host.on_packet(millis(0), &ipv4(from, to, 6, &tcp(0x10)));
    let statistics = *host.statistics();
    assert_eq!((statistics.packets_received, statistics.malformed), (6, 1));
    assert_eq!((statistics.unknown_protocol, statistics.not_for_us), (1, 1));
    assert_eq!((statistics.bad_address, statistics.no_connection), (1, 2));
    assert_eq!(shape(&packets(millis(0), &mut host)), [(Flags::RST, "".into())]);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        all in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..90), 0_u64..1 << 40), 1..40),
    ) {
        let mut host = trusting(SERVER);
        let any = ListenConfig { any_destination: true, ..ListenConfig::new(addr("0.0.0.0:0")) };
        host.listen(any).unwrap();
        for (bytes, time) in all {
            let now = Instant::from_nanos(time);
            host.on_packet(now, &bytes);
            host.on_packet(now, &ipv4([10, 0, 0, 1], [10, 0, 0, 2], 6, &bytes));
            host.on_packet(now, &ipv4([10, 0, 0, 1], [10, 0, 0, 2], ICMP, &bytes));
            host.on_timeout(now);
            packets(now, &mut host);
        }
    }

    /// Segments near to what a connection expects, in every order, at a listener with room.
    #[test]
    fn no_segments_make_it_panic(
        segments in prop::collection::vec(
            (0_u16..512, 0_u32..4, 0_u32..4, 0_usize..40, 0_u64..70_000), 1..60),
    ) {
        let mut pair = Pair::new();
        let (client, server) = pair.established();
        pair.client.send(pair.now, client, b"something").unwrap();
        let like = packets(pair.now, &mut pair.client).remove(0);
        let like = segment(&like);
        for (flags, seq, ack, len, wait) in segments {
            let mut header = like.header;
            header.flags = Flags::from_bits(flags);
            header.seq = header.seq + seq - 2;
            header.ack = header.ack + ack - 2;
            header.urgent_pointer = len as u16;
            let payload = &[1; 40][..len];
            let mut bytes = [0; wire::MAX_HEADER];
            let ip = wire::IpInfo { ecn: Ecn::NotEct, ..like.ip };
            let complete = wire::WriteChecksum::Complete;
            let n = wire::write_packet_header(&mut bytes, &ip, &header, [payload, &[]], complete);
            pair.server.on_packet(pair.now, &[&bytes[..n], payload].concat());
            let _ = pair.server.send(pair.now, server, payload);
            packets(pair.now, &mut pair.server);
            pair.now += Duration::from_millis(wait);
            pair.server.on_timeout(pair.now);
            events(&mut pair.server);
        }
    }
}

/// MUST-3.
#[test]
fn a_damaged_segment_is_dropped() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.send(pair.now, client, b"whole").unwrap();
    let mut data = packets(pair.now, &mut pair.client).remove(0);
    let last = data.len() - 1;
    data[last] ^= 1;
    pair.server.on_packet(pair.now, &data);
    assert_eq!(pair.server.received(server), Err(ReceiveError::WouldBlock));
    data[last] ^= 1;
    pair.server.on_packet(pair.now, &data);
    assert_eq!(pair.server.received(server), Ok([&b"whole"[..], &[]]));
    assert_eq!(pair.server.statistics().bad_checksum, 1);
}
