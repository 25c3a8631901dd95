//! The shop in virtual time: what must hold on every path, and a fault that is found by it.

use ackclock_programs::http::service::{Answer, Answers, IDEMPOTENCY_KEY, Shop};
use ackclock_programs::http::sim::{Job, Run, Trouble, Wrong};
use hyper::Request;
use hyper::body::Incoming;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use std::process::Command;

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let size = || prop_oneof![0..100_usize, 0..50_000_usize];
    vec(prop_oneof![size().prop_map(Job::Get), size().prop_map(Job::Order)], 1..6)
}

fn paths() -> impl Strategy<Value = String> {
    let numbers = (1..20_u32, 1..400_u32, 0..50_u32, 10..100_u32);
    numbers.prop_map(|(mbit, delay, loss, queue)| {
        let (percent, tenth) = (loss / 10, loss % 10);
        format!("rate={mbit}mbit,delay={delay}ms,loss={percent}.{tenth}%,queue={queue}")
    })
}

/// Cuts, after each of which the path is there for a while.
fn cuts() -> impl Strategy<Value = Vec<Trouble>> {
    let cuts = vec((0..2_000_u64, 1..45_000_u64), 0..2);
    cuts.prop_map(|cuts| cuts.into_iter().map(|(at, lasts)| Trouble::Cut(at, lasts)).collect())
}

fn ends() -> impl Strategy<Value = Trouble> {
    (0..3_000_u64, any::<bool>())
        .prop_map(|(at, is_off)| if is_off { Trouble::SwitchOff(at) } else { Trouble::Stop(at) })
}

fn runs(troubles: impl Strategy<Value = Vec<Trouble>>) -> impl Strategy<Value = Run> {
    (jobs(), paths(), troubles, any::<u64>()).prop_map(|(jobs, path, troubles, seed)| Run {
        path,
        seed,
        jobs,
        troubles,
    })
}

/// What becomes of a run with this shop, whose orders `shop` sees.
fn check(run: &Run, shop: &Shop, answers: impl Answers) -> Result<(), Wrong> {
    let (report, ()) = run.over(answers, ()).unwrap();
    report.check(run, shop)
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(100) })]

    #[test]
    fn every_order_is_taken_once_whatever_the_path_does(run in runs(cuts())) {
        let shop = Shop::default();
        prop_assert_eq!(check(&run, &shop, shop.clone()), Ok(()));
    }

    #[test]
    fn no_order_is_taken_twice_when_the_server_goes(
        run in runs((cuts(), ends()).prop_map(|(mut all, end)| { all.push(end); all })),
    ) {
        let shop = Shop::default();
        prop_assert_eq!(check(&run, &shop, shop.clone()), Ok(()));
    }
}

/// A shop that forgets which orders it has: an order that is asked again is taken again.
#[derive(Clone)]
struct Forgetful(Shop);

impl Answers for Forgetful {
    async fn answer(&self, mut request: Request<Incoming>) -> Answer {
        request.headers_mut().remove(IDEMPOTENCY_KEY);
        self.0.answer(request).await
    }
}

#[test]
fn an_order_that_is_taken_twice_is_found_and_reduced_to_one_order_and_one_cut() {
    let config = Config { failure_persistence: None, ..Config::with_cases(5_000) };
    let mut runner = TestRunner::new_with_rng(config, deterministic());
    let found = runner.run(&runs(cuts()), |run| {
        let shop = Shop::default();
        match check(&run, &shop, Forgetful(shop.clone())) {
            Err(Wrong::TakenAgain(number, times)) => {
                Err(TestCaseError::fail(format!("order {number} is taken {times} times")))
            }
            _ => Ok(()),
        }
    });
    let Err(TestError::Fail(why, run)) = found else {
        panic!("it is not found: {found:?}");
    };
    println!("{why}: {run:?}");
    assert!(matches!(run.jobs[..], [Job::Order(_)]), "{run:?}");
    assert!(matches!(run.troubles[..], [Trouble::Cut(..)]), "{run:?}");
    // The same run, with a shop that remembers.
    let shop = Shop::default();
    assert_eq!(check(&run, &shop, shop.clone()), Ok(()));
}

fn deterministic() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}

#[test]
fn each_seed_repeats_byte_for_byte_and_no_two_are_the_same() {
    let mut captures = Vec::new();
    for seed in 0..100 {
        let capture = Run::far_and_lossy(seed).capture().unwrap();
        assert!(Run::far_and_lossy(seed).capture().unwrap() == capture, "seed {seed}");
        captures.push(capture);
    }
    captures.sort();
    captures.dedup();
    assert_eq!(captures.len(), 100);
}

#[test]
fn two_processes_see_the_same_bytes() {
    let digest = |seed: u64| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hyper"));
        let run = command.args(["sim", "--seed", &seed.to_string()]).output().unwrap();
        let said = String::from_utf8(run.stdout).unwrap();
        let digest = said.trim().rsplit_once("digest ").map(|(_, digest)| digest.to_owned());
        digest.unwrap_or_else(|| panic!("{said} {}", String::from_utf8_lossy(&run.stderr)))
    };
    let digests = [1, 2, 3, 4, 5].map(|seed| [digest(seed), digest(seed)]);
    for [first, second] in &digests {
        assert_eq!(first, second);
    }
    assert_ne!(digests[0], digests[1]);
}
