//! What limits the sender, and for how long (RFC 4898).

use super::*;

/// Busy, limited by the congestion window, the peer's window and the send buffer, in milliseconds.
fn times(test: &Test) -> [u64; 4] {
    let limits = test.info().limits;
    [limits.busy, limits.congestion, limits.receiver, limits.buffer].map(Duration::as_millis)
}

#[test]
fn a_connection_is_busy_while_something_is_in_flight_and_not_while_the_application_pauses() {
    let mut test = Test::established(config());
    assert_eq!(times(&test), [0; 4]);
    test.wait(300);
    test.queue(0, 1_000);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(10);
    assert_eq!(times(&test), [10, 0, 0, 0], "the span that is not over counts");
    test.acks(1_000);
    test.wait(500);
    assert_eq!(times(&test), [10, 0, 0, 0]);
    test.queue(1_000, 2_500);
    test.sent();
    test.wait(7);
    test.acks(2_000);
    test.sent();
    test.wait(3);
    test.acks(2_500);
    test.wait(1_000);
    assert_eq!(times(&test), [20, 0, 0, 0]);
    assert_eq!(test.info().limits.application(), Duration::from_millis(20));
}

#[test]
fn a_peer_that_closes_its_window_limits_until_it_opens_again() {
    let mut test = Test::established(config());
    test.queue(0, 2_000);
    test.sent();
    test.wait(10);
    test.peer_window = 0;
    test.acks(2_000);
    assert_eq!(times(&test), [10, 0, 0, 0], "nothing waits");
    test.wait(1_000);
    test.queue(2_000, 5_000);
    assert_eq!(test.data(), []);
    for _ in 0..6 {
        // Probes are answered, and change nothing.
        test.run(500);
        test.acks(2_000);
    }
    assert_eq!(times(&test), [3_010, 0, 3_000, 0]);
    test.peer_window = 10_000;
    test.acks(2_000);
    assert_eq!(test.data().len(), 3);
    test.wait(10);
    test.acks(5_000);
    test.wait(100);
    assert_eq!(times(&test), [3_020, 0, 3_000, 0]);
}

#[test]
fn a_window_that_is_smaller_than_the_congestion_window_limits() {
    let mut test = Test::established(config());
    test.peer_window = 2_000;
    test.acks(0);
    test.queue(0, 6_000);
    for round in 1..=2 {
        assert_eq!(test.data().len(), 2);
        test.wait(10);
        test.acks(2_000 * round);
    }
    assert_eq!(test.data().len(), 2, "the last two");
    test.wait(10);
    test.acks(6_000);
    assert_eq!(times(&test), [30, 0, 20, 0], "nothing waited for the last round trip");
}

#[test]
fn the_congestion_window_limits() {
    let mut test = Test::established(config());
    test.queue(0, 25_000);
    assert_eq!(test.data().len(), 10, "the initial window");
    test.wait(10);
    for n in 1..=10 {
        test.acks(n * 1_000);
    }
    assert_eq!(test.data().len(), 15, "all that is left");
    test.wait(10);
    test.acks(25_000);
    assert_eq!(times(&test), [20, 10, 0, 0]);
}

#[test]
fn what_is_lost_waits_for_the_congestion_window() {
    let mut test = in_flight(config(), 10);
    test.wait(10);
    test.sacks(0, &[(7_000, 10_000)]);
    assert_eq!(test.data().len(), 5, "as much as half the window, of the seven that are lost");
    test.wait(20);
    test.acks(10_000);
    let [busy, congestion, receiver, buffer] = times(&test);
    assert_eq!((busy, receiver, buffer), (30, 0, 0));
    assert_eq!(congestion, 20);
}

#[test]
fn a_send_buffer_that_is_too_small_limits() {
    let mut test = Test::established(Config { send_buffer: 2_000, ..config() });
    for round in 0..3 {
        let data: Vec<u8> = (2_000 * round..2_000 * round + 5_000).map(|n| n as u8).collect();
        assert_eq!(test.connection.send(test.now, &data), Ok(2_000));
        assert_eq!(test.data().len(), 2);
        test.wait(10);
        test.acks(2_000 * round + 1_000);
        test.wait(5);
        test.acks(2_000 * round + 2_000);
    }
    // The application has not asked for room since the first ack of each round.
    assert_eq!(times(&test), [45, 0, 0, 30]);
}

#[test]
fn a_send_buffer_that_the_application_fills_in_place_limits() {
    let mut test = Test::established(Config { send_buffer: 2_000, ..config() });
    let mut written = 0;
    while test.connection.send_room() > 0 {
        let taken = test.connection.send_with(test.now, |room| {
            room.iter_mut().zip(written..).for_each(|(byte, n)| *byte = n as u8);
            room.len()
        });
        written += taken.map_or(0, |taken| taken as u32);
    }
    assert_eq!((written, test.data().len()), (2_000, 2));
    test.wait(10);
    test.acks(2_000);
    assert_eq!(times(&test), [10, 0, 0, 10]);
}

#[test]
fn small_segments_that_wait_for_an_ack_are_the_applications() {
    let mut test = Test::established(Config { nagle: Nagle::Rfc896, ..config() });
    test.queue(0, 1_100);
    assert_eq!(test.data(), [(0, 1_000)], "Nagle's algorithm");
    test.wait(10);
    test.acks(1_000);
    assert_eq!(test.data(), [(1_000, 100)]);
    test.wait(10);
    test.acks(1_100);
    assert_eq!(times(&test), [20, 0, 0, 0]);
}

#[test]
fn a_fin_that_is_not_acknowledged_keeps_a_connection_busy() {
    let mut test = Test::established(config());
    test.connection.shutdown(test.now);
    assert_eq!(test.sent().len(), 1);
    test.wait(10);
    test.acks(1);
    test.wait(10);
    assert_eq!(times(&test), [10, 0, 0, 0]);
}

#[test]
fn a_connection_that_has_ended_is_limited_by_nothing() {
    let mut test = Test::established(config());
    test.peer_window = 0;
    test.acks(0);
    test.queue(0, 1_000);
    test.sent();
    test.wait(100);
    test.connection.abort();
    test.connection.on_end(test.now);
    test.wait(1_000);
    assert_eq!(times(&test), [100, 0, 100, 0]);
}

#[test]
fn the_delivery_rate_tells_whether_the_application_had_too_little() {
    let mut test = Test::established(config());
    test.queue(0, 2_000);
    test.sent();
    for n in 1..=3 {
        test.wait(10);
        test.queue(2_000 * n, 2_000 * (n + 1));
        test.acks(2_000 * n);
        test.sent();
    }
    let info = test.info();
    assert!(info.delivery_rate > 0 && info.delivery_rate_app_limited);
    test.queue(8_000, 60_000);
    for n in 0..4 {
        test.sent();
        test.wait(10);
        test.acks(10_000 + 10_000 * n);
    }
    assert!(!test.info().delivery_rate_app_limited, "the window was full");
}
