//! Zero windows (RFC 9293 section 3.8.6.1).

use super::*;

fn with_closed_window(config: Config) -> Test {
    let mut test = Test::established(config);
    test.peer_window = 0;
    test.acks(0);
    test.queue(0, 3_000);
    assert_eq!(test.data(), []);
    test
}

#[test]
fn a_closed_window_is_probed_with_one_byte_further_and_further_apart() {
    let mut test = with_closed_window(config());
    let at: Vec<_> = test.run(7_000).iter().map(|(at, s)| (*at, s.data())).collect();
    assert_eq!(
        at,
        [(200, (0, 1)), (600, (0, 1)), (1_400, (0, 1)), (3_000, (0, 1)), (6_200, (0, 1))]
    );
    assert_eq!((test.info().probes_sent, test.info().cwnd), (5, 10_000));
}

#[test]
fn a_peer_that_answers_probes_is_never_given_up() {
    let mut config = config();
    config.give_up = Duration::from_secs(100);
    let mut test = with_closed_window(config);
    for _ in 0..100 {
        test.run(50_000);
        test.acks(0);
    }
    assert_eq!((test.state(), test.connection.error()), (State::Established, None));
}

#[test]
fn a_peer_that_answers_no_probe_is_given_up() {
    let mut config = config();
    config.give_up = Duration::from_secs(100);
    let mut test = with_closed_window(config);
    test.run(1_000_000);
    assert_eq!(test.connection.error(), Some(Error::TimedOut));
}

#[test]
fn everything_follows_at_once_when_the_window_opens() {
    let mut test = with_closed_window(config());
    test.run(300);
    test.peer_window = 10_000;
    test.acks(0);
    assert_eq!(test.data(), [(0, 1_000), (1_000, 1_000), (2_000, 1_000)]);
    assert_eq!(test.info().cwnd, 10_000, "a closed window is no congestion");
    test.acks(3_000);
}

/// A peer that opens and closes its window again and again gets nothing twice by that but a probe for
/// which a timer ran, and what its window takes.
#[test]
fn a_window_that_flaps_makes_nothing_go_again_at_once() {
    let mut test = Test::established(config());
    test.queue(0, 10_000);
    assert_eq!(test.data().len(), 10);
    let flap = |test: &mut Test, window: u16| {
        for _ in 0..100 {
            test.peer_window = 0;
            test.acks(0);
            assert_eq!(test.data(), []);
            test.peer_window = window;
            test.acks(0);
        }
        test.data()
    };
    assert_eq!(flap(&mut test, 10_000), [], "it is on its way");
    test.peer_window = 0;
    test.acks(0);
    assert_eq!(
        test.run(250).iter().map(|(at, s)| (*at, s.data())).collect::<Vec<_>>(),
        [(200, (0, 1))]
    );
    assert_eq!(flap(&mut test, 1), [], "the window takes no segment");
    test.peer_window = 0;
    test.acks(0);
    assert_eq!(test.run(250).len(), 1, "one more probe");
    assert_eq!(flap(&mut test, 10_000).len(), 10, "all of it once");
    assert_eq!(flap(&mut test, 10_000), []);
}

#[test]
fn answers_to_probes_are_no_sign_of_loss() {
    for sack in [true, false] {
        let mut config = config();
        config.sack = sack;
        let mut test = with_closed_window(config);
        for _ in 0..5 {
            assert!(!test.run(200_000).is_empty());
            test.acks(0);
        }
        let info = test.info();
        assert_eq!((info.fast_recoveries, info.duplicate_acks, info.cwnd), (0, 0, 10_000));
    }
}

#[test]
fn the_timeout_is_not_backed_off_once_the_window_is_open() {
    let mut test = with_closed_window(config());
    test.run(7_000);
    assert_eq!(test.info().backoff, 5);
    test.peer_window = 10_000;
    test.acks(0);
    assert_eq!((test.info().backoff, test.info().rto), (0, Duration::from_millis(200)));
}

