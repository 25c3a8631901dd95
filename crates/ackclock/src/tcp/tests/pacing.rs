//! When segments go out under pacing (draft-ietf-ccwg-bbr-06 section 5.6.2) and with a burst limit.

use super::*;
use crate::congestion::{Ack, Congestion, Reno, Start};
use core::num::NonZeroU16;

/// A law out of slow start with a window of 10 segments, and perhaps a rate.
#[derive(Debug, Default)]
struct Paced {
    rate: Option<u64>,
    quantum: Option<u32>,
}

impl CongestionController for Paced {
    fn name(&self) -> &'static str {
        "paced"
    }
    fn on_start(&mut self, _: &Start) {}
    fn on_ack(&mut self, _: &Ack) {}
    fn on_congestion(&mut self, _: &Congestion) {}
    fn on_mss_change(&mut self, _: u32) {}
    fn window(&self) -> u32 {
        10 * MSS
    }
    fn slow_start_threshold(&self) -> u32 {
        MSS
    }
    fn pacing_rate(&self) -> Option<u64> {
        self.rate
    }
    fn send_quantum(&self) -> Option<u32> {
        self.quantum
    }
    fn wants_prr(&self) -> bool {
        false
    }
}

/// A segment each millisecond.
const SEGMENT_PER_MS: Paced = Paced { rate: Some(1_000_000), quantum: Some(MSS) };

fn with_pacing(pacing: Pacing) -> Config {
    Config { pacing, ..config() }
}

/// When the segments with data go out, in microseconds from now, until nothing more goes.
fn departures<C: CongestionController>(test: &mut Test<C>) -> Vec<u64> {
    let start = test.now;
    let mut departures = Vec::new();
    loop {
        let sent = test.data().len();
        let at = test.now.saturating_since(start).as_micros();
        departures.extend(core::iter::repeat_n(at, sent));
        let next = test.connection.poll_timeout();
        // The retransmission timer is far away.
        if next > test.now + Duration::from_millis(50) {
            return departures;
        }
        test.now = next;
        test.connection.on_timeout(next);
    }
}

#[test]
fn a_window_goes_out_twice_as_fast_as_acks_return_in_slow_start() {
    let mut test = Test::established_with(with_pacing(Pacing::Always), Reno::default());
    assert_eq!(test.info().pacing_rate, Some(2_000_000), "two windows of 10,000 in 10 ms");
    test.queue(0, 20_000);
    let in_pairs = [0, 0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000, 4_000, 4_000];
    assert_eq!(departures(&mut test), in_pairs);
}

#[test]
fn a_window_goes_out_a_fifth_faster_than_acks_return_after_slow_start() {
    let law = Paced::default();
    let mut test = Test::established_with(with_pacing(Pacing::Always), law);
    assert_eq!(test.info().pacing_rate, Some(1_200_000));
    test.queue(0, 20_000);
    let in_pairs = [0, 0, 1_666, 1_666, 3_333, 3_333, 5_000, 5_000, 6_666, 6_666];
    assert_eq!(departures(&mut test), in_pairs);
}

#[test]
fn a_laws_own_rate_and_quantum_are_kept_to() {
    let mut test = Test::established_with(config(), SEGMENT_PER_MS);
    test.queue(0, 4_000);
    assert_eq!(departures(&mut test), [0, 1_000, 2_000, 3_000]);
    let law = Paced { rate: Some(1_000_000), quantum: Some(3_000) };
    let mut test = Test::established_with(config(), law);
    test.queue(0, 7_000);
    assert_eq!(departures(&mut test), [0, 0, 0, 3_000, 3_000, 3_000, 6_000]);
}

#[test]
fn without_a_rate_and_with_pacing_off_the_window_goes_out_at_once() {
    for (pacing, law) in [(Pacing::Law, Paced::default()), (Pacing::Off, SEGMENT_PER_MS)] {
        let mut test = Test::established_with(with_pacing(pacing), law);
        assert_eq!(test.info().pacing_rate, None);
        test.queue(0, 20_000);
        assert_eq!(departures(&mut test), [0; 10]);
    }
}

#[test]
fn an_ack_releases_nothing_before_its_time() {
    let mut test = Test::established_with(config(), SEGMENT_PER_MS);
    test.queue(0, 20_000);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.now += Duration::from_micros(400);
    test.acks(1_000);
    assert_eq!(test.data(), []);
    test.now += Duration::from_micros(600);
    assert_eq!(test.data(), [(1_000, 1_000)]);
}

