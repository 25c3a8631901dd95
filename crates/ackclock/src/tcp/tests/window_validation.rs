//! A window grows only while the flight reaches it (RFC 7661 section 4.3), under every law.

use super::*;
use crate::congestion::CongestionController;
use proptest::prelude::*;

const INITIAL_WINDOW: u32 = 10 * MSS;

/// An application that hands over so many bytes in each round trip of 10 ms, on a path that loses
/// nothing; several segments to an ack. Checks each ack that opens the window.
fn check(law: BuiltIn, rounds: &[u32], segments_per_ack: usize) -> Result<(), TestCaseError> {
    let mut test = Test::established_with(config(), law);
    let (mut queued, mut largest_before) = (0, 0);
    for bytes in rounds {
        let from = queued;
        queued += bytes;
        test.queue(from, queued);
        let mut largest = 0;
        let mut sent = test.data();
        while !sent.is_empty() {
            largest = largest.max(test.info().in_flight);
            test.wait(10);
            for acked in sent.chunks(segments_per_ack) {
                let before = test.info();
                let peak = largest.max(largest_before);
                let Some((start, len)) = acked.last() else { continue };
                test.acks(start + len);
                let slow_start = before.cwnd < before.ssthresh;
                let reached = if slow_start { 2 * peak } else { peak + MSS };
                let grown = test.info().cwnd > before.cwnd;
                prop_assert!(
                    !grown || reached > before.cwnd,
                    "{law}: {peak} in flight, {before:?}"
                );
            }
            largest_before = largest;
            largest = 0;
            sent = test.data();
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_window_grows_only_while_the_flight_of_the_last_round_reaches_it(
        rounds in proptest::collection::vec(0..25_000u32, 1..10),
        segments_per_ack in 1..4usize,
    ) {
        for name in BuiltIn::NAMES {
            check(BuiltIn::by_name(name).unwrap(), &rounds, segments_per_ack)?;
        }
    }
}

/// The rule binds: what an application uses of a window is what the window grows to fit.
#[test]
fn a_window_grows_to_twice_what_an_application_uses_of_it() {
    for name in ["cubic", "reno", "veno", "vegas", "tahoe"] {
        let law = BuiltIn::by_name(name).unwrap();
        let mut test = Test::established_with(config(), law);
        assert_eq!((law.name(), test.info().cwnd), (name, INITIAL_WINDOW));
        for round in 0..50 {
            test.queue(round * 8_000, (round + 1) * 8_000);
            let sent = test.data();
            assert_eq!(sent.len(), 8);
            test.wait(10);
            for (start, len) in sent {
                test.acks(start + len);
            }
        }
        assert_eq!(test.info().cwnd, 16_000, "{name}");
    }
}
