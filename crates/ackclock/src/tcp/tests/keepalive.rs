//! Keepalive (RFC 9293 section 3.8.4).

use super::*;

fn with_keepalive() -> Config {
    let mut config = config();
    config.keepalive = Some(Keepalive {
        idle: Duration::from_secs(10),
        interval: Duration::from_secs(2),
        count: 3,
    });
    config
}

#[test]
fn a_silent_peer_is_probed_and_given_up() {
    let mut test = Test::established(with_keepalive());
    let sent = test.run(60_000);
    let shape: Vec<_> = sent.iter().map(|(at, s)| (*at, s.seq, s.len, s.flags)).collect();
    // Just before the window, so that the peer must answer (section 3.8.4).
    assert_eq!(
        shape,
        [
            (10_000, ISS, 0, ACK),
            (12_000, ISS, 0, ACK),
            (14_000, ISS, 0, ACK),
            (16_000, ISS + 1, 0, RST | ACK)
        ]
    );
    assert_eq!(test.connection.error(), Some(Error::KeepaliveTimeout));
}

#[test]
fn after_a_leap_in_time_the_peer_still_has_time_to_answer() {
    let mut test = Test::established(with_keepalive());
    test.wait(1_000_000);
    test.connection.on_timeout(test.now);
    let sent = test.run(5_000);
    let at: Vec<_> = sent.iter().map(|(at, s)| (*at, s.seq)).collect();
    assert_eq!(at, [(0, ISS), (2_000, ISS), (4_000, ISS)]);
    assert_eq!(test.state(), State::Established);
}

#[test]
fn an_answer_keeps_the_connection_alive() {
    let mut test = Test::established(with_keepalive());
    for _ in 0..10 {
        let sent = test.run(13_000);
        assert_eq!(sent.len(), 2);
        test.acks(0);
    }
    assert_eq!(test.state(), State::Established);
}

#[test]
fn keepalive_is_switched_for_one_connection() {
    let mut test = Test::established(config());
    test.connection.set_keepalive(with_keepalive().keepalive);
    assert_eq!(test.run(10_000).len(), 1);
    test.acks(0);
    test.connection.set_keepalive(None);
    assert!(test.run(100_000).is_empty());
}

#[test]
fn keepalive_is_off_by_default() {
    let mut test = Test::established(config());
    assert!(test.run(100_000_000).is_empty());
}

#[test]
fn an_idle_connection_has_no_deadline() {
    let test = Test::established(config());
    assert!(test.connection.poll_timeout().is_never());
}

/// MUST-28, MUST-29.
#[test]
fn keepalive_begins_after_two_idle_hours_and_asks_nine_times() {
    let mut config = config();
    config.keepalive = Some(Keepalive::default());
    let mut test = Test::established(config);
    let at: Vec<u64> = test.run(10_000_000).iter().map(|(at, _)| at / 1_000).collect();
    assert_eq!(at, [7_200, 7_275, 7_350, 7_425, 7_500, 7_575, 7_650, 7_725, 7_800, 7_875]);
    assert_eq!(test.connection.error(), Some(Error::KeepaliveTimeout));
}

/// MUST-26: data of ours that is outstanding finds out by itself whether the peer lives.
#[test]
fn a_keepalive_probe_gives_way_to_data() {
    let mut config = config();
    config.keepalive = Some(Keepalive::default());
    let mut test = Test::established(config);
    test.wait(7_200_000);
    test.connection.on_timeout(test.now);
    test.queue(0, 10);
    let sent = test.sent();
    assert_eq!((sent.len(), sent[0].data()), (1, (0, 10)));
}

/// MUST-24: no probe is sent once keepalive is off.
#[test]
fn a_keepalive_probe_that_was_not_sent_is_taken_back() {
    let mut config = config();
    config.keepalive = Some(Keepalive::default());
    let mut test = Test::established(config);
    test.wait(7_200_000);
    test.connection.on_timeout(test.now);
    test.connection.set_keepalive(None);
    assert!(test.sent().is_empty());
}
