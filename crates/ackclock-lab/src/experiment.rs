//! What an experiment is.

use crate::captures::{Capture, Captures};
use crate::file::Recipe;
use crate::finding::Findings;
use crate::mutants::Mutant;
use crate::mutants::law::Law;
use crate::output::capture_name;
use crate::parameters::{Parameter, tcp};
use crate::sample::{Sample, Samples};
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::tcp::Config;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, HostId, Observer, Topology};
use ackclock_judge::FormJudges;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The papers, by the names that `published.toml` gives them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Paper {
    /// Jacobson & Karels, "Congestion Avoidance and Control", 1988.
    Jacobson88,
    /// Zhang, Shenker & Clark, "Observations on the Dynamics of a Congestion Control Algorithm: The
    /// Effects of Two-Way Traffic", 1991.
    Zhang91,
    /// Allman, Hayes & Ostermann, "An Evaluation of TCP with Larger Initial Windows", 1998.
    Allman98,
    /// Allman, "TCP Byte Counting Refinements", 1999.
    Allman99,
    /// Chung, Fu & Liew, "Improvements Achieved by SACK Employing TCP Veno Equilibrium-Oriented
    /// Mechanism over Lossy Networks".
    Veno,
    /// That of an experiment in a file.
    Other {
        /// Its short name.
        name: &'static str,
        /// Authors, title and year.
        title: &'static str,
    },
}

impl Paper {
    /// The papers whose experiments belong to this crate, in the order of the reports.
    pub const ALL: [Paper; 5] =
        [Paper::Jacobson88, Paper::Zhang91, Paper::Allman98, Paper::Allman99, Paper::Veno];

    /// Its short name.
    pub const fn name(self) -> &'static str {
        match self {
            Paper::Jacobson88 => "jacobson88",
            Paper::Zhang91 => "zhang91",
            Paper::Allman98 => "allman98",
            Paper::Allman99 => "allman99",
            Paper::Veno => "veno",
            Paper::Other { name, .. } => name,
        }
    }

    /// Authors, title and year.
    pub const fn title(self) -> &'static str {
        match self {
            Paper::Jacobson88 => "Jacobson & Karels, Congestion Avoidance and Control (1988)",
            Paper::Zhang91 => {
                "Zhang, Shenker & Clark, Observations on the Dynamics of a Congestion Control \
                 Algorithm: The Effects of Two-Way Traffic (1991)"
            }
            Paper::Allman98 => {
                "Allman, Hayes & Ostermann, An Evaluation of TCP with Larger Initial Windows (1998)"
            }
            Paper::Allman99 => "Allman, TCP Byte Counting Refinements (1999)",
            Paper::Veno => {
                "Chung, Fu & Liew, Improvements Achieved by SACK Employing TCP Veno \
                 Equilibrium-Oriented Mechanism over Lossy Networks"
            }
            Paper::Other { title, .. } => title,
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A table, figure or claim of a paper, and how it is reproduced.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name within the paper, of lower-case letters, digits and `_`.
    pub name: &'static str,
    /// The paper.
    pub paper: Paper,
    /// Which of its figures, tables or sections: "figure 2".
    pub shows: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// The scenario, as the paper has it.
    pub scenario: &'static str,
    /// The values chosen for what the paper does not state. Each needs a [`Variant`] with another
    /// one, so that the report can show what depends on it.
    pub choices: &'static [Choice],
    /// What the paper states and a user may set to something else: whatever variants differ in, and
    /// what [`Job::word`] is asked for besides the choices.
    pub parameters: &'static [Parameter],
    /// Whether stacks of this project send, so that a user may set what they do.
    pub sends: bool,
    /// The quantities of which the report shows how they depend on the choices.
    pub headline: &'static [&'static str],
    /// Expected run time on one core.
    pub seconds: Seconds,
    /// What is to be done.
    pub work: Work,
}

