//! Whole transfers between two real stacks.

use crate::common::{Outcome, both_ways, pair_under, transfer, transfer_over};
use ackclock::apps::{Amount, Service};
use ackclock::congestion::Reno;
use ackclock::time::Duration;
use ackclock_emulator::Rate;

const MEGABYTE: u64 = 1 << 20;
/// Twice the propagation delay of the paths used here.
const ROUND_TRIP: Duration = Duration::from_millis(40);

/// The least time of a transfer: the handshake, the bytes at the line's rate and the last ack.
fn least_time(outcome: &Outcome) -> Duration {
    let rate: Rate = "10mbit".parse().unwrap();
    let bytes = outcome.links[0].bytes_carried as usize;
    ROUND_TRIP + rate.transmission_time(bytes) + ROUND_TRIP
}

/// Asserts that a transfer fills the line: without losses only slow start leaves it idle.
fn assert_fills_the_line(outcome: &Outcome) {
    let least = least_time(outcome);
    let most = least + ROUND_TRIP + ROUND_TRIP;
    assert!((least..=most).contains(&outcome.took), "{:?} of {least:?}", outcome.took);
    assert_eq!((outcome.info.retransmitted, outcome.info.timeouts), (0, 0));
    assert_eq!(outcome.links.map(|link| link.packets_dropped + link.packets_lost), [0, 0]);
}

#[test]
fn discard_takes_every_byte_at_the_rate_of_the_line() {
    for v6 in [false, true] {
        let path = "rate=10mbit,delay=20ms,loss=0,queue=1000";
        let outcome = transfer(path, 1, Service::Discard, v6, |_| {});
        assert_eq!((outcome.client, outcome.server), ([MEGABYTE, 0], [0, MEGABYTE]));
        assert_fills_the_line(&outcome);
    }
}

/// The law is Reno: HyStart++, part of the default law, takes acks that wait behind the echoes of a
/// burst for the beginning of congestion.
#[test]
fn echo_returns_every_byte_at_the_rate_of_the_line() {
    for v6 in [false, true] {
        let path = "rate=10mbit,delay=20ms,loss=0,queue=1000";
        let emulator = pair_under(Reno::default().into(), path, 1, ());
        let outcome = transfer_over(emulator, Service::Echo, v6, |_| {});
        assert_eq!((outcome.client, outcome.server), ([MEGABYTE; 2], [MEGABYTE; 2]));
        assert_fills_the_line(&outcome);
    }
}

#[test]
fn a_transfer_for_a_time_sends_for_that_time() {
    let path = "rate=10mbit,delay=20ms,loss=0,queue=1000";
    let amount = Amount::Time(Duration::from_secs(2));
    let outcome = transfer(path, 1, Service::Discard, false, |source| source.amount = amount);
    assert_eq!(outcome.client[0], outcome.server[1]);
    // Bytes that are queued when the time is over are still delivered.
    let queued = Duration::from_millis(250);
    let least = ROUND_TRIP + Duration::from_secs(2);
    assert!((least..=least + queued + ROUND_TRIP).contains(&outcome.took), "{:?}", outcome.took);
}

/// Asserts that a megabyte each way arrives intact although something was lost.
fn assert_intact_both_ways(path: &str, seed: u64) {
    let (infos, _) = both_ways(path, seed);
    assert!(infos.iter().all(|info| info.retransmitted > 0));
}

#[test]
fn one_per_cent_of_loss_each_way_costs_no_byte() {
    for seed in 0..4 {
        assert_intact_both_ways("rate=10mbit,delay=20ms,loss=1%,queue=64", seed);
    }
}

#[test]
fn ten_per_cent_of_loss_each_way_costs_no_byte() {
    for seed in 0..4 {
        assert_intact_both_ways("rate=10mbit,delay=20ms,loss=10%,queue=64", seed);
    }
}

#[test]
fn a_queue_too_short_for_a_window_costs_no_byte() {
    assert_intact_both_ways("rate=10mbit,delay=20ms,loss=0,queue=2", 1);
}

/// Selective acks tell the sender exactly what the path lost, so that it retransmits hardly more.
#[test]
fn hardly_more_is_retransmitted_than_was_lost() {
    for seed in 0..4 {
        let path = "rate=10mbit,delay=20ms,loss=1%,queue=64";
        let emulator = pair_under(Reno::default().into(), path, seed, ());
        let outcome = transfer_over(emulator, Service::Discard, false, |source| {
            source.amount = Amount::Bytes(4 * MEGABYTE);
        });
        let lost = outcome.links[0].packets_lost + outcome.links[0].packets_dropped;
        assert!(outcome.info.retransmitted <= lost + 2, "{} of {lost}", outcome.info.retransmitted);
        assert_eq!(outcome.server[1], 4 * MEGABYTE);
    }
}
