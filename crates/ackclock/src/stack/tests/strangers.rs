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

/// A stack whose link has verified all checksums.
fn trusting(address: &str) -> Host {
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
