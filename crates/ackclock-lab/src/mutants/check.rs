//! Runs the mutants, and tells which verdicts they turn red.

use super::turned;
use super::{ALL, Mutant, NOT_TRIED};
use crate::finding::Verdict;
use crate::parameters::Settings;
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

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Each mutant on the one of the experiments that it must turn red that takes least time.
    Least,
    /// Each on all that it must or may turn.
    All,
}

/// What became of the mutants.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// By mutant: the verdicts that it turned red, by experiment and quantity.
    red: Vec<(&'static str, BTreeSet<(String, String)>)>,
    /// Mutants, and experiments that were to turn red with them and did not.
    survived: Vec<(&'static str, &'static str)>,
    /// The same where it is known that they do not, though they should.
    spared: Vec<(&'static str, &'static str)>,
}

/// Tries the mutants of these names, or all if there is none. `None`: interrupted.
pub fn try_mutants(
    names: &[String],
    extent: Extent,
    jobs: NonZeroUsize,
    interrupted: &AtomicBool,
    tried: &mut dyn FnMut(&str),
) -> Option<Trial> {
    let wanted =
        |mutant: &&Mutant| names.is_empty() || names.iter().any(|name| name == mutant.name);
    let mutants: Vec<&'static Mutant> = ALL.iter().filter(wanted).collect();
    let held = |mutant: &'static Mutant, names: &[&'static str]| {
        let experiments: Vec<&'static Experiment> = select(names).unwrap_or_default();
        let (seeds, settings) = (Some(SEEDS), Settings::default());
        let (mutant, captures) = (Some(mutant), None);
        let plan = Plan { experiments, quick: true, seeds, mutant, settings, captures };
        let results = run(&plan, Shard::WHOLE, jobs, interrupted, &());
        (!interrupted.load(Ordering::Relaxed)).then(|| verdicts(&results))
    };
    let all: Vec<&'static str> =
        mutants.iter().flat_map(|mutant| experiments(mutant, extent)).collect();
    let before = held(&Mutant::NONE, &all)?;
    let mut trial = Trial::default();
    for mutant in mutants {
        let tries = experiments(mutant, extent);
        let after = held(mutant, &tries)?;
        let red: BTreeSet<_> = after
            .into_iter()
            .filter(|(key, holds)| !holds && before.get(key) == Some(&true))
            .map(|(key, _)| key)
            .collect();
        tried(&format!("{}: {} verdicts turn red", mutant.name, red.len()));
        trial.add(mutant, &tries, red);
    }
    Some(trial)
}

/// The experiments that a mutant is tried on.
fn experiments(mutant: &Mutant, extent: Extent) -> Vec<&'static str> {
    let must = mutant.turns.iter().copied();
    match extent {
        Extent::All => must.chain(mutant.may_turn.iter().copied()).collect(),
        Extent::Least => {
            let seconds = |id: &&'static str| {
                let experiments = select(&[*id]).unwrap_or_default();
                experiments.iter().map(|each| each.seconds.quick).sum::<f64>()
            };
            let red = must.filter(|id| !mutant.spares.contains(id));
            red.min_by(|one, other| seconds(one).total_cmp(&seconds(other))).into_iter().collect()
        }
    }
}

/// Which verdicts are as the report tells them: those that hold, and those that miss as is known. A job
/// that fails, as when a transfer never ends, turns all of its experiment.
fn verdicts(results: &Results) -> BTreeMap<(String, String), bool> {
    let mut verdicts = BTreeMap::new();
    for outcome in &results.outcomes {
        let id = outcome.experiment.id();
        let runs = outcome.failures.is_empty();
        verdicts.insert((id.clone(), RUNS.to_owned()), runs);
        for finding in outcome.findings.iter().flat_map(|findings| &findings.findings) {
            if finding.verdict != Verdict::Reported {
                let holds = finding.verdict != Verdict::Fails;
                verdicts.insert((id.clone(), finding.quantity.clone()), holds);
            }
        }
    }
    verdicts
}

/// That all jobs of an experiment come to their ends.
const RUNS: &str = "all runs come to their ends";

impl Trial {
    fn add(&mut self, mutant: &Mutant, tries: &[&str], red: BTreeSet<(String, String)>) {
        let name = mutant.name;
        let is_red = |id: &str| red.iter().any(|(each, _)| each == id);
        for id in mutant.turns.iter().filter(|id| tries.contains(id) && !is_red(id)) {
            let of = match mutant.spares.contains(id) {
                true => &mut self.spared,
                false => &mut self.survived,
            };
            of.push((name, *id));
        }
        self.red.push((name, red));
    }

    /// Whether an experiment did not turn red that should have.
    pub fn fails(&self) -> bool {
        !self.survived.is_empty()
    }

    /// The text of `turned.json`: what it has of mutants that were not tried, and what was found of those that
    /// were.
    pub fn to_json(&self) -> String {
        let mut turned =
            turned::of_others(|mutant| self.red.iter().all(|(tried, _)| *tried != mutant));
        for (mutant, red) in &self.red {
            for (id, quantity) in red.iter().filter(|(_, quantity)| quantity != RUNS) {
                let of = turned.entry(id.clone()).or_default();
                of.entry(quantity.clone()).or_default().push((*mutant).to_owned());
            }
        }
        turned::in_order(&mut turned);
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
        for (mutant, id) in &self.spared {
            writeln!(f, "spared {mutant}: {id} should turn red, and is known not to")?;
        }
        for (what, why) in NOT_TRIED {
            writeln!(f, "not tried: {what}: {why}")?;
        }
        let [red, survived, spared] = [self.red.len(), self.survived.len(), self.spared.len()];
        write!(
            f,
            "{red} mutants; {survived} survive, {spared} experiments are known not to notice"
        )?;
        f.write_char('\n')
    }
}
