//! The swarm itself: what it found once is not found again, its verdicts depend on seeds alone, and its oracles can
//! find something.

use ackclock_swarm::{Case, Found, Progress, SeedsDone, Swarm, Total, judge, run};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A progress that fails the test at the first finding.
struct NothingFound;

impl Progress for NothingFound {
    fn found(&self, found: &Found) {
        panic!("seed {}: {:?}\n{}", found.seed, found.finding, found.case.to_toml(""));
    }

    fn done(&self, _total: &Total, _seeds: &SeedsDone) {}
}

fn swarm(jobs: usize) -> (Total, SeedsDone) {
    let swarm = Swarm { seeds: 0..80, time: None, jobs, shrink: Duration::ZERO };
    swarm.run(SeedsDone::default(), &AtomicBool::new(false), &NothingFound)
}

#[test]
fn what_was_found_once_is_not_found_again() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 3);
    for file in files {
        let case = Case::from_toml(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(judge(&case).finding, None, "{}", file.display());
    }
}

#[test]
fn verdicts_depend_on_seeds_alone() {
    let (one, done) = swarm(1);
    let (two, also_done) = swarm(2);
    assert_eq!((one.seeds, one.digest, one.segments), (80, two.digest, two.segments));
    assert_eq!((done.to_string(), also_done), ("0..80".into(), done));
    // Nothing is judged twice.
    let swarm = Swarm { seeds: 0..80, time: None, jobs: 1, shrink: Duration::ZERO };
    let (none, _) = swarm.run("0..80".parse().unwrap(), &AtomicBool::new(false), &NothingFound);
    assert_eq!(none.seeds, 0);
}

/// smoltcp does not hear a router that tells it the MTU, so its flow stands still.
#[test]
fn a_flow_that_stands_still_is_found() {
    let text = "seed = 1\nip = 6\nshape = 'chain'\nhops = [['', ''], ['mtu=1280', ''], ['', '']]\n\
                hosts = ['smoltcp=reno']\nflows = ['from=0,to=1,ours=10000,end=half']";
    let finding = judge(&Case::from_toml(text).unwrap()).finding.unwrap();
    assert_eq!(finding.oracle, "liveness");
    assert!(finding.text.starts_with("flow 0 stood still from 0."), "{}", finding.text);
}

/// Timestamps leave 8 bytes of a segment of 20.
#[test]
fn a_change_for_the_better_that_is_for_the_worse_is_found() {
    let text = "oracle = 'monotony:timestamps'\nseed = 1\nhops = [['rate=100kbit', '']]\n\
                hosts = ['mss=20,timestamps=off', 'mss=20,timestamps=off']\nflows = ['ours=40000,end=half']";
    let finding = judge(&Case::from_toml(text).unwrap()).finding.unwrap();
    assert_eq!(finding.oracle, "monotony:timestamps");
    assert!(finding.text.starts_with("timestamps makes 40 pairs of runs"), "{}", finding.text);
}

#[test]
fn one_host_of_each_kind_gets_its_bytes() {
    let text = "seed = 7\nip = 6\nshape = 'dumbbell:3'\nhops = [['rate=5mbit,loss=1%', 'rate=5mbit']]\n\
                hosts = ['isn=wrap,law=bbr', 'prediction=off,segmentation=on', 'smoltcp=cubic', '', 'lie=split:3']\n\
                flows = ['from=0,to=3,ours=300000,theirs=1000', 'from=4,to=1,theirs=200000', \
                'from=2,to=5,ours=100000,end=half']";
    let outcome = run(&Case::from_toml(text).unwrap(), 100_000).unwrap();
    assert_eq!(outcome.findings, []);
    let read = |flow: usize, side: usize| outcome.facts.flows[flow].sent[side].payload;
    assert!(read(0, 0) >= 300_000 && read(1, 1) >= 200_000 && read(2, 0) >= 100_000);
    assert!(outcome.took.iter().all(Option::is_some) && !outcome.cut_short);
}
