//! False alarms taken back: Eifel (RFC 3522, RFC 4015), F-RTO (RFC 5682), D-SACK (RFC 3708).

use super::*;

fn stamped(recovery: RecoveryAlgorithm) -> Config {
    Config { timestamps: true, recovery, ..config() }
}

/// The window and all that counts what happened to it.
fn window(test: &Test) -> (u32, u32, u64) {
    let info = test.info();
    (info.cwnd, info.ssthresh, info.undos)
}

const UNTOUCHED: (u32, u32, u64) = (10_000, u32::MAX, 1);
/// The same, where the ack that undoes it lets the window grow as any other.
const GROWN: (u32, u32, u64) = (11_000, u32::MAX, 1);

/// A flight of ten segments of 988 bytes, sent at the instant given, whose first was sent again
/// by the timer after a probe.
fn delayed(recovery: RecoveryAlgorithm) -> (Test, Instant) {
    let mut test = Test::established(stamped(recovery));
    test.queue(0, 9_880);
    assert_eq!(test.data().len(), 10);
    let sent_at = test.now;
    let resent = test.data_within(230);
    let last = resent.last().map(|(_, at, len)| (*at, *len));
    assert_eq!((last, test.info().timeouts), (Some((0, 988)), 1));
    assert_eq!(test.info().cwnd, 988);
    (test, sent_at)
}

#[test]
fn a_timestamp_older_than_the_retransmission_undoes_a_timeout() {
    for name in ["newreno", "rfc6675", "rack"] {
        let (mut test, sent_at) = delayed(name.parse().expect("a recovery"));
        let before = test.info().timeouts + test.info().tail_probes;
        test.acks_echoing(988, &[], sent_at);
        assert_eq!(window(&test), (9_880 + 988, u32::MAX, 1), "{name}: it grows with the ack");
        let info = test.info();
        assert_eq!((info.lost, info.in_flight, info.in_recovery), (0, 8_892, false), "{name}");
        assert_eq!(test.data(), [], "{name}: nothing more goes again");
        assert_eq!(info.retransmitted, before, "{name}: one segment for each timer");
    }
}

#[test]
fn the_timestamp_of_the_retransmission_undoes_nothing() {
    for name in ["newreno", "rfc6675", "rack"] {
        let (mut test, _) = delayed(name.parse().expect("a recovery"));
        let resent_at = test.now - Duration::from_millis(10);
        test.acks_echoing(988, &[], resent_at);
        assert_eq!((test.info().undos, test.info().in_recovery), (0, true), "{name}");
        assert_eq!(test.data(), [(988, 988), (1_976, 988)], "{name}: slow start");
    }
}

#[test]
fn the_senders_of_the_papers_know_no_undoing() {
    for name in ["go-back-n", "tahoe", "reno", "sack-pipe", "timeout-only"] {
        let (mut test, sent_at) = delayed(name.parse().expect("a recovery"));
        test.acks_echoing(988, &[], sent_at);
        assert_eq!(test.info().undos, 0, "{name}");
    }
}

#[test]
fn repeated_timeouts_are_undone_together() {
    let mut test = Test::established(stamped(RecoveryAlgorithm::Rack));
    test.queue(0, 9_880);
    assert_eq!(test.data().len(), 10);
    let sent_at = test.now;
    let resent = test.data_within(1_000);
    assert_eq!(resent, [(20, 8_892, 988), (220, 0, 988), (620, 0, 988)]);
    test.acks_echoing(988, &[], sent_at);
    assert_eq!(window(&test), (9_880 + 988, u32::MAX, 1));
    // The timer stays backed off until new data has been measured (RFC 4015 section 3.6).
    assert_eq!((test.data(), test.info().backoff), (std::vec![], 2));
    test.queue(9_880, 10_868);
    assert_eq!(test.data().len(), 1);
    let new_sent_at = test.now;
    test.acks_echoing(9_880, &[], sent_at);
    assert_eq!(test.info().backoff, 2);
    test.wait(700);
    test.acks_echoing(10_868, &[], new_sent_at);
    assert_eq!(test.info().backoff, 0);
}

