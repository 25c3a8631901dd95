//! Whole runs of experiments.

use ackclock_lab::{Output, Plan, Results, ResultsError, Settings, Shard, run, select};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::AtomicBool;

fn plan(names: &[&str]) -> Plan {
    Plan {
        experiments: select(names).unwrap(),
        quick: true,
        seeds: NonZeroU64::new(2),
        mutant: None,
        settings: Settings::default(),
        captures: None,
    }
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

#[test]
fn parts_joined_are_the_whole_byte_for_byte() {
    let plan = plan(&["zhang91.fixed_windows"]);
    let run = |shard: &str| {
        let shard: Shard = shard.parse().unwrap();
        run(&plan, shard, NonZeroUsize::MIN, &AtomicBool::new(false), &())
    };
    let files = |results: &Results| [results.to_json(), results.plots_to_json()];
    let parts = ["2/2", "1/2"].map(|shard| files(&run(shard)));
    assert_eq!(files(&Results::merge(&parts).unwrap()), files(&run("1/1")));
}

#[test]
fn parts_of_different_runs_are_not_joined() {
    let of = |names: &[&str]| {
        let results =
            run(&plan(names), Shard::WHOLE, NonZeroUsize::MIN, &AtomicBool::new(true), &());
        [results.to_json(), results.plots_to_json()]
    };
    let parts = [of(&["zhang91.fixed_windows"]), of(&["zhang91.one_way_3"])];
    assert_eq!(Results::merge(&parts).unwrap_err(), ResultsError::OtherPlan);
    assert_eq!(Results::merge(&[]).unwrap_err(), ResultsError::Nothing);
}

#[test]
fn a_report_needs_nothing_from_elsewhere() {
    let plan = plan(&["zhang91.fixed_windows"]);
    let results = run(&plan, Shard::WHOLE, NonZeroUsize::MIN, &AtomicBool::new(false), &());
    let directory = std::env::temp_dir().join(format!("ackclock-lab-{}", std::process::id()));
    Output::create(&directory).unwrap().write(&results).unwrap();
    let page = std::fs::read_to_string(directory.join("report.html")).unwrap();
    let series = std::fs::read_dir(directory.join("series")).unwrap().count();
    std::fs::remove_dir_all(&directory).unwrap();
    for elsewhere in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    assert_eq!((page.matches("<svg").count(), series), (2, 2));
    assert!(page.contains("longest queue 1, tau 0.01s"));
}
