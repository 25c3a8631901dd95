//! Whole runs of experiments.

use ackclock_lab::{Plan, Shard, run, select};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::AtomicBool;

fn plan(names: &[&str]) -> Plan {
    Plan { experiments: select(names).unwrap(), quick: true, seeds: NonZeroU64::new(2) }
}

#[test]
fn the_number_of_jobs_at_a_time_changes_nothing() {
    let plan = plan(&["zhang91.one_way_3"]);
    let run = |jobs| {
        let jobs = NonZeroUsize::new(jobs).unwrap();
        let results = run(&plan, Shard::WHOLE, jobs, &AtomicBool::new(false), &());
        assert!(results.is_complete());
        results.outcomes.into_iter().map(|outcome| outcome.samples).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn an_interrupted_run_judges_nothing() {
    let results = run(
        &plan(&["zhang91.one_way_3"]),
        Shard::WHOLE,
        NonZeroUsize::MIN,
        &AtomicBool::new(true),
        &(),
    );
    assert!(!results.is_complete() && !results.fails());
    assert_eq!(results.outcomes[0].findings, None);
}