#[test]
fn acks_of_the_peers_data_do_not_wait() {
    let mut test = Test::established_with(config(), SEGMENT_PER_MS);
    test.queue(0, 20_000);
    test.sent();
    test.peer(0, 1_000, 0, Flags::NONE);
    test.peer(1_000, 1_000, 0, Flags::NONE);
    let sent = test.sent();
    assert_eq!(sent.iter().map(|s| (s.len, s.acked())).collect::<Vec<_>>(), [(0, 2_000)]);
}

#[test]
fn nothing_waits_when_there_is_nothing_to_send() {
    let mut test = Test::established_with(config(), SEGMENT_PER_MS);
    test.queue(0, 1_000);
    assert_eq!(test.data(), [(0, 1_000)]);
    let timers = test.info().timers;
    assert_eq!(test.connection.poll_timeout(), test.now + timers.retransmit.expect("it runs"));
}

#[test]
fn timers_that_are_late_do_not_lower_the_rate() {
    let mut test = Test::established_with(config(), SEGMENT_PER_MS);
    test.queue(0, 20_000);
    let start = test.now;
    let mut due = Vec::new();
    for late in [0, 400, 900, 0, 2_500, 0] {
        test.now += Duration::from_micros(late);
        assert_eq!(test.data().len(), 1);
        assert_eq!(test.data(), []);
        test.now = test.connection.poll_timeout();
        due.push(test.now.saturating_since(start).as_micros());
    }
    // By more than a millisecond too late, a transmission begins a new schedule.
    assert_eq!(due, [1_000, 2_000, 3_000, 4_000, 7_500, 8_500]);
}

#[test]
fn an_idle_sender_saves_nothing_up() {
    let mut test = Test::established_with(config(), SEGMENT_PER_MS);
    test.queue(0, 1_000);
    test.sent();
    test.wait(20);
    test.acks(1_000);
    test.queue(1_000, 4_000);
    assert_eq!(departures(&mut test), [0, 1_000, 2_000]);
}

#[test]
fn retransmissions_are_paced() {
    let mut test = Test::established_with(config(), SEGMENT_PER_MS);
    test.queue(0, 10_000);
    assert_eq!(departures(&mut test).len(), 10);
    test.wait(5);
    test.sacks(0, &[(3_000, 10_000)]);
    let start = test.now;
    let sent = test.run(20);
    let resent: Vec<_> = sent.iter().map(|(at, sent)| (*at, sent.data().0)).collect();
    assert_eq!(resent, [(0, 0), (1, 1_000), (2, 2_000)], "from {start}");
}

#[test]
fn a_link_that_segments_gets_a_quantum_at_once() {
    let law = Paced { rate: Some(1_000_000), quantum: Some(3_000) };
    let mut test = Test::established_with(config(), law);
    test.queue(0, 10_000);
    let first = test.connection.poll_transmit(test.now, 65_536).expect("data");
    assert_eq!((first.len, first.segment_size), (3_000, 1_000));
    test.connection.on_transmitted(test.now, &first);
    assert!(test.connection.poll_transmit(test.now, 65_536).is_none());
    assert_eq!(test.connection.poll_timeout(), test.now + Duration::from_millis(3));
}

fn with_burst_limit(segments: u16) -> Config {
    Config { burst_limit: NonZeroU16::new(segments), ..config() }
}

#[test]
fn a_burst_limit_bounds_what_one_ack_releases() {
    let mut test = Test::established_with(with_burst_limit(4), Paced::default());
    test.queue(0, 30_000);
    assert_eq!(test.data().len(), 4);
    assert_eq!(test.run(100).len(), 0, "the next burst needs an ack");
    test.acks(1_000);
    assert_eq!(test.data().len(), 4);
    test.acks(5_000);
    assert_eq!(test.data().len(), 4);
}

#[test]
fn a_retransmission_timeout_releases_a_burst_too() {
    let mut test = Test::established_with(with_burst_limit(3), Paced::default());
    test.queue(0, 10_000);
    assert_eq!(test.data().len(), 3);
    let sent = test.run(300);
    let resent: Vec<u32> = sent.iter().map(|(_, sent)| sent.data().0).collect();
    assert_eq!(resent, [0, 1_000, 2_000]);
}

#[test]
fn a_burst_limit_bounds_the_quantum_where_transmissions_are_paced() {
    let law = Paced { rate: Some(1_000_000), quantum: Some(8_000) };
    let mut test = Test::established_with(with_burst_limit(2), law);
    test.queue(0, 5_000);
    assert_eq!(departures(&mut test), [0, 0, 2_000, 2_000, 4_000]);
}
