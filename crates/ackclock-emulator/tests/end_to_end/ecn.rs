//! Explicit congestion notification between two stacks (RFC 3168): queues mark, senders slow down,
//! and nothing is lost.

use crate::common::{Outcome, pair_under, transfer_over};
use ackclock::apps::{Amount, Service};
use ackclock::congestion::Reno;
use ackclock::tcp::{EcnMode, Info};

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
