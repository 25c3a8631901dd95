//! When an ack is owed.

use super::*;
use crate::profile::Least;

fn with_policy(ack_policy: AckPolicy) -> Receiver<'static, Full> {
    let config = Setup { ack_policy, ..config() };
    receiver_with(&config, 10_000, 8)
}

fn after_millis(millis: u64) -> Instant {
    NOW + Duration::from_millis(millis)
}

#[test]
fn nothing_received_owes_nothing() {
    let mut receiver = receiver();
    assert_eq!(deliver(&mut receiver, 1000, 1000), accepted(0));
    assert!(!receiver.ack_due(Instant::FAR_FUTURE));
    assert!(receiver.ack_deadline().is_never());
}

#[test]
fn every_segment_is_acknowledged() {
    let mut receiver = with_policy(AckPolicy::EverySegment);
    assert_eq!(answer(&mut receiver, 1000, 1001), (1001, vec![]));
    assert!(!receiver.ack_due(NOW));
    assert_eq!(answer(&mut receiver, 1001, 1002), (1002, vec![]));
}

#[test]
fn every_second_full_sized_segment_is_acknowledged() {
    let mut receiver = receiver();
    deliver(&mut receiver, 1000, 1500);
    assert!(!receiver.ack_due(NOW));
    deliver(&mut receiver, 1500, 1999);
    assert!(!receiver.ack_due(NOW));
    assert_eq!(answer(&mut receiver, 1999, 2000), (2000, vec![]));
    deliver(&mut receiver, 2000, 2500);
    assert!(!receiver.ack_due(NOW), "the count starts anew");
}

#[test]
fn a_lone_segment_is_acknowledged_after_the_timeout() {
    let mut receiver = receiver();
    deliver(&mut receiver, 1000, 1100);
    assert_eq!(receiver.ack_deadline(), after_millis(40));
    let later = after_millis(30);
    receiver.on_segment(later, SeqNumber(1100), &stream(1100, 1200), false, true);
    assert_eq!(receiver.ack_deadline(), after_millis(40), "counted from the first");
    assert!(!receiver.ack_due(after_millis(39)) && receiver.ack_due(after_millis(40)));
    ack(&mut receiver);
    assert!(receiver.ack_deadline().is_never() && !receiver.ack_due(after_millis(40)));
}

#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    let mut receiver =
        with_policy(AckPolicy::Delayed { timeout: Duration::from_millis(400), quick_acks: 2 });
    answer(&mut receiver, 1000, 1001);
    answer(&mut receiver, 1001, 1002);
    deliver(&mut receiver, 1002, 1003);
    assert!(!receiver.ack_due(NOW));
    assert_eq!(receiver.ack_deadline(), after_millis(400));
}

#[test]
fn segments_put_together_by_the_device_count_one_by_one() {
    let mut receiver =
        with_policy(AckPolicy::Delayed { timeout: Duration::from_millis(40), quick_acks: 3 });
    assert_eq!(answer(&mut receiver, 1000, 2001), (2001, vec![]));
    deliver(&mut receiver, 2001, 2500);
    assert!(!receiver.ack_due(NOW), "three of the first segments have arrived");
    assert_eq!(answer(&mut receiver, 2500, 6000), (6000, vec![]));
    assert!(!receiver.ack_due(NOW), "one ack is enough");
}

#[test]
fn without_sack_segments_put_together_behind_a_hole_get_an_ack_each() {
    let mut receiver = receiver_with(&Setup { sack: false, ..config() }, 10_000, 8);
    deliver(&mut receiver, 1500, 3000);
    for _ in 0..3 {
        assert_eq!(acknowledge(&mut receiver), (1000, vec![]));
    }
    assert!(!receiver.ack_due(NOW));
}

#[test]
fn old_bsd_waits_for_35_percent_of_the_buffer() {
    let mut receiver = with_policy(AckPolicy::Bsd43);
    deliver(&mut receiver, 1000, 4499);
    assert!(!receiver.ack_due(NOW));
    assert_eq!(receiver.ack_deadline(), after_millis(200));
    assert_eq!(answer(&mut receiver, 4499, 4500), (4500, vec![]));
    read_all(&mut receiver);
    ack(&mut receiver);
    deliver(&mut receiver, 4500, 8000);
    ack(&mut receiver);
    receiver.consume(3499);
    assert!(!receiver.window_update_due(true));
    receiver.consume(1);
    assert!(receiver.window_update_due(true));
}

