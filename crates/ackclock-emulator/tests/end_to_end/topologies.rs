//! Networks with routers, from end to end.

use crate::common::capture;
use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::Instant;
use ackclock_emulator::{
    ApplicationId, DropReason, Emulator, Ended, Event, HostId, NodeId, Observer, Path, PcapCapture,
    Topology,
};
use std::net::SocketAddr;

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

fn both(text: &str) -> [Path; 2] {
    [path(text), path(text)]
}

fn emulator<O: Observer>(topology: &Topology, observer: O) -> Emulator<BuiltIn, O> {
    Emulator::new(topology, 1, |_| BuiltIn::default(), observer).unwrap()
}

/// Adds a discard service on `to`, and a source on `from` that sends it this many bytes.
fn add_transfer<O: Observer>(
    emulator: &mut Emulator<BuiltIn, O>,
    topology: &Topology,
    [from, to]: [HostId; 2],
    family: usize,
    change: impl FnOnce(&mut SourceConfig),
) -> ApplicationId<Source> {
    let remote = SocketAddr::new(topology.addresses(to)[family], Service::Discard.port());
    let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
    emulator.add_application(to, server.once()).unwrap();
    let mut config = SourceConfig::new(remote);
    change(&mut config);
    emulator.add_application(from, Source::new(config)).unwrap()
}

/// An observer that counts the packets that routers drop, by reason.
#[derive(Default)]
struct Drops(Vec<(NodeId, DropReason)>);

impl Observer for Drops {
    fn on_event(&mut self, _now: Instant, event: &Event<'_>) {
        if let Event::Dropped(packet, reason) = event {
            self.0.push((packet.to, *reason));
        }
    }
}

#[test]
fn a_transfer_over_routers_takes_the_sum_of_the_delays() {
    for family in [0, 1] {
        let chain = Topology::chain(&[
            both("rate=100mbit,delay=1ms,loss=0,queue=1000"),
            both("rate=10mbit,delay=20ms,loss=0,queue=1000"),
            both("rate=100mbit,delay=3ms,loss=0,queue=1000"),
        ]);
        let mut emulator = emulator(&chain.topology, ());
        let source = add_transfer(&mut emulator, &chain.topology, chain.ends, family, |_| {});
        assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
        let source = emulator.application(source).unwrap();
        assert_eq!((source.sent(), source.error()), (1 << 20, None));
        // 24 ms each way, and little more for the transmission of the SYN and its answer.
        let handshake = source.established().unwrap().saturating_since(source.started().unwrap());
        assert_eq!(handshake.as_millis(), 48);
        for [there, back] in chain.hops {
            let [there, back] = [there, back].map(|link| *emulator.statistics(link));
            assert!(there.bytes_carried > 1 << 20);
            assert_eq!((there.packets_dropped, back.packets_dropped), (0, 0));
        }
    }
}

#[test]
fn a_narrow_link_behind_a_router_is_discovered_by_icmp() {
    for family in [0, 1] {
        let chain = Topology::chain(&[
            both("rate=10mbit,delay=5ms,loss=0,queue=1000"),
            both("rate=10mbit,delay=5ms,loss=0,queue=1000,mtu=1400"),
            both("rate=10mbit,delay=5ms,loss=0,queue=1000,mtu=1280"),
            both("rate=10mbit,delay=5ms,loss=0,queue=1000"),
        ]);
        let mut emulator = emulator(&chain.topology, Drops::default());
        let source = add_transfer(&mut emulator, &chain.topology, chain.ends, family, |_| {});
        assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
        let source = emulator.application(source).unwrap();
        assert_eq!((source.sent(), source.error()), (1 << 20, None));
        // Headers of IP and TCP with timestamps.
        let headers = [52, 72][family];
        assert_eq!(source.last_info().unwrap().mss, 1280 - headers);
        let drops = emulator.into_observer().0;
        assert!(!drops.is_empty());
        assert!(drops.iter().all(|(_, reason)| *reason == DropReason::TooBig));
        let routers: std::collections::BTreeSet<_> = drops.iter().map(|(at, _)| *at).collect();
        assert_eq!(routers.len(), 2, "each narrower hop was found by the router before it");
    }
}