#[test]
fn a_probe_that_was_taken_counts() {
    let mut test = with_closed_window(config());
    test.run(300);
    test.peer_window = 10_000;
    test.acks(1);
    assert_eq!(test.data(), [(1, 1_000), (1_001, 1_000), (2_001, 999)]);
}

#[test]
fn acks_into_a_closed_window_lie_inside_it() {
    let mut test = with_closed_window(config());
    test.run(300);
    // The probe occupies a number beyond the window; an ack must not.
    test.peer(0, 2_000, 0, Flags::NONE);
    let sent = test.sent();
    assert_eq!((sent[0].seq, sent[0].acked()), (ISS + 1, 2_000));
}

#[test]
fn a_window_too_small_for_too_long_is_used_all_the_same() {
    let mut test = Test::established(config());
    test.peer_window = 400;
    test.acks(0);
    test.queue(0, 2_000);
    let at: Vec<_> = test.run(300).iter().map(|(at, s)| (*at, s.data())).collect();
    assert_eq!(at, [(200, (0, 400))]);
}

#[test]
fn a_fin_waits_for_the_window_too() {
    let mut test = Test::established(config());
    test.peer_window = 0;
    test.acks(0);
    test.connection.shutdown(test.now);
    let at: Vec<_> = test.run(300).iter().map(|(at, s)| (*at, s.seq, s.flags)).collect();
    assert_eq!(at, [(200, ISS + 1, FIN | ACK)]);
    test.acks(1);
    assert_eq!(test.state(), State::FinWait2);
}

#[test]
fn a_closed_window_is_probed_also_while_corked() {
    let mut test = Test::established(config());
    test.connection.set_cork(test.now, true);
    test.peer_window = 0;
    test.acks(0);
    test.queue(0, 3_000);
    let at: Vec<_> = test.run(300).iter().map(|(at, s)| (*at, s.data())).collect();
    assert_eq!(at, [(200, (0, 1))]);
}

#[test]
fn what_was_corked_behind_a_closed_window_is_probed_for_afterwards() {
    let mut test = Test::established(config());
    test.connection.set_cork(test.now, true);
    test.peer_window = 0;
    test.acks(0);
    test.queue(0, 300);
    test.connection.set_cork(test.now, false);
    assert_eq!(test.run(300).len(), 1);
}

#[test]
fn two_ends_that_probe_each_other_hear_each_other() {
    let mut test = with_closed_window(config());
    test.run(300);
    // The peer has taken our probe. It does not know that we took its own byte, because it lay
    // beyond the window that the peer knows of: its acks begin with that byte (RFC 9293 appendix
    // A.2, simultaneous window probes).
    test.peer(0, 1, 0, Flags::NONE);
    test.sent();
    test.peer_window = 10_000;
    test.acks(1);
    assert_eq!(test.data(), [(1, 1_000), (1_001, 1_000), (2_001, 999)]);
}

/// An ack that leaves a window smaller than what waits begins persisting without a closer look.
#[test]
fn a_window_that_has_become_too_small_is_not_usual() {
    let mut test = Test::established(Config { timestamps: true, ..rack() });
    let ack = |test: &Test, acked, window| {
        let mut header = Header { window, ..header(IRS + 1, ISS + 1 + acked, ACK) };
        let echo = test.now.as_millis() as u32 - 10;
        header.options.timestamps = Some(Timestamps { value: 1, echo });
        header
    };
    let header = ack(&test, 0, 2_000);
    assert_eq!(test.segment(header, &[]), Verdict::Done);
    test.queue(0, 1_976);
    assert_eq!(test.data(), [(0, 988), (988, 988)]);
    test.queue(1_976, 2_076);
    assert!(
        !matches!(test.connection.predicted_turn(test.now), Turn::Predicted(_)),
        "Nagle holds it"
    );
    test.wait(10);
    let header = ack(&test, 1_976, 80);
    assert_eq!(test.segment(header, &[]), Verdict::Done);
    assert_eq!(test.connection.broken_invariant(), None);
}

