//! Numbered requirements of RFC 9293 that no other test shows by the way.

use super::*;
use crate::tcp::{ConfigError, Keepalive};
use crate::wire::{self, IcmpErrorKind};

/// Hands a SYN from 10.0.0.1 to `to` to a proxy that takes any destination.
fn syn_to(to: IpAddr) -> Host {
    let mut client = host_with(CLIENT, config());
    client.connect(millis(0), addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    let syn = packets(millis(0), &mut client).remove(0);
    let parsed = segment(&syn);
    let ip = wire::IpInfo { destination: to, ..parsed.ip };
    let mut server = host_with(SERVER, config());
    let any = ListenConfig { any_destination: true, ..ListenConfig::new(addr("0.0.0.0:0")) };
    server.listen(any).unwrap();
    server.on_packet(millis(0), &packet_of(&ip, &parsed.header));
    server
}

/// MUST-57, also where a listener takes any destination.
#[test]
fn a_syn_to_a_group_is_dropped_silently() {
    for to in ["10.0.0.255", "255.255.255.255", "224.0.0.1"] {
        let mut server = syn_to(to.parse().unwrap());
        assert_eq!(packets(millis(0), &mut server), Vec::<Vec<u8>>::new(), "{to}");
        assert_eq!(server.statistics().bad_address, 1, "{to}");
    }
    let mut server = syn_to("10.0.0.254".parse().unwrap());
    assert_eq!(packets(millis(0), &mut server).len(), 1);
}

/// MUST-32: the application hears of urgent data, and of each advance of the pointer.
#[test]
fn each_advance_of_the_urgent_pointer_is_an_event() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.send_urgent(pair.now, client, b"abc").unwrap();
    let like = packets(pair.now, &mut pair.client).remove(0);
    let told = |pair: &mut Pair, pointer| {
        let packet = with_header(&like, |header| header.urgent_pointer = pointer);
        pair.server.on_packet(pair.now, &packet);
        let events = events(&mut pair.server).len();
        (events, pair.server.urgent_ahead(server))
    };
    events(&mut pair.server);
    assert_eq!(told(&mut pair, 3), (1, Some(3)));
    assert!(pair.server.readiness(server).unwrap().urgent);
    assert_eq!(told(&mut pair, 3), (0, Some(3)));
    assert_eq!(told(&mut pair, 2), (0, Some(3)), "RCV.UP only moves forward");
    assert_eq!(told(&mut pair, 10), (1, Some(10)));
    pair.server.on_packet(pair.now, &like);
    assert_eq!(pair.server.consume(pair.now, server, 3), Ok(()));
    assert_eq!(pair.server.urgent_ahead(server), Some(7));
    events(&mut pair.server);
    assert_eq!(told(&mut pair, 9), (0, Some(7)), "of old data");
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
    assert_eq!(pair.server.received(server), Ok([&[][..], &[]]));
    data[last] ^= 1;
    pair.server.on_packet(pair.now, &data);
    assert_eq!(pair.server.received(server), Ok([&b"whole"[..], &[]]));
    assert_eq!(pair.server.statistics().bad_checksum, 1);
}

/// MUST-10.
#[test]
fn both_sides_may_open_at_once() {
    let mut pair = Pair::new();
    let (here, there) = (addr("10.0.0.1:4000"), addr("10.0.0.2:5000"));
    let settings = Config::default();
    let client = pair.client.connect(pair.now, there, Some(here), &settings).unwrap();
    let server = pair.server.connect(pair.now, here, Some(there), &settings).unwrap();
    // Figure 7: both SYNs are on their way before either arrives.
    let syn = packets(pair.now, &mut pair.client).remove(0);
    let other = packets(pair.now, &mut pair.server).remove(0);
    pair.client.on_packet(pair.now, &other);
    pair.server.on_packet(pair.now, &syn);
    let answer = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&answer), [(Flags::SYN | Flags::ACK, "".into())]);
    pair.server.on_packet(pair.now, &answer[0]);
    pair.run();
    pair.client.send(pair.now, client, b"ping").unwrap();
    pair.server.send(pair.now, server, b"pong").unwrap();
    pair.run();
    assert_eq!(pair.server.received(server), Ok([&b"ping"[..], &[]]));
    assert_eq!(pair.client.received(client), Ok([&b"pong"[..], &[]]));
}

/// MUST-24 and MUST-27, by the call that applications have.
#[test]
fn keepalive_is_switched_on_and_off_for_an_open_connection() {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    assert_eq!(pair.client.poll_at(), Instant::FAR_FUTURE);
    let settings = Keepalive { idle: Duration::from_secs(100), ..Keepalive::default() };
    let none = Keepalive { count: 0, ..settings };
    let refused = SettingError::Config(ConfigError::Keepalive);
    assert_eq!(pair.client.set_keepalive(pair.now, client, Some(none)), Err(refused));
    assert_eq!(pair.client.set_keepalive(pair.now, client, Some(settings)), Ok(()));
    pair.wait();
    let probe = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&probe), [(Flags::ACK, "".into())]);
    pair.server.on_packet(pair.now, &probe[0]);
    assert_eq!(packets(pair.now, &mut pair.server).len(), 1, "it is answered");
    assert_eq!(pair.client.set_keepalive(pair.now, client, None), Ok(()));
    pair.wait();
    assert_eq!(packets(pair.now, &mut pair.client), Vec::<Vec<u8>>::new());
    pair.client.abort(pair.now, client).unwrap();
    let void = pair.client.set_keepalive(pair.now, client, None);
    assert_eq!(void, Err(SettingError::InvalidHandle));
}

