//! What the peer's data is answered with (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2, RFC 2018,
//! RFC 2883, RFC 7323).

use super::*;

fn blocks(sent: &Sent) -> Vec<(u32, u32)> {
    let first = IRS + 1;
    let blocks = sent.options.sack.as_slice().iter();
    blocks
        .map(|block| (block.start.0.wrapping_sub(first), block.end.0.wrapping_sub(first)))
        .collect()
}

#[test]
fn a_window_told_with_data_is_honoured_also_while_there_are_holes() {
    let mut test = Test::established(config());
    // 9,000 of 10,000 bytes, then a hole, which the SACK blocks of one ack report.
    test.peer(0, 9_000, 0, Flags::NONE);
    test.peer(9_500, 100, 0, Flags::NONE);
    test.sent();
    // Room enough to tell of it, but not enough for an ack of its own.
    assert_eq!(test.connection.receive(&mut [0; 1_500]), Ok(1_500));
    test.queue(0, 10);
    let told: Vec<_> = test.sent().iter().map(|s| (s.len, s.window)).collect();
    assert_eq!(told, [(10, 2_500)]);
    test.peer(11_000, 500, 10, Flags::NONE);
    assert_eq!(test.info().out_of_order, 600);
}

#[test]
fn every_second_full_segment_is_acknowledged_at_once() {
    let mut test = Test::established(config());
    test.peer(0, 1_000, 0, Flags::NONE);
    assert!(test.sent().is_empty());
    test.peer(1_000, 1_000, 0, Flags::NONE);
    assert_eq!(test.sent().iter().map(Sent::acked).collect::<Vec<_>>(), [2_000]);
}

#[test]
fn a_single_segment_is_acknowledged_after_the_timeout() {
    let mut test = Test::established(config());
    test.peer(0, 1_000, 0, Flags::NONE);
    let sent = test.run(100);
    assert_eq!(sent.iter().map(|(at, s)| (*at, s.acked())).collect::<Vec<_>>(), [(40, 1_000)]);
}

#[test]
fn data_of_ours_carries_the_ack() {
    let mut test = Test::established(config());
    test.peer(0, 1_000, 0, Flags::NONE);
    test.queue(0, 10);
    let sent = test.run(100);
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].1.acked(), sent[0].1.len), (1_000, 10));
}

#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    let mut config = config();
    config.ack_policy = AckPolicy::Delayed { timeout: Duration::from_millis(40), quick_acks: 3 };
    let mut test = Test::established(config);
    let mut acked = Vec::new();
    for n in 0..6 {
        test.peer(n * 100, 100, 0, Flags::PSH);
        acked.extend(test.sent().iter().map(Sent::acked));
    }
    assert_eq!(acked, [100, 200, 300]);
}

#[test]
fn out_of_order_data_is_reported_at_once_most_recent_first() {
    let mut test = Test::established(config());
    test.peer(1_000, 500, 0, Flags::NONE);
    assert_eq!(blocks(&test.sent()[0]), [(1_000, 1_500)]);
    test.peer(3_000, 500, 0, Flags::NONE);
    assert_eq!(blocks(&test.sent()[0]), [(3_000, 3_500), (1_000, 1_500)]);
    test.peer(1_500, 500, 0, Flags::NONE);
    assert_eq!(blocks(&test.sent()[0]), [(1_000, 2_000), (3_000, 3_500)]);
    test.peer(0, 1_000, 0, Flags::NONE);
    let sent = test.sent();
    assert_eq!((sent[0].acked(), blocks(&sent[0])), (2_000, std::vec![(3_000, 3_500)]));
    assert_eq!(test.read(0), 2_000);
}

#[test]
fn a_duplicate_is_reported_by_d_sack() {
    let mut test = Test::established(config());
    test.peer(0, 1_000, 0, Flags::NONE);
    test.peer(1_000, 1_000, 0, Flags::NONE);
    test.sent();
    test.peer(500, 500, 0, Flags::NONE);
    let sent = test.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].acked(), blocks(&sent[0])), (2_000, std::vec![(500, 1_000)]));
    test.peer(2_000, 1_000, 0, FIN);
    assert!(blocks(&test.sent()[0]).is_empty(), "it is reported once");
}

#[test]
fn reports_of_holes_are_not_held_up_by_data() {
    let mut test = Test::established(config());
    test.peer(1_000, 500, 0, Flags::NONE);
    test.queue(0, 1_000);
    let sent = test.sent();
    let shape: Vec<_> = sent.iter().map(|s| (s.len, blocks(s).len())).collect();
    assert_eq!(shape, [(0, 1), (988, 1), (12, 1)]);
}

#[test]
fn the_window_closes_as_data_waits_and_never_shrinks() {
    let mut test = Test::established(config());
    let mut edges = Vec::new();
    for n in 0..10 {
        test.peer(n * 1_000, 1_000, 0, Flags::NONE);
        edges.extend(test.sent().iter().map(|s| s.acked() + u32::from(s.window)));
    }
    assert_eq!(edges, [10_000; 5]);
    // Zero window: what comes now is not taken, but answered.
    test.peer(10_000, 1_000, 0, Flags::NONE);
    let sent = test.sent();
    assert_eq!((sent.len(), sent[0].acked(), sent[0].window), (1, 10_000, 0));
}

