//! BBR on paths that lose packets at random, and on one that does not.
//! `cargo bench -p ackclock-benches --bench random_loss` prints more of it.

use ackclock::congestion::{Bbr, BuiltIn};
use ackclock_benches::random_loss::{BDP, Use, run};
use ackclock_benches::report::median;

const SECONDS: u64 = 30;

fn runs(law: &str, loss: &str) -> Vec<Use> {
    let law: BuiltIn = law.parse().unwrap();
    (1..=5).map(|seed| run(law, loss, SECONDS, seed)).collect()
}

fn medians(runs: &[Use], value: fn(&Use) -> f64) -> f64 {
    median(runs.iter().map(value).collect())
}

#[test]
fn bbr_fills_a_path_that_loses_a_percent_and_keeps_its_queue_short() {
    let bbr = runs("bbr", "1%");
    assert!(medians(&bbr, |used| used.utilisation) >= 80.0, "{bbr:?}");
    assert!(medians(&bbr, |used| used.queue as f64) < BDP as f64 / 2.0, "{bbr:?}");
    for law in ["reno", "cubic"] {
        let other = runs(law, "1%");
        let ratio = medians(&bbr, |used| used.goodput) / medians(&other, |used| used.goodput);
        assert!(ratio >= 8.0, "{law}: {ratio}");
    }
    // Nothing is overtaken on this path: what was found lost was lost.
    assert_eq!(bbr.iter().map(|used| used.undos).sum::<u64>(), 0);
}

#[test]
fn bbr_fills_a_path_without_loss_and_keeps_its_queue_short() {
    let used = run(Bbr::new(), "0", SECONDS, 1);
    assert!(used.goodput >= 90.0, "{used:?}");
    assert!(used.queue < BDP / 10, "{used:?}");
    assert!(used.retransmitted < 200 && used.timeouts == 0, "{used:?}");
}