/// What an experiment does.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// What functions say.
    Rust {
        /// What is run; `true`: as little of it as will do (`--quick`).
        variants: fn(quick: bool) -> Vec<Variant>,
        /// Runs one variant with one seed.
        run: fn(&Job<'_>) -> Result<Sample, Stop>,
        /// Judges what came out of all jobs.
        judge: fn(&Samples) -> Result<Findings, Stop>,
    },
    /// What a file says.
    File(&'static Recipe),
}

impl Experiment {
    /// The name by which a user knows it: `zhang91.one_way_3`.
    pub fn id(&self) -> String {
        format!("{}.{}", self.paper, self.name)
    }

    /// What is run; `true`: as little of it as will do.
    pub(crate) fn variants(&self, quick: bool) -> Vec<Variant> {
        match self.work {
            Work::Rust { variants, .. } => variants(quick),
            Work::File(recipe) => recipe.variants(quick),
        }
    }

    pub(crate) fn judge(&self, samples: &Samples) -> Result<Findings, Stop> {
        match self.work {
            Work::Rust { judge, .. } => judge(samples),
            Work::File(recipe) => recipe.judge(samples),
        }
    }
}

/// A value for something that a paper does not state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Choice {
    /// What it is a value of; the name of a setting.
    pub parameter: &'static str,
    /// The value, in the words that [`Job::get`] reads.
    pub value: &'static str,
    /// Why this one.
    pub reason: &'static str,
}

/// Seconds that an experiment takes on one core.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Seconds {
    /// The whole of it.
    pub full: f64,
    /// With `--quick`.
    pub quick: f64,
}

/// One setting of everything in an experiment, to be run with several seeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    settings: Vec<(&'static str, String)>,
    /// The choice that is another one here, if this is about sensitivity.
    pub(crate) instead: Option<&'static str>,
    /// The variant with the value that was chosen.
    pub(crate) base: Option<String>,
    pub(crate) seeds: u64,
    /// Whether mutants need all its seeds too.
    pub(crate) needs_seeds: bool,
}

