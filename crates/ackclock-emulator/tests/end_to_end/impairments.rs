//! Whole transfers between two real stacks over paths that do more than lose packets by chance.

use crate::common::{both_ways, transfer};
use ackclock::apps::Service;
use ackclock_emulator::LinkStatistics;

/// Counters of the links after a megabyte each way over a path with these parameters.
fn over(words: &str) -> [LinkStatistics; 2] {
    both_ways(&format!("rate=10mbit,delay=20ms,{words}"), 1).1
}

#[test]
fn duplicates_cost_no_byte_and_look_like_no_loss() {
    let (infos, links) = both_ways("rate=10mbit,delay=20ms,loss=0,queue=infinite,duplicate=5%", 1);
    assert!(links.iter().all(|link| link.packets_duplicated > 0));
    assert_eq!(infos.map(|info| info.timeouts), [0, 0]);
}

#[test]
fn packets_out_of_order_cost_no_byte() {
    for words in ["reorder=5%:10ms", "reorder=5%:3", "reorder=50%:1"] {
        let links = over(&format!("loss=0,queue=1000,{words}"));
        assert!(links.iter().all(|link| link.packets_reordered > 0 && link.packets_lost == 0));
    }
}

#[test]
fn a_flipped_bit_never_reaches_the_stream() {
    for link in over("loss=0,queue=1000,corrupt=3%") {
        assert!(link.packets_corrupted > 0 && link.packets_lost == 0);
    }
}

#[test]
fn every_hundredth_packet_lost_costs_no_byte() {
    for link in over("loss=every:100,queue=1000") {
        let left = link.packets_carried + link.packets_lost;
        assert_eq!(link.packets_lost, left / 100);
    }
}

#[test]
fn exactly_the_listed_packets_are_lost_and_sent_again() {
    let path = "rate=10mbit,delay=20ms,loss=packets:20:21:40,queue=1000";
    // The lost packets are data on the way there, and acks, which are not repeated, on the way
    // back.
    let outcome = transfer(path, 1, Service::Discard, false, |_| {});
    assert_eq!(outcome.links.map(|link| (link.packets_lost, link.packets_dropped)), [(3, 0); 2]);
    assert_eq!((outcome.info.retransmitted, outcome.info.timeouts), (3, 0));
    assert_eq!(outcome.server[1], 1 << 20);
}

#[test]
fn bursts_of_loss_cost_no_byte() {
    for link in over("loss=gilbert:1%:25%,queue=1000") {
        assert!(link.packets_lost > 0);
    }
}

#[test]
fn everything_at_once_costs_no_byte() {
    for queue in ["64", "30kB", "red:5:15:0.02:0.1:64", "codel:ecn", "fq_codel"] {
        let words = "loss=gilbert:1%:50%,duplicate=2%,reorder=3%:5ms,corrupt=1%";
        for link in over(&format!("{words},queue={queue}")) {
            let LinkStatistics { packets_lost, packets_duplicated, .. } = link;
            assert!(packets_lost > 0 && packets_duplicated > 0);
            assert!(link.packets_reordered > 0 && link.packets_corrupted > 0);
        }
    }
}
