//! What was sent again, and why.

use crate::script::{End, Segment, connection, handshake, ms, segment};
use ackclock::wire::Flags;
use ackclock_trace::{Cause, Connection, Direction};

/// Data of a, a thousand bytes from `seq` on.
fn data(at: u64, seq: u32) -> Segment {
    segment(ms(at), End::A, seq, 1).payload(1000)
}

/// An ack of b's.
fn ack(at: u64, ack: u32) -> Segment {
    segment(ms(at), End::B, 1, ack)
}

/// A connection that has SACK or not, and what follows its handshake.
#[track_caller]
fn after_handshake(sack: bool, segments: impl IntoIterator<Item = Segment>) -> Connection {
    connection(&[handshake(sack), segments.into_iter().collect()].concat())
}

fn causes(direction: &Direction) -> Vec<(i64, Cause)> {
    direction.retransmissions.iter().map(|of| (of.seq, of.cause)).collect()
}

#[test]
fn three_duplicate_acks_make_a_fast_retransmission() {
    let sent = (0..4).map(|n| data(50, 1 + n * 1000));
    let acks = [ack(90, 1), ack(90, 1), ack(90, 1)];
    let all = sent.chain(acks).chain([data(91, 1), ack(131, 4001)]);
    let a = after_handshake(false, all).a_to_b;
    assert_eq!((a.duplicate_acks, a.triple_duplicate_acks), (3, 1));
    assert_eq!(causes(&a), [(1, Cause::Fast)]);
    assert_eq!(a.retransmissions[0].evidence, "3 duplicate acks; 41.0 ms after it was sent last");
    assert_eq!((a.retransmitted_packets, a.retransmitted_bytes), (1, 1000));
    assert_eq!((a.unique_bytes, a.data_bytes), (4000, 5000));
    // The SYN gave a sample; what was held up by the loss gives none (Karn's rule).
    assert_eq!((a.rtt.unwrap().samples, a.ambiguous_acks), (1, 1));
}

#[test]
fn sack_above_makes_a_fast_retransmission_before_three_duplicate_acks() {
    let sent = (0..3).map(|n| data(50, 1 + n * 1000));
    let acks = [ack(90, 1).sack(&[(1001, 2001)]), ack(90, 1).sack(&[(1001, 3001)])];
    let a = after_handshake(true, sent.chain(acks).chain([data(91, 1)])).a_to_b;
    assert_eq!(causes(&a), [(1, Cause::Fast)]);
    assert!(a.retransmissions[0].evidence.starts_with("2000 bytes above it SACKed"));
}

#[test]
fn a_partial_ack_goes_on_with_fast_recovery() {
    let sent = (0..5).map(|n| data(50, 1 + n * 1000));
    let acks = [ack(90, 1), ack(90, 1), ack(90, 1)];
    let rest = [data(91, 1), ack(131, 2001), data(131, 2001)];
    let a = after_handshake(false, sent.chain(acks).chain(rest)).a_to_b;
    assert_eq!(causes(&a), [(1, Cause::Fast), (2001, Cause::Fast)]);
    assert!(a.retransmissions[1].evidence.starts_with("a partial ack in fast recovery"));
}

#[test]
fn silence_as_long_as_the_timeout_makes_a_timeout_and_what_follows_it() {
    let sent = (0..3).map(|n| data(50, 1 + n * 1000));
    // SRTT 40 ms and at least 200 ms.
    let rest = [data(290, 1), ack(330, 1001), data(330, 1001), data(330, 2001), data(5000, 1001)];
    let a = after_handshake(false, sent.chain(rest)).a_to_b;
    let expected = [
        (1, Cause::Timeout),
        (1001, Cause::AfterTimeout),
        (2001, Cause::AfterTimeout),
        (1001, Cause::Timeout),
    ];
    assert_eq!(causes(&a), expected);
    let causes = a.causes;
    assert_eq!((causes.timeout, causes.after_timeout, causes.fast), (2, 2, 0));
    assert_eq!(a.max_retransmissions, 2);
    assert_eq!(
        a.retransmissions[0].evidence,
        "240 ms of silence, the timeout is about 240 ms; 240 ms after it was sent last"
    );
}

#[test]
fn a_timer_that_fires_after_duplicate_acks_is_still_a_timeout() {
    let sent = (0..5).map(|n| data(50, 1 + n * 1000));
    let acks = (0..4).map(|_| ack(91, 1));
    let a = after_handshake(false, sent.chain(acks).chain([data(291, 1)])).a_to_b;
    assert_eq!(causes(&a), [(1, Cause::Timeout)]);
}

#[test]
fn the_last_segment_alone_again_after_two_round_trips_is_a_tail_loss_probe() {
    let sent = || (0..3).map(|n| data(50, 1 + n * 1000));
    let probe = || [data(132, 2001), ack(172, 3001)];
    let a = after_handshake(true, sent().chain(probe())).a_to_b;
    assert_eq!(causes(&a), [(2001, Cause::TailProbe)]);
    // RFC 8985 needs SACK.
    let a = after_handshake(false, sent().chain(probe())).a_to_b;
    assert_ne!(causes(&a), [(2001, Cause::TailProbe)]);
}

