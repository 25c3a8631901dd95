//! Paths that duplicate packets, or lose acks as often as data;
//! `cargo bench -p ackclock-benches --bench strange_paths` prints the figures.

use ackclock_benches::strange_paths::{duplicated, lossy_both_ways, mean};

/// Duplicates tell nothing of what was sent again, so that they neither undo reductions nor make any.
#[test]
fn duplicates_make_a_flow_neither_faster_nor_slower_by_a_tenth() {
    let without = mean(|seed| duplicated(0, seed).0);
    for duplicates in [2, 5, 10] {
        let ratio = mean(|seed| duplicated(duplicates, seed).0) / without;
        assert!((0.9..=1.1).contains(&ratio), "{duplicates} %: {ratio:.2} times as fast");
    }
}

/// An echo of long ago, which a repeated ack may bring, measures nothing.
#[test]
fn timestamps_cost_no_time_where_acks_are_lost() {
    let without = mean(|seed| lossy_both_ways(false, seed).0);
    let ratio = mean(|seed| lossy_both_ways(true, seed).0) / without;
    assert!(ratio <= 1.2, "{ratio:.2} times as long");
}
