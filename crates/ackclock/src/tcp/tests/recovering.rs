//! Loss and recovery (RFC 5681, RFC 6298, RFC 6582, RFC 6675, RFC 3042).

use super::*;

fn without_sack() -> Config {
    let mut config = config();
    config.sack = false;
    config
}

#[test]
fn three_duplicate_acks_retransmit_and_halve_the_window() {
    let mut test = in_flight(without_sack(), 10);
    test.wait(10);
    for _ in 0..2 {
        test.acks(0);
        assert_eq!(test.data(), []);
    }
    test.acks(0);
    assert_eq!(test.data(), [(0, 1_000)]);
    let info = test.info();
    assert_eq!((info.cwnd, info.ssthresh, info.fast_recoveries), (5_000, 5_000, 1));
}

/// As after so much data without a loss that SND.UNA seems to lie before the last RecoveryPoint again.
#[test]
fn the_last_episode_may_be_2_gib_ago() {
    let mut test = in_flight(without_sack(), 10);
    test.wait(10);
    let una = test.connection.sender.snd_una();
    test.connection.sender.recovery.episode.point = una + (1 << 31) - 20_000;
    for _ in 0..3 {
        test.acks(0);
    }
    assert_eq!(test.data(), [(0, 1_000)]);
}

#[test]
fn limited_transmit_sends_new_data_on_the_first_two_duplicates() {
    let mut test = in_flight(without_sack(), 10);
    test.queue(10_000, 20_000);
    test.acks(0);
    assert_eq!(test.data(), [(10_000, 1_000)]);
    test.acks(0);
    assert_eq!(test.data(), [(11_000, 1_000)]);
    test.acks(0);
    assert_eq!(test.data(), [(0, 1_000)]);
}

#[test]
fn newreno_repairs_one_hole_for_each_partial_ack() {
    let mut test = in_flight(without_sack(), 10);
    // Segments 0, 4 and 8 are lost: seven arrive.
    for _ in 0..7 {
        test.acks(0);
    }
    assert_eq!(test.data(), [(0, 1_000)]);
    test.acks(4_000);
    assert_eq!(test.data(), [(4_000, 1_000)]);
    test.acks(8_000);
    assert_eq!(test.data(), [(8_000, 1_000)]);
    assert!(test.info().in_recovery);
    test.acks(10_000);
    let info = test.info();
    assert_eq!((info.in_recovery, info.fast_recoveries, info.cwnd), (false, 1, 5_000));
}

#[test]
fn newreno_inflates_by_what_has_left_the_network() {
    let mut test = in_flight(without_sack(), 10);
    test.queue(10_000, 20_000);
    // Two by limited transmit, then the retransmission: 12 in flight, window 5 + 3.
    for sent in [(10_000, 1_000), (11_000, 1_000), (0, 1_000)] {
        test.acks(0);
        assert_eq!(test.data(), [sent]);
    }
    for _ in 0..4 {
        test.acks(0);
        assert_eq!(test.data(), []);
    }
    test.acks(0);
    assert_eq!(test.data(), [(12_000, 1_000)], "the eighth duplicate: 5 + 8 > 12");
}

#[test]
fn duplicates_that_carry_data_or_another_window_do_not_count() {
    let mut test = in_flight(without_sack(), 10);
    for n in 0..5 {
        test.peer(n * 10, 10, 0, Flags::NONE);
    }
    for window in [50_000, 40_000, 30_000, 20_000] {
        let header = Header { window, ..header(IRS + 51, ISS + 1, ACK) };
        let _ = test.segment(header, &[]);
    }
    assert_eq!(test.info().duplicate_acks, 0);
    assert_eq!(test.data(), []);
}

