//! The recoveries of the papers, before NewReno and RFC 6675: go-back-N, Tahoe, Reno, and SACK
//! with a pipe variable.

use super::*;
use crate::congestion::{Fixed, Reno, Tahoe};

/// An established connection whose first ten segments are in flight, with twenty more queued.
fn ten_in_flight(recovery: RecoveryAlgorithm, law: BuiltIn) -> Test {
    let mut config = config();
    config.recovery = recovery;
    let mut test = Test::established_with(config, law);
    test.queue(0, 30 * MSS);
    let sent: Vec<_> = (0..10).map(|n| (n * MSS, MSS)).collect();
    assert_eq!(test.data(), sent);
    assert_eq!(test.info().recovery, recovery.name());
    test
}

fn duplicates(test: &mut Test, acked: u32, count: u32) {
    for _ in 0..count {
        test.acks(acked);
        assert_eq!(test.data(), []);
    }
}

#[test]
fn without_fast_retransmit_only_the_timer_repairs_a_loss() {
    for recovery in [RecoveryAlgorithm::TimeoutOnly, RecoveryAlgorithm::GoBackN] {
        let mut test = ten_in_flight(recovery, Reno::default().into());
        duplicates(&mut test, 0, 9);
        let resent: Vec<_> = test.run(200).iter().map(|(at, sent)| (*at, sent.data())).collect();
        assert_eq!(resent, [(200, (0, MSS))]);
        assert_eq!((test.info().cwnd, test.info().fast_recoveries), (MSS, 0));
        // The acknowledgement tells that the rest had arrived: nothing of it goes again.
        test.acks(10 * MSS);
        assert_eq!(test.data(), [(10 * MSS, MSS), (11 * MSS, MSS)]);
    }
}

#[test]
fn without_a_window_law_a_timeout_sends_the_whole_window_again() {
    let fixed = BuiltIn::Fixed(Fixed::segments(10));
    let mut test = ten_in_flight(RecoveryAlgorithm::GoBackN, fixed);
    let resent: Vec<_> = test.run(200).iter().map(|(_, sent)| sent.data()).collect();
    let whole: Vec<_> = (0..10).map(|n| (n * MSS, MSS)).collect();
    assert_eq!(resent, whole);
}

#[test]
fn tahoe_resends_one_segment_and_goes_on_where_it_was() {
    let mut test = ten_in_flight(RecoveryAlgorithm::Tahoe, BuiltIn::Tahoe(Tahoe::default()));
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(0, MSS)]);
    assert_eq!((test.info().cwnd, test.info().ssthresh), (MSS, 5 * MSS));
    duplicates(&mut test, 0, 6);
    test.acks(10 * MSS);
    assert_eq!(test.data(), [(10 * MSS, MSS), (11 * MSS, MSS)]);
}

#[test]
fn tahoe_waits_until_the_window_outgrows_what_was_sent_before() {
    let mut test = ten_in_flight(RecoveryAlgorithm::Tahoe, BuiltIn::Tahoe(Tahoe::default()));
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(0, MSS)]);
    // Windows of two and three do not reach beyond the old SND.NXT.
    for acked in [6, 7] {
        test.acks(acked * MSS);
        assert_eq!(test.data(), [], "with {acked} acknowledged");
    }
    test.acks(8 * MSS);
    assert_eq!(test.info().cwnd, 4 * MSS);
    assert_eq!(test.data(), [(10 * MSS, MSS), (11 * MSS, MSS)]);
}

#[test]
fn a_second_loss_in_the_window_takes_tahoes_threshold_to_two() {
    let mut test = ten_in_flight(RecoveryAlgorithm::Tahoe, BuiltIn::Tahoe(Tahoe::default()));
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(0, MSS)]);
    test.acks(4 * MSS);
    assert_eq!(test.data(), []);
    duplicates(&mut test, 4 * MSS, 2);
    test.acks(4 * MSS);
    assert_eq!(test.data(), [(4 * MSS, MSS)]);
    let info = test.info();
    assert_eq!((info.cwnd, info.ssthresh, info.fast_recoveries), (MSS, 2 * MSS, 2));
}

#[test]
fn tahoe_resends_a_segment_that_it_has_resent_before() {
    let mut test = ten_in_flight(RecoveryAlgorithm::Tahoe, BuiltIn::Tahoe(Tahoe::default()));
    let resent: Vec<_> = test.run(200).iter().map(|(_, sent)| sent.data()).collect();
    assert_eq!(resent, [(0, MSS)]);
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(0, MSS)]);
}

#[test]
fn tahoe_can_fall_back_to_the_first_unacknowledged_segment() {
    let law = BuiltIn::Tahoe(Tahoe::default());
    let mut test = ten_in_flight(RecoveryAlgorithm::TahoeGoBackN, law);
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(0, MSS)]);
    duplicates(&mut test, 0, 6);
    test.acks(4 * MSS);
    assert_eq!(test.data(), [(4 * MSS, MSS), (5 * MSS, MSS)]);
    test.acks(10 * MSS);
    assert_eq!(test.data(), [(10 * MSS, MSS), (11 * MSS, MSS), (12 * MSS, MSS)]);
}