#[test]
fn probes_of_a_closed_window_are_no_losses() {
    let closed = [data(50, 1), ack(90, 1001).window(0)];
    let probe = |at| segment(ms(at), End::A, 1001, 1).payload(1);
    let answer = |at| ack(at, 1001).window(0);
    let rest = [probe(300), answer(340), probe(700), answer(740), ack(800, 1001), data(800, 1001)];
    let a = after_handshake(false, closed.into_iter().chain(rest)).a_to_b;
    assert_eq!((a.window_probes, a.causes.window_probe), (1, 1));
    assert_eq!(causes(&a)[0], (1001, Cause::WindowProbe));
    // A probe as Linux sends it, without payload below what is acknowledged.
    let linux = |at| segment(ms(at), End::A, 1000, 1);
    let rest = [linux(300), answer(340), ack(400, 1001), data(400, 1001)];
    let closed = [data(50, 1), ack(90, 1001).window(0)];
    let connection = after_handshake(false, closed.into_iter().chain(rest));
    let (a, b) = (connection.a_to_b, connection.b_to_a);
    assert_eq!((a.window_probes, a.keepalives, a.retransmitted_packets), (1, 0, 0));
    assert_eq!((b.windows.zero, b.windows.min), (2, 0));
}

#[test]
fn keep_alives_with_and_without_a_byte_are_no_retransmissions() {
    let probe = |at| segment(ms(at), End::A, 1000, 1);
    let all = [data(50, 1), ack(90, 1001), probe(10_000), ack(10_040, 1001)];
    let all = all.into_iter().chain([probe(20_000).payload(1), ack(20_040, 1001)]);
    let connection = after_handshake(false, all);
    let a = &connection.a_to_b;
    assert_eq!((a.keepalives, a.retransmitted_packets, a.unique_bytes), (2, 0, 1000));
    assert_eq!(a.duplicate_acks, 0);
    assert_eq!(connection.idle_max_s, 9.96);
}

#[test]
fn a_d_sack_tells_that_a_retransmission_was_not_needed() {
    let sent = (0..4).map(|n| data(50, 1 + n * 1000));
    let late = [ack(90, 1).sack(&[(1001, 4001)]), data(91, 1), ack(95, 4001)];
    let report = ack(131, 4001).sack(&[(1, 1001)]);
    let a = after_handshake(true, sent.chain(late).chain([report])).a_to_b;
    assert_eq!(a.causes.spurious, 1);
    let why = a.retransmissions[0].spurious.as_deref();
    // The ack that came too soon was the first to tell.
    assert_eq!(why, Some("acknowledged 4.00 ms later, too soon for a round trip of 40.0 ms"));
    let sent = (0..4).map(|n| data(50, 1 + n * 1000));
    let late = [ack(90, 1).sack(&[(1001, 4001)]), data(91, 1), ack(131, 4001).sack(&[(1, 1001)])];
    let connection = after_handshake(true, sent.chain(late));
    assert_eq!(connection.b_to_a.dsack_packets, 1);
    let why = connection.a_to_b.retransmissions[0].spurious.as_deref();
    assert_eq!(why, Some("a D-SACK says that it had arrived before"));
}

#[test]
fn an_ack_that_echoes_the_original_tells_that_too() {
    let sent = data(50, 1).timestamps(50, 0);
    let again = data(300, 1).timestamps(300, 0);
    let late = ack(341, 1001).timestamps(7, 50);
    let a = after_handshake(false, [sent, again, late]).a_to_b;
    let why = a.retransmissions[0].spurious.as_deref();
    assert_eq!(why, Some("the ack echoes a timestamp from before it"));
    let sent = data(50, 1).timestamps(50, 0);
    let again = data(300, 1).timestamps(300, 0);
    let needed = ack(341, 1001).timestamps(7, 300);
    assert_eq!(after_handshake(false, [sent, again, needed]).a_to_b.causes.spurious, 0);
}

#[test]
fn what_had_been_acknowledged_was_not_needed() {
    let all = [data(50, 1), ack(51, 1001), data(300, 1)];
    let a = after_handshake(false, all).a_to_b;
    assert_eq!((a.retransmitted_packets, a.causes.spurious), (1, 1));
    let why = a.retransmissions[0].spurious.as_deref();
    assert_eq!(why, Some("the ack for it had passed here at least 249 ms before"));
}

/// At the receiver: the SYN-ACK follows the SYN at once, the ACK comes a round trip later.
fn at_the_receiver(segments: impl IntoIterator<Item = Segment>) -> Connection {
    let mut all = handshake(true);
    all[1].at = ms(0);
    connection(&[all, segments.into_iter().collect()].concat())
}

