//! Address resolution for IPv6.

use super::*;
use core::net::Ipv6Addr;

const OURS: &str = "fd00::1";
const THEIRS: &str = "fd00::2";

fn v6(text: &str) -> Ipv6Addr {
    text.parse().unwrap()
}

fn ndp_frame(to: EthernetAddress, from: EthernetAddress, ndp: &Ndp) -> Vec<u8> {
    let mut bytes = [0; MAX_HEADER];
    let length = ndp.write(&mut bytes);
    frame(to, from, EtherType::Ipv6, &bytes[..length])
}

/// Somebody at that hardware address asks for us.
fn solicitation(hardware: EthernetAddress) -> Ndp {
    Ndp {
        kind: NdpKind::Solicitation,
        source: v6(THEIRS),
        destination: v6("ff02::1:ff00:1"),
        target: v6(OURS),
        hardware: Some(hardware),
    }
}

/// The other one says that it has that hardware address.
fn advertisement(hardware: EthernetAddress, solicited: bool, overrides: bool) -> Ndp {
    Ndp {
        kind: NdpKind::Advertisement { solicited, overrides },
        source: v6(THEIRS),
        destination: v6(if solicited { OURS } else { "ff02::1" }),
        target: v6(THEIRS),
        hardware: Some(hardware),
    }
}

fn parsed(frame: &[u8]) -> (EthernetAddress, Ndp) {
    let frame = Frame::parse(frame).unwrap();
    (frame.destination, Ndp::parse(frame.payload, Checksums::default()).unwrap())
}

/// A host that has met the other one.
fn acquainted() -> Host {
    let mut host = Host::new(&["fd00::1/64"]);
    host.connect("[fd00::2]:80");
    host.frames();
    host.on_frame(&ndp_frame(US, THEM, &advertisement(THEM, true, true)));
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host
}

#[test]
fn a_solicitation_is_answered() {
    let mut host = Host::new(&["fd00::1/64"]);
    let group = EthernetAddress([0x33, 0x33, 0xff, 0, 0, 1]);
    host.on_frame(&ndp_frame(group, THEM, &solicitation(THEM)));
    let answer = Ndp {
        kind: NdpKind::Advertisement { solicited: true, overrides: true },
        source: v6(OURS),
        destination: v6(THEIRS),
        target: v6(OURS),
        hardware: Some(US),
    };
    let frames = host.frames();
    assert_eq!(parsed(&frames[0]), (THEM, answer));
    assert_eq!(frames.len(), 1);
    host.connect("[fd00::2]:80");
    assert_eq!(shape(&host.frames()), [(THEM, "S")], "whoever asked is known");
}

#[test]
fn who_looks_whether_our_address_is_free_is_answered_before_all() {
    let mut host = Host::new(&["fd00::1/64"]);
    let group = EthernetAddress([0x33, 0x33, 0xff, 0, 0, 1]);
    // Such a solicitation has no option with a hardware address; its checksum is not looked at.
    let probe = Ndp { source: Ipv6Addr::UNSPECIFIED, ..solicitation(THEM) };
    let mut bytes = ndp_frame(group, THEM, &probe);
    bytes.truncate(ETHERNET_HEADER + 40 + 24);
    bytes[ETHERNET_HEADER + 5] = 24;
    let verify = Checksums { ip: true, transport: false };
    let received = Received { packet: &bytes, verify };
    host.ethernet.on_received(host.now, &mut host.stack, &received);
    let (to, answer) = parsed(&host.frames()[0]);
    assert_eq!(to, EthernetAddress([0x33, 0x33, 0, 0, 0, 1]));
    assert_eq!(answer.kind, NdpKind::Advertisement { solicited: false, overrides: true });
    assert_eq!((answer.target, answer.destination), (v6(OURS), v6("ff02::1")));
    assert_eq!(host.ethernet.neighbours.len(), 0);
}

