//! ICMP errors that concern a connection.

use super::*;
use crate::wire::IcmpErrorKind;

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

/// The identification of a packet and whether routers may fragment it.
fn fragmentation(packet: &[u8]) -> (u16, bool) {
    let field = |at: usize| u16::from_be_bytes([packet[at], packet[at + 1]]);
    (field(4), field(6) == 0)
}

/// Linux does so, too: nobody believes in a path that narrow, nor must a connection stand still on one.
#[test]
fn on_a_path_narrower_than_any_is_believed_to_be_routers_may_fragment() {
    let now = millis(2_000);
    let (mut host, handle, data) = with_data_in_flight();
    assert_eq!(fragmentation(&data), (0, false));
    let mut error = icmp("10.0.0.9", CLIENT, [3, 4], &data);
    // The next hop's MTU, behind the IP header.
    error[27] = 68;
    host.on_packet(now, &error);
    host.send(now, handle, &[7; 1_200]).unwrap();
    let sent = packets(now, &mut host);
    assert_eq!(sent.len(), 3);
    for (nth, packet) in (0..).zip(&sent) {
        assert_eq!(fragmentation(packet), (nth, true), "the identifications differ");
        assert!(packet.len() <= 552);
        assert_eq!(parse_packet(packet, Checksums::ALL).map(|_| ()), Ok(()));
    }
}

/// RFC 1191 section 6.3: what a router has told counts for the destination, for ten minutes.
#[test]
fn the_next_connection_to_the_same_host_knows_how_narrow_the_path_is() {
    let (mut host, handle, data) = with_data_in_flight();
    let mut error = icmp("10.0.0.9", CLIENT, [3, 4], &data);
    error[26..28].copy_from_slice(&800_u16.to_be_bytes());
    host.on_packet(millis(2_000), &error);
    let pmtu = |host: &mut Host, at: u64, remote: &str| {
        let now = millis(at);
        let remote = SocketAddr::new(remote.parse().unwrap(), 80);
        let handle = host.connect(now, remote, None, &Config::default()).unwrap();
        host.info(now, handle).unwrap().pmtu
    };
    assert_eq!(host.info(millis(2_000), handle).unwrap().pmtu, 800);
    assert_eq!(pmtu(&mut host, 2_001, SERVER), 800);
    assert_eq!(pmtu(&mut host, 601_999, SERVER), 800);
    assert_eq!(pmtu(&mut host, 601_999, "10.0.0.77"), 1_500);
    assert_eq!(pmtu(&mut host, 602_000, SERVER), 1_500);
}

#[test]
fn what_is_not_the_stacks_is_told_from_what_is() {
    let now = millis(2_000);
    let (mut host, _, data) = with_data_in_flight();
    let [us, other] = [[10, 0, 0, 1], [10, 0, 0, 9]];
    assert_eq!(IpAddr::from(us).to_string(), CLIENT);
    let to = |destination, protocol, message: &[u8]| {
        super::strangers::ipv4(other, destination, protocol, message)
    };
    let udp = [0, 53, 0, 99, 0, 8, 0, 0];
    let echo = [8, 0, 0, 0, 0, 1, 0, 1];
    let mut fragment = to(us, 17, &udp);
    fragment[6..8].copy_from_slice(&[0x20, 0]);
    // The same four-tuple but for our port.
    let mut of_nobody = data.clone();
    of_nobody[21] ^= 1;
    let answers = [
        ("UDP", to(us, 17, &udp), false),
        ("a fragment", fragment, false),
        ("an echo request", to(us, 1, &echo), true),
        ("an echo request to another", to([10, 0, 0, 7], 1, &echo), false),
        ("an echo reply", to(us, 1, &[0; 8]), false),
        ("an error about a segment", icmp("10.0.0.9", CLIENT, [3, 1], &data), true),
        ("an error about another's", icmp("10.0.0.9", CLIENT, [3, 1], &of_nobody), false),
        ("an error about UDP", icmp("10.0.0.9", CLIENT, [3, 3], &to(other, 17, &udp)), false),
        ("TCP of nobody", of_nobody, true),
        ("half a header", data[..10].to_vec(), true),
    ];
    for (what, packet, is_ours) in answers {
        assert_eq!(host.on_packet(now, &packet), is_ours, "{what}");
    }
}
