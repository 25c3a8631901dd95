//! The verdict on a case: which oracles judge it, and what they say.

use crate::case::Case;
use crate::draw;
use crate::draw::plain::{draw_plain, draw_shared};
use crate::oracles::monotony::Spent;
use crate::oracles::{Finding, indifference, judge, monotony, sharing};
use crate::run::{MOST_SEGMENTS, run_told};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One of so many seeds is for what many runs of two flows cost.
const SHARED: u64 = 128;

/// What was found about a case, and what it cost.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The first finding.
    pub finding: Option<Finding>,
    /// Packets that hosts sent, in all runs.
    pub segments: u64,
    /// Virtual microseconds of all runs.
    pub micros: u64,
    /// A digest of all runs.
    pub digest: u64,
}

/// The case of a seed with the oracle that is to judge it. Of eight seeds four are judged by the oracles of one
/// run, three by monotony, one by indifference; one of 128 instead by fairness or harm.
pub fn case_of(seed: u64) -> Case {
    if seed % SHARED == SHARED - 2 {
        let is_fairness = (seed / SHARED).is_multiple_of(2);
        let mut case = draw_shared(seed, is_fairness);
        case.oracle = Some(if is_fairness { "fairness" } else { "harm" }.into());
        return case;
    }
    match seed % 8 {
        0..=3 => draw::draw(seed),
        4..=6 => {
            let mut case = draw_plain(seed);
            let changes = monotony::applicable(&case);
            let name = changes[(seed / 8) as usize % changes.len()];
            case.oracle = Some(format!("monotony:{name}"));
            case
        }
        _ => {
            let mut case = draw::draw(seed);
            let name = indifference::SAMES[(seed / 8) as usize % indifference::SAMES.len()].name;
            case.oracle = Some(format!("indifference:{name}"));
            case
        }
    }
}

/// The runs of a case that its oracle looks at, each with what its files are called besides: the
/// case itself, and what it is compared with.
pub fn variants(case: &Case) -> Vec<(&'static str, Case)> {
    let oracle = case.oracle.as_deref().unwrap_or_default();
    match oracle.split_once(':') {
        Some(("monotony", name)) => {
            let better = monotony::better(case, name);
            let better = better.map(|better| ("better.", better));
            [("", case.clone())].into_iter().chain(better).collect()
        }
        Some(("indifference", name)) => match indifference::pair(case, name) {
            Some([one, other]) => vec![("", one), ("other.", other)],
            None => vec![("", case.clone())],
        },
        None if oracle == "harm" => vec![("", case.clone()), ("reno.", sharing::with_reno(case))],
        _ => vec![("", case.clone())],
    }
}

/// Judges a case by its oracle, or by all oracles of one run if it names none or one of those.
///
/// A panic is a finding too.
pub fn judge(case: &Case) -> Verdict {
    match catch_unwind(AssertUnwindSafe(|| judge_calmly(case))) {
        Ok(verdict) => verdict,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let finding = Finding::new("panic", &text.unwrap_or_default());
            Verdict { finding: Some(finding), ..Verdict::default() }
        }
    }
}

fn judge_calmly(case: &Case) -> Verdict {
    let mut spent = Spent::default();
    let oracle = case.oracle.as_deref().unwrap_or_default();
    let finding = match oracle.split_once(':') {
        Some(("monotony", name)) => monotony::judge(case, name, &mut spent),
        Some(("indifference", name)) => indifference::judge(case, name, &mut spent),
        None if oracle == "fairness" => sharing::judge_fairness(case, &mut spent),
        None if oracle == "harm" => sharing::judge_harm(case, &mut spent),
        _ => {
            let court = |topology: &_, ledger: &_| judge::Court::new(case, topology, ledger);
            match run_told(case, MOST_SEGMENTS, court) {
                Ok((outcome, court)) => {
                    spent.add(&outcome);
                    outcome.findings.into_iter().next().or_else(|| court.verdict())
                }
                Err(error) => Some(Finding::new("case", &error.to_string())),
            }
        }
    };
    let Spent { segments, micros, digest } = spent;
    Verdict { finding, segments, micros, digest }
}
