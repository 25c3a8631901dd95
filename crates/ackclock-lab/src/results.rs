//! What came out of a run, and its judgement.

use crate::experiment::{Experiment, Stop, Variant, Work};
use crate::finding::{Findings, Verdict};
use crate::mutants::turned::keep_if_turned;
use crate::plan::Plan;
use crate::sample::{Sample, Samples, Spread};
use crate::sweep;
use crate::table::Tally;
use serde::Serialize;

/// The results of a plan, or of a part of it.
#[derive(Clone, Debug)]
pub struct Results {
    /// The plan.
    pub plan: Plan,
    /// By experiment, in the order of the plan.
    pub outcomes: Vec<Outcome>,
}

/// The results of an experiment.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The experiment.
    pub experiment: &'static Experiment,
    /// What the jobs measured.
    pub samples: Samples,
    /// Why jobs failed, if any did.
    pub failures: Vec<String>,
    /// Jobs that have not been run.
    pub missing: u64,
    /// What follows; `None` while jobs are missing.
    pub findings: Option<Findings>,
    /// How the headline quantities depend on the choices.
    pub sensitivity: Vec<Sensitivity>,
    pub(crate) planned: Vec<Variant>,
}

/// What becomes of a quantity with another value for one of the choices.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sensitivity {
    /// The variant, without the other value.
    pub variant: String,
    /// The choice's parameter.
    pub parameter: &'static str,
    /// Its value here.
    pub value: String,
    /// Whether it is the value that was chosen.
    pub chosen: bool,
    /// The quantity.
    pub quantity: &'static str,
    /// What was measured.
    pub measured: Spread,
}

impl Results {
    pub(crate) fn empty(plan: &Plan) -> Self {
        let outcome = |experiment: &&'static Experiment| Outcome {
            experiment,
            samples: Samples::default(),
            failures: Vec::new(),
            missing: 0,
            findings: None,
            sensitivity: Vec::new(),
            planned: plan.variants(experiment),
        };
        Results { plan: plan.clone(), outcomes: plan.experiments.iter().map(outcome).collect() }
    }

    pub(crate) fn add(&mut self, experiment: usize, variant: String, seed: u64, sample: Sample) {
        let samples = &mut self.outcomes[experiment].samples;
        samples.by_variant.entry(variant).or_default().insert(seed, sample);
    }

    pub(crate) fn fail(&mut self, experiment: usize, why: String) {
        self.outcomes[experiment].failures.push(why);
    }

    /// Judges what there is.
    pub(crate) fn judge(&mut self) {
        for outcome in &mut self.outcomes {
            outcome.conclude(&self.plan);
        }
    }

    /// What came out of an experiment, judged, if all its jobs are finished.
    pub fn concluded(&self, id: &str) -> Option<Outcome> {
        let is_it = |outcome: &&Outcome| outcome.missing == 0 && outcome.experiment.id() == id;
        let mut outcome = self.outcomes.iter().find(is_it)?.clone();
        outcome.conclude(&self.plan);
        Some(outcome)
    }

    /// Counts the jobs that have not been run.
    pub(crate) fn count_missing(&mut self) {
        self.outcomes.iter_mut().for_each(Outcome::count_missing);
    }

    /// Whether all jobs of the plan were run.
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.missing == 0)
    }

    /// Whether something does not hold, or a job failed.
    pub fn fails(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.verdict() == Some(Verdict::Fails))
    }
}

impl Outcome {
    /// Judges what there is, as the plan wants it.
    fn conclude(&mut self, plan: &Plan) {
        if !plan.settings.is_empty() {
            self.count_missing();
            self.findings = Some(sweep::findings(self, &plan.settings));
            return;
        }
        self.judge();
        // Mutants are tried with what belongs to this crate.
        if plan.mutant.is_some() || matches!(self.experiment.work, Work::File(_)) {
            return;
        }
        let id = self.experiment.id();
        let findings = self.findings.iter_mut().flat_map(|findings| &mut findings.findings);
        findings.for_each(|finding| keep_if_turned(&id, plan.quick, finding));
    }

    fn count_missing(&mut self) {
        let planned = |variant: &Variant| (variant.name(), variant.seeds);
        let missing = self.planned.iter().map(planned).map(|(name, seeds)| {
            let there = self.samples.by_variant.get(&name).map_or(0, |seeds| seeds.len() as u64);
            seeds - there.min(seeds)
        });
        self.missing = missing.sum::<u64>().saturating_sub(self.failures.len() as u64);
    }

    fn judge(&mut self) {
        self.count_missing();
        let mut rows: Vec<Sensitivity> = Vec::new();
        for row in self.planned.iter().flat_map(|variant| self.rows(variant)) {
            // The chosen value is the same for all others of its parameter.
            if !(row.chosen && rows.contains(&row)) {
                rows.push(row);
            }
        }
        rows.sort_by_key(|row| (row.variant.clone(), row.parameter, row.quantity));
        self.sensitivity = rows;
        if self.missing > 0 || !self.failures.is_empty() {
            return;
        }
        match self.experiment.judge(&self.samples) {
            Ok(findings) => self.findings = Some(findings),
            Err(Stop::Interrupted) => {}
            Err(Stop::Failed(why)) => self.failures.push(why),
        }
    }

    /// The rows of sensitivity of a variant: with the value that was chosen, and with its own.
    fn rows(&self, variant: &Variant) -> Vec<Sensitivity> {
        let (Some(parameter), Some(base)) = (variant.instead, &variant.base) else {
            return Vec::new();
        };
        let chosen = self.experiment.choices.iter().find(|choice| choice.parameter == parameter);
        let chosen = chosen.map_or("", |choice| choice.value);
        let value = variant.setting(parameter).unwrap_or_default();
        let mut rows = Vec::new();
        for &quantity in self.experiment.headline {
            let there = [(base.clone(), chosen, true), (variant.name(), value, false)];
            for (name, value, chosen) in there {
                if let Ok(measured) = self.samples.spread(&name, quantity) {
                    let (variant, value) = (base.clone(), value.to_owned());
                    rows.push(Sensitivity {
                        variant,
                        parameter,
                        value,
                        chosen,
                        quantity,
                        measured,
                    });
                }
            }
        }
        rows
    }

    /// How many of its verdicts hold, or why there are none, in a line.
    pub fn summary(&self) -> String {
        let id = self.experiment.id();
        match &self.findings {
            _ if !self.failures.is_empty() => format!("{id}: FAILS: {}", self.failures[0]),
            Some(findings) if findings.sweeps.is_empty() => {
                format!("{id}: {}", Tally::of(findings.findings.iter()))
            }
            _ => format!("{id}: not judged"),
        }
    }

    /// The worst verdict of its findings; `None` while jobs are missing.
    pub fn verdict(&self) -> Option<Verdict> {
        if !self.failures.is_empty() {
            return Some(Verdict::Fails);
        }
        let verdicts = self.findings.as_ref()?.findings.iter().map(|finding| finding.verdict);
        let worst = |one, other| match (one, other) {
            (Verdict::Fails, _) | (_, Verdict::Fails) => Verdict::Fails,
            (Verdict::Misses, _) | (_, Verdict::Misses) => Verdict::Misses,
            (Verdict::Holds, _) | (_, Verdict::Holds) => Verdict::Holds,
            _ => Verdict::Reported,
        };
        Some(verdicts.fold(Verdict::Reported, worst))
    }
}
