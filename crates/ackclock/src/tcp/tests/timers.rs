//! The timers that came before RFC 6298. The connection is opened at 100 s and established 10 ms
//! later; ticks come at whole multiples of their length.

use super::*;

fn with_timer(word: &str, backoff: RtoBackoff) -> Test {
    let mut config = config();
    config.rto = RtoConfig { backoff, ..word.parse().expect("a timer") };
    Test::established(config)
}

/// When the only segment is sent again, in milliseconds after it was sent first.
fn resent_at(mut test: Test) -> Vec<u64> {
    test.queue(0, 1_000);
    assert_eq!(test.data(), [(0, 1_000)]);
    test.run(4_200).into_iter().map(|(at, _)| at).collect()
}

#[test]
fn without_backoff_the_same_interval_comes_again_and_again() {
    assert_eq!(
        resent_at(with_timer("rfc6298", RtoBackoff::None))[..4],
        [200, 400, 600, 800],
        "the least timeout"
    );
}

#[test]
fn linear_backoff_adds_the_first_interval_each_time() {
    let linear = with_timer("rfc6298", RtoBackoff::Linear);
    assert_eq!(resent_at(linear), [200, 600, 1_200, 2_000, 3_000, 4_200]);
}

/// Sent at 100,010 ms: two ticks of half a second end at 101 s, then four of them, then eight.
#[test]
fn the_slow_timeout_fires_at_its_ticks() {
    let bsd = with_timer("jacobson88:ticks:one", RtoBackoff::Exponential);
    assert_eq!(bsd.info().rto, Duration::from_secs(1));
    assert_eq!(resent_at(bsd), [990, 2_990]);
    let finer = with_timer("jacobson88:ticks=50ms/1", RtoBackoff::Exponential);
    assert_eq!(resent_at(finer), [40, 140, 340, 740, 1_540, 3_140]);
}

#[test]
fn the_slow_timeout_probes_a_closed_window_at_its_ticks() {
    let mut test = with_timer("rfc793:ticks", RtoBackoff::Exponential);
    test.peer_window = 0;
    test.acks(0);
    test.queue(0, 1);
    let probes: Vec<_> = test.run(3_000).into_iter().map(|(at, _)| at).collect();
    assert_eq!(probes, [990, 2_990]);
}

#[test]
fn one_segment_per_window_is_measured() {
    let samples = |word| {
        let mut test = with_timer(word, RtoBackoff::Exponential);
        for round in 0..3 {
            test.queue(round * 4_000, round * 4_000 + 4_000);
            assert_eq!(test.data().len(), 4);
            test.wait(50);
            for segment in 1..=4 {
                test.acks(round * 4_000 + segment * 1_000);
            }
        }
        test.info().rtt_samples
    };
    // The handshake gives one too.
    assert_eq!((samples("rfc6298"), samples("rfc6298:one")), (13, 4));
}

#[test]
fn a_heartbeat_sends_what_acks_wait() {
    let mut config = config();
    config.ack_timer = AckTimer::BSD;
    let mut test = Test::established(config);
    test.peer(0, 100, 0, Flags::NONE);
    let acks: Vec<_> = test.run(1_000).iter().map(|(at, ack)| (*at, ack.acked())).collect();
    assert_eq!(acks, [(190, 100)]);
}

#[test]
fn the_backoff_is_that_of_the_syn_too() {
    let mut config = config();
    config.rto = RtoConfig { backoff: RtoBackoff::Linear, ..RtoConfig::default() };
    let syns: Vec<_> = Test::connecting(config).run(11_000).iter().map(|(at, _)| *at).collect();
    assert_eq!(syns, [0, 1_000, 3_000, 6_000, 10_000]);
}

#[test]
fn a_heartbeat_of_half_a_second_is_too_slow() {
    let with = |millis| {
        let mut config = config();
        config.ack_timer = AckTimer::Heartbeat(core::num::NonZeroU16::new(millis).unwrap());
        config.validate()
    };
    assert_eq!((with(499), with(500)), (Ok(()), Err(ConfigError::AckTimeout)));
}
