//! Loss detection by time (RFC 8985 sections 5, 6 and 9) and proportional rate reduction (RFC 9937).

use super::*;
use crate::congestion::Fixed;

const QUARTER_RTT: Duration = Duration::from_micros(2_500);

fn reordering(test: &Test) -> Option<Duration> {
    test.info().timers.reordering
}

#[test]
fn the_third_sacked_segment_makes_what_was_sent_before_lost_at_once() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    test.sacks(0, &[(1_000, 3_000)]);
    assert_eq!(test.data(), []);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    let info = test.info();
    assert_eq!((info.lost, info.fast_recoveries, info.cwnd), (1_000, 1, 5_000));
}

#[test]
fn what_was_overtaken_is_lost_after_a_quarter_of_the_round_trip_time() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    assert_eq!(reordering(&test), Some(QUARTER_RTT));
    assert_eq!(test.data_within(5), [(2, 0, 1_000)]);
    assert_eq!((test.info().fast_recoveries, reordering(&test)), (1, None));
}

/// Section 3.3.2 (b): in recovery a second hole is given no time, though two segments were SACKed only.
#[test]
fn in_recovery_nothing_is_waited_for() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    assert_eq!(test.data_within(5), [(2, 0, 1_000)]);
    let lost = test.info().lost;
    test.sacks(0, &[(3_000, 4_000), (1_000, 2_000)]);
    assert_eq!((lost, test.info().lost, reordering(&test)), (1_000, 2_000, None));
}

#[test]
fn what_was_sent_after_everything_that_arrived_is_not_lost() {
    let mut test = in_flight(rack(), 4);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    test.wait(3);
    test.connection.on_timeout(test.now);
    assert_eq!((test.data(), test.info().lost), (std::vec![(0, 1_000)], 1_000));
}

#[test]
fn reordering_once_seen_keeps_the_window_open() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    test.wait(1);
    test.acks(2_000);
    assert_eq!(reordering(&test), None, "the first segment was late by 1 ms");
    test.sacks(2_000, &[(3_000, 10_000)]);
    assert_eq!(test.data(), [], "three SACKed segments are no sign of loss any more");
    // The last to arrive took 11 ms.
    assert_eq!(reordering(&test), Some(QUARTER_RTT));
    assert_eq!(test.data_within(5), [(2, 2_000, 1_000)]);
}

#[test]
fn a_retransmission_in_vain_is_reordering_seen() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(1);
    test.acks(10_000);
    test.sacks(10_000, &[(0, 1_000)]);
    assert_eq!(test.info().undos, 1);
    test.queue(10_000, 20_000);
    assert_eq!(test.data().len(), 10);
    test.wait(10);
    test.sacks(10_000, &[(11_000, 15_000)]);
    assert_eq!((test.data(), reordering(&test)), (std::vec![], Some(QUARTER_RTT + QUARTER_RTT)));
}

#[test]
fn a_retransmission_that_is_acknowledged_does_not_count_as_reordering() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(10);
    test.acks(10_000);
    test.queue(10_000, 15_000);
    assert_eq!(test.data().len(), 5);
    test.wait(10);
    test.sacks(10_000, &[(11_000, 14_000)]);
    assert_eq!(test.data(), [(10_000, 1_000)], "the reordering window is closed");
}

/// The peer has received the first two segments; the next ack reports a duplicate.
fn after_d_sacks(count: u32) -> Test {
    let mut test = in_flight(rack(), 1);
    test.wait(10);
    test.acks(1_000);
    for n in 1..=count {
        test.queue(n * 1_000, n * 1_000 + 1_000);
        assert_eq!(test.data().len(), 1);
        // D-SACKs of the same round count once.
        test.sacks(n * 1_000, &[(0, 1_000)]);
        test.sacks(n * 1_000, &[(0, 1_000)]);
        test.wait(10);
        test.acks(n * 1_000 + 1_000);
    }
    test
}

/// Loses the first of two new segments; how long RACK waits for it.
fn patience(test: &mut Test) -> Duration {
    let at = test.info().bytes_acked as u32;
    test.queue(at, at + 2_000);
    assert_eq!(test.data().len(), 2);
    test.wait(10);
    test.sacks(at, &[(at + 1_000, at + 2_000)]);
    let patience = reordering(test).expect("it waits");
    test.run(20);
    test.acks(at + 2_000);
    patience
}

#[test]
fn each_round_with_d_sack_widens_the_window_by_a_quarter_up_to_the_round_trip_time() {
    let windows = [0, 1, 2, 3, 4].map(|rounds| patience(&mut after_d_sacks(rounds)));
    let quarters = windows.map(|window| window.as_nanos() / QUARTER_RTT.as_nanos());
    assert_eq!(quarters, [1, 2, 3, 4, 4]);
}

#[test]
fn the_window_narrows_again_after_16_recoveries() {
    let mut test = after_d_sacks(2);
    let windows: Vec<u64> = (0..17).map(|_| patience(&mut test).as_nanos() / 500_000).collect();
    let mut expected = std::vec![15; 16];
    expected.push(5);
    assert_eq!(windows, expected);
}

/// Ten segments sent at once; the first is sent again 10 ms later, then the next one, new.
fn with_a_retransmission() -> Test {
    let mut test = in_flight(rack(), 10);
    test.queue(10_000, 20_000);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(1);
    test.sacks(0, &[(1_000, 9_000)]);
    assert_eq!(test.data(), [(10_000, 1_000), (11_000, 1_000), (12_000, 1_000)]);
    test
}

