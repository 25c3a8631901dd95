//! When new data is sent (RFC 9293 sections 3.7.4, 3.8.6.2.1; RFC 5681 section 3.1; RFC 6928;
//! jacobson88 appendix C).

use super::*;

#[test]
fn one_transmission_has_no_more_pieces_than_a_record_can_tell_apart() {
    let mut config = config();
    config.mss = Some(100);
    config.initial_window = crate::congestion::InitialWindow::segments(500);
    let mut test = Test::established(config);
    test.queue(0, 20_000);
    let sent = test.connection.poll_transmit(test.now, 65_535).expect("data");
    assert_eq!((sent.len, sent.segment_size), (6_400, 100));
}

/// The FIN would be one piece more.
#[test]
fn behind_as_many_pieces_as_a_record_can_tell_apart_the_fin_goes_alone() {
    let mut config = config();
    config.mss = Some(100);
    config.initial_window = crate::congestion::InitialWindow::segments(500);
    for (bytes, together) in [(6_300, true), (6_400, false)] {
        let mut test = Test::established(config);
        test.queue(0, bytes);
        test.connection.shutdown(test.now);
        let sent = test.connection.poll_transmit(test.now, 65_535).expect("data");
        assert_eq!(sent.len, bytes as usize);
        assert_eq!(sent.header.flags.contains(FIN), together);
        test.connection.on_transmitted(test.now, &sent);
        assert_eq!(test.connection.broken_invariant(), None);
        assert_eq!(test.sent().len(), usize::from(!together));
    }
}

#[test]
fn the_initial_window_is_ten_segments() {
    let mut test = Test::established(config());
    test.queue(0, 20_000);
    assert_eq!(test.data().len(), 10);
}

#[test]
fn slow_start_sends_two_segments_for_each_acknowledged_one() {
    let mut test = Test::established(config());
    test.queue(0, 40_000);
    test.sent();
    test.wait(10);
    test.acks(1_000);
    assert_eq!(test.data(), [(10_000, 1_000), (11_000, 1_000)]);
}

#[test]
fn the_peers_window_bounds_the_flight() {
    let mut test = Test::established(config());
    test.peer_window = 3_500;
    test.acks(0);
    test.queue(0, 10_000);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000), (2_000, 1_000)]);
    test.acks(2_000);
    assert_eq!(test.data(), [(3_000, 1_000), (4_000, 1_000)]);
}

#[test]
fn an_old_segment_does_not_set_the_window() {
    let mut test = Test::established(config());
    test.peer(0, 100, 0, Flags::NONE);
    let old = Header { window: 1, ..header(IRS + 1, ISS + 1, ACK) };
    let _ = test.segment(old, &[0; 100]);
    assert_eq!(test.info().send_window, 60_000);
}

#[test]
fn nagle_holds_back_less_than_a_segment_while_something_is_in_flight() {
    let mut test = Test::established(config());
    test.queue(0, 10);
    assert_eq!(test.data(), [(0, 10)]);
    test.queue(10, 20);
    assert_eq!(test.data(), []);
    test.queue(20, 1_500);
    assert_eq!(test.data(), [(10, 1_000)]);
    test.acks(1_010);
    assert_eq!(test.data(), [(1_010, 490)]);
}

#[test]
fn nagle_can_be_switched_off() {
    let mut test = Test::established(config());
    test.connection.set_nagle(Nagle::Off);
    for n in 0..3 {
        test.queue(n * 10, n * 10 + 10);
        assert_eq!(test.data(), [(n * 10, 10)]);
    }
}

/// Minshall: the end of a write goes at once, unless another one is in flight.
#[test]
fn the_end_of_a_write_waits_for_an_ack_of_the_one_before() {
    let mut test = Test::established(config());
    test.queue(0, 2_500);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000), (2_000, 500)]);
    test.queue(2_500, 3_600);
    assert_eq!(test.data(), [(2_500, 1_000)], "100 bytes behind 500");
    test.acks(2_000);
    assert_eq!(test.data(), []);
    test.acks(2_500);
    assert_eq!(test.data(), [(3_500, 100)], "1,000 bytes are in flight");
}

#[test]
fn by_rfc_896_the_end_of_a_write_waits_for_all_acks() {
    let mut test = Test::established(Config { nagle: Nagle::Rfc896, ..config() });
    test.queue(0, 2_500);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000)]);
    test.acks(1_000);
    assert_eq!(test.data(), []);
    test.acks(2_000);
    assert_eq!(test.data(), [(2_000, 500)]);
}

#[test]
fn a_push_lets_go_what_is_queued_and_nothing_after_it() {
    let mut test = Test::established(config());
    test.queue(0, 10);
    assert_eq!(test.data(), [(0, 10)]);
    test.queue(10, 20);
    test.connection.push(test.now);
    assert_eq!(test.data(), [(10, 10)]);
    test.queue(20, 30);
    assert_eq!(test.data(), []);
    test.connection.set_cork(test.now, true);
    test.acks(20);
    assert_eq!(test.data(), []);
    test.connection.push(test.now);
    assert_eq!(test.data(), [(20, 10)]);
}