impl Variant {
    /// The one of these settings; what is not among them is as the experiment's choices say. Their
    /// values are in words that [`Job::get`] can read.
    pub fn new(settings: &[(&'static str, &str)], seeds: u64) -> Self {
        let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let settings = settings.collect();
        Variant { settings, instead: None, base: None, seeds, needs_seeds: false }
    }

    /// The same, whose median is judged so closely that mutants need all its seeds too.
    pub fn judged_closely(self) -> Self {
        Variant { needs_seeds: true, ..self }
    }

    /// The same with another value for one of the choices: a row of the report's table of
    /// sensitivity.
    pub fn but(&self, parameter: &'static str, value: &str, seeds: u64) -> Self {
        let mut settings = self.settings.clone();
        settings.push((parameter, value.to_owned()));
        let (instead, base) = (Some(parameter), Some(self.name()));
        Variant { settings, instead, base, seeds, needs_seeds: false }
    }

    /// Its name within the experiment: `tau=1s buffer=20`, or `stated` without settings.
    pub fn name(&self) -> String {
        let settings: Vec<_> =
            self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if settings.is_empty() { "stated".to_owned() } else { settings.join(" ") }
    }

    /// The same with this value of a setting, in place of its own if it has one.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        let value = value.to_owned();
        match self.settings.iter_mut().find(|(each, _)| *each == name) {
            Some(setting) => setting.1 = value,
            None => self.settings.push((name, value)),
        }
        self
    }

    /// Its settings, those that count last.
    pub(crate) fn settings(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.settings.iter().map(|(name, value)| (*name, value.as_str()))
    }

    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        let found = self.settings.iter().rev().find(|(each, _)| *each == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// One variant of an experiment with one seed.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// The variant.
    pub variant: &'a Variant,
    /// The seed, from 0.
    pub seed: u64,
    /// Whether as little as possible is to be run.
    pub quick: bool,
    /// What is wrong with stacks and networks.
    pub(crate) mutant: &'a Mutant,
    pub(crate) interrupted: &'a AtomicBool,
    /// Where captures go, if they are wanted.
    pub(crate) captures: Option<&'a Arc<Captures>>,
}

/// What watches an emulator beside an experiment's own observer: judges, where they are asked for, and a
/// capture.
pub(crate) type Beside = (Option<FormJudges>, Option<Capture>);

impl Job<'_> {
    pub(crate) fn run(&self) -> Result<Sample, Stop> {
        match self.experiment.work {
            Work::Rust { run, .. } => run(self),
            Work::File(recipe) => recipe.run(self),
        }
    }

    /// Whether plots are wanted: of the first seed, and not of rows of sensitivity.
    pub fn draws(&self) -> bool {
        self.seed == 0 && self.variant.instead.is_none()
    }

    /// The capture of what runs now, if it is wanted: of the first seed, and not of rows of sensitivity.
    pub(crate) fn capture(&self, topology: &Topology) -> Option<Capture> {
        let captures = self.captures.filter(|_| self.draws())?;
        captures.begin(&capture_name(&self.experiment.id(), &self.variant.name()), topology)
    }

    /// The value of a setting: the variant's, or else the experiment's choice or what the paper
    /// states.
    ///
    /// # Errors
    /// [`Stop::Failed`] if there is no such setting, or it cannot be read.
    pub fn word(&self, name: &str) -> Result<&str, Stop> {
        let chosen = || self.experiment.choices.iter().find(|choice| choice.parameter == name);
        let stated = || self.experiment.parameters.iter().find(|stated| stated.name == name);
        let value = self.variant.setting(name);
        let value = value.or_else(|| chosen().map(|choice| choice.value));
        let value = value.or_else(|| stated().map(|stated| stated.value));
        value.ok_or_else(|| Stop::Failed(format!("there is no setting '{name}'")))
    }

    /// The same, read.
    ///
    /// # Errors
    /// As [`word`](Self::word).
    pub fn get<T: FromStr>(&self, name: &str) -> Result<T, Stop> {
        let value = self.word(name)?;
        value.parse().map_err(|_| Stop::Failed(format!("'{name}' cannot be '{value}'")))
    }

    /// The settings of a connection, with what a user set and what is to be wrong with them. Twice is
    /// as once.
    pub(crate) fn settings(&self, settings: Config) -> Config {
        self.mutant.settings(tcp::settings(self.variant, settings))
    }

    /// An emulator of that network and of these laws, with what a user set and what is to be wrong, and
    /// with what watches it [beside](Beside) the observer.
    ///
    /// # Errors
    /// What the emulator refuses.
    pub(crate) fn emulator<O: Observer>(
        &self,
        topology: &Topology,
        seed: u64,
        mut law: impl FnMut(HostId) -> BuiltIn,
        observer: O,
    ) -> Result<Emulator<Law, (O, Beside)>, Stop> {
        let topology = self.mutant.network(topology);
        let law = |host| self.mutant.law(tcp::law(self.variant, law(host)));
        let beside = (FormJudges::if_asked(topology.hosts()), self.capture(&topology));
        Ok(Emulator::new(&topology, seed, law, (observer, beside))?)
    }

    /// Lets an emulator run until `until`, unless the user has had enough.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    pub fn run_until<C: CongestionController + Clone + 'static, O: Observer>(
        &self,
        emulator: &mut Emulator<C, O>,
        until: Instant,
    ) -> Result<(), Stop> {
        /// Virtual time between two looks.
        const PATIENCE: Duration = Duration::from_secs(1);
        while emulator.now() < until {
            self.go_on()?;
            emulator.run_until(until.min(emulator.now() + PATIENCE));
        }
        Ok(())
    }

    /// For what takes long without an emulator.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the user has had enough.
    pub fn go_on(&self) -> Result<(), Stop> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

/// Why a job did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stop {
    /// The user wanted it.
    Interrupted,
    /// Something is wrong with the experiment.
    Failed(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Interrupted => f.write_str("interrupted; run it again for the rest"),
            Stop::Failed(why) => write!(f, "the experiment is broken: {why}"),
        }
    }
}

impl std::error::Error for Stop {}

/// So that an experiment can use `?` on what the emulator refuses.
macro_rules! failed_from {
    ($($error:ty),+) => {
        $(impl From<$error> for Stop {
            fn from(error: $error) -> Self {
                Stop::Failed(error.to_string())
            }
        })+
    };
}

failed_from!(
    ackclock::apps::StartError,
    ackclock::UnknownWord,
    ackclock_emulator::BuildError,
    ackclock_emulator::PathError,
    ackclock_emulator::UnitError
);