#[test]
fn a_syn_waits_for_the_advertisement() {
    let mut host = Host::new(&["fd00::1/64"]);
    host.connect("[fd00::2]:80");
    let frames = host.frames();
    let question = Ndp {
        kind: NdpKind::Solicitation,
        source: v6(OURS),
        destination: v6("ff02::1:ff00:2"),
        target: v6(THEIRS),
        hardware: Some(US),
    };
    assert_eq!(parsed(&frames[0]), (EthernetAddress([0x33, 0x33, 0xff, 0, 0, 2]), question));
    assert_eq!(frames.len(), 1);
    let mut forwarded = ndp_frame(US, THEM, &advertisement(THEM, true, true));
    forwarded[ETHERNET_HEADER + 7] = 254;
    host.on_frame(&forwarded);
    let nameless = Ndp { hardware: None, ..advertisement(THEM, true, true) };
    host.on_frame(&ndp_frame(
        US,
        THEM,
        &Ndp { hardware: Some(EthernetAddress::BROADCAST), ..nameless },
    ));
    assert!(host.frames().is_empty());
    assert_eq!(host.ethernet.statistics().malformed, 2);
    host.on_frame(&ndp_frame(US, THEM, &advertisement(THEM, true, false)));
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
}

#[test]
fn advertisements_from_those_whom_we_do_not_need_are_not_learned() {
    let mut host = Host::new(&["fd00::1/64"]);
    host.on_frame(&ndp_frame(US, THEM, &advertisement(THEM, true, true)));
    host.on_frame(&ndp_frame(US, THEM, &Ndp { target: v6("fd00::9"), ..solicitation(THEM) }));
    assert_eq!(host.ethernet.neighbours.len(), 0);
    host.on_frame(&ndp_frame(
        US,
        THEM,
        &Ndp { target: v6(OURS), ..advertisement(THEM, true, true) },
    ));
    assert_eq!(host.ethernet.statistics().conflicts, 1);
    assert!(host.frames().is_empty());
}

#[test]
fn a_source_that_nobody_else_can_have_teaches_nothing() {
    let mut host = Host::new(&["fd00::1/64"]);
    for source in [OURS, "ff02::1"] {
        host.on_frame(&ndp_frame(US, THEM, &Ndp { source: v6(source), ..solicitation(THEM) }));
    }
    assert!(host.frames().is_empty());
    assert_eq!(host.ethernet.neighbours.len(), 0);
    let statistics = host.ethernet.statistics();
    assert_eq!((statistics.conflicts, statistics.malformed), (1, 1));
}

#[test]
fn an_address_changes_only_if_the_override_bit_says_so() {
    let mut host = acquainted();
    host.on_frame(&ndp_frame(US, ROUTER, &advertisement(ROUTER, false, false)));
    host.connect("[fd00::2]:81");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    host.now += Duration::from_secs(5);
    assert_eq!(shape(&host.frames())[0], (THEM, "ndp"), "asked whether it is still there");
    host.on_frame(&ndp_frame(US, ROUTER, &advertisement(ROUTER, false, true)));
    host.connect("[fd00::2]:82");
    assert_eq!(shape(&host.frames()).last(), Some(&(ROUTER, "S")));
}

#[test]
fn a_neighbour_that_confirms_is_believed_for_half_a_minute_more() {
    let mut host = acquainted();
    host.now += Duration::from_secs(29);
    host.on_frame(&ndp_frame(US, THEM, &advertisement(THEM, true, true)));
    host.now += Duration::from_secs(29);
    host.connect("[fd00::2]:81");
    assert_eq!(shape(&host.frames()), [(THEM, "S")]);
    assert_eq!(host.ethernet.poll_at(), Instant::FAR_FUTURE);
}

#[test]
fn link_local_destinations_are_neighbours_always() {
    let mut host = Host::new(&["fe80::1/128"]);
    host.ethernet.set_gateway(v6("fe80::ff").into()).unwrap();
    for (to, asked) in [("[fe80::2]:80", "fe80::2"), ("[2001:db8::1]:80", "fe80::ff")] {
        host.connect(to);
        let (_, question) = parsed(&host.frames()[0]);
        assert_eq!(question.target, v6(asked));
    }
}
