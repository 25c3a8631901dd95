//! Probes of the path's MTU (RFC 4821) where routers drop what is too long without a word.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{Info, MtuProbing, RecoveryAlgorithm, SearchStage};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{ApplicationId, Emulator, HostId, LinkId, Path, Topology};
use std::net::SocketAddr;

const AMOUNT: u64 = 16 << 20;

/// A host, a router and another host; what is longer than the router's link takes is dropped.
struct Network {
    emulator: Emulator,
    hosts: [HostId; 2],
    /// From the router on.
    narrow: LinkId,
    remote: SocketAddr,
}

impl Network {
    /// `words` for the link from the router on, of 50 Mbit/s and 20 ms; the others take 9,000 bytes.
    fn new(words: &str, law: BuiltIn, segmentation: bool, family: usize) -> Self {
        let path = |words: &str| words.parse::<Path>().unwrap();
        let wide = path("rate=1gbit,delay=0ms,loss=0,queue=infinite,mtu=9000");
        let slow = path("rate=50mbit,delay=20ms,loss=0,queue=infinite,mtu=9000,too_big=silent");
        let mut topology = Topology::new();
        let hosts = ["left", "right"].map(|name| topology.host(name));
        let router = topology.router("router");
        topology.link(hosts[0], router, [wide.clone(), wide]);
        let there = slow.with(words).unwrap();
        let [narrow, _] = topology.link(router, hosts[1], [there, slow]);
        topology.set_segmentation(hosts[0], segmentation);
        let remote = SocketAddr::new(topology.addresses(hosts[1])[family], Service::Discard.port());
        let mut emulator = Emulator::new(&topology, 1, |_| law, ()).unwrap();
        let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
        emulator.add_application(hosts[1], server).unwrap();
        Network { emulator, hosts, narrow, remote }
    }

    fn send(&mut self, change: impl FnOnce(&mut SourceConfig)) -> ApplicationId<Source> {
        let mut config = SourceConfig::new(self.remote);
        config.amount = Amount::Bytes(AMOUNT);
        config.connection.mtu_probing = MtuProbing::Always;
        (config.connection.send_buffer, config.connection.receive_buffer) = (4 << 20, 4 << 20);
        change(&mut config);
        self.emulator.add_application(self.hosts[0], Source::new(config)).unwrap()
    }

    /// Lets a millisecond pass; the connection then, and whether it is over.
    fn step(&mut self, source: ApplicationId<Source>) -> (Option<Info>, bool) {
        let now = self.emulator.now() + Duration::from_millis(1);
        assert!(now < Instant::from_secs(3_000), "it ends");
        self.emulator.run_until(now);
        let application = self.emulator.application(source).unwrap();
        assert_eq!(application.error(), None);
        let info = application.info(now, self.emulator.stack(self.hosts[0]));
        (info, application.ended().is_some())
    }

    /// Each state of the connection after another millisecond, until it is over; the last one.
    fn watch(&mut self, source: ApplicationId<Source>, mut look: impl FnMut(&Info)) -> Info {
        loop {
            let (info, is_over) = self.step(source);
            info.iter().for_each(&mut look);
            if let (Some(info), true) = (info, is_over) {
                assert_eq!(info.bytes_acked, AMOUNT);
                return info;
            }
        }
    }
}

fn law(name: &str) -> BuiltIn {
    BuiltIn::by_name(name).unwrap()
}

/// Whatever is lost is a probe, so the window never shrinks.
#[test]
fn common_sizes_are_found_within_a_twentieth_of_a_transfer_and_no_lost_probe_is_congestion() {
    for (mtu, family, segmentation, name) in [
        (1_280, 0, false, "cubic"),
        (1_400, 0, true, "cubic"),
        (1_492, 1, false, "reno"),
        (9_000, 0, false, "cubic"),
        (9_000, 1, true, "reno"),
        (1_400, 1, false, "bbr"),
    ] {
        let mut network = Network::new(&format!("mtu={mtu}"), law(name), segmentation, family);
        let source = network.send(|_| {});
        let (mut found_after, mut window) = (None, 0);
        let last = network.watch(source, |info| {
            if info.pmtu == mtu && found_after.is_none() {
                found_after = Some(info.bytes_acked);
            }
            if name != "bbr" {
                assert!(info.cwnd >= window, "{mtu}: {} after {window}", info.cwnd);
                window = info.cwnd;
            }
        });
        let which = format!("{mtu} under {name}: {found_after:?} of {last:?}");
        assert!(found_after.is_some_and(|bytes| bytes <= AMOUNT / 20), "{which}");
        let search = last.path_search.unwrap();
        assert_eq!((last.pmtu, search.low), (mtu, mtu), "{which}");
        assert_eq!((last.timeouts, last.fast_recoveries, last.undos), (0, 0, 0), "{which}");
        assert_eq!(search.probes_lost > 0, mtu < 9_000, "{which}");
    }
}

