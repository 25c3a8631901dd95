//! The stack of this workspace while it probes the path's MTU (RFC 4821), each end judged: a probe, and its
//! data in smaller segments, break no sentence.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::MtuProbing;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, Path, Topology};
use ackclock_judge::{Findings, Judges, Law, Settings};
use std::net::SocketAddr;

/// What a transfer of 4 MB through a router that drops longer packets silently tells of both hosts.
fn judged(mtu: u32, law: (&str, Law), mode: MtuProbing, family: usize) -> Findings {
    let path = |words: &str| words.parse::<Path>().expect("a path");
    let wide = path("rate=100mbit,delay=0ms,loss=0,queue=1000,mtu=9000");
    let slow = path("rate=20mbit,delay=20ms,loss=0,queue=1000,mtu=9000,too_big=silent");
    let narrow = slow.with(&format!("mtu={mtu}")).expect("a path");
    let mut topology = Topology::new();
    let hosts = ["left", "right"].map(|name| topology.host(name));
    let router = topology.router("router");
    topology.link(hosts[0], router, [wide.clone(), wide]);
    topology.link(router, hosts[1], [narrow, slow]);
    let remote = SocketAddr::new(topology.addresses(hosts[1])[family], Service::Discard.port());
    let (name, law) = law;
    let settings =
        || Settings { law, reaction: Duration::ZERO, sees_all: true, ..Settings::default() };
    let judges = Judges::new().with(hosts[0], settings()).with(hosts[1], settings());
    let built_in: BuiltIn = name.parse().expect("a law");
    let mut emulator = Emulator::new(&topology, 1, |_| built_in, judges).expect("a network");
    let mut source = SourceConfig::new(remote);
    source.amount = Amount::Bytes(4_000_000);
    source.connection.mtu_probing = mode;
    let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
    emulator.add_application(hosts[1], server).expect("it listens");
    let source = emulator.add_application(hosts[0], Source::new(source)).expect("it connects");
    emulator.run_until(Instant::ZERO + Duration::from_secs(60));
    let info = emulator.application(source).and_then(|source| source.last_info().copied());
    let info = info.expect("it is over");
    assert_eq!((info.bytes_acked, info.pmtu), (4_000_000, mtu), "{info:?}");
    let mut findings = Findings::default();
    for (_, of_host) in emulator.into_observer().finish() {
        findings.join(of_host);
    }
    findings
}

#[test]
fn probes_break_no_sentence() {
    let mut said = Vec::new();
    for (mtu, law, mode, family) in [
        (1_280, ("reno", Law::Reno), MtuProbing::Always, 0),
        (1_400, ("cubic", Law::Cubic), MtuProbing::Always, 1),
        (9_000, ("reno", Law::Reno), MtuProbing::Always, 0),
        (1_492, ("cubic", Law::Cubic), MtuProbing::AfterBlackHole, 0),
    ] {
        let findings = judged(mtu, law, mode, family);
        assert!(findings.judged > 500, "{mtu}: {} segments", findings.judged);
        assert_eq!(findings.unknown.len(), 0, "{:?}", findings.unknown);
        said.extend(findings.verdicts.iter().map(|verdict| format!("{mtu} {}: {verdict}", law.0)));
    }
    assert!(said.is_empty(), "{} verdicts:\n{}", said.len(), said.join("\n"));
}
