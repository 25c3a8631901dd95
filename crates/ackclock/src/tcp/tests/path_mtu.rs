//! A path too narrow for our segments (RFC 1191, RFC 8201).

use super::*;
use crate::congestion::InitialWindow;
use crate::wire::IcmpErrorKind;
use std::collections::VecDeque;

#[test]
fn packet_too_big_lowers_the_mss_and_resends() {
    let mut config = config();
    config.mss = None;
    let mut test = Test::established(config);
    // The peer takes segments of 1,000 bytes; the path only 800 in all.
    test.queue(0, 2_000);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000)]);
    let cwnd = test.info().cwnd;
    let too_big = IcmpErrorKind::PacketTooBig { mtu: 800 };
    assert!(test.connection.on_icmp_error(test.now, too_big, SeqNumber(ISS + 1)));
    assert_eq!(test.data(), [(0, 760), (760, 760), (1_520, 480)]);
    assert_eq!((test.info().mss, test.info().pmtu, test.info().cwnd), (760, 800, cwnd));
}

#[test]
fn no_path_is_believed_to_be_absurdly_narrow() {
    let mut test = in_flight(config(), 2);
    let absurd = IcmpErrorKind::PacketTooBig { mtu: 68 };
    test.connection.on_icmp_error(test.now, absurd, SeqNumber(ISS + 1));
    assert_eq!(test.info().pmtu, 552);
}

/// Whoever makes up errors has all that is in flight sent once, however many they are.
#[test]
fn errors_of_ever_narrower_paths_have_the_flight_sent_again_once() {
    let mut test = in_flight(config(), 3);
    let mut resent = 0;
    for mtu in (600..1_000).rev() {
        let too_big = IcmpErrorKind::PacketTooBig { mtu };
        assert!(test.connection.on_icmp_error(test.now, too_big, SeqNumber(ISS + 1)));
        resent += test.data().iter().map(|(_, len)| len).sum::<u32>();
    }
    assert_eq!((resent, test.info().pmtu), (3_000, 999));
    // What the last of them has told counts when nothing is acknowledged.
    test.run(300);
    assert_eq!(test.info().pmtu, 600);
}

#[test]
fn a_router_that_tells_no_mtu_means_the_next_plateau() {
    let mut test = Test::established(config());
    test.queue(0, 1_000);
    test.sent();
    let unknown = IcmpErrorKind::PacketTooBig { mtu: 0 };
    test.connection.on_icmp_error(test.now, unknown, SeqNumber(ISS + 1));
    assert_eq!(test.info().pmtu, 1_492);
}

/// One record holds at most 64 pieces: here they become larger than the path's segments.
#[test]
fn what_has_too_few_records_for_smaller_segments_is_sent_again_without_timeouts() {
    let config = Config {
        mss: None,
        flight_records: 1,
        initial_window: InitialWindow::AtMost { segments: 40, bytes: 0 },
        send_buffer: 60_000,
        ..config()
    };
    let mut test = Test::established(config);
    test.queue(0, 40_000);
    let all = test.connection.poll_transmit(test.now, 65_535).expect("all of it in one piece");
    assert_eq!(all.len, 40_000);
    test.connection.on_transmitted(test.now, &all);
    let too_big = IcmpErrorKind::PacketTooBig { mtu: 552 };
    assert!(test.connection.on_icmp_error(test.now, too_big, SeqNumber(ISS + 1)));
    let mut arrived = [false; 40_000];
    let mut on_the_way = VecDeque::from(test.data());
    let mut acked = 0;
    while acked < 40_000 {
        let next = on_the_way.pop_front();
        let (first, len) = next.unwrap_or_else(|| panic!("{acked} bytes acked, nothing follows"));
        assert!(len <= 512, "{len} bytes");
        let bytes = &mut arrived[first as usize..(first + len) as usize];
        assert!(bytes.iter().all(|arrived| !arrived), "{first} arrives twice");
        bytes.fill(true);
        acked = arrived.iter().position(|arrived| !arrived).unwrap_or(40_000) as u32;
        test.wait(1);
        test.acks(acked);
        on_the_way.extend(test.data());
    }
    assert_eq!(test.info().timeouts, 0);
}

/// RFC 5927 section 7.2: what has passed the path is no reason to believe that it does not.
#[test]
fn once_segments_have_passed_an_error_waits_for_what_it_names() {
    let too_big = IcmpErrorKind::PacketTooBig { mtu: 800 };
    let mut test = in_flight(config(), 3);
    test.wait(10);
    test.acks(1_000);
    let second = SeqNumber(ISS + 1_001);
    assert!(test.connection.on_icmp_error(test.now, too_big, second));
    assert_eq!((test.data(), test.info().pmtu), (std::vec![], 1_500));
    // The segment arrives: it was a lie.
    test.acks(2_000);
    assert_eq!(test.data_within(300), [(200, 2_000, 1_000)]);
    assert_eq!(test.info().pmtu, 1_500);
    // The third does not.
    assert!(test.connection.on_icmp_error(test.now, too_big, second + 1_000));
    let sent: Vec<_> = test.run(400).iter().map(|(at, sent)| (*at, sent.data())).collect();
    assert_eq!(sent, [(300, (2_000, 760)), (300, (2_760, 240))]);
    assert_eq!(test.info().pmtu, 800);
}