/// A loss after a spurious timeout does not put the measurement off that ends the backoff (RFC 4015 section 3.2 step 11:
/// "data that was previously unsent when the spurious timeout occurred").
#[test]
fn new_data_is_measured_after_a_spurious_timeout_though_some_of_it_is_lost() {
    let mut test = Test::established(stamped(RecoveryAlgorithm::Rack));
    test.queue(0, 9_880);
    assert_eq!(test.data().len(), 10);
    let sent_at = test.now;
    assert_eq!(test.data_within(1_000).len(), 3);
    test.acks_echoing(988, &[], sent_at);
    assert_eq!((test.info().undos, test.info().backoff), (1, 2));
    test.acks_echoing(9_880, &[], sent_at);
    test.queue(9_880, 13_832);
    assert_eq!(test.data().len(), 4);
    let new_sent_at = test.now;
    test.wait(20);
    test.acks_echoing(9_880, &[(10_868, 13_832)], new_sent_at);
    assert_eq!((test.data(), test.info().backoff), (std::vec![(9_880, 988)], 2));
    let resent_at = test.now;
    test.wait(20);
    test.acks_echoing(13_832, &[], resent_at);
    assert_eq!(test.info().backoff, 0);
}

/// How many timeouts are undone by an ack of all ten segments that echoes their timestamp.
fn undone_by_an_old_ack_of_everything(reports_duplicates: bool) -> u64 {
    let mut test = Test::established(stamped(RecoveryAlgorithm::Rfc6675));
    test.queue(0, 988);
    assert_eq!(test.data().len(), 1);
    let sent_at = test.now;
    test.wait(10);
    test.acks_echoing(988, &[], sent_at);
    if reports_duplicates {
        test.acks_echoing(988, &[(0, 988)], sent_at);
    }
    test.queue(988, 10_868);
    assert_eq!(test.data().len(), 10);
    let sent_at = test.now;
    assert_eq!(test.data_within(210), [(200, 988, 988)]);
    test.acks_echoing(10_868, &[], sent_at);
    test.info().undos
}

/// RFC 3522 section 3.2 step 5: a receiver that has everything answers the retransmission with an
/// old timestamp, too, if all the acks of the originals were lost.
#[test]
fn an_old_timestamp_for_everything_counts_if_the_peer_is_known_to_report_duplicates() {
    assert_eq!(undone_by_an_old_ack_of_everything(false), 0);
    assert_eq!(undone_by_an_old_ack_of_everything(true), 1);
}

/// Smoothed round-trip time, its deviation and the timeout in milliseconds, when after a spurious timeout
/// an ack of the old data has come, and one of new data `round_trip` after that was sent.
fn timer_after_a_spurious_timeout(round_trip: u64) -> [u64; 3] {
    let (mut test, sent_at) = delayed(RecoveryAlgorithm::Rfc6675);
    test.acks_echoing(988, &[], sent_at);
    test.queue(9_880, 11_856);
    assert_eq!(test.data().len(), 2);
    let new_sent_at = test.now;
    let timer = |test: &Test| {
        let info = test.info();
        [info.rtt, info.rttvar, info.rto].map(|time| time.as_millis())
    };
    let before = timer(&test);
    test.acks_echoing(9_880, &[], sent_at);
    assert_eq!(timer(&test), before, "it is as late as what it was sent with");
    test.wait(round_trip);
    test.acks_echoing(11_856, &[], new_sent_at);
    timer(&test)
}

#[test]
fn after_a_spurious_timeout_the_timer_believes_the_round_trip_of_new_data() {
    // SRTT becomes that, and RTTVAR half of it.
    assert_eq!(timer_after_a_spurious_timeout(300), [300, 150, 900]);
    // The ack that showed the timeout to be spurious measured nothing. The timeout is the least.
    assert_eq!(timer_after_a_spurious_timeout(20), [20, 10, 200]);
}

#[test]
fn a_timestamp_older_than_the_retransmission_undoes_a_fast_retransmit() {
    for name in ["newreno", "rfc6675", "rack"] {
        let mut test = Test::established(stamped(name.parse().expect("a recovery")));
        test.queue(0, 9_880);
        assert_eq!(test.data().len(), 10);
        let sent_at = test.now;
        test.wait(10);
        for n in 2..=4 {
            test.acks_echoing(0, &[(988, n * 988)], sent_at);
        }
        assert_eq!(test.data(), [(0, 988)], "{name}");
        assert_eq!(test.info().cwnd, 4_940, "{name}");
        test.wait(2);
        test.acks_echoing(3_952, &[], sent_at);
        assert_eq!(
            (window(&test), test.info().in_recovery),
            ((9_880, u32::MAX, 1), false),
            "{name}"
        );
    }
}