/// The test's present, 1 s, is a beat of a clock that beats every 200 ms, and 30 ms after one that
/// is 170 ms late.
#[test]
fn by_a_heartbeat_waiting_segments_are_acknowledged_at_the_next_beat() {
    for (clock_phase, next_beat) in [(0, 200), (170_000, 170)] {
        let config = Setup { ack_timer: AckTimer::BSD, clock_phase, ..config() };
        let mut receiver = receiver_with(&config, 10_000, 8);
        deliver(&mut receiver, 1000, 1100);
        assert_eq!(receiver.ack_deadline(), after_millis(next_beat));
        let later = after_millis(next_beat - 1);
        receiver.on_segment(later, SeqNumber(1100), &stream(1100, 1200), false, true);
        assert!(!receiver.ack_due(later) && receiver.ack_due(after_millis(next_beat)));
        ack(&mut receiver);
        assert_eq!(answer(&mut receiver, 1200, 2200), (2200, vec![]), "two segments do not wait");
    }
}

#[test]
fn what_the_peer_must_know_is_acknowledged_at_once() {
    let mut receiver = receiver();
    // Out of order.
    assert_eq!(answer(&mut receiver, 1200, 1300), (1000, vec![(1200, 1300)]));
    // A part of the hole.
    assert_eq!(answer(&mut receiver, 1000, 1100), (1100, vec![(1200, 1300)]));
    // The rest of it.
    assert_eq!(answer(&mut receiver, 1100, 1200), (1300, vec![]));
    // A duplicate.
    assert_eq!(answer(&mut receiver, 1250, 1300), (1300, vec![(1250, 1300)]));
    // Beyond the window, wholly or in part.
    assert_eq!(answer(&mut receiver, 20_000, 20_001), (1300, vec![]));
    assert_eq!(answer(&mut receiver, 1300, 11_001), (11_000, vec![]));
}

#[test]
fn the_connection_can_ask_for_an_ack() {
    let mut receiver = receiver();
    receiver.force_ack();
    assert!(receiver.ack_due(NOW));
    ack(&mut receiver);
    assert!(!receiver.ack_due(NOW));
}

#[test]
fn without_sack_each_segment_behind_a_hole_owes_a_duplicate_ack() {
    let owed = |sack| {
        let mut receiver = receiver_with(&Setup { sack, ..config() }, 10_000, 8);
        for start in [1100, 1200, 1300] {
            deliver(&mut receiver, start, start + 100);
        }
        let mut sent = 0;
        while receiver.ack_due(NOW) {
            ack(&mut receiver);
            sent += 1;
        }
        sent
    };
    assert_eq!(owed(false), 3);
    assert_eq!(owed(true), 1);
}

#[test]
fn duplicate_acks_that_were_not_sent_are_not_owed_once_the_hole_is_filled() {
    let no_sack = Setup { sack: false, ..config() };
    let mut receiver = receiver_with(&no_sack, 10_000, 8);
    deliver(&mut receiver, 1100, 1200);
    deliver(&mut receiver, 1200, 1300);
    deliver(&mut receiver, 1000, 1100);
    ack(&mut receiver);
    assert!(!receiver.ack_due(NOW));
}

#[test]
fn without_rare_settings_every_second_segment_is_acknowledged_however_long_it_is() {
    for ack_policy in [AckPolicy::EverySegment, DELAYED, AckPolicy::Bsd43] {
        let setup = Setup { ack_policy, ack_timer: AckTimer::BSD, ..config() };
        let ring = Buffer::lent(vec![0; 10_000].leak());
        let mut receiver: Receiver<'_, Least> =
            agreed_by(IRS, 10_000, &setup, ring, Buffer::default());
        receiver.set_quick_acks(5);
        assert_eq!(receiver.quick_acks(), 0);
        receiver.on_segment(NOW, SeqNumber(1000), &stream(1000, 1500), false, false);
        assert_eq!(receiver.ack_deadline(), NOW + AckPolicy::TIMEOUT);
        assert!(!receiver.ack_due(NOW), "the first segment");
        receiver.on_segment(NOW, SeqNumber(1500), &stream(1500, 1501), false, false);
        assert!(receiver.ack_due(NOW), "the second segment");
    }
}