/// RFC 1191 section 6.3: ten minutes after it was lowered last.
#[test]
fn a_path_is_tried_again_with_larger_packets() {
    let mut test = Test::established(Config { mss: None, nagle: Nagle::Off, ..config() });
    test.queue(0, 1_000);
    assert_eq!(test.data(), [(0, 1_000)]);
    let too_big = IcmpErrorKind::PacketTooBig { mtu: 800 };
    assert!(test.connection.on_icmp_error(test.now, too_big, SeqNumber(ISS + 1)));
    assert_eq!(test.data(), [(0, 760), (760, 240)]);
    test.acks(1_000);
    for (minutes, pmtu, first) in [(9, 800, 760), (3, 1_500, 1_000)] {
        test.wait(minutes * 60_000);
        let acked = test.info().bytes_acked as u32;
        test.queue(acked, acked + 1_000);
        assert_eq!(test.data()[0], (acked, first), "{minutes}");
        assert_eq!((test.info().pmtu, test.info().mss), (pmtu, first), "{minutes}");
        test.acks(acked + 1_000);
    }
}

/// What it is found to carry no more of than before is no news.
#[test]
fn a_path_that_is_still_narrow_costs_a_flight_and_no_timeout() {
    let mut test = Test::established(Config { mss: None, nagle: Nagle::Off, ..config() });
    let too_big = |test: &mut Test, mtu, at| {
        let kind = IcmpErrorKind::PacketTooBig { mtu };
        assert!(test.connection.on_icmp_error(test.now, kind, SeqNumber(ISS + 1 + at)));
        test.data()
    };
    test.queue(0, 1_000);
    assert_eq!(test.data(), [(0, 1_000)]);
    assert_eq!(too_big(&mut test, 800, 0), [(0, 760), (760, 240)]);
    test.acks(1_000);
    test.wait(12 * 60_000);
    test.queue(1_000, 1_010);
    assert_eq!(test.data(), [(1_000, 10)], "which passes");
    test.acks(1_010);
    test.queue(1_010, 3_010);
    assert_eq!(test.data(), [(1_010, 1_000), (2_010, 1_000)]);
    assert_eq!(too_big(&mut test, 799, 1_010), [], "narrower than ever");
    let resent = [(1_010, 760), (1_770, 760), (2_530, 480)];
    assert_eq!(too_big(&mut test, 800, 1_010), resent);
    assert_eq!(too_big(&mut test, 799, 1_010), []);
    assert_eq!((test.info().timeouts, test.info().pmtu), (0, 800));
    // Once larger packets have passed, an error is as doubtful as ever.
    test.acks(3_010);
    test.wait(12 * 60_000);
    test.queue(3_010, 5_010);
    assert_eq!(test.data(), [(3_010, 1_000), (4_010, 1_000)]);
    test.acks(4_010);
    assert_eq!(too_big(&mut test, 800, 4_010), []);
    assert_eq!(test.info().pmtu, 1_500);
}

/// RFC 5927 section 7.2, where acks of smaller packets keep the timer away.
#[test]
fn an_error_is_believed_once_what_it_names_is_to_be_sent_again() {
    let mut test = Test::established(Config { nagle: Nagle::Off, ..rack() });
    test.queue(0, 2_000);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000)]);
    test.wait(10);
    test.acks(1_000);
    for at in [2_000, 2_010, 2_020] {
        test.queue(at, at + 10);
        assert_eq!(test.data(), [(at, 10)]);
    }
    let too_big = IcmpErrorKind::PacketTooBig { mtu: 800 };
    assert!(test.connection.on_icmp_error(test.now, too_big, SeqNumber(ISS + 1_001)));
    assert_eq!(test.data(), []);
    test.wait(20);
    test.sacks(1_000, &[(2_000, 2_030)]);
    assert_eq!(test.data(), [(1_000, 760), (1_760, 270)]);
    assert_eq!((test.info().pmtu, test.info().timeouts), (800, 0));
}

/// Sequence numbers come again: half their space later that error would be of what is yet to be sent.
#[test]
fn an_error_is_forgotten_with_what_it_names() {
    let mut test = in_flight(config(), 2);
    test.wait(10);
    test.acks(1_000);
    let too_big = IcmpErrorKind::PacketTooBig { mtu: 800 };
    let second = SeqNumber(ISS + 1_001);
    assert!(test.connection.on_icmp_error(test.now, too_big, second));
    test.connection.path_state_mut().expect("it is kept").seq = second + (1 << 30);
    assert_eq!(test.data_within(300).len(), 1);
    assert_eq!((test.info().timeouts, test.info().pmtu), (1, 1_500));
}

/// RFC 5681 section 4.3: what went again because the path has become narrow is lost too, which is a sign of
/// congestion, whatever the clock shows.
#[test]
fn a_loss_of_what_went_again_in_smaller_packets_is_congestion() {
    for seconds in [0, 1_000, 2_000, 3_000, 4_000, 5_000] {
        let mut test = Test::established(Config { nagle: Nagle::Off, ..rack() });
        test.wait(seconds * 1_000);
        test.queue(0, 4_000);
        assert_eq!(test.data().len(), 4);
        let too_big = IcmpErrorKind::PacketTooBig { mtu: 800 };
        assert!(test.connection.on_icmp_error(test.now, too_big, SeqNumber(ISS + 1)));
        let resent: Vec<_> = (0..6).map(|n| (n * 760, (4_000 - n * 760).min(760))).collect();
        assert_eq!(test.data(), resent);
        let window = test.info().cwnd;
        test.wait(30);
        test.sacks(0, &[(760, 4_000)]);
        assert_eq!(test.data(), [(0, 760)], "after {seconds} s");
        assert!(test.info().cwnd < window, "after {seconds} s");
    }
}