#[test]
fn a_lost_retransmission_is_found_and_reduces_the_window_once_more() {
    let mut test = with_a_retransmission();
    assert_eq!(test.info().cwnd, 5_000);
    test.wait(10);
    test.sacks(0, &[(10_000, 11_000), (1_000, 9_000)]);
    // Segment 9 is lost as well, and has to wait.
    assert_eq!((test.data(), test.info().lost), (std::vec![(0, 1_000)], 2_000));
    let info = test.info();
    assert_eq!((info.cwnd, info.timeouts, info.fast_recoveries), (2_500, 0, 1));
    // Another sign of the same window's losses is not another reduction.
    test.wait(1);
    test.sacks(0, &[(10_000, 13_000), (1_000, 9_000)]);
    assert_eq!(test.info().cwnd, 2_500);
}

#[test]
fn an_ack_that_comes_too_soon_for_the_retransmission_is_for_the_original() {
    let mut test = with_a_retransmission();
    // The first segment has only been late.
    test.wait(1);
    test.acks(9_000);
    assert_eq!((test.info().lost, test.data()), (0, std::vec![(13_000, 1_000)]));
}

#[test]
fn an_ack_that_echoes_an_older_timestamp_is_for_the_original() {
    let config = Config { timestamps: true, ..rack() };
    let mut test = Test::established(config);
    let mss = test.info().mss;
    test.queue(0, 10 * mss);
    assert_eq!(test.data().len(), 10);
    let sent_at = test.now;
    test.wait(10);
    test.acks_echoing(0, &[(mss, 4 * mss)], sent_at);
    assert_eq!(test.data(), [(0, mss)]);
    test.wait(30);
    test.acks_echoing(4 * mss, &[], sent_at);
    assert_eq!((test.info().lost, test.data()), (0, std::vec![]), "nothing is overdue");
}

#[test]
fn a_timeout_loses_only_what_is_overdue() {
    let mut test = in_flight(rack(), 3);
    assert_eq!(test.data_within(215), [(20, 2_000, 1_000)], "the probe");
    test.queue(3_000, 5_000);
    assert_eq!(test.data().len(), 2);
    assert_eq!(test.data_within(6), [(5, 0, 1_000)]);
    let info = test.info();
    assert_eq!((info.timeouts, info.lost, info.in_flight), (1, 3_000, 3_000));
}

#[test]
fn a_peer_that_discards_what_it_sacked_is_found_out_by_the_timer() {
    let mut test = in_flight(rack(), 4);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(10);
    test.acks(1_000);
    assert_eq!((test.info().sacked, test.info().sack_renegings), (3_000, 0));
    // Half the smoothed round-trip time, but 10 ms at least, in which a better ack may come.
    assert_eq!(test.data_within(250), [(10, 1_000, 1_000)]);
    assert_eq!((test.info().sacked, test.info().sack_renegings), (0, 1));
    test.acks(2_000);
    assert_eq!(test.data(), [(2_000, 1_000), (3_000, 1_000)]);
    test.acks(4_000);
    assert_eq!(test.info().unacked, 0);
}

#[test]
fn an_ack_that_was_overtaken_is_no_sign_of_discarded_data() {
    let mut test = in_flight(rack(), 4);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(10);
    test.acks(1_000);
    test.wait(5);
    test.acks(4_000);
    assert_eq!((test.data_within(1_000), test.info().sack_renegings), (std::vec![], 0));
}

#[test]
fn without_sack_newreno_takes_its_place() {
    let test = Test::established(Config { sack: false, ..rack() });
    assert_eq!(test.info().recovery, "newreno");
    assert_eq!(Test::established(rack()).info().recovery, "rack");
}

#[test]
fn about_half_of_what_arrives_goes_out_during_recovery() {
    let mut test = in_flight(rack(), 10);
    test.queue(10_000, 20_000);
    test.wait(10);
    // Segment 0 is lost. RecoverFS is 10 and ssthresh 5 segments: after the third to the tenth have
    // arrived, n / 2 may have been sent, and no more than would make the flight ssthresh.
    let sent: Vec<usize> = (4..=10)
        .map(|n| {
            test.sacks(0, &[(1_000, n * 1_000)]);
            test.data().len()
        })
        .collect();
    assert_eq!(sent, [1, 1, 0, 0, 1, 1, 1]);
}

#[test]
fn after_heavy_loss_one_segment_goes_out_for_each_that_arrives() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    // Only the last three arrive.
    test.sacks(0, &[(7_000, 10_000)]);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000), (2_000, 1_000)]);
    test.wait(10);
    test.sacks(1_000, &[(7_000, 10_000)]);
    assert_eq!(test.data(), [(3_000, 1_000), (4_000, 1_000)], "one more for the progress");
}

/// RFC 6937 section 3: what is sent between two acks is "strictly less than or equal to sndcnt".
#[test]
fn what_the_reordering_timer_finds_lost_lets_nothing_more_out() {
    let mut test = in_flight(rack(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    test.wait(1);
    test.acks(2_000);
    // Reordering was seen, so that only the timer finds losses: segment 2 first.
    test.sacks(2_000, &[(3_000, 4_000)]);
    assert_eq!(test.data_within(5), [(2, 2_000, 1_000)]);
    // RecoverFS is 7 and ssthresh 4 segments: one that arrives lets 4 / 7 of one out.
    test.sacks(2_000, &[(5_000, 6_000), (3_000, 4_000)]);
    assert_eq!(reordering(&test), Some(QUARTER_RTT));
    assert_eq!(test.data_within(5), []);
    assert_eq!(test.info().lost, 2_000);
}

#[test]
fn a_law_without_rate_reduction_is_bounded_by_its_window_alone() {
    let law = BuiltIn::from(Fixed::bytes(10_000));
    let mut test = Test::established_with(rack(), law);
    test.queue(0, 20_000);
    assert_eq!(test.data().len(), 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000), (10_000, 1_000), (11_000, 1_000), (12_000, 1_000)]);
}
