//! Sharing: two equal flows share a bottleneck, and no flow does another one more harm than Reno would.
//!
//! Ten runs that differ in the network's seed decide, since one proves nothing.
//!
//! - **fairness**: two flows of the same law, round trip and size begin together. When the first is done, the
//!   other has got at least a fifth as much, in the geometric mean. AIMD laws come to within some percent of each
//!   other in the long run; five is for what slow start gives to the luckier one in a short one. Nothing draws flows of
//!   Vegas together whose estimates of the empty path differ, so that they may have fifteen times as much.
//! - **harm**: beside a flow of some law a flow of Reno loses at most three times as many packets as beside
//!   another one of Reno, and a few. BBR keeps a queue of its own and answers to loss late: ten times.

use super::Finding;
use super::monotony::Spent;
use crate::case::Case;
use crate::run::{Outcome, run};

/// Runs that decide.
const RUNS: u64 = 10;
/// How many times the other's bytes the luckier flow may have.
const SHARE: f64 = 5.0;
const SHARE_OF_VEGAS: f64 = 15.0;
/// How many times the losses beside Reno, and for BBR, and how many more packets in each run.
const HARM: f64 = 3.0;
const HARM_OF_BBR: f64 = 10.0;
const MORE: f64 = 20.0;
/// Packets of one run.
const MOST_SEGMENTS: u64 = 200_000;

fn runs(case: &Case, spent: &mut Spent) -> Vec<Outcome> {
    let outcomes = (0..RUNS).filter_map(|seed| {
        let case = Case { seed: case.seed.wrapping_add(seed), ..case.clone() };
        let outcome = run(&case, MOST_SEGMENTS).ok()?;
        spent.add(&outcome);
        let is_whole = !outcome.cut_short && outcome.took.iter().all(Option::is_some);
        is_whole.then_some(outcome)
    });
    outcomes.collect()
}

/// Compares two equal flows.
pub(crate) fn judge_fairness(case: &Case, spent: &mut Spent) -> Option<Finding> {
    let rate = case.hops.first()?[0].get("rate")?.strip_suffix("bit")?.parse::<f64>().ok()?;
    let outcomes = runs(case, spent);
    let logs: Vec<f64> =
        outcomes.iter().filter_map(|outcome| Some(share(outcome, rate)?.ln())).collect();
    let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    let bound = if has_law(case, "vegas") { SHARE_OF_VEGAS } else { SHARE };
    (logs.len() as u64 == RUNS && mean > bound).then(|| {
        let text = format!("of two equal flows one had {mean:.1} times the bytes of the other when it was done; {bound} are allowed");
        Finding::new("fairness", &text)
    })
}

/// How many times the other's bytes the first flow that is done has: the other one sends what it lacks alone.
fn share(outcome: &Outcome, rate: f64) -> Option<f64> {
    let [one, other] = outcome.took.first_chunk::<2>()?;
    let (one, other) = ((*one)?.as_micros() as f64, (*other)?.as_micros() as f64);
    let bytes = outcome.flows[0].written[0] as f64;
    let rest = (one - other).abs() / 1e6 * rate / 8.0;
    Some(bytes / (bytes - rest).max(bytes / 100.0))
}

fn has_law(case: &Case, law: &str) -> bool {
    case.hosts.iter().any(|host| host.get("law") == Some(law))
}

/// The case with Reno in place of the other law.
pub(crate) fn with_reno(case: &Case) -> Case {
    let mut reno = case.clone();
    for host in 0..reno.host_count() {
        reno.host_mut(host).set("law", "reno");
    }
    reno
}

/// Compares what the first flow loses beside the second one's law with what it loses beside Reno.
pub(crate) fn judge_harm(case: &Case, spent: &mut Spent) -> Option<Finding> {
    let bound = if has_law(case, "bbr") { HARM_OF_BBR } else { HARM };
    let lost = |outcomes: &[Outcome]| -> f64 {
        let all = outcomes.iter().map(|outcome| outcome.facts.flows[0].all_lost());
        all.sum::<u64>() as f64 / outcomes.len() as f64
    };
    let (beside, beside_reno) = (runs(case, spent), runs(&with_reno(case), spent));
    if (beside.len() as u64) < RUNS || (beside_reno.len() as u64) < RUNS {
        return None;
    }
    let (beside, beside_reno) = (lost(&beside), lost(&beside_reno));
    (beside > bound * beside_reno + MORE).then(|| {
        let text = format!(
            "a flow of Reno loses {beside:.1} packets instead of {beside_reno:.1} beside Reno; {bound} times as many and {MORE} are \
             allowed"
        );
        Finding::new("harm", &text)
    })
}
