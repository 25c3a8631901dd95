//! When a silent peer is given up: R1, R2 and the user timeout (RFC 9293 section 3.8.3, RFC 5482).

use super::*;

#[test]
fn three_retransmissions_without_an_ack_are_trouble() {
    let mut test = in_flight(config(), 2);
    test.run(1_399);
    assert!(!test.connection.readiness().troubled);
    test.run(1);
    assert!(test.connection.readiness().troubled, "R1 (SHLD-9, SHLD-10)");
    test.acks(1_000);
    assert!(!test.connection.readiness().troubled);
}

#[test]
fn the_peer_is_given_up_after_the_give_up_time() {
    let mut config = config();
    config.give_up = Duration::from_secs(100);
    let mut test = in_flight(config, 1);
    let sent = test.run(1_000_000);
    assert_eq!((test.state(), test.connection.error()), (State::Closed, Some(Error::TimedOut)));
    let (at, last) = sent.last().expect("a reset");
    // 200 ms doubled each time: 0.2, 0.6, ... 51, 102.2 s.
    assert_eq!((*at, last.flags), (102_200, RST | ACK));
}

/// SHLD-11: 100 s or more by default.
#[test]
fn a_silent_peer_is_given_up_after_fifteen_minutes_by_default() {
    let mut test = Test::established(config());
    test.queue(0, 10);
    let sent = test.run(10_000_000);
    assert_eq!(test.connection.error(), Some(Error::TimedOut));
    assert_eq!(sent.last().map(|(at, s)| (*at, s.flags)), Some((924_600, RST | ACK)));
}

/// Nobody but the stack can end what its application has closed.
#[test]
fn a_closed_connection_whose_fin_nobody_acknowledges_is_given_up_sooner() {
    let mut test = Test::established(config());
    test.connection.close(test.now);
    let sent = test.run(10_000_000);
    assert_eq!(test.connection.error(), Some(Error::TimedOut));
    assert_eq!(sent.last().map(|(at, s)| (*at, s.flags)), Some((102_200, RST | ACK)));
}

/// Whoever names a time has it.
#[test]
fn a_linger_time_that_was_set_is_not_cut_short() {
    let linger = Some(Duration::from_secs(300));
    let mut test = in_flight(Config { linger, ..config() }, 1);
    test.connection.close(test.now);
    let sent = test.run(10_000_000);
    assert_eq!(test.connection.error(), Some(Error::Aborted));
    assert_eq!(sent.last().map(|(at, s)| (*at, s.flags)), Some((300_000, RST | ACK)));
}

/// What was silent before counts for the application that was there.
#[test]
fn a_connection_that_is_closed_has_all_of_its_time_from_then_on() {
    let mut test = Test::established(config());
    test.queue(0, 10);
    test.run(99_000);
    test.connection.close(test.now);
    let over = |test: &mut Test| {
        test.run(1_000);
        test.connection.error().is_some()
    };
    // Timers fire 3.2 and 105.6 s after it was closed.
    assert_eq!((0..600).position(|_| over(&mut test)), Some(105));
}

/// It answers each probe, and takes nothing for 10 minutes.
#[test]
fn a_closed_window_pins_no_connection_that_was_closed() {
    for (closed, end) in [(true, Some((102, Error::TimedOut))), (false, None)] {
        let mut test = Test::established(config());
        test.peer_window = 0;
        test.acks(0);
        test.queue(0, 3_000);
        if closed {
            test.connection.close(test.now);
        }
        let ended = (0..600).find_map(|second| {
            let is_probed = !test.run(1_000).is_empty();
            let error = test.connection.error();
            if is_probed && error.is_none() {
                test.acks(0);
            }
            error.map(|error| (second, error))
        });
        assert_eq!(ended, end);
    }
}

/// MUST-21: R2 may be infinite.
#[test]
fn an_application_may_never_give_up() {
    let mut config = config();
    config.give_up = Duration::MAX;
    let mut test = Test::established(config);
    test.queue(0, 10);
    test.run(1_000_000_000);
    assert_eq!((test.state(), test.connection.error()), (State::Established, None));
}

#[test]
fn the_user_timeout_is_exact() {
    let mut config = config();
    config.user_timeout = Some(Duration::from_secs(5));
    let mut test = in_flight(config, 1);
    test.run(4_999);
    assert_eq!(test.connection.error(), None);
    test.run(1);
    assert_eq!(test.connection.error(), Some(Error::UserTimeout));
}
