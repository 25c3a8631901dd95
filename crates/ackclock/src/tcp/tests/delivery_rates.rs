//! Delivery rate samples, and what a law hears of losses (draft-ietf-ccwg-bbr-06 section 4.1).

use super::*;
use crate::congestion::{Ack, Congestion, CongestionController, DeliveryRate, Loss, Start};

/// A law with a fixed window that writes down what it hears.
#[derive(Debug, Default)]
struct Listener {
    samples: Vec<Option<DeliveryRate>>,
    losses: Vec<Loss>,
    rounds_only: bool,
}

impl CongestionController for Listener {
    fn name(&self) -> &'static str {
        "listener"
    }
    fn on_start(&mut self, _: &Start) {}
    fn on_ack(&mut self, ack: &Ack) {
        self.samples.push(ack.delivery);
    }
    fn on_loss(&mut self, loss: &Loss) {
        self.losses.push(*loss);
    }
    fn on_congestion(&mut self, _: &Congestion) {}
    fn on_mss_change(&mut self, _: u32) {}
    fn window(&self) -> u32 {
        6 * MSS
    }
    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }
    fn wants_prr(&self) -> bool {
        false
    }
    fn wants_delivery_rate(&self) -> bool {
        !self.rounds_only
    }
}

fn established(rounds_only: bool) -> Test<Listener> {
    let law = Listener { rounds_only, ..Listener::default() };
    Test::established_with(config(), law)
}

/// The last sample: bytes, milliseconds, whether the application limited it.
fn last(test: &Test<Listener>) -> (u32, u64, bool) {
    let sample = test.connection.sender.controller().samples.last().copied().flatten();
    let sample = sample.expect("a sample");
    (sample.delivered, sample.interval.as_millis(), sample.app_limited)
}

#[test]
fn each_ack_tells_what_was_delivered_since_its_transmission() {
    let mut test = established(false);
    test.queue(0, 20_000);
    test.sent();
    test.wait(10);
    test.acks(1_000);
    assert_eq!(last(&test), (1_000, 10, true), "nothing was queued before the first byte");
    test.sent();
    test.wait(2);
    test.acks(2_000);
    assert_eq!(last(&test), (2_000, 12, true));
    test.sent();
    test.wait(8);
    test.acks(7_000);
    // Sent at 10 ms, when 1,000 bytes were delivered.
    assert_eq!(last(&test), (6_000, 10, false));
}

#[test]
fn selective_acks_tell_it_too() {
    let mut test = established(false);
    test.queue(0, 20_000);
    test.sent();
    test.wait(10);
    test.sacks(0, &[(2_000, 4_000)]);
    assert_eq!(last(&test), (2_000, 10, true));
    test.wait(2);
    test.sacks(0, &[(2_000, 5_000)]);
    assert_eq!(last(&test), (3_000, 12, true));
    // What was SACKed is not delivered again.
    test.wait(3);
    test.acks(5_000);
    assert_eq!(last(&test), (5_000, 15, true));
}

#[test]
fn losses_are_told_with_the_flight_at_the_time_of_sending() {
    let mut test = established(false);
    test.queue(0, 20_000);
    assert_eq!(test.data().len(), 6);
    test.wait(10);
    test.sacks(0, &[(3_000, 6_000)]);
    test.run(5);
    let law = test.connection.sender.controller();
    let told: Vec<_> = law
        .losses
        .iter()
        .map(|loss| (loss.bytes, loss.flight_when_sent, loss.lost_since_sent))
        .collect();
    assert_eq!(told, [(3_000, 3_000, 3_000)]);
    assert_eq!(law.losses[0].total_delivered, 3_000);
}

/// One ack finds all that is missing below three segments that are SACKed.
#[test]
fn losses_are_told_with_the_ranges_that_they_make_up() {
    for (sacks, ranges) in [(&[(1_000, 2_000), (3_000, 6_000)][..], 2), (&[(2_000, 6_000)][..], 1)]
    {
        let mut test = established(false);
        test.queue(0, 20_000);
        assert_eq!(test.data().len(), 6);
        test.wait(10);
        test.sacks(0, sacks);
        test.run(5);
        let losses = &test.connection.sender.controller().losses;
        let told: Vec<_> = losses.iter().map(|loss| (loss.bytes, loss.ranges)).collect();
        assert_eq!(told, [(2_000, ranges)]);
    }
}

#[test]
fn a_retransmission_timeout_tells_of_losses() {
    let mut test = established(false);
    test.queue(0, 6_000);
    test.sent();
    test.wait(2_000);
    test.connection.on_timeout(test.now);
    test.run(2_000);
    let law = test.connection.sender.controller();
    assert_eq!(law.losses.first().map(|loss| loss.bytes), Some(6_000));
}

#[test]
fn without_memory_there_is_a_sample_for_each_round_trip() {
    let mut test = established(true);
    test.queue(0, 20_000);
    test.sent();
    test.wait(10);
    test.acks(1_000);
    test.sent();
    test.wait(2);
    test.acks(2_000);
    test.sent();
    test.wait(8);
    test.acks(7_000);
    let samples = &test.connection.sender.controller().samples;
    let told: Vec<_> = samples
        .iter()
        .map(|sample| sample.map(|sample| (sample.delivered, sample.interval.as_millis())))
        .collect();
    assert_eq!(told, [Some((1_000, 10)), None, Some((6_000, 10))]);
    assert_eq!(test.info().delivery_rate, 600_000);
}
