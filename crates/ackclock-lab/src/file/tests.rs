//! Files that can be used, and files that cannot.

use super::*;
use crate::{Plan, Settings, Shard, Verdict, run, select};
use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::AtomicBool;

const FIXED_WINDOWS: &str = include_str!("../../../../examples/experiments/fixed_windows.toml");
const CHIU: &str = include_str!("../../../../examples/experiments/chiu89.toml");

const L4S: &str = include_str!("../../../../examples/experiments/rfc9332.toml");

fn findings(experiment: &'static Experiment, seeds: u64) -> Vec<Finding> {
    let seeds = NonZeroU64::new(seeds);
    let (experiments, settings) = (vec![experiment], Settings::default());
    let (captures, mutant) = (None, None);
    let plan = Plan { experiments, quick: true, seeds, mutant, settings, captures };
    let two = NonZeroUsize::new(2).unwrap();
    let results = run(&plan, Shard::WHOLE, two, &AtomicBool::new(false), &());
    let outcome = results.outcomes.into_iter().next().unwrap();
    assert_eq!(outcome.failures, Vec::<String>::new());
    outcome.findings.unwrap().findings
}

fn problem(from: &str, to: &str) -> String {
    assert!(CHIU.contains(from), "{from}");
    parse(&CHIU.replacen(from, to, 1), "file.toml").unwrap_err().to_string()
}

#[test]
fn a_file_finds_what_the_same_experiment_in_rust_does() {
    let medians = |findings: &[Finding]| -> BTreeMap<String, String> {
        let median = |it: &Finding| (it.quantity.clone(), format!("{:.3}", it.measured.median));
        findings.iter().map(median).collect()
    };
    let in_rust = select(&["zhang91.fixed_windows"]).unwrap()[0];
    let from_file = parse(FIXED_WINDOWS, "fixed_windows.toml").unwrap();
    assert_eq!(from_file.id(), in_rust.id());
    let found = findings(from_file, 3);
    assert_eq!(medians(&found), medians(&findings(in_rust, 3)));
    assert!(found.iter().all(|it| it.verdict == Verdict::Holds), "{found:?}");
}

#[test]
fn two_users_come_to_equal_shares() {
    let findings = findings(parse(CHIU, "chiu89.toml").unwrap(), 5);
    let verdicts: Vec<Verdict> = findings.iter().map(|finding| finding.verdict).collect();
    let holds = Verdict::Holds;
    assert_eq!(verdicts, [holds, holds, Verdict::Reported, holds], "{findings:?}");
    let [end, _, first, _] = [0, 1, 2, 3].map(|index| findings[index].measured.median);
    assert!(first < 0.9 && end > 0.99, "{findings:?}");
}

/// The first variant of the experiment and what is asked of it, for half a minute.
fn coexistence(queue: &str) -> Vec<Finding> {
    let variants: Vec<&str> = L4S.split("[[variants]]").collect();
    let (others, measures) = variants[variants.len() - 1].split_once("[[measures]]").unwrap();
    assert!(others.contains("classic_ecn"), "{others}");
    let asked: Vec<&str> = measures.split("[[findings]]").take(5).collect();
    let text = [variants[0], variants[1], "[[measures]]", &asked.join("[[findings]]")]
        .join("[[variants]]");
    let text = text.replace("[[variants]][[measures]][[variants]]", "[[measures]]");
    let text = text.replace("\"70s\"", "\"30s\"").replace("\"dualpi2\"", &format!("\"{queue}\""));
    let text: String = text
        .lines()
        .filter(|line| !line.starts_with("others"))
        .map(|line| format!("{line}\n"))
        .collect();
    findings(parse(&text, "rfc9332.toml").unwrap(), 1)
}

#[test]
fn a_scalable_and_a_classic_flow_share_a_coupled_dual_queue() {
    let verdicts = |queue| -> Vec<Verdict> {
        coexistence(queue).iter().map(|finding| finding.verdict).collect()
    };
    let (holds, fails, reported) = (Verdict::Holds, Verdict::Fails, Verdict::Reported);
    assert_eq!(verdicts("dualpi2"), [holds, holds, reported, holds]);
    // In one queue of 100 ms both wait for what CUBIC has queued, and Prague gets less.
    assert_eq!(verdicts("625kB"), [fails, fails, reported, holds]);
}

#[test]
fn what_cannot_be_used_is_answered_with_its_line_and_what_can() {
    assert_eq!(
        problem("of = \"fairness\"", "of = \"fairnes\""),
        "file.toml:103: there is no measure 'fairnes': there are fairness_at_first, fairness, utilisation"
    );
    assert_eq!(
        problem("queue={buffer}", "queue={bufer}"),
        "file.toml:26: there is no value for the parameter 'bufer': there are first, second, delay, buffer"
    );
    assert_eq!(
        problem("link = \"left>right\"", "link = \"left>wrong\""),
        "file.toml:97: there is no link 'left>wrong': there are sender1>left, left>sender1, sender2>left, \
         left>sender2, receiver1>right, right>receiver1, receiver2>right, right>receiver2, left>right, \
         right>left"
    );
    assert_eq!(
        problem("until = \"60s\"", "until = \"60s\"\nflows = [3]"),
        "file.toml:131: flows are numbered 1 to 2"
    );
    assert_eq!(
        problem("what = \"fairness\"", "what = \"fairness\"\ntake = \"p99\""),
        "file.toml:86: a 99th percentile is that of a delay"
    );
    assert_eq!(
        problem("what = \"fairness\"", "what = \"ratio\"\nflows = [1]"),
        "file.toml:86: a ratio is that of two flows"
    );
    // A line of the scenario is one of the file.
    assert_eq!(
        problem("mss = 1000", "mss = 0"),
        "file.toml:18: connection: mss must be 1 to 65495 bytes"
    );
    assert_eq!(
        problem("[[plots]]", "[[plot]]"),
        "file.toml:128: unknown field 'plot', expected one of 'paper', 'name', 'shows', 'title', \
         'description', 'seeds', 'quick_seeds', 'headline', 'parameters', 'variants', 'scenario', \
         'measures', 'findings', 'plots'"
    );
}

#[test]
fn the_command_that_makes_a_report_again_names_the_file() {
    let file = "examples/experiments/chiu89.toml";
    let (experiments, settings) = (vec![parse(CHIU, file).unwrap()], Settings::default());
    let (captures, mutant) = (None, None);
    let plan = Plan { experiments, quick: true, seeds: None, mutant, settings, captures };
    assert_eq!(plan.command(), format!("lab run {file} --quick"));
}