/// One segment was sent again by the timer; an ack comes `later` milliseconds after that and echoes the
/// first transmission.
fn old_echo_after(later: u64) -> Info {
    let mut test = Test::established(stamped(RecoveryAlgorithm::Rfc6675));
    test.queue(0, 988);
    assert_eq!(test.data().len(), 1);
    let sent_at = test.now;
    assert_eq!(test.data_within(200), [(200, 0, 988)]);
    test.wait(later);
    test.acks_echoing(988, &[], sent_at);
    test.info()
}

/// The receiver may have had the segment long before, and have answered the repetition with the echo
/// that it had; unless no round trip has ever been so short.
#[test]
fn an_echo_from_before_the_retransmission_measures_nothing_if_that_may_have_been_answered() {
    let before = Duration::from_millis(10);
    let info = old_echo_after(10);
    assert_eq!((info.rtt_samples, info.rtt, info.backoff), (1, before, 1));
    let info = old_echo_after(9);
    let rtt = (before.saturating_mul(7) + Duration::from_millis(209)) / 8;
    assert_eq!((info.rtt_samples, info.rtt, info.backoff), (2, rtt, 0));
}

/// A path that has become slower than the timer, on which one segment at a time is sent.
#[test]
fn false_alarms_in_a_row_leave_the_timer_longer() {
    let mut test = Test::established(stamped(RecoveryAlgorithm::Rfc6675));
    let round_trip = Duration::from_millis(1_000);
    for n in 0..10 {
        test.queue(n * 988, (n + 1) * 988);
        let sent_at = test.now;
        test.run(1_000);
        test.acks_echoing((n + 1) * 988, &[], sent_at);
        // The repetitions arrive too.
        test.acks_echoing((n + 1) * 988, &[(n * 988, (n + 1) * 988)], sent_at);
    }
    let info = test.info();
    assert_eq!((info.rtt, info.rto > round_trip), (round_trip, true), "{info:?}");
}

/// Ten segments in flight and ten more queued; the timer has sent the first again, and an ack for
/// it has come.
fn forward(sack: bool) -> Test {
    let mut test = in_flight(Config { sack, ..config() }, 10);
    test.queue(10_000, 20_000);
    assert_eq!(test.data_within(210), [(200, 0, 1_000)]);
    test.acks(1_000);
    assert_eq!(test.data(), [(10_000, 1_000), (11_000, 1_000)], "new data, to see what comes");
    test
}

#[test]
fn a_second_ack_that_advances_shows_that_the_timeout_was_spurious() {
    for sack in [true, false] {
        let mut test = forward(sack);
        test.acks(2_000);
        assert_eq!(window(&test), GROWN);
        assert_eq!((test.info().lost, test.info().in_recovery), (0, false));
        test.acks(3_000);
        assert_eq!(test.info().retransmitted, 1);
    }
}

#[test]
fn a_sack_of_what_was_sent_before_the_timeout_shows_it_as_well() {
    let mut test = forward(true);
    test.sacks(1_000, &[(2_000, 3_000)]);
    assert_eq!(window(&test), UNTOUCHED);
}

#[test]
fn a_sack_of_the_new_data_shows_that_the_timeout_was_genuine() {
    let mut test = forward(true);
    test.sacks(1_000, &[(10_000, 12_000)]);
    assert_eq!(test.info().undos, 0);
    assert_eq!(test.data(), [(1_000, 1_000), (2_000, 1_000)]);
}

#[test]
fn a_duplicate_ack_shows_that_the_timeout_was_genuine() {
    let mut test = forward(false);
    test.acks(1_000);
    assert_eq!(test.info().undos, 0);
    test.acks(2_000);
    assert_eq!((test.info().undos, test.info().in_recovery), (0, true));
}

