//! Numbered requirements of RFC 9293 that no other test shows by the way.

use super::*;
use crate::profile::Full;
use crate::wire::IcmpErrorKind;

/// A segment with URG, whose pointer is `pointer` bytes from its first byte, the peer's byte `at`.
fn urgent(at: u32, pointer: u16) -> Header {
    Header { urgent_pointer: pointer, ..header(IRS + 1 + at, ISS + 1, ACK | URG) }
}

/// MUST-31: a pointer has 16 bits, urgent data any length.
#[test]
fn urgent_data_may_be_longer_than_the_pointer_reaches() {
    let mut test = Test::established(config());
    let data: Vec<u8> = (0..70_000_u32).map(|n| n as u8).collect();
    assert_eq!(test.connection.send_urgent(test.now, &data), Ok(70_000));
    let sent = test.sent();
    assert_eq!((sent[0].flags, sent[0].urgent_pointer), (ACK | URG, 65_535));
    assert_eq!((sent[9].data(), sent[9].urgent_pointer), ((9_000, 1_000), 61_000));

    let mut test = Test::established(config());
    for at in (0..80_000).step_by(1_000) {
        let pointer = (80_000 - at).min(65_535);
        let _ = test.segment(urgent(at, pointer as u16), &[0; 1_000]);
        assert_eq!(test.connection.urgent_ahead(), Some(pointer));
        test.connection.consume(1_000);
        test.sent();
    }
    assert_eq!(test.connection.urgent_ahead(), None);
}

/// MUST-62: the receiver counts to the byte before the pointer, also when the end has come.
#[test]
fn all_before_the_urgent_pointer_is_urgent() {
    let mut test = Test::established(config());
    let mut segment = urgent(0, 3);
    segment.flags |= FIN;
    let _ = test.segment(segment, &[0, 1, 2, 3, 4]);
    assert_eq!(test.connection.urgent_ahead(), Some(3));
    test.connection.consume(2);
    assert_eq!(test.connection.urgent_ahead(), Some(1));
    test.connection.consume(1);
    assert_eq!(test.connection.urgent_ahead(), None);
    let _ = test.segment(urgent(6, 0), &[]);
    assert_eq!(test.connection.urgent_ahead(), None, "nothing lies before it");
}

/// The pointer counts from the segment that carries it, so no link can cut such a segment.
#[test]
fn a_link_that_segments_gets_urgent_data_segment_by_segment() {
    let mut test = Test::established(config());
    assert_eq!(test.connection.send_urgent(test.now, &[0; 2_000]), Ok(2_000));
    let outgoing = test.connection.poll_transmit(test.now, 65_536).expect("data");
    assert_eq!((outgoing.len, outgoing.segment_size), (1_000, 0));
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

/// MUST-40: less than 0.5 s, whatever the setting.
#[test]
fn no_ack_is_delayed_by_half_a_second() {
    let mut config = config();
    config.ack_policy = AckPolicy::Delayed { timeout: Duration::from_millis(500), quick_acks: 0 };
    let mut test = Test::established(config);
    test.peer(0, 1, 0, Flags::NONE);
    let sent = test.run(1_000);
    assert_eq!(sent.iter().map(|(at, s)| (*at, s.acked())).collect::<Vec<_>>(), [(499, 1)]);
    config.ack_policy = AckPolicy::Delayed { timeout: Duration::from_millis(501), quick_acks: 0 };
    assert_eq!(config.validate(), Err(ConfigError::AckTimeout));
}

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

/// MUST-5: those that only mean something in a SYN change nothing elsewhere.
#[test]
fn options_are_taken_in_any_segment() {
    let mut test = Test::established(config());
    let before = test.info();
    let options = Options {
        mss: Some(9),
        window_scale: Some(9),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 9, echo: 9 }),
        ..Options::default()
    };
    let _ = test.segment(Header { options, ..header(IRS + 1, ISS + 1, ACK | FIN) }, &[0, 1]);
    assert_eq!((test.state(), test.read(0)), (State::CloseWait, 2));
    let after = test.info();
    assert_eq!((after.mss, after.peer_mss), (before.mss, before.peer_mss));
    assert_eq!((after.window_scale, after.send_window), (None, before.send_window));
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