#[test]
fn a_hop_limit_too_small_for_the_way_is_answered_by_the_router_where_it_ends() {
    let path = || both("rate=10mbit,delay=5ms,loss=0,queue=1000");
    for (hop_limit, delivered) in [(1, false), (2, false), (3, true)] {
        let chain = Topology::chain(&[path(), path(), path()]);
        let mut emulator = emulator(&chain.topology, Drops::default());
        let source = add_transfer(&mut emulator, &chain.topology, chain.ends, 0, |config| {
            config.connection.hop_limit = hop_limit;
        });
        emulator.run_until(Instant::from_millis(900));
        let [left, _] = chain.ends;
        assert_eq!(emulator.application(source).unwrap().established().is_some(), delivered);
        assert_eq!(emulator.stack(left).statistics().icmp_errors, u64::from(!delivered));
        let expected: &[_] = if delivered { &[] } else { &[DropReason::Expired] };
        let reasons: Vec<_> = emulator.into_observer().0.iter().map(|(_, why)| *why).collect();
        assert_eq!(reasons, expected);
    }
}

#[test]
fn an_address_that_nobody_has_is_unreachable() {
    let chain = Topology::chain(&[both("loss=0"), both("loss=0")]);
    let mut emulator = emulator(&chain.topology, Drops::default());
    let nobody = "10.0.0.3:9".parse().unwrap();
    let source = Source::new(SourceConfig::new(nobody));
    emulator.add_application(chain.ends[0], source).unwrap();
    emulator.run_until(Instant::from_millis(500));
    assert_eq!(emulator.stack(chain.ends[0]).statistics().icmp_errors, 1);
    assert_eq!(emulator.into_observer().0.len(), 1);
}

#[test]
fn flows_of_a_dumbbell_share_its_bottleneck() {
    let delays = ["delay=1ms", "delay=2ms", "delay=3ms", "delay=4ms"];
    let access = delays.map(|delay| both(&format!("rate=100mbit,loss=0,{delay}")));
    let dumbbell = Topology::dumbbell(both("rate=10mbit,delay=10ms,loss=0,queue=50"), &access);
    let mut emulator = emulator(&dumbbell.topology, ());
    let pairs = dumbbell.senders.iter().zip(&dumbbell.receivers);
    let sources: Vec<_> = pairs
        .map(|(&from, &to)| {
            add_transfer(&mut emulator, &dumbbell.topology, [from, to], 0, |config| {
                config.amount = Amount::Bytes(2_000_000);
            })
        })
        .collect();
    assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
    for source in sources {
        let source = emulator.application(source).unwrap();
        assert_eq!((source.sent(), source.error()), (2_000_000, None));
    }
    let there = emulator.statistics(dumbbell.bottleneck[0]);
    assert!(there.bytes_carried > 8_000_000 && there.packets_dropped > 0);
    // 8 MB in 10 Mbit/s take 6.4 s; the bottleneck is never idle for long.
    assert!((6_400..8_000).contains(&emulator.now().as_millis()), "{:?}", emulator.now());
}

#[test]
fn flows_of_a_parking_lot_pass_one_hop_or_all() {
    let hop = || both("rate=10mbit,delay=10ms,loss=0,queue=50");
    let lot = Topology::parking_lot(&[hop(), hop(), hop()], &path("rate=100mbit,delay=1ms,loss=0"));
    let mut emulator = emulator(&lot.topology, ());
    let mut sources = vec![add_transfer(
        &mut emulator,
        &lot.topology,
        [lot.hosts[0][0], lot.hosts[3][0]],
        0,
        |_| {},
    )];
    for pair in lot.hosts.windows(2) {
        let ends = [pair[0][1], pair[1][1]];
        sources.push(add_transfer(&mut emulator, &lot.topology, ends, 1, |_| {}));
    }
    assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
    for source in sources {
        assert_eq!(emulator.application(source).unwrap().error(), None);
    }
    for [there, _] in lot.hops {
        assert!(emulator.statistics(there).bytes_carried > 2 << 20);
    }
}

