//! Results as JSON, and back: `results.json` with everything but the plots, `plots.json` with those.

use crate::experiment::{Experiment, Seconds};
use crate::finding::{Findings, Verdict};
use crate::names::select;
use crate::parameters::Settings;
use crate::plan::Plan;
use crate::results::{Outcome, Results, Sensitivity};
use crate::sample::Sample;
use ackclock_report::Plot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;

/// Written into each file; another one is not read.
const FORMAT: u64 = 1;

/// By experiment, variant and seed.
type ByJob<T> = BTreeMap<String, BTreeMap<String, BTreeMap<u64, T>>>;

#[derive(Serialize)]
struct Document<'a> {
    format: u64,
    quick: bool,
    seeds: Option<NonZeroU64>,
    /// Other values than the papers', if there are any.
    #[serde(skip_serializing_if = "Settings::is_empty")]
    settings: &'a Settings,
    experiments: Vec<ExperimentDocument<'a>>,
}

#[derive(Serialize)]
struct ExperimentDocument<'a> {
    id: String,
    shows: &'a str,
    title: &'a str,
    scenario: &'a str,
    headline: &'a [&'a str],
    choices: &'a [crate::Choice],
    expected_seconds: Seconds,
    verdict: Option<Verdict>,
    missing_jobs: u64,
    failures: &'a [String],
    #[serde(flatten)]
    findings: Option<&'a Findings>,
    sensitivity: &'a [Sensitivity],
    samples: BTreeMap<&'a str, BTreeMap<u64, &'a BTreeMap<String, f64>>>,
}

impl<'a> ExperimentDocument<'a> {
    fn new(outcome: &'a Outcome) -> Self {
        let Experiment { shows, title, scenario, headline, choices, seconds, .. } =
            outcome.experiment;
        let samples = outcome.samples.variants().map(|variant| {
            let seeds = outcome.samples.of(variant);
            (variant, seeds.map(|(seed, sample)| (seed, &sample.values)).collect())
        });
        ExperimentDocument {
            id: outcome.experiment.id(),
            shows,
            title,
            scenario,
            headline,
            choices,
            expected_seconds: *seconds,
            verdict: outcome.verdict(),
            missing_jobs: outcome.missing,
            failures: &outcome.failures,
            findings: outcome.findings.as_ref(),
            sensitivity: &outcome.sensitivity,
            samples: samples.collect(),
        }
    }
}

/// What is read again of a [`Document`]: the rest follows from it.
#[derive(Deserialize)]
struct Read {
    format: u64,
    quick: bool,
    seeds: Option<NonZeroU64>,
    #[serde(default)]
    settings: Settings,
    experiments: Vec<ReadExperiment>,
}

#[derive(Deserialize)]
struct ReadExperiment {
    id: String,
    failures: Vec<String>,
    samples: BTreeMap<String, BTreeMap<u64, BTreeMap<String, f64>>>,
}

/// Why results cannot be read or joined.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ResultsError {
    /// It is no JSON of this form.
    Unreadable(String),
    /// It was written by another version.
    Format(u64),
    /// It has an experiment that this version does not know.
    Unknown(String),
    /// The parts are not of one plan.
    OtherPlan,
    /// There is nothing to join.
    Nothing,
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultsError::Unreadable(why) => write!(f, "these are no results: {why}"),
            ResultsError::Format(format) => {
                write!(f, "results in format {format} instead of {FORMAT}: run them again")
            }
            ResultsError::Unknown(id) => {
                write!(f, "results of '{id}', which there is not: use the version that wrote them")
            }
            ResultsError::OtherPlan => f.write_str(
                "the parts are not of one run: all need the same experiments, seeds and --quick",
            ),
            ResultsError::Nothing => f.write_str("give the directories of all parts"),
        }
    }
}

impl std::error::Error for ResultsError {}

impl From<serde_json::Error> for ResultsError {
    fn from(error: serde_json::Error) -> Self {
        ResultsError::Unreadable(error.to_string())
    }
}

impl Results {
    /// `results.json`: the plan, what was measured, and what follows.
    pub fn to_json(&self) -> String {
        let Plan { quick, seeds, ref settings, .. } = self.plan;
        let experiments = self.outcomes.iter().map(ExperimentDocument::new).collect();
        let document = Document { format: FORMAT, quick, seeds, settings, experiments };
        let text = serde_json::to_string_pretty(&document);
        text.expect("keys are strings and numbers are finite") + "\n"
    }

    /// `plots.json`: what jobs drew.
    pub fn plots_to_json(&self) -> String {
        let mut plots: ByJob<&[Plot]> = BTreeMap::new();
        for outcome in &self.outcomes {
            for variant in outcome.samples.variants() {
                for (seed, sample) in outcome.samples.of(variant) {
                    if !sample.plots.is_empty() {
                        let of_variant = plots.entry(outcome.experiment.id()).or_default();
                        let of_seed = of_variant.entry(variant.to_owned()).or_default();
                        of_seed.insert(seed, &sample.plots);
                    }
                }
            }
        }
        serde_json::to_string(&plots).expect("keys are strings and numbers are finite") + "\n"
    }

    /// Joins the parts of a run, each as its two files. The parts may overlap.
    ///
    /// # Errors
    /// Says what cannot be read, or that the parts do not belong together.
    pub fn merge(parts: &[[String; 2]]) -> Result<Results, ResultsError> {
        let mut whole: Option<Results> = None;
        for [results, plots] in parts {
            let part: Read = serde_json::from_str(results)?;
            let mut plots: ByJob<Vec<Plot>> = serde_json::from_str(plots)?;
            let plan = part.plan()?;
            let whole = whole.get_or_insert_with(|| Results::empty(&plan));
            if !whole.plan.is_same(&plan) {
                return Err(ResultsError::OtherPlan);
            }
            for (index, experiment) in part.experiments.into_iter().enumerate() {
                let mut plots = plots.remove(&experiment.id).unwrap_or_default();
                experiment.failures.into_iter().for_each(|why| whole.fail(index, why));
                for (variant, seeds) in experiment.samples {
                    let mut plots = plots.remove(&variant).unwrap_or_default();
                    for (seed, values) in seeds {
                        let plots = plots.remove(&seed).unwrap_or_default();
                        whole.add(index, variant.clone(), seed, Sample { values, plots });
                    }
                }
            }
        }
        let mut whole = whole.ok_or(ResultsError::Nothing)?;
        whole.judge();
        Ok(whole)
    }
}

impl Read {
    fn plan(&self) -> Result<Plan, ResultsError> {
        if self.format != FORMAT {
            return Err(ResultsError::Format(self.format));
        }
        let find = |each: &ReadExperiment| {
            let found = select(&[&each.id]).ok().filter(|found| found.len() == 1);
            found.map(|found| found[0]).ok_or_else(|| ResultsError::Unknown(each.id.clone()))
        };
        let experiments = self.experiments.iter().map(find).collect::<Result<_, _>>()?;
        let settings = self.settings.clone();
        let (quick, seeds) = (self.quick, self.seeds);
        Ok(Plan { experiments, quick, seeds, mutant: None, settings, captures: None })
    }
}
