//! Runs the mutants, and tells which verdicts they turn red.

use super::turned::Turned;
use super::{ALL, Mutant};
use crate::finding::Verdict;
use crate::plan::{Plan, Shard};
use crate::results::Results;
use crate::run::run;
use crate::{Experiment, select};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, Ordering};

/// Seeds of each variant: a mutant that needs more to be seen is hardly one.
const SEEDS: NonZeroU64 = NonZeroU64::new(3).unwrap();

/// What became of the mutants.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// By mutant: the verdicts that it turned red, by experiment and quantity.
    red: Vec<(&'static str, BTreeSet<(String, String)>)>,
    /// Mutants, and experiments that were to turn red with them and did not.
    survived: Vec<(&'static str, &'static str)>,
}

/// Tries the mutants of these names, or all if there is none: on the experiments that they must turn
/// red, and if `thorough` on all that they may turn. `None`: interrupted.
pub fn try_mutants(
    names: &[String],
    thorough: bool,
    jobs: NonZeroUsize,
    interrupted: &AtomicBool,
    tried: &mut dyn FnMut(&str),
) -> Option<Trial> {
    let wanted =
        |mutant: &&Mutant| names.is_empty() || names.iter().any(|name| name == mutant.name);
    let mutants: Vec<&'static Mutant> = ALL.iter().filter(wanted).collect();
    let experiments = |mutant: &Mutant| -> Vec<&'static str> {
        let more = if thorough { mutant.may_turn } else { &[] };
        mutant.turns.iter().chain(more).copied().collect()
    };
    let held = |mutant: &'static Mutant, names: &[&'static str]| {
        let experiments: Vec<&'static Experiment> = select(names).unwrap_or_default();
        let plan = Plan { experiments, quick: true, seeds: Some(SEEDS), mutant: Some(mutant) };
        let results = run(&plan, Shard::WHOLE, jobs, interrupted, &());
        (!interrupted.load(Ordering::Relaxed)).then(|| verdicts(&results))
    };
    let all: Vec<&'static str> = mutants.iter().flat_map(|mutant| experiments(mutant)).collect();
    let before = held(&Mutant::NONE, &all)?;
    let mut trial = Trial::default();
    for mutant in mutants {
        let after = held(mutant, &experiments(mutant))?;
        let red: BTreeSet<_> = after
            .into_iter()
            .filter(|(key, holds)| !holds && before.get(key) == Some(&true))
            .map(|(key, _)| key)
            .collect();
        tried(&format!("{}: {} verdicts turn red", mutant.name, red.len()));
        let is_red = |id: &str| red.iter().any(|(each, _)| each == id);
        let survived = mutant.turns.iter().filter(|id| !is_red(id));
        trial.survived.extend(survived.map(|id| (mutant.name, *id)));
        trial.red.push((mutant.name, red));
    }
    Some(trial)
}

/// Which verdicts hold. A job that fails, as when a transfer never ends, turns all of its experiment.
fn verdicts(results: &Results) -> BTreeMap<(String, String), bool> {
    let mut verdicts = BTreeMap::new();
    for outcome in &results.outcomes {
        let id = outcome.experiment.id();
        if !outcome.failures.is_empty() {
            verdicts.insert((id, RUNS.to_owned()), false);
            continue;
        }
        verdicts.insert((id.clone(), RUNS.to_owned()), true);
        for finding in outcome.findings.iter().flat_map(|findings| &findings.findings) {
            if matches!(finding.verdict, Verdict::Holds | Verdict::Fails | Verdict::Misses) {
                let holds = finding.verdict == Verdict::Holds;
                verdicts.insert((id.clone(), finding.quantity.clone()), holds);
            }
        }
    }
    verdicts
}

/// That all jobs of an experiment come to their ends.
const RUNS: &str = "all runs come to their ends";

impl Trial {
    /// Whether an experiment did not turn red that should have.
    pub fn fails(&self) -> bool {
        !self.survived.is_empty()
    }

    /// The text of `turned.json`.
    pub fn to_json(&self) -> String {
        let mut turned = Turned::new();
        for (mutant, red) in &self.red {
            for (id, quantity) in red.iter().filter(|(_, quantity)| quantity != RUNS) {
                let of = turned.entry(id.clone()).or_default();
                of.entry(quantity.clone()).or_default().push((*mutant).to_owned());
            }
        }
        serde_json::to_string_pretty(&turned).unwrap_or_default() + "\n"
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (mutant, red) in &self.red {
            let ids: BTreeSet<&str> = red.iter().map(|(id, _)| id.as_str()).collect();
            let ids: Vec<&str> = ids.into_iter().collect();
            writeln!(f, "{mutant:38} {:3} verdicts of {}", red.len(), ids.join(", "))?;
        }
        for (mutant, id) in &self.survived {
            writeln!(f, "SURVIVES {mutant}: {id} does not turn red")?;
        }
        write!(f, "{} mutants, {} survive", self.red.len(), self.survived.len())?;
        f.write_char('\n')
    }
}