#[test]
fn a_capture_on_a_router_has_each_packet_coming_and_going() {
    let mut topology = Topology::new();
    let [near, far] = ["near", "far"].map(|name| topology.host(name));
    let router = topology.router("router");
    topology.link(near, router, both("rate=10mbit,delay=1ms,loss=0"));
    topology.link(router, far, both("rate=10mbit,delay=1ms,loss=0,queue=1000"));
    let mut emulator = emulator(&topology, PcapCapture::new(router, Vec::new()).unwrap());
    add_transfer(&mut emulator, &topology, [near, far], 0, |_| {});
    assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
    let forwarded = emulator.router_statistics(router).packets_forwarded;
    let packets = capture::read(&emulator.into_observer().finish().unwrap());
    assert_eq!(packets.len() as u64, 2 * forwarded);
    // Every second packet is the one before with a hop less, at the same instant.
    for pair in packets.chunks(2) {
        let [came, left] = [&pair[0], &pair[1]].map(|packet| packet.segment());
        assert_eq!((pair[0].at, came.ip.hop_limit), (pair[1].at, left.ip.hop_limit + 1));
        assert_eq!((came.header, came.payload), (left.header, left.payload));
    }
}

#[test]
fn a_host_is_busy_with_one_packet_after_another() {
    use ackclock::time::Duration;
    let handshake = |millis| {
        let mut topology = Topology::pair(both("rate=1gbit,delay=1ms,loss=0"));
        let hosts: Vec<_> = topology.hosts().collect();
        hosts.iter().for_each(|&host| topology.set_processing(host, Duration::from_millis(millis)));
        let mut emulator = emulator(&topology, ());
        let ends = [hosts[0], hosts[1]];
        let source = add_transfer(&mut emulator, &topology, ends, 0, |config| {
            config.amount = Amount::Bytes(100_000);
        });
        assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
        let source = emulator.application(source).unwrap();
        let [started, established, ended] =
            [source.started(), source.established(), source.ended()].map(Option::unwrap);
        (established.saturating_since(started).as_millis(), ended.as_millis())
    };
    assert_eq!(handshake(0).0, 2);
    // The SYN and the SYN-ACK are both processed for 10 ms, and so are 69 segments with data.
    let (handshake, ended) = handshake(10);
    assert_eq!(handshake, 22);
    assert!((710..1000).contains(&ended), "{ended}");
}

#[test]
fn a_host_that_polls_takes_all_that_has_come_and_then_sends() {
    use ackclock::time::Duration;
    let mut topology = Topology::pair(both("rate=1gbit,delay=1ms,loss=0"));
    let hosts: Vec<_> = topology.hosts().collect();
    hosts.iter().for_each(|&host| topology.set_poll_interval(host, Duration::from_millis(10)));
    let mut emulator = emulator(&topology, ());
    let source = add_transfer(&mut emulator, &topology, [hosts[0], hosts[1]], 0, |config| {
        config.amount = Amount::Bytes(10 * 1_448);
    });
    assert_eq!(emulator.run_until_done(Instant::from_secs(60)), Ended::Done);
    let source = emulator.application(source).unwrap();
    // The SYN is processed at 10 ms, the SYN-ACK at 20, ten segments at 30 and the ack for them at
    // 40.
    assert_eq!(source.established(), Some(Instant::from_millis(20)));
    assert_eq!(source.ended(), Some(Instant::from_millis(40)));
    assert_eq!(
        emulator.link_statistics(hosts[0]).packets_offered,
        12,
        "a SYN, ten segments, the first with the ack of the other's, and an ack"
    );
    assert_eq!(
        emulator.link_statistics(hosts[1]).packets_offered,
        2,
        "a SYN, and one ack with a FIN"
    );
}