/// RFC 4821 section 7.7: three timeouts at the most pass, and as much time as three of the first; then
/// probes find what the path takes now.
#[test]
fn a_path_that_becomes_a_black_hole_is_survived_within_three_timeouts() {
    for (family, segmentation) in [(0, false), (1, true)] {
        let words = "mtu=1500";
        let mut network = Network::new(words, law("cubic"), segmentation, family);
        let source = network.send(|config| {
            config.connection.mtu_probing = MtuProbing::AfterBlackHole;
            config.connection.mss = Some(1_440);
        });
        let before = loop {
            let (info, _) = network.step(source);
            if let Some(info) = info.filter(|info| info.bytes_acked > AMOUNT / 4) {
                break info;
            }
        };
        assert_eq!((before.pmtu, before.timeouts), (9_000, 0));
        let narrow: Path = "delay=20ms,loss=0,mtu=1400,too_big=silent".parse().unwrap();
        network.emulator.change_path(network.narrow, &narrow);
        let (mut acked, mut silent, mut longest) = (0, 0_u32, 0);
        let mut times = (Duration::ZERO, Duration::ZERO);
        let last = network.watch(source, |info| {
            silent = if info.bytes_acked > acked { 0 } else { silent + 1 };
            if info.bytes_acked > acked {
                acked = info.bytes_acked;
                times = if info.timeouts == 0 { (info.rto, info.rtt) } else { times };
            }
            longest = longest.max(silent);
        });
        // A tail loss probe goes first, after two round trips; the ack of what passes then is delayed.
        let (rto, rtt) = times;
        let most = rto.saturating_mul(3) + rtt.saturating_mul(3) + Duration::from_millis(40);
        assert!(last.timeouts <= 3, "{last:?}");
        assert!(Duration::from_millis(longest.into()) <= most, "{longest} ms, at most {most:?}");
        assert_eq!((last.pmtu, last.path_search.unwrap().low), (1_400, 1_400));
    }
}

/// RFC 8899 section 4.6.2: what a router tells of a probe bounds the search, which ends with it.
#[test]
fn what_a_router_tells_of_a_probe_is_the_next_probe() {
    for family in [0, 1] {
        let mut network = Network::new("mtu=1333,too_big=icmp", law("cubic"), false, family);
        let source = network.send(|_| {});
        let last = network.watch(source, |_| {});
        let search = last.path_search.unwrap();
        assert_eq!((last.pmtu, search.stage), (1_333, SearchStage::Complete));
        // Of 1,280, with which IPv6 begins, 1,400 and 1,333.
        assert_eq!((search.probes_sent, search.probes_lost), (3 - family as u32, 1));
        assert_eq!((last.timeouts, last.fast_recoveries), (0, 0));
    }
}

/// RFC 4821 section 5.2: those to the same host share what is known of the path.
#[test]
fn the_next_connection_to_a_host_begins_with_what_was_found() {
    let mut network = Network::new("mtu=1492", law("cubic"), false, 0);
    let first = network.send(|_| {});
    network.watch(first, |_| {});
    let second = network.send(|_| {});
    let mut smallest = u32::MAX;
    let last = network.watch(second, |info| {
        if info.bytes_acked > 0 {
            smallest = smallest.min(info.pmtu);
        }
    });
    let search = last.path_search.unwrap();
    assert_eq!((smallest, last.pmtu, search.probes_sent), (1_492, 1_492, 0));
}

#[test]
fn every_recovery_finds_the_size() {
    for &algorithm in RecoveryAlgorithm::ALL {
        let mut network = Network::new("mtu=1400", law("reno"), false, 0);
        let source = network.send(|config| config.connection.recovery = algorithm);
        let last = network.watch(source, |_| {});
        assert_eq!(last.pmtu, 1_400, "{algorithm:?}");
    }
}

/// Losses for other reasons beside those of probes change nothing about what is found.
#[test]
fn a_lossy_path_is_searched_too() {
    for name in ["cubic", "bbr"] {
        let mut network = Network::new("mtu=1400,loss=0.5%", law(name), true, 0);
        let source = network.send(|_| {});
        let last = network.watch(source, |_| {});
        assert_eq!(last.pmtu, 1_400, "{name}");
    }
}

/// RFC 4821 section 7.8: of packets of one flow half take a path that carries less. A probe that takes the other one
/// shows nothing, and the size that it was thought to show is given up again. When hangs on chance: paths of 24 delays
/// are tried.
#[test]
fn a_size_that_half_of_the_packets_do_not_pass_is_given_up() {
    for (name, segmentation) in [("cubic", false), ("reno", true)] {
        let (mut all, mut wide, mut late) = (0, 0, 0);
        for delay in (0..24).map(|step| 20_000 + 250 * step) {
            let (steps, steps_wide, last) = send_over_two_paths(name, segmentation, delay);
            (all, wide) = (all + steps, wide + steps_wide);
            late += u32::from(!(1_280..=1_400).contains(&last.pmtu));
        }
        assert!(wide * 8 < all, "{name}: {wide} of {all} ms");
        assert!(late <= 2, "{name}: at the end of {late} of 24");
    }
}

/// Sends a few seconds over a path of `delay` microseconds, on which each millisecond another size passes: 1,500 bytes or
/// 1,400. How many milliseconds that took, in how many of them the connection's packets were longer than passes always,
/// and its state at the end.
fn send_over_two_paths(law_name: &str, segmentation: bool, delay: u32) -> (usize, usize, Info) {
    let mut network = Network::new("mtu=1500", law(law_name), segmentation, 0);
    let source = network.send(|config| config.amount = Amount::Bytes(4 * AMOUNT));
    let paths = ["mtu=1500", "mtu=1400"]
        .map(|mtu| format!("delay={delay}us,loss=0,{mtu},too_big=silent").parse::<Path>().unwrap());
    let (mut steps, mut wide) = (0, 0);
    loop {
        network.emulator.change_path(network.narrow, &paths[steps % 2]);
        let (info, is_over) = network.step(source);
        steps += 1;
        let Some(info) = info else { continue };
        wide += usize::from(info.pmtu > 1_400);
        if is_over {
            assert_eq!(info.bytes_acked, 4 * AMOUNT);
            return (steps, wide, info);
        }
    }
}
