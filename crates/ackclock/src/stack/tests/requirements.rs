//! Numbered requirements of RFC 9293 that no other test shows by the way.

use super::records::with_header;
use super::*;

/// Hands a SYN from 10.0.0.1 to `to` to a proxy that takes any destination.
fn syn_to(to: IpAddr) -> Host {
    let mut client = host_with(CLIENT, config());
    client.connect(millis(0), addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    let syn = packets(millis(0), &mut client).remove(0);
    let parsed = segment(&syn);
    let ip = wire::IpInfo { destination: to, ..parsed.ip };
    let mut bytes = [0; wire::MAX_HEADER];
    let complete = wire::WriteChecksum::Complete;
    let n = wire::write_packet_header(&mut bytes, &ip, &parsed.header, [&[], &[]], complete);
    let mut server = host_with(SERVER, config());
    let any = ListenConfig { any_destination: true, ..ListenConfig::new(addr("0.0.0.0:0")) };
    server.listen(any).unwrap();
    server.on_packet(millis(0), &bytes[..n]);
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
