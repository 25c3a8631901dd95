//! How connections begin, go on and end.

use crate::script::{End, Segment, connection, connections, handshake, ms, segment};
use ackclock::wire::{Flags, Options};
use ackclock_trace::{Connection, Ending};

fn a(at: u64, seq: u32, ack: u32) -> Segment {
    segment(ms(at), End::A, seq, ack)
}

fn b(at: u64, seq: u32, ack: u32) -> Segment {
    segment(ms(at), End::B, seq, ack)
}

/// What follows a handshake.
#[track_caller]
fn after_handshake(segments: &[Segment]) -> Connection {
    connection(&[&handshake(false), segments].concat())
}

#[test]
fn a_whole_connection_is_told_of() {
    let of = after_handshake(&[
        a(50, 1, 1).payload(1000).and(Flags::PSH),
        b(90, 1, 1001),
        a(100, 1001, 1).payload(500).and(Flags::FIN),
        b(140, 1, 1502).and(Flags::FIN),
        a(140, 1502, 2),
    ]);
    assert_eq!((of.a.to_string(), of.b.to_string()), ("10.0.0.1:4000".into(), "10.0.0.2:9".into()));
    assert_eq!((of.ending, of.from_the_start, of.packets), (Ending::Closed, true, 8));
    assert_eq!((of.duration_s, of.idle_max_s), (0.14, 0.04));
    let (a, b) = (&of.a_to_b, &of.b_to_a);
    assert_eq!((a.packets, a.ack_packets, a.pure_acks, a.data_packets), (5, 4, 2, 2));
    assert_eq!((a.unique_bytes, a.stream_bytes, a.missing_bytes), (1500, Some(1500), 0));
    assert_eq!((a.min_segment, a.avg_segment, a.max_segment), (500, 750.0, 1000));
    assert_eq!((a.syn_packets, a.fin_packets, a.rst_packets, a.pushed_packets), (1, 1, 0, 1));
    assert_eq!(a.syn_options.unwrap().mss, Some(1000));
    assert_eq!(a.data_s, 0.05);
    assert_eq!(a.throughput.round(), (1500.0_f64 / 0.14).round());
    assert_eq!(a.max_outstanding, 1000);
    let rtt = a.rtt.unwrap();
    // Of the SYN, and of both segments.
    assert_eq!(
        (rtt.samples, rtt.min_ms, rtt.avg_ms, rtt.max_ms, rtt.stdev_ms),
        (3, 40.0, 40.0, 40.0, 0.0)
    );
    assert_eq!((b.unique_bytes, b.stream_bytes), (0, Some(0)));
    // Only the SYN and FIN of b are answered, at once.
    assert_eq!(b.rtt.unwrap().max_ms, 0.0);
}

#[test]
fn the_initial_window_ends_with_the_first_ack_of_data() {
    let of = after_handshake(&[
        a(50, 1, 1).payload(1000),
        a(50, 1001, 1).payload(1000),
        b(60, 1, 1),
        a(60, 2001, 1).payload(400),
        a(61, 1, 1).payload(1000),
        b(90, 1, 1001),
        a(90, 2401, 1).payload(1000),
    ]);
    let window = of.a_to_b.initial_window.unwrap();
    assert_eq!((window.bytes, window.packets, window.segments), (2400, 3, 3));
    // Captured before segmentation: ten segments of the MSS in one packet.
    let of = after_handshake(&[a(50, 1, 1).payload(10_000), b(90, 1, 1001)]);
    let window = of.a_to_b.initial_window.unwrap();
    assert_eq!((window.bytes, window.packets, window.segments), (10_000, 1, 10));
    assert_eq!(of.a_to_b.coalesced_packets, 1);
    // An ack in the midst of it is a round trip of the segment that ends there.
    assert_eq!(of.a_to_b.rtt.unwrap().samples, 2);
}

