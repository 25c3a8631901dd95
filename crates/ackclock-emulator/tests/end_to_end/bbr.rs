//! BBR in scenarios: how flows share a line, and how little waits there. Its behaviour under loss
//! is in `benches/tests/random_loss.rs`.

use ackclock::time::Instant;
use ackclock_emulator::Recorder;
use ackclock_emulator::scenario::Scenario;
use std::path::Path;

/// The bandwidth-delay product of `bbr.toml`, in bytes.
const BDP: u64 = 100_000;

#[test]
fn flows_under_bbr_fill_a_line_that_they_share_and_queue_little() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios/bbr.toml");
    let mut run = Scenario::load(&file).unwrap().start(Recorder::default()).unwrap();
    let [from, until] = [10, 60].map(Instant::from_secs);
    run.run_until(until).unwrap();
    let results = run.results();
    let line = results.links.iter().find(|link| link.ends == ["left", "right"]).unwrap();
    assert!(line.utilisation >= 0.95, "{}", line.utilisation);

    let shares: Vec<f64> = results.flows.iter().map(|flow| flow.throughput).collect();
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    assert!(sum * sum / (4.0 * squares) >= 0.9, "{shares:?}");

    let recorder = run.emulator().observer();
    let waiting = recorder.link(line.link).unwrap().waiting_bytes.over(from, until).unwrap();
    // A flow may have twice its own bandwidth-delay product in flight, and estimates that a little
    // high.
    assert!(waiting.median < 2 * BDP, "{waiting:?}");
}