#[test]
fn sack_retransmits_only_what_is_missing() {
    let mut test = in_flight(config(), 10);
    // Segments 0, 3 and 5 are lost.
    test.sacks(0, &[(1_000, 2_000)]);
    test.sacks(0, &[(1_000, 3_000)]);
    assert_eq!(test.data(), []);
    test.sacks(0, &[(4_000, 5_000), (1_000, 3_000)]);
    assert_eq!(test.data(), [(0, 1_000)], "three segments above it were SACKed");
    test.sacks(0, &[(6_000, 7_000), (4_000, 5_000), (1_000, 3_000)]);
    test.sacks(0, &[(6_000, 8_000), (4_000, 5_000), (1_000, 3_000)]);
    test.sacks(0, &[(6_000, 9_000), (4_000, 5_000), (1_000, 3_000)]);
    test.sacks(0, &[(6_000, 10_000), (4_000, 5_000), (1_000, 3_000)]);
    assert_eq!(test.data(), [(3_000, 1_000), (5_000, 1_000)]);
    let info = test.info();
    assert_eq!((info.sacked, info.lost, info.in_flight), (7_000, 3_000, 3_000));
    test.sacks(3_000, &[(6_000, 10_000), (4_000, 5_000)]);
    test.acks(10_000);
    let info = test.info();
    assert_eq!((info.in_recovery, info.cwnd, info.retransmitted), (false, 5_000, 3));
}

#[test]
fn the_pipe_lets_out_new_data_during_recovery() {
    let mut test = in_flight(config(), 10);
    test.queue(10_000, 20_000);
    test.sacks(0, &[(1_000, 4_000)]);
    // Pipe: 10 - 3 SACKed - 1 lost + 1 resent = 7, window 5.
    assert_eq!(test.data(), [(0, 1_000)]);
    test.sacks(0, &[(1_000, 6_000)]);
    assert_eq!(test.data(), []);
    test.sacks(0, &[(1_000, 8_000)]);
    assert_eq!(test.data(), [(10_000, 1_000), (11_000, 1_000)]);
}

#[test]
fn blocks_that_cannot_be_true_are_ignored() {
    let mut test = in_flight(config(), 5);
    test.sacks(0, &[(5_000, 9_000)]);
    test.sacks(0, &[(2_000, 2_000)]);
    test.sacks(0, &[(3_000, 1_000)]);
    assert_eq!((test.info().sacked, test.info().duplicate_acks), (0, 0));
}

#[test]
fn a_block_that_covers_part_of_a_segment_rounds_inward() {
    let mut test = in_flight(config(), 5);
    test.sacks(0, &[(1_500, 3_500)]);
    assert_eq!(test.info().sacked, 1_000);
}

#[test]
fn d_sack_is_counted_and_marks_nothing() {
    let mut test = in_flight(config(), 5);
    test.sacks(2_000, &[(0, 1_000)]);
    assert_eq!((test.info().dsacks_received, test.info().sacked), (1, 0));
    test.sacks(2_000, &[(3_000, 3_500), (3_000, 4_000)]);
    assert_eq!((test.info().dsacks_received, test.info().sacked), (2, 1_000));
    // RFC 2883 section 5: a first block above the ack, in no other one, reports what is new.
    test.sacks(2_000, &[(4_000, 5_000), (3_000, 4_000)]);
    assert_eq!((test.info().dsacks_received, test.info().sacked), (2, 2_000));
}

#[test]
fn the_timer_doubles_and_resends_the_first_segment() {
    let mut test = in_flight(config(), 3);
    let sent = test.run(1_500);
    let resent: Vec<_> = sent.iter().map(|(at, s)| (*at, s.data())).collect();
    assert_eq!(resent, [(200, (0, 1_000)), (600, (0, 1_000)), (1_400, (0, 1_000))]);
    let info = test.info();
    assert_eq!((info.timeouts, info.backoff, info.cwnd, info.ssthresh), (3, 3, 1_000, 2_000));
    assert_eq!(info.rto, Duration::from_millis(1_600));
}

#[test]
fn after_a_timeout_slow_start_resends_the_rest() {
    for config in [config(), without_sack()] {
        let mut test = in_flight(config, 4);
        test.run(250);
        test.acks(1_000);
        assert_eq!(test.data(), [(1_000, 1_000), (2_000, 1_000)]);
        test.acks(3_000);
        assert_eq!(test.data(), [(3_000, 1_000)]);
        test.acks(4_000);
        assert_eq!((test.info().unacked, test.info().retransmitted), (0, 4));
    }
}