#[test]
fn reading_opens_the_window_when_it_is_worth_it() {
    let mut test = Test::established(config());
    for n in 0..10 {
        test.peer(n * 1_000, 1_000, 0, Flags::NONE);
    }
    test.sent();
    let mut bytes = [0; 500];
    assert_eq!(test.connection.receive(&mut bytes), Ok(500));
    assert!(test.sent().is_empty(), "half a segment would be a silly window");
    test.connection.consume(1_500);
    let sent = test.sent();
    assert_eq!((sent.len(), sent[0].acked(), sent[0].window), (1, 10_000, 2_000));
}

#[test]
fn with_a_closed_window_acks_still_count() {
    let mut test = Test::established(config());
    for n in 0..10 {
        test.peer(n * 1_000, 1_000, 0, Flags::NONE);
    }
    test.sent();
    test.queue(0, 1_000);
    test.sent();
    test.peer(10_000, 1, 1_000, Flags::NONE);
    assert_eq!(test.info().bytes_acked, 1_000);
}

#[test]
fn old_timestamps_are_answered_and_dropped() {
    let mut config = config();
    config.timestamps = true;
    let mut test = Test::established(config);
    let segment = |value| Header {
        options: Options { timestamps: Some(Timestamps { value, echo: 0 }), ..Options::default() },
        ..header(IRS + 1, ISS + 1, ACK)
    };
    let _ = test.segment(segment(0), &[0, 1]);
    assert_eq!((test.info().paws_dropped, test.info().receive_queue), (1, 0));
    assert_eq!(test.sent()[0].acked(), 0);
    let _ = test.segment(segment(1), &[0, 1]);
    assert_eq!(test.info().receive_queue, 2);
    let echo = test.run(100)[0].1.options.timestamps.map(|option| option.echo);
    assert_eq!(echo, Some(1));
}

#[test]
fn segments_without_ack_are_dropped() {
    let mut test = Test::established(config());
    let _ = test.segment(header(IRS + 1, 0, Flags::NONE), &[0, 1]);
    assert_eq!(test.info().receive_queue, 0);
    assert!(test.sent().is_empty());
}

#[test]
fn data_on_an_older_ack_is_taken() {
    let mut test = Test::established(config());
    test.queue(0, 2_000);
    test.sent();
    test.acks(2_000);
    test.peer(0, 5, 1_000, Flags::NONE);
    assert_eq!(test.read(0), 5);
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

/// MUST-58, MUST-59.
#[test]
fn one_ack_answers_all_segments_that_came_before_it() {
    let mut test = Test::established(config());
    for n in 0..5 {
        test.peer(n * 1_000, 1_000, 0, Flags::NONE);
    }
    assert_eq!(test.sent().iter().map(Sent::acked).collect::<Vec<_>>(), [5_000]);
}

/// Text of the peer's from byte `at` on, as long as a segment, sent when its clock showed `value`.
fn stamped_text(test: &mut Test, at: u32, value: u32) -> Option<u32> {
    let mut header = header(IRS + 1 + at, ISS + 1, ACK);
    header.options.timestamps = Some(Timestamps { value, echo: 0 });
    assert_eq!(test.segment(header, &[0; 988]), Verdict::Done);
    test.sent().last()?.options.timestamps.map(|timestamps| timestamps.echo)
}

/// Its ack was lost: the answer to the repetition tells the peer how long that took, not the first
/// transmission. A departure from the order of RFC 7323 section 5.3.
#[test]
fn a_repetition_of_what_was_acknowledged_last_updates_the_echo() {
    let every = AckPolicy::EverySegment;
    let mut test = Test::established(Config { timestamps: true, ack_policy: every, ..config() });
    assert_eq!(stamped_text(&mut test, 0, 10), Some(10));
    assert_eq!(stamped_text(&mut test, 988, 20), Some(20));
    assert_eq!(stamped_text(&mut test, 988, 30), Some(30));
    assert_eq!(stamped_text(&mut test, 0, 40), Some(30), "of something older");
    assert_eq!(stamped_text(&mut test, 988, 25), Some(30), "sent before, and late");
}

#[test]
fn a_repetition_with_an_ack_of_nothing_sent_leaves_the_echo() {
    let every = AckPolicy::EverySegment;
    let mut test = Test::established(Config { timestamps: true, ack_policy: every, ..config() });
    assert_eq!(stamped_text(&mut test, 0, 10), Some(10));
    let mut forged = header(IRS + 1, ISS + 2, ACK);
    forged.options.timestamps = Some(Timestamps { value: 1 << 30, echo: 0 });
    let _ = test.segment(forged, &[0; 988]);
    let echoes = test.sent().iter().filter_map(|sent| sent.options.timestamps).next_back();
    assert_eq!(echoes.map(|timestamps| timestamps.echo), Some(10));
}

/// A run loop takes what the link has before it answers (RFC 2883 section 4).
#[test]
fn each_duplicate_of_a_batch_is_reported() {
    let mut test = Test::established(config());
    test.peer(0, 5_000, 0, Flags::NONE);
    test.sent();
    for at in [0, 2_000, 4_000] {
        test.peer(at, 1_000, 0, Flags::NONE);
    }
    let reports: Vec<_> = test.sent().iter().map(blocks).collect();
    assert_eq!(reports, [[(0, 1_000)], [(2_000, 3_000)], [(4_000, 5_000)]]);
    for at in 0..5 {
        test.peer(at * 1_000, 1_000, 0, Flags::NONE);
    }
    let reports: Vec<_> = test.sent().iter().map(blocks).collect();
    assert_eq!(reports, [[(0, 5_000)]], "what lies side by side is one");
}
