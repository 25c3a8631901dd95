//! Forged segments (RFC 5961, RFC 5927).

use super::*;
use crate::wire::IcmpErrorKind;

/// What is sent in reply must be one ack that says where we are.
fn challenged(test: &mut Test) {
    let sent = test.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].seq, sent[0].ack, sent[0].flags), (ISS + 1, IRS + 1, ACK));
    assert_eq!(test.state(), State::Established);
}

#[test]
fn a_reset_inside_the_window_is_challenged() {
    let mut test = Test::established(config());
    let _ = test.segment(header(IRS + 2, ISS + 1, RST), &[]);
    challenged(&mut test);
    assert_eq!(test.info().challenge_acks, 1);
}

#[test]
fn a_reset_outside_the_window_is_ignored() {
    let mut test = Test::established(config());
    let _ = test.segment(header(IRS, ISS + 1, RST), &[]);
    let _ = test.segment(header(IRS + 1 + 20_000, ISS + 1, RST), &[]);
    assert_eq!(test.state(), State::Established);
    assert!(test.sent().is_empty());
}

#[test]
fn a_syn_is_challenged_wherever_it_lies() {
    for seq in [IRS, IRS + 1, IRS + 500] {
        let mut test = Test::established(config());
        let _ = test.segment(header(seq, ISS + 1, SYN), &[]);
        challenged(&mut test);
    }
}

#[test]
fn acks_outside_the_range_are_challenged_and_their_data_dropped() {
    // SND.UNA - MAX.SND.WND <= SEG.ACK <= SND.NXT, with a largest window of 60,000.
    for (ack, accepted) in
        [(1, false), (0, true), (-60_000_i32, true), (-60_001, false), (-1, true)]
    {
        let mut test = Test::established(config());
        let ack = (ISS + 1).wrapping_add_signed(ack);
        let _ = test.segment(header(IRS + 1, ack, ACK), &[0, 1]);
        if accepted {
            assert_eq!(test.info().receive_queue, 2);
        } else {
            assert_eq!(test.info().receive_queue, 0);
            challenged(&mut test);
        }
    }
}

#[test]
fn an_ack_for_data_never_sent_changes_nothing() {
    let mut test = Test::established(config());
    test.queue(0, 1_000);
    test.sent();
    test.acks(1_001);
    assert_eq!((test.info().unacked, test.info().bytes_acked), (1_000, 0));
}

#[test]
fn challenges_are_limited_for_each_connection() {
    let mut test = Test::established(config());
    let mut sent = 0;
    for _ in 0..50 {
        let _ = test.segment(header(IRS + 2, ISS + 1, RST), &[]);
        sent += test.sent().len();
    }
    assert_eq!(sent, 10);
    test.wait(5_000);
    let _ = test.segment(header(IRS + 2, ISS + 1, RST), &[]);
    assert_eq!(test.sent().len(), 1);
}

#[test]
fn icmp_errors_count_only_for_what_is_in_flight() {
    let mut test = Test::established(config());
    let next = SeqNumber(ISS + 1);
    assert!(!test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, next));
    test.queue(0, 1_000);
    test.sent();
    assert!(!test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, next + 1_000));
    assert!(test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, next));
    assert_eq!(test.state(), State::Established, "hard errors are soft now (RFC 5927 section 5)");
    assert_eq!(test.info().soft_error, Some(IcmpErrorKind::Refused));
}

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
    let absurd = IcmpErrorKind::PacketTooBig { mtu: 68 };
    test.connection.on_icmp_error(test.now, absurd, SeqNumber(ISS + 1));
    assert_eq!(test.info().pmtu, 552, "no path is believed to be that narrow");
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

#[test]
fn what_is_outside_the_window_is_answered_with_an_ack() {
    let mut test = Test::established(config());
    test.peer(10_000, 10, 0, Flags::NONE);
    challenged(&mut test);
    test.peer(10_000, 0, 0, Flags::NONE);
    challenged(&mut test);
    assert_eq!(test.info().receive_queue, 0);
}