#[test]
fn windows_are_scaled_if_both_syns_say_so() {
    let options = |scale| Options { window_scale: Some(scale), ..Options::default() };
    let all = [
        a(0, 0, 0).flags(Flags::SYN).options(options(7)).window(65_535),
        b(40, 0, 1).and(Flags::SYN).options(options(2)).window(65_535),
        a(40, 1, 1).window(100),
        b(50, 1, 1).window(100),
        b(60, 1, 1).window(0),
    ];
    let of = connection(&all);
    let (a, b) = (of.a_to_b.windows, of.b_to_a.windows);
    assert_eq!((a.min, a.max, a.scale_known), (12_800, 12_800, true));
    assert_eq!((b.min, b.avg, b.max, b.zero), (0, 200.0, 400, 1));
    let mut one_sided = all.clone();
    one_sided[1] = one_sided[1].clone().options(Options::default());
    assert_eq!(connection(&one_sided).a_to_b.windows.max, 100);
}

#[test]
fn what_began_before_the_capture_says_what_it_cannot_know() {
    let of = connection(&[
        a(50, 5001, 700).payload(1000).window(100),
        b(90, 700, 6001),
        a(100, 6001, 700).payload(1000),
        b(140, 700, 7001),
    ]);
    assert!(!of.from_the_start && of.ending == Ending::Open);
    let a = &of.a_to_b;
    assert!(!a.windows.scale_known);
    assert_eq!((a.windows.min, a.initial_window, a.stream_bytes), (100, None, None));
    assert_eq!((a.unique_bytes, a.missing_bytes), (2000, 0));
    let rtt = a.rtt.unwrap();
    assert_eq!((rtt.samples, rtt.avg_ms), (2, 40.0));
}

#[test]
fn a_retransmission_that_begins_before_the_capture_is_one() {
    let of = connection(&[
        a(50, 5001, 700).payload(1000),
        a(51, 4001, 700).payload(1000),
        b(90, 700, 6001),
    ]);
    assert_eq!(of.a_to_b.unique_bytes + of.a_to_b.retransmitted_bytes, 2000);
}

#[test]
fn a_syn_ack_alone_shows_who_began() {
    let of = connection(&[b(40, 0, 1).and(Flags::SYN), a(40, 1, 1), a(41, 1, 1).payload(10)]);
    assert_eq!(of.a.port(), 4000);
    assert_eq!(of.a_to_b.unique_bytes, 10);
}

#[test]
fn connections_end_in_different_ways() {
    let syn = || a(0, 0, 0).flags(Flags::SYN);
    assert_eq!(connection(&[syn(), a(1000, 0, 0).flags(Flags::SYN)]).ending, Ending::NeverOpened);
    let refused = connection(&[syn(), b(40, 0, 1).and(Flags::RST)]);
    assert_eq!((refused.ending, refused.reset_by), (Ending::Refused, Some('b')));
    let reset = after_handshake(&[a(50, 1, 1).payload(10), a(60, 11, 1).and(Flags::RST)]);
    assert_eq!((reset.ending, reset.reset_by), (Ending::Reset, Some('a')));
    let half = after_handshake(&[a(50, 1, 1).and(Flags::FIN), b(90, 1, 2)]);
    assert_eq!(half.ending, Ending::HalfClosed);
    assert_eq!(after_handshake(&[]).ending, Ending::Open);
}

#[test]
fn a_syn_with_another_number_begins_another_connection_between_the_same_ends() {
    let first = [a(50, 1, 1).and(Flags::FIN), b(90, 1, 2).and(Flags::FIN), a(90, 2, 2)];
    let mut all = [&handshake(false)[..], &first].concat();
    let again = handshake(false).into_iter().map(|mut segment| {
        segment.at += ms(200);
        segment.isn([77, 88])
    });
    all.extend(again);
    all.push(a(300, 1, 1).isn([77, 88]).payload(33));
    let both = connections(&all);
    let seen: Vec<_> = both.iter().map(|of| (of.number, of.ending, of.packets)).collect();
    assert_eq!(seen, [(1, Ending::Closed, 6), (2, Ending::Open, 4)]);
    assert_eq!(both[1].a_to_b.unique_bytes, 33);
    // The same SYN once more does not.
    let mut again = handshake(false);
    again.insert(1, a(20, 0, 0).flags(Flags::SYN));
    assert_eq!(connection(&again).a_to_b.syn_fin_retransmitted, 1);
}

