//! A judge forgets connections that are over for long, and says how many.

use ackclock::seq::SeqNumber;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{
    Flags, Header, IpInfo, MAX_HEADER, Options, WriteChecksum, write_packet_header,
};
use ackclock_judge::{Judge, Settings, Unknown};
use std::net::SocketAddr;

/// A segment without payload.
fn segment(from: SocketAddr, to: SocketAddr, flags: Flags, seq: u32, ack: u32) -> Vec<u8> {
    let header = Header {
        source_port: from.port(),
        destination_port: to.port(),
        seq: SeqNumber(seq),
        ack: SeqNumber(ack),
        flags,
        window: 10_000,
        options: Options { mss: flags.contains(Flags::SYN).then_some(1_000), ..Options::default() },
        ..Header::default()
    };
    let (source, destination) = (from.ip().into(), to.ip().into());
    let ip =
        IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: ackclock::wire::Ecn::NotEct };
    let mut bytes = [0; MAX_HEADER];
    let len = write_packet_header(&mut bytes, &ip, &header, [&[], &[]], WriteChecksum::Complete);
    bytes[..len].to_vec()
}

#[test]
fn what_is_over_for_long_is_forgotten_and_counted() {
    let end = |port| SocketAddr::from(([10, 0, 0, 1], port));
    let peer: SocketAddr = "10.0.0.2:80".parse().unwrap();
    let mut judge = Judge::new(Settings { sees_all: true, ..Settings::default() });
    // One connection stays open.
    let open = end(1);
    judge.on_sent(Instant::ZERO, &segment(open, peer, Flags::SYN, 100, 0));
    judge.on_received(Instant::ZERO, &segment(peer, open, Flags::SYN | Flags::ACK, 500, 101));
    judge.on_sent(Instant::ZERO, &segment(open, peer, Flags::ACK, 101, 501));
    // One more is refused each minute.
    let mut now = Instant::ZERO;
    for port in 2..=2_100 {
        now += Duration::from_secs(60);
        judge.on_sent(now, &segment(end(port), peer, Flags::SYN, 7, 0));
        judge.on_received(now, &segment(peer, end(port), Flags::RST | Flags::ACK, 0, 8));
    }
    // Twice there were 1,024, of which the open one stayed, and 17 of the last 16 minutes.
    assert_eq!(judge.findings().forgotten, 2_012);
    // The open one is still judged; of the first that was refused nothing is known.
    judge.on_sent(now, &segment(open, peer, Flags::ACK, 101, 501));
    judge.on_sent(now, &segment(end(2), peer, Flags::ACK, 8, 501));
    let findings = judge.finish(now);
    assert_eq!(findings.unknown.get(&Unknown::NoStart), Some(&1));
    assert_eq!(findings.judged, 2 + 2_099 + 1);
}