/// Less than a segment: Nagle's algorithm would have the rest wait for an ack of the probe's byte.
#[test]
fn what_a_probe_has_begun_goes_in_one_segment_when_the_window_opens() {
    for recovery in ["rack", "newreno"] {
        let recovery = recovery.parse().expect("a recovery");
        let mut test = Test::established(Config { recovery, ..config() });
        test.peer_window = 0;
        test.acks(0);
        test.queue(0, 500);
        assert_eq!(test.run(300).len(), 1);
        test.peer_window = 10_000;
        test.acks(0);
        assert_eq!(test.data(), [(0, 500)]);
        // The probe's byte was taken all the same, and the ack comes late.
        test.acks(1);
        assert_eq!(test.data(), []);
        test.acks(500);
        assert_eq!(test.info().unacked, 0);
    }
}

/// It is a small segment as any other (RFC 9293 section 3.7.4): what is written behind it waits for its ack.
#[test]
fn what_a_probe_has_begun_holds_small_segments_back() {
    let mut test = Test::established(config());
    test.peer_window = 0;
    test.acks(0);
    test.queue(0, 5);
    assert_eq!(test.data_within(250), [(200, 0, 1)]);
    test.peer_window = 10_000;
    test.acks(0);
    assert_eq!(test.data(), [(0, 5)]);
    test.acks(1);
    test.queue(5, 6);
    assert_eq!(test.data(), []);
    test.acks(5);
    assert_eq!(test.data(), [(5, 1)]);
}

/// The window has opened, and what follows has not gone yet: a link may be busy.
#[test]
fn an_ack_of_a_probe_that_is_to_go_again_is_no_ack_of_the_unsent() {
    for recovery in ["rack", "newreno"] {
        let recovery = recovery.parse().expect("a recovery");
        let mut test = with_closed_window(Config { recovery, ..config() });
        assert_eq!(test.run(300).len(), 1);
        test.peer_window = 10_000;
        test.acks(0);
        test.acks(1);
        assert_eq!(test.info().challenge_acks, 0);
        assert_eq!(test.data(), [(1, 1_000), (1_001, 1_000), (2_001, 999)]);
    }
}

/// The answers came late, but they came: the path deserves no longer wait.
#[test]
fn a_window_that_opens_by_little_is_not_probed_as_rarely_as_a_closed_one() {
    for answers in [0, 1] {
        let mut test = with_closed_window(config());
        assert_eq!(test.run(7_000).len(), 5);
        for _ in 0..answers {
            test.acks(1);
        }
        test.peer_window = 400;
        test.acks(1);
        assert_eq!(test.data_within(1_000)[..1], [(200, 1, 400)]);
    }
}

/// An established connection that has no memory to note what is in flight.
fn without_records(window: u16) -> Test {
    let open = Open {
        iss: SeqNumber(ISS),
        timestamp_offset: 0,
        mtu: 1_500,
        ip_header: 20,
        random: 1,
        clock_phase: 0,
    };
    let now = Instant::from_secs(100);
    let without_records = Buffers { flight: Buffer::default(), ..buffers() };
    let law = BuiltIn::from(Reno::default());
    let connection = Connection::connect(now, &config(), law, without_records, &open);
    let mut test = Test { connection, now, peer_window: window };
    assert_eq!(test.sent().len(), 1);
    let _ = test.segment(header(IRS, ISS + 1, SYN | ACK), &[]);
    test.acks(0);
    test
}

/// Nobody could take it off the flight again.
#[test]
fn a_window_is_not_probed_without_a_record_for_the_byte() {
    let mut test = without_records(0);
    test.queue(0, 10);
    assert_eq!(test.data_within(10_000), []);
    assert_eq!(test.connection.broken_invariant(), None);
}

/// Nothing that arrives or is called need tell that there is memory now.
#[test]
fn what_has_no_memory_for_a_record_is_tried_again() {
    let mut test = without_records(60_000);
    test.queue(0, 10);
    assert_eq!(test.data(), []);
    assert_eq!(test.connection.poll_timeout(), test.now + Duration::from_millis(200));
    assert_eq!(test.data_within(100_000), []);
    assert_eq!((test.info().cwnd, test.connection.broken_invariant()), (5_360, None));
    test.run(10_000_000);
    assert_eq!(test.connection.error(), Some(Error::TimedOut));
}
