//! What holds under every window law with every recovery, on a path that loses and delays at random.

use super::bulk::{Bulk, OnPath, config_of};
use super::*;
use crate::congestion::CongestionController;
use crate::test_random::Random;

/// Sends 60,000 bytes over a path that loses segments and, if it `delays`, lets some arrive late; checks
/// after each packet.
fn check(law: BuiltIn, recovery: RecoveryAlgorithm, delays: bool, seed: u32) {
    let mut random = Random(u64::from(seed) * 77 + 3);
    let loss = random.pick(&[10, 40, 100]);
    let fate = move |_: &OnPath| {
        let late = if delays && random.one_in(30) { random.below(60) } else { 0 };
        let delay = Duration::from_millis(u64::from(20 + late));
        (random.below(1_000) >= loss).then_some(delay)
    };
    let what = std::format!("{law} with {}, seed {seed}", recovery.name());
    let mut bulk = Bulk::new(&config_of(recovery.name()), law, fate);
    bulk.total = 60_000;
    bulk.run_while(|bulk| {
        assert_eq!(bulk.sender.broken_invariant(), None, "{what}: flight and scoreboard");
        assert_eq!(bulk.law().broken(), None, "{what}");
        bulk.info().bytes_acked < 60_000
    });
    let info = bulk.info();
    // The senders of the papers reduce as those say; these once for each episode, and once more for a
    // retransmission or a probe that is lost, too (RFC 8985 section 3.4).
    if !delays && ["newreno", "sack-pipe", "rfc6675", "rack"].contains(&recovery.name()) {
        let most = info.fast_recoveries + u64::from(bulk.lost_again) + info.tail_probes;
        assert!(bulk.law().reductions() as u64 <= most, "{what}: {info:?}");
    }
}

#[test]
fn every_law_keeps_its_promises_with_every_recovery() {
    for (index, name) in BuiltIn::NAMES.iter().enumerate() {
        let law = BuiltIn::by_name(name).expect("a law");
        assert_eq!(law.name(), *name);
        for (number, recovery) in RecoveryAlgorithm::ALL.iter().enumerate() {
            for delays in [false, true] {
                let seed = index * 100 + number * 10 + usize::from(delays);
                check(law, *recovery, delays, seed as u32);
            }
        }
    }
}
