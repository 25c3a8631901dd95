//! Tail loss probes (RFC 8985 section 7).

use super::*;

/// No retransmission timeout comes near.
fn patient() -> Config {
    let rto = RtoConfig { min: Duration::from_secs(1), ..RtoConfig::default() };
    Config { rto, ..rack() }
}

fn probe(test: &Test) -> Option<Duration> {
    test.info().timers.tail_probe
}

#[test]
fn the_last_segment_goes_again_after_two_round_trip_times() {
    let mut test = in_flight(patient(), 3);
    assert_eq!(probe(&test), Some(Duration::from_millis(20)));
    assert_eq!(test.data_within(900), [(20, 2_000, 1_000)]);
    let info = test.info();
    assert_eq!((info.tail_probes, info.timeouts, info.cwnd), (1, 0, 10_000));
}

#[test]
fn a_single_segment_is_given_the_time_of_a_delayed_ack() {
    let mut test = in_flight(patient(), 1);
    assert_eq!(test.data_within(900), [(220, 0, 1_000)]);
}

#[test]
fn no_probe_comes_later_than_the_retransmission_timer() {
    let mut test = in_flight(rack(), 1);
    assert_eq!(test.data_within(300), [(200, 0, 1_000)]);
    assert_eq!((test.info().tail_probes, test.info().timeouts), (1, 0));
}

#[test]
fn the_probe_restarts_the_retransmission_timer() {
    let mut test = in_flight(rack(), 3);
    assert_eq!(test.data_within(300), [(20, 2_000, 1_000), (220, 0, 1_000)]);
    assert_eq!((test.info().tail_probes, test.info().timeouts), (1, 1));
}

/// RFC 8985 section 7.3: where the link takes no probe, the retransmission timer begins all the same.
#[test]
fn a_probe_that_cannot_go_restarts_the_retransmission_timer_too() {
    let mut test = in_flight(rack(), 3);
    test.wait(20);
    test.connection.on_timeout(test.now);
    let info = test.info();
    let timers = (info.timers.tail_probe, info.timers.retransmit);
    assert_eq!((timers, info.tail_probes), ((None, Some(Duration::from_millis(200))), 0));
}

#[test]
fn without_a_measurement_the_probe_waits_for_a_second() {
    let mut test = Test::connecting(rack());
    assert_eq!(test.run(1_500).len(), 2, "the SYN goes twice");
    let options = Options { mss: Some(MSS as u16), sack_permitted: true, ..Options::default() };
    let syn_ack = Header { options, ..header(IRS, ISS + 1, SYN | ACK) };
    assert_eq!(test.segment(syn_ack, &[]), Verdict::Done);
    test.queue(0, 1_000);
    test.sent();
    assert_eq!(test.data_within(2_000), [(1_000, 0, 1_000)]);
}

#[test]
fn new_data_is_the_better_probe_even_beyond_the_congestion_window() {
    let mut test = in_flight(patient(), 10);
    test.queue(10_000, 13_000);
    assert_eq!(test.data_within(900), [(20, 10_000, 1_000)]);
    assert_eq!((test.info().in_flight, test.info().cwnd), (11_000, 10_000));
}

#[test]
fn new_data_beyond_the_peers_window_is_no_probe() {
    let mut test = Test::established(patient());
    test.peer_window = 2_000;
    test.acks(0);
    test.queue(0, 5_000);
    assert_eq!(test.data().len(), 2);
    assert_eq!(test.data_within(900), [(20, 1_000, 1_000)]);
}

#[test]
fn new_data_puts_the_probe_off() {
    let mut test = in_flight(patient(), 2);
    test.wait(15);
    test.queue(2_000, 3_000);
    assert_eq!(test.data(), [(2_000, 1_000)]);
    assert_eq!(test.data_within(900), [(20, 2_000, 1_000)]);
}

#[test]
fn an_ack_of_new_data_puts_the_probe_off() {
    let mut test = in_flight(patient(), 4);
    test.wait(10);
    test.acks(2_000);
    assert_eq!(test.data_within(900), [(20, 3_000, 1_000)]);
}

#[test]
fn there_is_no_probe_where_a_hole_is_known() {
    let mut test = in_flight(patient(), 4);
    test.wait(10);
    test.sacks(0, &[(1_000, 2_000)]);
    assert_eq!(probe(&test), None);
    assert_eq!(test.data_within(900), [(2, 0, 1_000)], "RACK's retransmission");
    assert_eq!(probe(&test), None, "nor during recovery");
}

#[test]
fn there_is_no_probe_without_anything_in_flight() {
    let mut test = in_flight(patient(), 4);
    test.wait(10);
    test.acks(4_000);
    assert_eq!(probe(&test), None);
    assert_eq!(test.data_within(5_000), []);
}

#[test]
fn a_closed_window_is_probed_otherwise() {
    let mut test = in_flight(patient(), 2);
    test.peer_window = 0;
    test.wait(10);
    test.acks(1_000);
    assert_eq!(probe(&test), None);
    assert_eq!(test.data_within(1_000), [(1_000, 1_000, 1)]);
    assert_eq!((test.info().tail_probes, test.info().probes_sent), (0, 1));
}

#[test]
fn a_second_probe_waits_for_a_measurement() {
    let mut test = in_flight(patient(), 3);
    assert_eq!(test.data_within(21), [(20, 2_000, 1_000)]);
    // It is only this late ack, too early to be for the probe, that measures a round trip.
    test.acks(2_000);
    assert_eq!(probe(&test), None, "the probe is still under way");
    test.wait(10);
    test.acks(3_000);
    test.queue(3_000, 5_000);
    assert_eq!(test.data().len(), 2);
    assert_eq!(probe(&test), None, "nobody knows yet what the probe has shown");
}