/// SHLD-11: 100 s or more by default.
#[test]
fn a_silent_peer_is_given_up_after_fifteen_minutes_by_default() {
    let mut test = Test::established(config());
    test.queue(0, 10);
    let sent = test.run(10_000_000);
    assert_eq!(test.connection.error(), Some(Error::TimedOut));
    assert_eq!(sent.last().map(|(at, s)| (*at, s.flags)), Some((924_600, RST | ACK)));
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

/// MUST-58, MUST-59.
#[test]
fn one_ack_answers_all_segments_that_came_before_it() {
    let mut test = Test::established(config());
    for n in 0..5 {
        test.peer(n * 1_000, 1_000, 0, Flags::NONE);
    }
    assert_eq!(test.sent().iter().map(Sent::acked).collect::<Vec<_>>(), [5_000]);
}

/// MUST-65.
#[test]
fn only_a_syn_carries_an_mss_option() {
    let mut test = Test::connecting(config());
    test.queue(0, 1_500);
    test.connection.shutdown(test.now);
    let mut sent = test.sent();
    let options = Options { mss: Some(1_000), ..Options::default() };
    let _ = test.segment(Header { options, ..header(IRS, ISS + 1, SYN | ACK) }, &[]);
    sent.extend(test.sent());
    test.peer(5, 5, 0, Flags::NONE);
    sent.extend(test.sent());
    test.connection.abort();
    sent.extend(test.sent());
    let shape: Vec<_> = sent.iter().map(|s| (s.flags, s.options.mss)).collect();
    assert_eq!(
        shape,
        [(SYN, Some(1_000)), (ACK, None), (FIN | ACK, None), (ACK, None), (RST | ACK, None)]
    );
}

/// MUST-67: neither the packets of the link nor the setting can be exceeded.
#[test]
fn the_mss_announced_is_what_fits_a_packet() {
    let with = |mss| {
        let mut config = config();
        config.mss = mss;
        config
    };
    for (mtu, ip_header, mss, announced) in [
        (1_500, 20, None, 1_460),
        (1_280, 40, None, 1_220),
        (576, 20, None, 536),
        (576, 20, Some(9_000), 536),
        (9_000, 40, Some(1_000), 1_000),
        (1 << 20, 20, None, 65_535),
    ] {
        let offer = Agreement::<Full>::offer(&with(mss), mtu, ip_header, 10_000);
        assert_eq!(offer.our_mss, announced);
    }
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

/// SHLD-2.
#[test]
fn a_reset_may_explain_itself() {
    let mut test = Test::established(config());
    let _ = test.segment(header(IRS + 1, 0, RST), b"out of memory");
    assert_eq!(test.connection.error(), Some(Error::Reset));
    assert_eq!(test.info().receive_queue, 0, "what it says is not data");
    let mut test = Test::connecting(config());
    test.sent();
    let _ = test.segment(header(0, ISS + 1, RST | ACK), b"nobody here");
    assert_eq!(test.connection.error(), Some(Error::Refused));
}

/// SHLD-27, SHLD-28, MAY-16, MUST-61.
#[test]
fn what_several_calls_queue_goes_in_full_segments_of_which_the_last_is_pushed() {
    let mut test = Test::established(config());
    for n in 0..20 {
        test.queue(n * 100, n * 100 + 100);
    }
    let sent: Vec<_> = test.sent().iter().map(|s| (s.data(), s.push)).collect();
    assert_eq!(sent, [((0, 1_000), false), ((1_000, 1_000), true)]);
}

/// MUST-56, SHLD-25, SHLD-26: hard errors, which anyone could forge, are soft here too.
#[test]
fn no_icmp_error_ends_an_established_connection() {
    for kind in [
        IcmpErrorKind::Unreachable,
        IcmpErrorKind::TimeExceeded,
        IcmpErrorKind::ParameterProblem,
        IcmpErrorKind::Refused,
    ] {
        let mut test = Test::established(config());
        test.queue(0, 10);
        test.sent();
        assert!(test.connection.on_icmp_error(test.now, kind, SeqNumber(ISS + 1)));
        assert_eq!((test.state(), test.info().soft_error), (State::Established, Some(kind)));
        let mut test = Test::connecting(config());
        test.sent();
        test.connection.on_icmp_error(test.now, kind, SeqNumber(ISS));
        let ended = test.state() == State::Closed;
        assert_eq!(ended, kind == IcmpErrorKind::Refused, "while it is being opened");
    }
}