/// MUST-41.
#[test]
fn listening_touches_no_connection() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let client = pair.connect();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    pair.server.close_listener(pair.now, listener);
    let again = pair.listen();
    let second = pair.server.listen(ListenConfig::new(addr("0.0.0.0:80")));
    assert_eq!(second, Err(ListenError::AddressInUse));
    pair.client.send(pair.now, client, b"still here").unwrap();
    pair.run();
    assert_eq!(pair.server.received(server), Ok([&b"still here"[..], &[]]));
    assert_eq!(pair.server.accept(again), None);
}

/// MUST-42: in SYN-SENT and in SYN-RECEIVED.
#[test]
fn one_can_listen_on_the_port_of_a_connection_that_is_being_opened() {
    let mut pair = Pair::new();
    let (here, there) = (addr("10.0.0.1:80"), addr("10.0.0.2:80"));
    let own = pair.server.connect(pair.now, here, Some(there), &Config::default()).unwrap();
    let specific = ListenConfig::new(there);
    let first = pair.server.listen(specific).unwrap();
    let other = pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let second = pair.server.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
    pair.now += STEP;
    let sent = packets(pair.now, &mut pair.server);
    sent.iter().for_each(|packet| pair.client.on_packet(pair.now, packet));
    pair.run();
    assert!(pair.client.readiness(other).unwrap().established);
    assert!(pair.server.accept(first).is_some());
    assert_eq!(pair.server.accept(second), None);
    assert!(pair.server.readiness(own).unwrap().closed, "nobody listened at the other end");
}

/// MUST-43, MUST-44, MUST-45.
#[test]
fn a_connection_keeps_to_the_local_address_it_began_with() {
    let mut pair = Pair::new();
    let second = Cidr { address: "10.0.0.7".parse().unwrap(), prefix: 24 };
    pair.client.add_address(second).unwrap();
    pair.listen();
    let first = CLIENT.parse::<IpAddr>().unwrap();
    for (local, address) in [(None, first), (Some(addr("10.0.0.7:0")), second.address)] {
        let to = addr("10.0.0.2:80");
        let client = pair.client.connect(pair.now, to, local, &Config::default()).unwrap();
        let mut sent = packets(pair.now, &mut pair.client);
        pair.server.on_packet(pair.now, &sent[0]);
        let syn_ack = packets(pair.now, &mut pair.server);
        pair.client.on_packet(pair.now, &syn_ack[0]);
        pair.client.send(pair.now, client, b"x").unwrap();
        sent.extend(packets(pair.now, &mut pair.client));
        pair.client.abort(pair.now, client).unwrap();
        sent.extend(packets(pair.now, &mut pair.client));
        let sources: Vec<_> = sent.iter().map(|packet| segment(packet).ip.source).collect();
        assert_eq!(sources, [address; 3], "SYN, data, RST");
        assert_eq!(segment(&syn_ack[0]).ip.destination, address);
    }
}

/// MUST-46 for IPv6.
#[test]
fn nobody_connects_to_a_group() {
    let mut host = host_with("2001:db8::1", config());
    for to in ["[ff02::1]:80", "[::]:80"] {
        let refused = host.connect(millis(0), addr(to), None, &Config::default());
        assert_eq!(refused, Err(ConnectError::InvalidRemote), "{to}");
    }
}

/// An ICMP message of that type and code which quotes `packet`.
fn icmp(from: &str, to: &str, kind: [u8; 2], packet: &[u8]) -> Vec<u8> {
    let octets = |text: &str| text.parse::<core::net::Ipv4Addr>().unwrap().octets();
    let message = [&[kind[0], kind[1], 0, 0, 0, 0, 0, 0][..], &packet[..28]].concat();
    super::strangers::ipv4(octets(from), octets(to), 1, &message)
}

/// A connection with data in flight on a stack whose link verifies the checksums, and that data.
fn with_data_in_flight() -> (Host, Handle, Vec<u8>) {
    let mut trusting = config();
    trusting.link.verify = Checksums { ip: false, transport: false };
    let mut pair = Pair::with(trusting, config());
    let (client, _) = pair.established();
    pair.client.send(pair.now, client, b"data").unwrap();
    let data = packets(pair.now, &mut pair.client).remove(0);
    events(&mut pair.client);
    (pair.client, client, data)
}

