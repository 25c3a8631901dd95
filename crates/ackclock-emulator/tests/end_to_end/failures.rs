//! Connections that cannot be opened, and connections that break.

use crate::common::capture::{self, Captured};
use crate::common::{capture_in_memory, far_end, pair, pair_observed};
use ackclock::apps::{Source, SourceConfig, SourceError};
use ackclock::stack::{Cidr, ListenConfig};
use ackclock::tcp::{Config, Error};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Ended, LEFT, RIGHT};

#[test]
fn a_refused_connection_ends_after_one_round_trip() {
    for (v6, syn, reset) in [(false, 60, 40), (true, 80, 60)] {
        let mut emulator = pair("rate=10mbit,delay=20ms,loss=0,queue=64", 1);
        let source = Source::new(SourceConfig::new(far_end(v6, 9)));
        let id = emulator.add_application(LEFT, source).unwrap();
        assert_eq!(emulator.run_until_done(Instant::FAR_FUTURE), Ended::Done);
        let source = emulator.application(id).unwrap();
        assert_eq!(source.error(), Some(SourceError::Connection(Error::Refused)));
        // 0.8 microseconds for each byte at 10 Mbit/s.
        let on_the_line = Duration::from_nanos(800 * (syn + reset));
        let round_trip = Duration::from_millis(40) + on_the_line;
        assert_eq!(source.ended(), Some(Instant::ZERO + round_trip));
        assert_eq!(emulator.link_statistics(LEFT).bytes_carried, syn);
        assert_eq!(emulator.link_statistics(RIGHT).bytes_carried, reset);
    }
}

/// The times of a capture's packets, which must be whole milliseconds.
fn millis(packets: &[Captured]) -> Vec<u64> {
    let millis = |packet: &Captured| {
        assert_eq!(packet.at.as_nanos() % 1_000_000, 0);
        packet.at.as_millis()
    };
    packets.iter().map(millis).collect()
}

#[test]
fn a_path_that_loses_all_makes_the_syn_back_off_until_it_gives_up() {
    let path = "rate=10mbit,delay=20ms,loss=100%,queue=64";
    let mut emulator = pair_observed(path, 1, capture_in_memory());
    let source = Source::new(SourceConfig::new(far_end(false, 9)));
    let id = emulator.add_application(LEFT, source).unwrap();
    assert_eq!(emulator.run_until_done(Instant::FAR_FUTURE), Ended::Done);
    let source = emulator.application(id).unwrap();
    assert_eq!(source.error(), Some(SourceError::Connection(Error::TimedOut)));
    // RFC 9293 section 3.8.3 asks for three minutes at least.
    assert_eq!(source.ended(), Some(Instant::from_secs(180)));

    let packets = capture::read(&emulator.into_observer().finish().unwrap());
    assert_eq!(millis(&packets), [0, 1, 3, 7, 15, 31, 63, 127].map(|seconds| seconds * 1000));
    let first = packets[0].segment().header.seq;
    assert!(packets.iter().all(|packet| packet.segment().header.seq == first));
}

#[test]
fn data_to_a_peer_that_vanished_backs_off_until_it_gives_up() {
    // At 1 ns for each bit the times of the transmissions are whole milliseconds, however long
    // packets are.
    let path = "rate=1gbit,delay=20ms,loss=0,queue=64";
    let mut emulator = pair_observed(path, 1, capture_in_memory());
    let address = far_end(false, 9);
    emulator.with_stack(RIGHT, |_, stack| stack.listen(ListenConfig::new(address))).unwrap();
    let connect = |now, stack: &mut ackclock::stack::Stack<'_>| {
        stack.connect(now, address, None, &Config::default())
    };
    let handle = emulator.with_stack(LEFT, connect).unwrap();
    emulator.run_until(Instant::from_millis(500));
    let gone = Cidr { address: address.ip(), prefix: 24 };
    emulator.with_stack(RIGHT, |now, stack| stack.remove_address(now, gone)).unwrap();
    emulator.run_until(Instant::from_secs(1));
    let sent = emulator.with_stack(LEFT, |now, stack| stack.send(now, handle, b"anyone there?"));
    assert_eq!(sent, Ok(13));
    emulator.run_until(Instant::from_secs(10_000));

    let info = emulator.stack(LEFT).info(emulator.now(), handle).unwrap();
    assert_eq!(info.error, Some(Error::TimedOut));
    let packets = capture::read(&emulator.into_observer().finish().unwrap());
    let data: Vec<_> =
        packets.into_iter().filter(|packet| !packet.segment().payload.is_empty()).collect();
    // A tail loss probe after the least timeout, 200 ms, and then timeouts from that on, doubling to
    // the largest, 120 s; 924.8 s after the first transmission the next would be due, and the
    // give-up time of 924 s is over.
    let mut times = vec![1_000, 1_200];
    let mut timeout = 200;
    while times.len() < 17 {
        times.push(times[times.len() - 1] + timeout);
        timeout = (2 * timeout).min(120_000);
    }
    assert_eq!(millis(&data), times);
}
