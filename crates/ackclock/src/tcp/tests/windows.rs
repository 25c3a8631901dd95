//! Windows that are large, shrink or are closed (RFC 9293 sections 3.1, 3.4, 3.8.6).

use super::urgent::urgent;
use super::*;

/// MUST-1.
#[test]
fn a_window_is_an_unsigned_number() {
    let mut config = config();
    config.window_scaling = true;
    let mut test = Test::connecting(config);
    test.sent();
    let options = Options { window_scale: Some(14), ..Options::default() };
    let _ = test.segment(Header { options, ..header(IRS, ISS + 1, SYN | ACK) }, &[]);
    assert_eq!(test.info().send_window, 60_000, "a SYN's is not scaled");
    test.peer_window = u16::MAX;
    test.acks(0);
    assert_eq!(test.info().send_window, 65_535 << 14);
}

/// MUST-34, SHLD-15, SHLD-16, MAY-7.
#[test]
fn a_window_that_shrinks_lets_old_data_go_again_but_no_new_data() {
    let mut test = Test::established(config());
    test.queue(0, 8_000);
    assert_eq!(test.data().len(), 8);
    test.queue(8_000, 9_000);
    test.peer_window = 2_500;
    test.acks(1_000);
    assert_eq!(test.info().send_window, 2_500);
    let again: Vec<_> = test.run(250).iter().map(|(at, s)| (*at, s.data())).collect();
    assert_eq!(again, [(200, (1_000, 1_000))]);
    test.peer_window = 1_500;
    test.acks(2_000);
    assert_eq!(test.data(), [(2_000, 1_000), (3_000, 1_000)], "the window ends at 3,500");
    test.peer_window = 10_000;
    test.acks(8_000);
    assert_eq!(test.data(), [(8_000, 1_000)]);
}

/// MUST-35, MUST-37, SHLD-17, SHLD-29, SHLD-30.
#[test]
fn a_window_that_shrinks_to_zero_is_probed_and_never_given_up() {
    let mut config = config();
    config.give_up = Duration::from_secs(100);
    let mut test = Test::established(config);
    test.queue(0, 5_000);
    test.sent();
    test.peer_window = 0;
    test.acks(1_000);
    let at: Vec<_> = test.run(3_100).iter().map(|(at, s)| (*at, s.data())).collect();
    let probe = (1_000, 1);
    assert_eq!(at, [(200, probe), (600, probe), (1_400, probe), (3_000, probe)]);
    for _ in 0..10 {
        test.acks(1_000);
        test.run(60_000);
    }
    assert_eq!((test.state(), test.info().cwnd), (State::Established, 10_000));
    test.peer_window = 10_000;
    test.acks(1_000);
    let rest = [(1_000, 1_000), (2_000, 1_000), (3_000, 1_000), (4_000, 1_000)];
    assert_eq!(test.data(), rest);
}

/// A connection whose receive window is closed.
fn with_full_receive_queue() -> Test {
    let mut test = Test::established(config());
    for n in 0..10 {
        test.peer(n * 1_000, 1_000, 0, Flags::NONE);
    }
    assert_eq!(test.sent().last().map(|s| s.window), Some(0));
    test
}

/// MAY-8.
#[test]
fn the_receive_window_stays_closed_until_the_application_reads() {
    let mut test = with_full_receive_queue();
    for _ in 0..100 {
        test.run(60_000);
        test.peer(10_000, 1, 0, Flags::NONE);
        let sent = test.sent();
        assert_eq!((sent.len(), sent[0].acked(), sent[0].window), (1, 10_000, 0));
    }
    assert_eq!(test.read(0), 10_000);
    assert_eq!(test.sent().iter().map(|s| s.window).collect::<Vec<_>>(), [10_000]);
}

/// MUST-66.
#[test]
fn with_a_closed_window_urgent_pointers_and_resets_still_count() {
    let mut test = with_full_receive_queue();
    let _ = test.segment(urgent(10_000, 2), &[0, 1]);
    assert_eq!(test.connection.urgent_ahead(), Some(10_002));
    assert_eq!(test.info().receive_queue, 10_000, "the data is not taken");
    let _ = test.segment(header(IRS + 10_001, 0, RST), &[]);
    assert_eq!(test.connection.error(), Some(Error::Reset));
}
