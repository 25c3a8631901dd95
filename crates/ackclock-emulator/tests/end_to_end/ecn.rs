//! Explicit congestion notification between two stacks (RFC 3168): queues mark, senders slow down,
//! and nothing is lost.

use crate::common::{Outcome, pair_under, transfer_over};
use ackclock::apps::{Amount, Server, Service, Source, SourceConfig};
use ackclock::congestion::{BuiltIn, Prague, Reno};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{EcnMode, Info};
use ackclock::time::Instant;
use ackclock_emulator::{Emulator, Path, Topology};
use std::net::SocketAddr;

/// A transfer of four megabytes through this queue, with this ECN mode of the client.
fn through(queue: &str, v6: bool, ecn: EcnMode) -> Outcome {
    let path = format!("rate=10mbit,delay=20ms,loss=0,queue={queue}");
    let emulator = pair_under(Reno::default().into(), &path, 1, ());
    transfer_over(emulator, Service::Discard, v6, |source| {
        source.amount = Amount::Bytes(4 << 20);
        source.connection.ecn = ecn;
    })
}

/// Asserts that the window shrank although nothing was dropped or sent again.
fn is_slowed_by_marks_alone(outcome: &Outcome) {
    let Info { ecn, retransmitted, ssthresh, ece_received, congestion, .. } = outcome.info;
    assert_eq!((ecn, congestion), (true, "reno"));
    let [there, back] = &outcome.links;
    assert_eq!((there.packets_dropped, back.packets_dropped, retransmitted), (0, 0, 0));
    assert!(there.packets_marked > 0 && ece_received > 0);
    assert_ne!(ssthresh, u32::MAX, "the window was reduced");
    assert_eq!(back.packets_marked, 0, "acks cannot be marked");
}

#[test]
fn a_reno_flow_that_red_marks_loses_nothing_and_slows_down() {
    for v6 in [false, true] {
        is_slowed_by_marks_alone(&through("red:5:15:0.02:0.1:1000:ecn", v6, EcnMode::Request));
    }
}

#[test]
fn a_reno_flow_that_codel_marks_loses_nothing_and_slows_down() {
    for queue in ["codel:ecn", "fq_codel:ecn"] {
        is_slowed_by_marks_alone(&through(queue, false, EcnMode::Request));
    }
}

/// RFC 9768: the counts of both ends are what the queue has marked.
#[test]
fn over_accecn_both_ends_count_what_the_queue_has_marked() {
    for (v6, queue) in [(false, "red:5:15:0.02:0.1:1000:ecn"), (true, "codel:ecn")] {
        let outcome = through(queue, v6, EcnMode::RequestAccurate);
        is_slowed_by_marks_alone(&outcome);
        let counts = outcome.info.accurate_ecn.expect("in use");
        assert_eq!(u64::from(counts.told_ce_packets), outcome.links[0].packets_marked);
        let told = counts.told_ce_bytes + counts.told_ect0_bytes;
        assert_eq!((told, counts.told_ect1_bytes), (4 << 20, 0));
    }
}

#[test]
fn who_does_not_ask_loses_packets_there() {
    let outcome = through("red:5:15:0.02:0.1:1000:ecn", false, EcnMode::Accept);
    assert!(!outcome.info.ecn && outcome.info.retransmitted > 0);
    assert_eq!(outcome.links[0].packets_marked, 0);
}

/// RFC 9331 section 4.3 item 5: two segments of each of twenty flows would wait for 120 ms.
#[test]
fn many_prague_flows_with_short_round_trips_keep_the_queue_short() {
    let path: Path = "rate=4mbit,delay=1ms,loss=0,queue=dualpi2".parse().unwrap();
    let mut topology = Topology::new();
    let hosts = ["left", "right"].map(|name| topology.host(name));
    topology.link(hosts[0], hosts[1], [path.clone(), path]);
    let remote = SocketAddr::new(topology.addresses(hosts[1])[0], Service::Discard.port());
    let mut emulator =
        Emulator::new(&topology, 1, |_| BuiltIn::from(Prague::default()), ()).unwrap();
    let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
    emulator.add_application(hosts[1], server).unwrap();
    let sources: Vec<_> = (0..20)
        .map(|_| {
            let mut config = SourceConfig::new(remote);
            config.amount = Amount::Bytes(100 << 20);
            config.connection.ecn = EcnMode::RequestAccurate;
            emulator.add_application(hosts[0], Source::new(config)).unwrap()
        })
        .collect();
    let mut at = |seconds| {
        let now = Instant::from_secs(seconds);
        emulator.run_until(now);
        let stack = emulator.stack(hosts[0]);
        let info = |&source| emulator.application::<Source>(source).unwrap().info(now, stack);
        sources.iter().map(|source| info(source).unwrap()).collect::<Vec<Info>>()
    };
    let (before, after) = (at(20), at(40));
    let mut rtts: Vec<_> = after.iter().map(|info| info.rtt.as_millis()).collect();
    rtts.sort_unstable();
    let acked = |infos: &[Info]| infos.iter().map(|info| info.bytes_acked).sum::<u64>();
    let share = (acked(&after) - acked(&before)) * 8 * 100 / (4_000_000 * 20);
    let retransmitted: u64 = after.iter().map(|info| info.retransmitted).sum();
    eprintln!("{rtts:?} {share} {retransmitted}");
    assert!(after.iter().all(|info| !info.accurate_ecn.unwrap().ignored));
    assert!(rtts[10] < 30, "{rtts:?}");
    assert!(share > 80, "{share}");
}