#[test]
fn an_ack_of_everything_says_nothing_of_the_timeout() {
    let mut test = in_flight(config(), 10);
    test.queue(10_000, 20_000);
    assert_eq!(test.data_within(210), [(200, 0, 1_000)]);
    test.acks(10_000);
    assert_eq!((test.info().undos, test.info().ssthresh), (0, 5_000));
}

#[test]
fn an_ack_of_a_part_of_the_first_segment_says_nothing_of_the_timeout() {
    let mut test = in_flight(config(), 10);
    test.queue(10_000, 20_000);
    assert_eq!(test.data_within(210), [(200, 0, 1_000)]);
    test.acks(500);
    test.data();
    test.acks(2_000);
    assert_eq!((test.info().undos, test.info().in_recovery), (0, true));
}

#[test]
fn an_ack_of_the_new_data_as_well_shows_that_the_timeout_was_genuine() {
    for sack in [true, false] {
        let mut test = forward(sack);
        test.acks(11_000);
        assert_eq!((test.info().undos, test.info().in_recovery), (0, false));
    }
}

/// What F-RTO would see may be the work of what was retransmitted before.
#[test]
fn a_timeout_during_recovery_goes_back_to_what_was_lost() {
    let mut test = in_flight(config(), 10);
    test.queue(10_000, 20_000);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    assert_eq!(test.data_within(210), [(200, 0, 1_000)]);
    test.acks(4_000);
    assert_eq!(test.data(), [(4_000, 1_000), (5_000, 1_000)]);
}

#[test]
fn without_new_data_the_old_is_sent_again() {
    let mut test = in_flight(config(), 10);
    assert_eq!(test.data_within(210), [(200, 0, 1_000)]);
    test.acks(1_000);
    assert_eq!(test.data(), [(1_000, 1_000), (2_000, 1_000)]);
}

/// The first segment was late, and was sent again; everything has arrived.
fn sent_again_in_vain(recovery: RecoveryAlgorithm) -> Test {
    let mut test = in_flight(Config { recovery, ..config() }, 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    test.sacks(0, &[(1_000, 3_000)]);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(1);
    test.acks(10_000);
    assert_eq!(window(&test), (5_000, 5_000, 0));
    test
}

#[test]
fn d_sack_of_everything_sent_again_undoes_it() {
    for recovery in [RecoveryAlgorithm::Rfc6675, RecoveryAlgorithm::Rack] {
        let mut test = sent_again_in_vain(recovery);
        test.sacks(10_000, &[(0, 1_000)]);
        assert_eq!(window(&test), UNTOUCHED);
        // Once.
        test.sacks(10_000, &[(0, 1_000)]);
        assert_eq!(window(&test), UNTOUCHED);
    }
}

#[test]
fn d_sack_of_a_part_of_it_undoes_nothing() {
    let mut test = sent_again_in_vain(RecoveryAlgorithm::Rack);
    test.sacks(10_000, &[(0, 500)]);
    assert_eq!(window(&test), (5_000, 5_000, 0));
}

#[test]
fn d_sack_of_something_else_undoes_nothing() {
    let mut test = sent_again_in_vain(RecoveryAlgorithm::Rack);
    test.queue(10_000, 12_000);
    assert_eq!(test.data().len(), 2);
    test.sacks(11_000, &[(10_000, 11_000)]);
    assert_eq!(window(&test), (5_000, 5_000, 0));
}

/// RFC 3708 step A.4: the network makes duplicates, too.
#[test]
fn d_sack_of_what_was_sent_once_undoes_nothing() {
    for at in [1_000, 3_000, 9_000] {
        let mut test = sent_again_in_vain(RecoveryAlgorithm::Rack);
        test.sacks(10_000, &[(at, at + 1_000)]);
        assert_eq!(window(&test), (5_000, 5_000, 0), "{at}");
    }
}

/// Two segments, apart from each other, were sent again; everything has arrived.
fn two_sent_again() -> Test {
    let mut test = in_flight(Config { recovery: RecoveryAlgorithm::Rfc6675, ..config() }, 10);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000), (3_000, 6_000)]);
    test.sacks(0, &[(1_000, 2_000), (3_000, 10_000)]);
    assert_eq!(test.data(), [(0, 1_000), (2_000, 1_000)]);
    test.acks(10_000);
    test
}

