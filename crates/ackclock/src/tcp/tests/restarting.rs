//! What becomes of a window that nothing fills (jacobson88 appendix C, RFC 5681 section 4.1,
//! RFC 7661).

use super::*;
use crate::congestion::InitialWindow;
use std::string::ToString;

/// A connection under that policy whose window has grown to 20 segments on a path of 10 ms; 20,000
/// bytes are acknowledged.
fn grown(restart: &str) -> Test {
    let mut config = config();
    config.restart_after_idle = restart.parse().unwrap();
    let mut test = Test::established(config);
    send_and_ack(&mut test, 0, 20_000);
    assert_eq!(test.info().cwnd, 20_000);
    test
}

/// Sends the bytes from `from` to `to` as the window allows and acknowledges each segment 10 ms
/// after it was sent. Returns the largest number of segments sent at once.
fn send_and_ack(test: &mut Test, from: u32, to: u32) -> usize {
    test.queue(from, to);
    let (mut acked, mut largest) = (from, 0);
    while acked < to {
        let sent = test.data();
        largest = largest.max(sent.len());
        test.wait(10);
        for (start, len) in sent {
            acked = start + len;
            test.acks(acked);
        }
    }
    largest
}

/// How many segments go out at once after an idle time.
fn burst_after(restart: &str, idle_millis: u64) -> usize {
    let mut test = grown(restart);
    test.wait(idle_millis);
    test.queue(20_000, 60_000);
    test.data().len()
}

#[test]
fn the_restart_window_is_the_initial_window_after_an_rto() {
    // The RTO is at its minimum of 200 ms.
    assert_eq!(burst_after("rfc5681", 150), 20);
    assert_eq!(burst_after("rfc5681", 250), 10);
}

#[test]
fn a_restart_never_opens_the_window() {
    let mut config = config();
    config.initial_window = InitialWindow::segments(2);
    let mut test = Test::established(config);
    test.wait(1_000);
    test.queue(0, 20_000);
    assert_eq!(test.data().len(), 2);
}

#[test]
fn jacobson_restarts_with_one_segment_after_an_rto_or_a_round_trip() {
    assert_eq!(burst_after("jacobson88:rto", 150), 20);
    assert_eq!(burst_after("jacobson88:rto", 250), 1);
    assert_eq!(burst_after("jacobson88:rtt", 5), 1, "10 ms after the last transmission and 5 more");
    assert_eq!(burst_after("jacobson88:rtt", 0), 20, "just 10 ms");
}

#[test]
fn without_a_policy_the_old_window_goes_out_at_once() {
    assert_eq!(burst_after("never", 3_600_000), 20);
}

#[test]
fn validation_keeps_the_window_for_five_minutes_and_then_halves_it() {
    assert_eq!(burst_after("rfc7661", 299_000), 20);
    assert_eq!(burst_after("rfc7661", 303_000), 10);
}

/// From 64 segments, with an initial window of 2: each five minutes halve it, and three quarters of
/// the first half become the threshold.
#[test]
fn each_period_without_validation_halves_the_window_down_to_the_initial_one() {
    let after = |minutes: u64| {
        let mut config = config();
        config.restart_after_idle = RestartAfterIdle::Validation;
        config.initial_window = InitialWindow::segments(2);
        let mut test = Test::established(config);
        send_and_ack(&mut test, 0, 62_000);
        assert_eq!(test.info().cwnd, 64_000);
        test.wait(minutes * 60_000);
        test.queue(62_000, 162_000);
        (test.data().len(), test.info().cwnd)
    };
    assert_eq!(after(4), (60, 64_000), "the peer's window takes 60 segments");
    assert_eq!(
        [6, 11, 16, 21, 31, 100_000].map(|minutes| after(minutes).1 / MSS),
        [32, 16, 8, 4, 2, 2]
    );
}

