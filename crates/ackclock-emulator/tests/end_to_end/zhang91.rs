//! Zhang, Shenker and Clark, "Observations on the Dynamics of a Congestion Control Algorithm: The
//! Effects of Two-Way Traffic", 1991: two connections in opposite directions, with fixed windows and
//! infinite buffers (section 4.1, figures 8 and 9).
//!
//! The paper's sender has a fixed window in packets and sends full packets as soon as it may; its
//! receiver acknowledges each. Data packets are 500 bytes long and acks 50: 450 bytes of payload,
//! 40 of headers, and 10 that the link adds. Nothing is ever lost, so that nothing may time out.

use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::{BuiltIn, Fixed};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{AckPolicy, Config, Nagle};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Chain, Emulator, HostId, Path, Topology};
use std::net::SocketAddr;

/// Figure 1 of the paper: host 1, switch 1, switch 2, host 2.
fn network(delay: &str) -> Chain {
    let path = |text: &str| -> [Path; 2] {
        let text = format!("{text},loss=0,queue=infinite,overhead=+10");
        [text.parse().unwrap(), text.parse().unwrap()]
    };
    let access = || path("rate=10mbit,delay=0.1ms");
    let bottleneck = path(&format!("rate=50kbit,delay={delay}"));
    let mut chain = Topology::chain(&[access(), bottleneck, access()]);
    for host in chain.ends {
        chain.topology.set_processing(host, Duration::from_micros(100));
    }
    chain
}

fn connection() -> Config {
    let mut config = Config::default();
    config.mss = Some(450);
    (config.timestamps, config.nagle) = (false, Nagle::Off);
    config.ack_policy = AckPolicy::EverySegment;
    let never = Duration::from_secs(100);
    (config.rto.initial, config.rto.min) = (never, never);
    config
}

/// Utilisation and longest queue of the bottleneck in each direction, once windows of 30 and 25
/// packets have settled into a cycle. The second connection starts after `start`.
fn two_way(delay: &str, start: Duration) -> [(f64, u64); 2] {
    let Chain { topology, ends, hops, .. } = network(delay);
    let window = |host: HostId| Fixed::segments(if host == ends[0] { 30 } else { 25 });
    let mut emulator: Emulator<BuiltIn> =
        Emulator::new(&topology, 1, |host| window(host).into(), ()).unwrap();
    for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        let remote = SocketAddr::new(topology.addresses(to)[0], Service::Discard.port());
        let mut listen = ListenConfig::new(remote);
        listen.connection = connection();
        let server = Server::new(Service::Discard, listen, Buffer::growing());
        emulator.add_application(to, server).unwrap();
        let mut source = SourceConfig::new(remote);
        source.connection = connection();
        source.amount = Amount::Time(Duration::from_secs(1_000_000));
        emulator.add_application(from, Source::new(source)).unwrap();
        emulator.run_until(emulator.now() + start);
    }
    let bottleneck = hops[1];
    let busy = |emulator: &Emulator| bottleneck.map(|link| emulator.statistics(link).busy);
    let (warm_up, end) = (Instant::from_secs(500), Instant::from_secs(2500));
    emulator.run_until(warm_up);
    emulator.forget_longest_queues();
    let before = busy(&emulator);
    emulator.run_until(end);
    let after = busy(&emulator);
    std::array::from_fn(|index| {
        let busy = after[index].as_nanos() - before[index].as_nanos();
        let share = busy as f64 / end.saturating_since(warm_up).as_nanos() as f64;
        (share, emulator.statistics(bottleneck[index]).longest_queue)
    })
}

/// Asserts the results for several starts of the second connection, none of them together with the
/// first: starts within about a transmission time of each other lead to another cycle of the large
/// pipe, with queues of 17 or 18.
fn assert_two_way(delay: &str, utilisation: [f64; 2], longest: [u64; 2]) {
    for start in [1_000, 3_700].map(Duration::from_millis) {
        let found = two_way(delay, start);
        assert_eq!(found.map(|(_, longest)| longest), longest, "{found:?}");
        for (found, expected) in found.into_iter().zip(utilisation) {
            assert!((found.0 - expected).abs() <= 0.005, "{found:?} instead of {expected}");
        }
    }
}

/// Figure 8: the pipe holds an eighth of a packet, and one line is full.
#[test]
fn with_a_small_pipe_the_larger_window_fills_its_line() {
    assert_two_way("0.01s", [1.000, 0.862], [55, 23]);
}

/// Figure 9: the pipe holds 12.5 packets, and neither line is full.
#[test]
fn with_a_large_pipe_both_lines_are_idle_at_times() {
    assert_two_way("1s", [0.810, 0.698], [23, 23]);
}