#[test]
fn at_the_receiver_what_fills_a_hole_soon_was_reordered_and_later_sent_again() {
    let early = at_the_receiver([data(50, 1), data(50, 2001), data(55, 1001)]).a_to_b;
    assert_eq!((early.reordered_packets, early.retransmitted_packets), (1, 0));
    let late = at_the_receiver([data(50, 1), data(50, 2001), data(95, 1001)]).a_to_b;
    assert_eq!((late.reordered_packets, late.retransmitted_packets), (0, 1));
    assert_eq!((late.first_unseen_packets, late.retransmitted_bytes), (1, 0));
    assert_eq!(late.unique_bytes, 3000);
    let evidence = &late.retransmissions[0].evidence;
    assert!(evidence.ends_with("its first transmission was not seen"), "{evidence}");
}

#[test]
fn identifications_and_timestamps_tell_better_than_time() {
    let numbered = |last: Segment| {
        let sent = (0..5).map(|n| data(50, 1 + n * 1000).id(100 + n as u16));
        at_the_receiver(sent.chain([data(51, 6001).id(106), last])).a_to_b
    };
    assert_eq!(numbered(data(95, 5001).id(105)).reordered_packets, 1);
    assert_eq!(numbered(data(52, 5001).id(107)).retransmitted_packets, 1);
    let stamped = |last: Segment| {
        let sent = [data(50, 1).timestamps(50, 0), data(51, 2001).timestamps(51, 0)];
        at_the_receiver(sent.into_iter().chain([last])).a_to_b
    };
    assert_eq!(stamped(data(95, 1001).timestamps(50, 0)).reordered_packets, 1);
    assert_eq!(stamped(data(52, 1001).timestamps(52, 0)).retransmitted_packets, 1);
}

#[test]
fn copies_of_the_network_are_not_the_senders_doing() {
    let all = [data(50, 1), data(50, 1), ack(90, 1001).sack(&[(1, 1001)])];
    let connection = after_handshake(true, all);
    let a = &connection.a_to_b;
    assert_eq!((a.duplicated_packets, a.duplicated_bytes), (1, 1000));
    assert_eq!((a.retransmitted_packets, a.causes.spurious), (0, 0));
    assert_eq!(connection.b_to_a.dsack_packets, 1);
    // Long after the ack, and known by its identification.
    let sent = (0..5).map(|n| data(50, 1 + n * 1000).id(100 + n as u16));
    let copy = data(500, 1001).id(101);
    let a = after_handshake(true, sent.chain([ack(90, 5001), copy])).a_to_b;
    assert_eq!((a.duplicated_packets, a.retransmitted_packets), (1, 0));
}

#[test]
fn a_copy_of_a_fin_is_a_copy() {
    let fin = segment(ms(50), End::A, 1, 1).flags(Flags::FIN | Flags::ACK);
    let a = after_handshake(true, [fin.clone(), fin]).a_to_b;
    assert_eq!((a.duplicated_packets, a.duplicated_bytes), (1, 0));
    assert_eq!((a.fin_packets, a.syn_fin_retransmitted), (2, 0));
}

#[test]
fn partial_overlaps_count_each_byte_once() {
    let all = [data(50, 1), data(51, 1001), segment(ms(400), End::A, 501, 1).payload(2000)];
    let a = after_handshake(false, all).a_to_b;
    assert_eq!((a.unique_bytes, a.retransmitted_bytes), (2500, 1500));
    assert_eq!((a.retransmitted_packets, a.data_packets), (1, 3));
}

#[test]
fn a_syn_and_a_fin_that_come_again_are_counted_apart_from_data() {
    let syn = |at| segment(ms(at), End::A, 0, 0).flags(Flags::SYN);
    let all = [
        syn(0),
        syn(1000),
        syn(3000),
        segment(ms(3040), End::B, 0, 1).and(Flags::SYN),
        segment(ms(3040), End::A, 1, 1),
        segment(ms(3041), End::A, 1, 1).and(Flags::FIN),
        segment(ms(3300), End::A, 1, 1).and(Flags::FIN),
    ];
    let connection = connection(&all);
    let a = &connection.a_to_b;
    assert_eq!((a.syn_packets, a.fin_packets, a.syn_fin_retransmitted), (3, 2, 3));
    assert_eq!((a.retransmitted_packets, a.unique_bytes), (0, 0));
    assert!(connection.from_the_start);
    assert_eq!(
        a.retransmissions[0].evidence,
        "no answer to the SYN; 1.00 s after it was sent last"
    );
}

#[test]
fn no_more_are_listed_than_asked_for_and_all_are_counted() {
    let sent = data(50, 1);
    let again = (1..1500).map(|n| data(50 + n * 1000, 1));
    let a = after_handshake(false, [sent].into_iter().chain(again)).a_to_b;
    assert_eq!((a.retransmitted_packets, a.retransmissions.len()), (1499, 1000));
}