#[test]
fn each_segment_sent_again_is_reported_for_itself() {
    let mut test = two_sent_again();
    test.sacks(10_000, &[(2_000, 3_000)]);
    test.sacks(10_000, &[(2_000, 3_000)]);
    assert_eq!(window(&test).2, 0);
    test.sacks(10_000, &[(0, 1_000)]);
    assert_eq!(window(&test).2, 0, "three reports of two retransmissions");
    let mut test = two_sent_again();
    test.sacks(10_000, &[(2_000, 3_000)]);
    test.sacks(10_000, &[(0, 1_000)]);
    assert_eq!(window(&test), UNTOUCHED);
}

/// Once more is reported than was sent again, the network makes duplicates, and no report says
/// anything.
#[test]
fn d_sack_means_nothing_on_a_path_that_makes_duplicates() {
    let mut test = sent_again_in_vain(RecoveryAlgorithm::Rack);
    test.sacks(10_000, &[(1_000, 2_000)]);
    test.sacks(10_000, &[(0, 1_000)]);
    assert_eq!(window(&test), (5_000, 5_000, 0));
}

/// RFC 3708 step A.3: nobody knows which of the three has arrived twice.
#[test]
fn d_sack_of_what_was_sent_again_twice_undoes_nothing() {
    let mut test = in_flight(config(), 10);
    assert_eq!(test.data_within(610), [(200, 0, 1_000), (600, 0, 1_000)]);
    test.sacks(10_000, &[(0, 1_000)]);
    test.sacks(10_000, &[(0, 1_000)]);
    assert_eq!(test.info().undos, 0);
}

#[test]
fn a_probe_that_arrives_twice_does_not_undo_the_timeout_after_it() {
    let mut test = in_flight(rack(), 3);
    assert_eq!(test.data_within(230), [(20, 2_000, 1_000), (220, 0, 1_000)]);
    // The first was lost; the last has arrived twice.
    test.sacks(3_000, &[(2_000, 3_000)]);
    assert_eq!(test.info().undos, 0);
}

#[test]
fn a_lost_retransmission_leaves_nothing_to_undo() {
    let mut test = in_flight(rack(), 10);
    test.queue(10_000, 20_000);
    test.wait(10);
    test.sacks(0, &[(1_000, 4_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(1);
    test.sacks(0, &[(1_000, 9_000)]);
    assert_eq!(test.data(), [(10_000, 1_000), (11_000, 1_000), (12_000, 1_000)]);
    test.wait(10);
    test.sacks(0, &[(10_000, 11_000), (1_000, 9_000)]);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.sacks(11_000, &[(0, 1_000)]);
    test.sacks(11_000, &[(0, 1_000)]);
    assert_eq!(test.info().undos, 0);
}

#[test]
fn an_ack_for_what_the_last_episode_sent_again_undoes_nothing() {
    let law = crate::congestion::Fixed::segments(40);
    let mut test = Test::established_with(stamped(RecoveryAlgorithm::Rack), law);
    let segment = |n: u32| n * 988;
    test.queue(0, segment(10));
    let first_sent = test.now;
    assert_eq!(test.data().len(), 10);
    test.wait(10);
    test.acks_echoing(0, &[(segment(1), segment(10))], first_sent);
    // What goes out beside the repair belongs to the episode no more; two segments of it are lost.
    test.queue(segment(10), segment(21));
    let then = test.now;
    assert_eq!(test.data_within(10).first(), Some(&(0, 0, 988)));
    let blocks = [(segment(11), segment(16)), (segment(1), segment(10))];
    test.acks_echoing(0, &blocks, first_sent);
    assert_eq!(test.data(), [(segment(10), 988)]);
    let repaired = test.now;
    test.acks_echoing(segment(10), &[(segment(11), segment(16))], then);
    assert!(!test.info().in_recovery);
    // The second makes an episode of its own while the repair of the first is on its way.
    test.wait(2);
    let blocks = [(segment(17), segment(21)), (segment(11), segment(16))];
    test.acks_echoing(segment(10), &blocks, then);
    assert_eq!(test.data_within(4), [(0, segment(16), 988)]);
    assert!(test.info().in_recovery);
    test.wait(4);
    test.acks_echoing(segment(16), &[(segment(17), segment(21))], repaired);
    assert_eq!((test.info().undos, test.info().in_recovery), (0, true));
}