/// Linux: a cork holds for 200 ms, counted from when only it held something back.
#[test]
fn a_cork_gives_way_after_a_while() {
    let mut test = Test::established(config());
    test.connection.set_cork(test.now, true);
    test.queue(0, 1_500);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.wait(20);
    test.acks(1_000);
    assert_eq!(test.run(199).len(), 0);
    test.queue(1_500, 1_510);
    let sent = test.run(1);
    assert_eq!(sent.iter().map(|(_, sent)| sent.len).collect::<Vec<_>>(), [510]);
    test.wait(20);
    test.acks(1_510);
    assert_eq!(test.connection.poll_timeout(), Instant::FAR_FUTURE);
    test.queue(1_510, 1_520);
    assert_eq!(test.data(), [], "it holds again");
    test.connection.set_cork(test.now, false);
    assert_eq!(test.data(), [(1_510, 10)]);
}

#[test]
fn a_cork_holds_back_everything_but_full_segments() {
    let mut test = Test::established(config());
    test.connection.set_cork(test.now, true);
    test.queue(0, 1_500);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.acks(1_000);
    assert_eq!(test.data(), []);
    test.connection.set_cork(test.now, false);
    assert_eq!(test.data(), [(1_000, 500)]);
}

#[test]
fn the_last_segment_of_the_queue_is_pushed() {
    let mut test = Test::established(config());
    test.queue(0, 2_500);
    let pushed: Vec<bool> = test.sent().iter().map(|s| s.push).collect();
    assert_eq!(pushed, [false, false, true]);
}

#[test]
fn no_segment_smaller_than_half_the_largest_window() {
    let mut test = Test::established(config());
    test.connection.set_nagle(Nagle::Off);
    test.peer_window = 400;
    test.acks(0);
    test.queue(0, 2_000);
    assert_eq!(test.data(), [], "400 bytes of a window that once was 60,000");
}

#[test]
fn a_small_window_that_was_never_larger_is_used() {
    let mut test = Test::connecting(config());
    test.sent();
    let small = Header { window: 400, ..header(IRS, ISS + 1, SYN | ACK) };
    let _ = test.segment(small, &[]);
    test.peer_window = 400;
    test.queue(0, 2_000);
    assert_eq!(test.data(), [(0, 400)]);
    test.acks(400);
    assert_eq!(test.data(), [(400, 400)]);
}

#[test]
fn an_application_that_sends_little_does_not_grow_the_window() {
    let mut test = Test::established(config());
    for n in 0..50 {
        test.queue(n * 100, n * 100 + 100);
        assert_eq!(test.data(), [(n * 100, 100)]);
        test.wait(10);
        test.acks(n * 100 + 100);
    }
    assert_eq!(test.info().cwnd, 10_000);
}

#[test]
fn the_send_queue_takes_what_fits() {
    let mut config = config();
    config.send_buffer = 3_000;
    let mut test = Test::established(config);
    assert_eq!(test.connection.send(test.now, &[0; 5_000]), Ok(3_000));
    assert_eq!(test.connection.send(test.now, &[0; 10]), Ok(0));
    assert!(!test.connection.readiness().writable);
}

#[test]
fn a_link_that_segments_gets_several_segments_at_once() {
    let mut test = Test::established(Config { nagle: Nagle::Rfc896, ..config() });
    test.queue(0, 3_500);
    let outgoing = test.connection.poll_transmit(test.now, 65_536).expect("data");
    assert_eq!((outgoing.len, outgoing.segment_size), (3_000, 1_000));
    test.connection.on_transmitted(test.now, &outgoing);
    assert!(test.connection.poll_transmit(test.now, 65_536).is_none(), "Nagle");
    // A hole in the middle of the transmission is repaired alone.
    test.sacks(0, &[(0, 0)]);
    test.sacks(1_000, &[(2_000, 3_000)]);
    test.wait(250);
    test.connection.on_timeout(test.now);
    assert_eq!(test.data(), [(1_000, 1_000)]);
}

/// The window in a segment that the peer sends again belongs to its acknowledgement. Counted from
/// the new SND.UNA the old one would let go what the peer never offered.
#[test]
fn a_retransmission_of_the_peer_brings_its_window_too() {
    let mut test = Test::established(config());
    test.peer_window = 3_000;
    // Its first ten bytes are lost, and an ack that follows them is not.
    test.peer(10, 0, 0, Flags::NONE);
    test.queue(0, 6_000);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000), (2_000, 1_000)]);
    test.peer_window = 0;
    test.peer(0, 10, 3_000, Flags::NONE);
    assert_eq!(test.data(), []);
    assert_eq!(test.info().send_window, 0);
}

#[test]
fn what_is_written_in_place_is_sent_like_what_is_copied() {
    let mut test = Test::established(config());
    test.queue(0, 700);
    let mut end = 700;
    while end < 3_000 {
        let write = |room: &mut [u8]| {
            let bytes = room.iter_mut().zip(end..3_000);
            bytes.map(|(byte, n)| *byte = n as u8).count()
        };
        end += test.connection.send_with(test.now, write).expect("an open connection");
    }
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000), (2_000, 1_000)]);
    let nothing = test.connection.send_with(test.now, |_| 0);
    assert_eq!((nothing, test.connection.sender.queue().len()), (Ok(0), 3_000));
    test.connection.shutdown(test.now);
    assert_eq!(test.connection.send_with(test.now, |_| 1), Err(SendError::Finished));
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
