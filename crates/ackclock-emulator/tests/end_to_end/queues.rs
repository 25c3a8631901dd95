//! Whole transfers between two real stacks through each queue discipline.

use crate::common::both_ways;
use ackclock_emulator::LinkStatistics;

/// Counters of the links after a megabyte each way through this queue, on a path without other
/// losses.
fn through(queue: &str) -> [LinkStatistics; 2] {
    let (infos, links) = both_ways(&format!("rate=10mbit,delay=20ms,loss=0,queue={queue}"), 1);
    for (info, link) in infos.iter().zip(&links) {
        assert_eq!((link.packets_lost, link.packets_marked), (0, 0));
        assert_eq!(link.packets_dropped > 0, info.retransmitted > 0, "{queue}");
    }
    links
}

#[test]
fn an_infinite_queue_drops_nothing() {
    assert_eq!(through("infinite").map(|link| link.packets_dropped), [0, 0]);
}

#[test]
fn a_queue_of_bytes_too_short_for_a_window_costs_no_byte() {
    for link in through("20kB") {
        assert!(link.packets_dropped > 0);
    }
}

#[test]
fn red_keeps_its_queue_from_being_full_and_costs_no_byte() {
    for link in through("red:5:15:0.02:0.1:1000") {
        let [early, forced] = [link.packets_dropped_early, link.packets_dropped_forced];
        assert!(early > 0);
        assert_eq!(link.packets_dropped, early + forced);
    }
}

#[test]
fn codel_drops_what_has_waited_and_costs_no_byte() {
    for link in through("codel") {
        assert!(link.packets_dropped_late > 0);
        assert_eq!(link.packets_dropped, link.packets_dropped_late);
    }
}

#[test]
fn fq_codel_drops_what_has_waited_and_costs_no_byte() {
    for link in through("fq_codel") {
        assert!(link.packets_dropped_late > 0);
        assert_eq!(link.packets_dropped, link.packets_dropped_late);
    }
}

/// Without ECN at the ends the `ecn` of a queue changes nothing.
#[test]
fn without_capable_packets_marking_is_dropping() {
    for queue in ["red:5:15:0.02:0.1:1000", "codel", "fq_codel"] {
        assert_eq!(through(queue), through(&format!("{queue}:ecn")));
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for queue in ["red:5:15:0.02:0.1:1000", "fq_codel"] {
        assert_eq!(through(queue), through(queue));
    }
}
