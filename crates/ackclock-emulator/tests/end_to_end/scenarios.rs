//! The scenario files that come with the project.

use ackclock::time::Instant;
use ackclock_emulator::scenario::Scenario;
use std::fs;
use std::path::Path;

#[test]
fn every_file_is_a_scenario_that_runs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let scenario = Scenario::load(&file).unwrap_or_else(|error| panic!("{error}"));
        let mut run = scenario.start(()).unwrap();
        run.run_until(Instant::from_secs(12)).unwrap_or_else(|error| panic!("{error}"));
        let results = run.results();
        assert_eq!(results.until, Instant::from_secs(12), "{}", file.display());
        let delivered: u64 = results.flows.iter().map(|flow| flow.delivered).sum();
        // Results of a scenario with a longer warm-up have not begun to count.
        assert!(delivered > 0, "{}", file.display());
        for flow in results.flows {
            assert_eq!(flow.error, None, "{}: {}", file.display(), flow.name);
        }
    }
}