#[test]
fn reno_inflates_its_window_until_the_first_new_ack() {
    let mut test = ten_in_flight(RecoveryAlgorithm::Reno, Reno::default().into());
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(0, MSS)]);
    assert_eq!((test.info().cwnd, test.info().ssthresh), (5 * MSS, 5 * MSS));
    // Five and the duplicates: ten are in flight.
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(10 * MSS, MSS)]);
    test.acks(10 * MSS);
    let sent: Vec<_> = (11..15).map(|n| (n * MSS, MSS)).collect();
    assert_eq!(test.data(), sent, "five in flight again");
    assert!(!test.info().in_recovery);
}

#[test]
fn a_second_loss_in_the_window_halves_renos_window_again() {
    let mut test = ten_in_flight(RecoveryAlgorithm::Reno, Reno::default().into());
    duplicates(&mut test, 0, 2);
    test.acks(0);
    assert_eq!(test.data(), [(0, MSS)]);
    test.acks(4 * MSS);
    assert_eq!((test.data(), test.info().in_recovery), (Vec::new(), false));
    duplicates(&mut test, 4 * MSS, 2);
    test.acks(4 * MSS);
    assert_eq!(test.data(), [(4 * MSS, MSS)]);
    let info = test.info();
    assert_eq!((info.cwnd, info.ssthresh, info.fast_recoveries), (3 * MSS, 3 * MSS, 2));
}

/// Segments 0 and 3 are lost.
#[test]
fn the_pipe_variable_counts_packets_in_and_out() {
    let mut test = ten_in_flight(RecoveryAlgorithm::SackPipe, Reno::default().into());
    test.sacks(0, &[(1_000, 2_000)]);
    test.sacks(0, &[(1_000, 3_000)]);
    assert_eq!(test.data(), [], "there is no limited transmit");
    test.sacks(0, &[(4_000, 5_000), (1_000, 3_000)]);
    // The window was ten: seven, and with the retransmission eight.
    assert_eq!((test.data(), test.info().in_flight), (Vec::from([(0, MSS)]), 8 * MSS));
    for end in [6_000, 7_000, 8_000] {
        test.sacks(0, &[(4_000, end), (1_000, 3_000)]);
        assert_eq!(test.data(), []);
    }
    test.sacks(0, &[(4_000, 9_000), (1_000, 3_000)]);
    assert_eq!(test.data(), [(3_000, MSS)], "a hole goes before new data");
    test.sacks(0, &[(4_000, 10_000), (1_000, 3_000)]);
    assert_eq!(test.data(), [(10_000, MSS)]);
    // A partial ack takes two off.
    test.sacks(3_000, &[(4_000, 10_000)]);
    assert_eq!(test.data(), [(11_000, MSS), (12_000, MSS)]);
    test.acks(10_000);
    let info = test.info();
    assert_eq!((info.in_recovery, info.cwnd, info.retransmitted), (false, 5 * MSS, 2));
    assert_eq!(test.data(), [(13_000, MSS), (14_000, MSS)]);
}

#[test]
fn the_sender_of_ns_goes_back_over_everything_after_a_timeout() {
    // Segments 0 and 4 are lost. What arrives after the timeout tells of 1 to 3 and 5 to 9.
    let resent_after = |recovery| {
        let mut test = ten_in_flight(recovery, Reno::default().into());
        let resent: Vec<_> = test.run(200).iter().map(|(_, sent)| sent.data()).collect();
        assert_eq!(resent, [(0, MSS)]);
        test.sacks(4_000, &[(5_000, 10_000)]);
        let first = test.data();
        test.sacks(5_000, &[(6_000, 10_000)]);
        (first, test.data())
    };
    let (first, _) = resent_after(RecoveryAlgorithm::SackPipe);
    assert_eq!(first, [(4_000, MSS), (10_000, MSS)], "the other has the scoreboard");
    let resent = resent_after(RecoveryAlgorithm::SackPipeGoBackN);
    let all = Vec::from([(4_000, MSS), (5_000, MSS)]);
    assert_eq!(resent, (all, Vec::from([(6_000, MSS), (7_000, MSS)])));
}

#[test]
fn the_sender_of_ns_heeds_sacks_again_once_the_timeout_is_repaired() {
    let mut test = ten_in_flight(RecoveryAlgorithm::SackPipeGoBackN, Reno::default().into());
    assert_eq!(test.run(200).len(), 1);
    test.acks(10_000);
    assert_eq!(test.data(), [(10_000, MSS), (11_000, MSS)]);
    test.sacks(10_000, &[(11_000, 12_000)]);
    assert_eq!(test.info().sacked, MSS);
}

#[test]
fn a_timeout_clears_the_scoreboard_of_the_pipe_variable() {
    let mut test = ten_in_flight(RecoveryAlgorithm::SackPipe, Reno::default().into());
    test.sacks(0, &[(1_000, 2_000)]);
    let resent: Vec<_> = test.run(200).iter().map(|(_, sent)| sent.data()).collect();
    assert_eq!((resent, test.info().sacked), (Vec::from([(0, MSS)]), 0));
    test.acks(1_000);
    assert_eq!(test.data(), [(1_000, MSS), (2_000, MSS)], "also what had been SACKed");
}