#[test]
fn connections_are_numbered_as_they_begin_and_told_apart_by_ports() {
    let all = [a(0, 1, 1).payload(1), a(1, 1, 1).payload(2).port(4001), a(2, 2, 1).payload(3)];
    let seen: Vec<_> = connections(&all)
        .iter()
        .map(|of| (of.number, of.a.port(), of.a_to_b.unique_bytes))
        .collect();
    assert_eq!(seen, [(1, 4000, 4), (2, 4001, 2)]);
}

#[test]
fn a_connection_that_is_over_is_given_out_before_the_capture_ends() {
    let mut all = handshake(false);
    all.extend([a(50, 1, 1).and(Flags::FIN), b(90, 1, 2).and(Flags::FIN), a(90, 2, 2)]);
    // Minutes later, of another one that began before.
    all.insert(0, a(0, 1, 1).payload(1).port(5000));
    all.push(a(300_000, 2, 1).payload(1).port(5000));
    let numbers: Vec<_> = connections(&all).iter().map(|of| of.number).collect();
    assert_eq!(numbers, [2, 1]);
}

#[test]
fn sequence_numbers_may_go_round_more_than_once() {
    // As captured before segmentation, with the headers only.
    const LENGTH: u32 = 60_000;
    let mut all = handshake(false);
    let (mut seq, mut count) = (1_u32, 0_u64);
    while count * u64::from(LENGTH) < 10 << 30 {
        let now = 50 + count;
        all.push(a(now, seq, 1).payload(LENGTH as usize).captured(0));
        seq = seq.wrapping_add(LENGTH);
        all.push(b(now, 1, seq));
        count += 1;
        if count % 1000 == 0 {
            // What is old is old, on whichever side of the end of the circle.
            let old = seq.wrapping_sub(LENGTH);
            all.push(a(now, old, 1).payload(LENGTH as usize).captured(0));
        }
    }
    let of = connection(&all);
    let a = &of.a_to_b;
    assert_eq!(a.unique_bytes, count * u64::from(LENGTH));
    let again = a.retransmitted_packets + a.duplicated_packets;
    assert_eq!((again, a.missing_bytes, a.out_of_window_packets), (count / 1000, 0, 0));
    assert_eq!(a.cut_packets, a.data_packets);
}

#[test]
fn what_was_acknowledged_and_not_captured_is_missing() {
    let of = after_handshake(&[
        a(50, 1, 1).payload(1000),
        a(51, 2001, 1).payload(1000),
        b(90, 1, 3001),
        b(91, 1, 4001),
    ]);
    assert_eq!((of.a_to_b.unique_bytes, of.a_to_b.missing_bytes), (2000, 2000));
}

#[test]
fn numbers_that_no_window_has_room_for_change_nothing() {
    let of = after_handshake(&[
        a(50, 1, 1).payload(1000),
        a(51, 0x6000_0000, 1).payload(1000),
        b(60, 1, 0x7000_0000),
        b(90, 1, 1001),
    ]);
    let a = &of.a_to_b;
    assert_eq!((a.out_of_window_packets, a.unique_bytes, a.missing_bytes), (2, 1000, 0));
    assert_eq!(a.rtt.unwrap().samples, 2);
}

#[test]
fn urgent_data_and_congestion_marks_are_counted() {
    let of = after_handshake(&[
        a(50, 1, 1).payload(10).and(Flags::URG),
        b(90, 1, 11).and(Flags::ECE),
        a(91, 11, 1).payload(10).and(Flags::CWR),
    ]);
    assert_eq!((of.a_to_b.urgent_packets, of.a_to_b.cwr_packets, of.b_to_a.ece_packets), (1, 1, 1));
}

#[test]
fn times_that_go_backwards_are_no_harm() {
    let of = after_handshake(&[a(50, 1, 1).payload(1000), b(30, 1, 1001), a(20, 1001, 1)]);
    assert_eq!((of.duration_s, of.a_to_b.unique_bytes), (0.05, 1000));
}