/// MUST-47, MUST-54, MUST-56, SHLD-20, SHLD-25: who does not ask hears nothing.
#[test]
fn a_soft_error_is_kept_for_whoever_asks() {
    let now = millis(2_000);
    for (kind, error) in [
        ([3, 0], IcmpErrorKind::Unreachable),
        ([3, 1], IcmpErrorKind::Unreachable),
        ([3, 5], IcmpErrorKind::Unreachable),
        ([11, 0], IcmpErrorKind::TimeExceeded),
        ([11, 1], IcmpErrorKind::TimeExceeded),
        ([12, 0], IcmpErrorKind::ParameterProblem),
    ] {
        let (mut host, handle, data) = with_data_in_flight();
        host.on_packet(now, &icmp("10.0.0.9", CLIENT, kind, &data));
        let info = host.info(now, handle).unwrap();
        assert_eq!((info.error, info.soft_error), (None, Some(error)), "{kind:?}");
        assert!(host.readiness(handle).unwrap().established);
        assert_eq!(events(&mut host), []);
    }
}

/// MUST-55.
#[test]
fn a_source_quench_changes_nothing() {
    let now = millis(2_000);
    let (mut host, handle, data) = with_data_in_flight();
    let before = host.info(now, handle);
    host.on_packet(now, &icmp("10.0.0.9", CLIENT, [4, 0], &data));
    assert_eq!(host.info(now, handle), before);
    assert_eq!(events(&mut host), []);
    assert_eq!(packets(now, &mut host), Vec::<Vec<u8>>::new());
    assert_eq!(host.statistics().icmp_ignored, 1);
}

/// MUST-48, MUST-49, SHLD-21, SHLD-22.
#[test]
fn the_application_chooses_dscp_and_ttl_and_may_change_them() {
    let mut pair = Pair::new();
    pair.listen();
    let settings = Config { dscp: 46, hop_limit: 9, ..Config::default() };
    let to = addr("10.0.0.2:80");
    let client = pair.client.connect(pair.now, to, None, &settings).unwrap();
    let seen = |packet: &[u8]| (segment(packet).ip.dscp, segment(packet).ip.hop_limit);
    let syn = packets(pair.now, &mut pair.client);
    assert_eq!(seen(&syn[0]), (46, 9));
    pair.server.on_packet(pair.now, &syn[0]);
    pair.run();
    let dscp = SettingError::Config(ConfigError::Dscp);
    assert_eq!(pair.client.set_dscp(Instant::ZERO, client, 64), Err(dscp));
    let limit = SettingError::Config(ConfigError::HopLimit);
    assert_eq!(pair.client.set_hop_limit(Instant::ZERO, client, 0), Err(limit));
    assert_eq!(pair.client.set_dscp(Instant::ZERO, client, 63), Ok(()));
    assert_eq!(pair.client.set_hop_limit(Instant::ZERO, client, 255), Ok(()));
    pair.client.send(pair.now, client, b"x").unwrap();
    let data = packets(pair.now, &mut pair.client);
    assert_eq!(seen(&data[0]), (63, 255));
}

/// MUST-63.
#[test]
fn a_syn_from_nowhere_is_ignored() {
    for from in ["0.0.0.0", "255.255.255.255", "224.0.0.1", "10.0.0.255"] {
        let mut pair = Pair::new();
        pair.listen();
        pair.connect();
        let syn = packets(pair.now, &mut pair.client).remove(0);
        let parsed = segment(&syn);
        let ip = wire::IpInfo { source: from.parse().unwrap(), ..parsed.ip };
        pair.server.on_packet(pair.now, &packet_of(&ip, &parsed.header));
        assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new(), "{from}");
        assert_eq!(pair.server.statistics().bad_address, 1, "{from}");
    }
}

/// Sends what the client has to send into the void until it gives up: what it is told of troubles and
/// ends, and after how many milliseconds.
fn told_when_nobody_answers(pair: &mut Pair) -> Vec<(u64, bool, bool)> {
    packets(pair.now, &mut pair.client);
    let sent_at = pair.now;
    let mut told = Vec::new();
    while !pair.client.poll_at().is_never() {
        pair.wait();
        for event in events(&mut pair.client) {
            let Event::Connection { readiness, .. } = event else { panic!("{event:?}") };
            let after = pair.now.saturating_since(sent_at).as_millis();
            told.push((after, readiness.troubled, readiness.closed));
        }
        packets(pair.now, &mut pair.client);
    }
    told
}

/// MUST-20, SHLD-9: at R1 the application is told, at R2 the connection is over.
#[test]
fn trouble_is_told_long_before_the_connection_is_given_up() {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    events(&mut pair.client);
    pair.client.send(pair.now, client, b"anybody?").unwrap();
    let told = told_when_nobody_answers(&mut pair);
    // A probe goes out 200 ms before the timer runs anew: 0.2 + 0.2 + 0.4 + 0.8 s.
    assert_eq!(told, [(1_600, true, false), (924_800, false, true)]);
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::TimedOut));
}

/// MUST-20 of a SYN: told when its third retransmission is due, as of any other segment.
#[test]
fn trouble_in_opening_is_told_with_the_third_retransmission() {
    let mut pair = Pair::new();
    pair.connect();
    events(&mut pair.client);
    let told = told_when_nobody_answers(&mut pair);
    assert_eq!(told, [(7_000, true, false), (180_000, false, true)]);
}