#[test]
fn the_probe_shows_what_else_is_missing_at_the_tail() {
    let mut test = in_flight(rack(), 6);
    test.wait(10);
    test.acks(2_000);
    assert_eq!(test.data_within(25), [(20, 5_000, 1_000)]);
    test.wait(5);
    // The probe has arrived, and with it the tail of a flight of which three segments are lost.
    test.sacks(2_000, &[(5_000, 6_000)]);
    let timer = test.info().timers.reordering;
    assert_eq!((test.data(), timer), (std::vec![(2_000, 1_000)], None));
    test.wait(10);
    test.sacks(3_000, &[(5_000, 6_000)]);
    assert_eq!(test.data(), [(3_000, 1_000), (4_000, 1_000)]);
    test.wait(10);
    test.acks(6_000);
    let info = test.info();
    assert_eq!((info.unacked, info.timeouts, info.fast_recoveries), (0, 0, 1));
}

#[test]
fn a_sack_of_the_probe_echoes_the_timestamp_of_something_else() {
    let mut test = Test::established(Config { timestamps: true, ..rack() });
    let mss = test.info().mss;
    test.queue(0, 4 * mss);
    assert_eq!(test.data().len(), 4);
    let sent_at = test.now;
    test.wait(10);
    test.acks_echoing(2 * mss, &[], sent_at);
    assert_eq!(test.data_within(25), [(20, 3 * mss, mss)]);
    test.wait(5);
    test.acks_echoing(2 * mss, &[(3 * mss, 4 * mss)], sent_at);
    assert_eq!(test.data(), [(2 * mss, mss)]);
}

#[test]
fn a_sack_of_the_last_data_covers_the_fin_that_went_with_them() {
    let mut test = Test::established(rack());
    test.queue(0, 4_000);
    test.connection.shutdown(test.now);
    assert_eq!(test.data().len(), 4);
    test.wait(10);
    test.acks(2_000);
    assert_eq!(test.data_within(25), [(20, 3_000, 1_000)]);
    test.wait(5);
    test.sacks(2_000, &[(3_000, 4_000)]);
    assert_eq!((test.data(), test.info().sacked), (std::vec![(2_000, 1_000)], 1_001));
    test.acks(4_001);
    assert_eq!(test.state(), State::FinWait2);
}

#[test]
fn a_sack_of_the_last_data_says_nothing_of_a_fin_sent_later() {
    let mut test = in_flight(rack(), 4);
    test.connection.shutdown(test.now);
    assert_eq!(test.sent().len(), 1);
    test.wait(10);
    test.sacks(2_000, &[(3_000, 4_000)]);
    assert_eq!(test.info().sacked, 1_000);
}

/// The last of ten segments was probed, and everything is acknowledged.
fn probed() -> Test {
    let mut test = in_flight(patient(), 10);
    test.wait(10);
    test.acks(9_000);
    test.run(201);
    assert_eq!(test.data_within(30), [(19, 9_000, 1_000)]);
    assert_eq!(test.info().tail_probes, 1);
    test.acks(10_000);
    test
}

#[test]
fn a_loss_that_the_probe_has_repaired_reduces_the_window() {
    let mut test = probed();
    let before = test.info().cwnd;
    test.queue(10_000, 14_000);
    assert_eq!(test.data().len(), 4);
    test.wait(10);
    test.acks(12_000);
    let info = test.info();
    assert_eq!((before, info.cwnd, info.fast_recoveries), (13_000, 2_000, 0));
}

#[test]
fn a_probe_that_arrives_twice_was_not_needed() {
    let mut test = probed();
    test.sacks(10_000, &[(9_000, 10_000)]);
    test.queue(10_000, 14_000);
    assert_eq!(test.data().len(), 4);
    test.wait(10);
    test.acks(12_000);
    assert_eq!(test.info().cwnd, 13_000);
}

#[test]
fn a_repeated_ack_without_sack_says_the_same() {
    let mut test = probed();
    test.acks(10_000);
    test.queue(10_000, 14_000);
    assert_eq!(test.data().len(), 4);
    test.wait(10);
    test.acks(12_000);
    assert_eq!(test.info().cwnd, 13_000);
}

#[test]
fn a_probe_of_new_data_that_arrives_has_repaired_nothing() {
    let mut test = in_flight(patient(), 10);
    test.queue(10_000, 12_000);
    assert_eq!(test.data_within(25), [(20, 10_000, 1_000)]);
    test.acks(11_000);
    assert_eq!(test.info().cwnd, 12_000);
}

#[test]
fn a_lost_fin_is_probed() {
    let mut test = Test::established(patient());
    test.queue(0, 1_000);
    test.connection.shutdown(test.now);
    assert_eq!(test.sent().len(), 1);
    let sent: Vec<_> = test.run(300).iter().map(|(at, sent)| (*at, sent.flags)).collect();
    assert_eq!(sent, [(220, FIN | ACK)]);
    test.acks(1_001);
    assert_eq!(test.state(), State::FinWait2);
}

/// The link had no room for the probe before an ack showed what is missing.
#[test]
fn what_an_ack_has_shown_to_be_lost_goes_as_that_and_not_as_the_probe() {
    for sacked in [(1_000, 10_000), (1_000, 9_000)] {
        let mut test = in_flight(patient(), 10);
        test.queue(10_000, 20_000);
        test.wait(200);
        test.connection.on_timeout(test.now);
        test.sacks(0, &[sacked]);
        assert_eq!(test.data()[0], (0, 1_000), "{sacked:?}");
        let info = test.info();
        assert_eq!((info.tail_probes, info.fast_recoveries, info.undos), (0, 1, 0), "{sacked:?}");
    }
}
