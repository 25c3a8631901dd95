//! How much gets through where smoltcp 0.14 was measured before. The bounds are multiples of its
//! figures there; `cargo bench -p ackclock-benches --bench against_smoltcp` runs both side by side.

use ackclock::congestion::BuiltIn;
use ackclock_benches::against_smoltcp::{Tcp, dumbbell, fairness, median, single_flow};

fn ours(name: &str) -> Tcp {
    Tcp::Ours(BuiltIn::by_name(name).expect("a law"))
}

#[test]
fn losses_cost_less_than_they_cost_smoltcps_reno() {
    for law in ["reno", "cubic"] {
        for (loss, smoltcp, times) in [
            ("1%", 48_674.0, 2.7),
            ("2%", 30_934.0, 3.0),
            ("5%", 12_045.0, 3.0),
            ("10%", 4_546.0, 3.0),
        ] {
            let runs = (0..5).map(|seed| single_flow(ours(law), loss, seed)).collect();
            let rate = median(runs);
            assert!(rate >= times * smoltcp, "{law} at {loss}: {rate:.0} bytes per second");
        }
    }
}

#[test]
fn sixteen_flows_share_a_short_queue_evenly() {
    for law in ["reno", "cubic"] {
        let shares = dumbbell(ours(law), 16, 0);
        let (total, index) = (shares.iter().sum::<f64>() / 1e6, fairness(&shares));
        assert!(total >= 1.5 * 9.08 && index >= 0.95, "{law}: {total:.2} MB/s, index {index:.3}");
    }
}