/// RFC 6582 section 3.2: a timeout ends fast recovery, and what was sent before it begins none anew.
#[test]
fn a_timeout_ends_newrenos_fast_recovery() {
    let mut test = in_flight(without_sack(), 10);
    for _ in 0..3 {
        test.acks(0);
    }
    assert_eq!(test.data(), [(0, 1_000)]);
    assert!(test.info().in_recovery);
    let resent: Vec<_> = test.run(250).iter().map(|(_, sent)| sent.data()).collect();
    assert_eq!(resent, [(0, 1_000)]);
    assert_eq!(test.info().cwnd, 1_000);
    test.acks(1_000);
    test.data();
    for _ in 0..3 {
        test.acks(1_000);
    }
    assert_eq!(test.info().fast_recoveries, 1, "recover is what was sent last");
}

#[test]
fn a_full_segment_with_the_fin_is_resent_after_a_timeout() {
    let mut test = Test::established(config());
    test.queue(0, 1_000);
    test.connection.shutdown(test.now);
    let shape = |sent: &Sent| (sent.data(), sent.flags);
    let segment = ((0, 1_000), FIN | ACK);
    assert_eq!(test.sent().iter().map(shape).collect::<Vec<_>>(), [segment]);
    let resent: Vec<_> = test.run(250).iter().map(|(at, s)| (*at, shape(s))).collect();
    assert_eq!(resent, [(200, segment)]);
}

#[test]
fn karn_keeps_the_backoff_until_something_sent_once_is_acknowledged() {
    let mut test = in_flight(config(), 1);
    test.run(700);
    assert_eq!(test.info().backoff, 2);
    test.acks(1_000);
    assert_eq!(test.info().backoff, 2, "nobody knows which copy this ack is for");
    test.queue(1_000, 2_000);
    test.sent();
    test.wait(10);
    test.acks(2_000);
    assert_eq!((test.info().backoff, test.info().rto), (0, Duration::from_millis(200)));
}

#[test]
fn a_new_ack_restarts_the_timer() {
    let mut test = in_flight(config(), 2);
    test.wait(150);
    test.acks(1_000);
    let remaining = test.info().timers.retransmit;
    assert_eq!(remaining, Some(test.info().rto));
    test.acks(2_000);
    assert_eq!(test.info().timers.retransmit, None);
}

#[test]
fn a_peer_that_discards_what_it_sacked_is_survived() {
    let mut test = in_flight(config(), 4);
    test.sacks(0, &[(1_000, 3_000)]);
    test.run(250);
    // It acknowledges the first, and has thrown the rest away.
    test.acks(1_000);
    test.run(1_000);
    let resent: Vec<_> = test.data();
    assert_eq!(resent, []);
    test.acks(2_000);
    test.run(2_000);
    test.acks(4_000);
    assert_eq!(test.info().unacked, 0);
}

#[test]
fn round_trip_times_come_from_what_was_sent_once() {
    let mut test = in_flight(config(), 1);
    test.wait(30);
    test.acks(1_000);
    let info = test.info();
    // Handshake 10 ms, then 30: srtt = 10 + 20/8, rttvar = 5 + (20 - 5)/4.
    assert_eq!(info.rtt, Duration::from_micros(12_500));
    assert_eq!(info.rttvar, Duration::from_micros(8_750));
    assert_eq!((info.min_rtt, info.rtt_samples), (Duration::from_millis(10), 2));
}

/// Acks that have changed places: the older one tells of losses, too.
#[test]
fn an_ack_overtaken_by_a_later_one_still_tells_what_it_sacks() {
    let mut test = in_flight(config(), 10);
    test.wait(10);
    test.acks(2_000);
    test.sacks(1_000, &[(3_000, 6_000)]);
    assert_eq!((test.info().sacked, test.info().fast_recoveries), (3_000, 1));
    assert_eq!(test.data(), [(2_000, 1_000)]);
    assert_eq!(test.info().unacked, 8_000);
}

#[test]
fn an_ack_overtaken_by_a_later_one_still_tells_what_has_arrived_twice() {
    let mut test = in_flight(config(), 10);
    test.wait(10);
    test.acks(2_000);
    test.sacks(1_000, &[(0, 1_000)]);
    assert_eq!(test.info().dsacks_received, 1);
    // Without SACK blocks it tells nothing, and is no duplicate ack.
    for _ in 0..5 {
        test.acks(1_000);
    }
    assert_eq!((test.info().duplicate_acks, test.info().fast_recoveries), (0, 0));
}