/// One segment a minute, out of a window of 20.
#[test]
fn a_sender_that_uses_little_of_the_window_does_not_validate_it() {
    let mut test = grown("rfc7661");
    let windows: Vec<u32> = (0..12)
        .map(|minute| {
            test.wait(60_000);
            send_and_ack(&mut test, 20_000 + minute * MSS, 21_000 + minute * MSS);
            test.info().cwnd / MSS
        })
        .collect();
    assert_eq!(windows, [20, 20, 20, 20, 20, 10, 10, 10, 10, 10, 10, 10]);
}

#[test]
fn a_sender_that_uses_half_of_the_window_validates_it() {
    let mut test = grown("rfc7661");
    for minute in 0..12 {
        test.wait(60_000);
        send_and_ack(&mut test, 20_000 + minute * 10 * MSS, 30_000 + minute * 10 * MSS);
    }
    assert_eq!(test.info().cwnd, 20_000);
}

/// The window after a loss of `lost` of eight segments, out of a window of 20, is repaired.
fn window_after_a_loss(restart: &str, law: &str, lost: u32) -> u32 {
    let mut config = config();
    config.restart_after_idle = restart.parse().unwrap();
    let mut test = Test::established_with(config, law.parse().unwrap());
    send_and_ack(&mut test, 0, 20_000);
    assert_eq!(test.info().cwnd, 20_000);
    test.queue(20_000, 28_000);
    assert_eq!(test.data().len(), 8);
    test.wait(10);
    for arrived in lost + 1..=8 {
        test.sacks(20_000, &[(20_000 + lost * MSS, 20_000 + arrived * MSS)]);
        test.data();
    }
    test.wait(10);
    for repaired in 1..=lost {
        test.acks(if repaired == lost { 28_000 } else { 20_000 + repaired * MSS });
        test.data();
    }
    assert_eq!((test.info().in_recovery, test.info().unacked), (false, 0));
    test.info().cwnd
}

/// (LossFlightSize - R) / 2 for Reno (RFC 7661 section 4.4.1).
#[test]
fn what_was_retransmitted_out_of_an_unvalidated_window_is_taken_off() {
    assert_eq!([1, 2, 4].map(|lost| window_after_a_loss("rfc5681", "reno", lost)), [4_000; 3]);
    assert_eq!(
        [1, 2, 4].map(|lost| window_after_a_loss("rfc7661", "reno", lost)),
        [3_500, 3_000, 2_000]
    );
    // CUBIC keeps seven tenths of LossFlightSize.
    assert_eq!(window_after_a_loss("rfc7661", "cubic", 2), 4_600);
}

#[test]
fn a_loss_in_a_window_that_was_used_costs_what_the_law_says() {
    let mut test = grown("rfc7661");
    test.queue(20_000, 40_000);
    assert_eq!(test.data().len(), 20);
    test.wait(10);
    test.sacks(20_000, &[(21_000, 40_000)]);
    assert_eq!(test.data(), [(20_000, 1_000)]);
    test.wait(10);
    test.acks(40_000);
    assert_eq!((test.info().in_recovery, test.info().cwnd), (false, 10_000));
}

/// The flight of before the idle time was as large as the window; the one after it is not.
#[test]
fn what_was_in_flight_before_an_idle_time_does_not_let_the_window_grow_after_it() {
    let mut test = Test::established(config());
    test.queue(0, 10_000);
    test.sent();
    test.wait(10);
    test.acks(10_000);
    assert_eq!(test.info().cwnd, 12_000, "one ack counts for two segments");
    test.wait(150);
    send_and_ack(&mut test, 10_000, 11_000);
    assert_eq!(test.info().cwnd, 12_000);
}

#[test]
fn words_are_written_as_they_are_read() {
    for word in ["never", "jacobson88:rto", "jacobson88:rtt", "rfc5681", "rfc7661"] {
        assert_eq!(word.parse::<RestartAfterIdle>().unwrap().to_string(), word);
    }
    assert_eq!(RestartAfterIdle::default().to_string(), "rfc5681");
    let error = "rfc2861".parse::<RestartAfterIdle>().unwrap_err();
    assert_eq!(error.to_string(), "use never, jacobson88:rto, jacobson88:rtt, rfc5681 or rfc7661");
}
