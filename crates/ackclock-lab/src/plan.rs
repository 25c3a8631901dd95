//! What is to be run: jobs, and parts of them.

use crate::captures::Captures;
use crate::experiment::{Experiment, Variant, Work};
use crate::mutants::Mutant;
use crate::parameters::Settings;
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::sync::Arc;

/// Experiments, and how much of them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The experiments, in the order of the results.
    pub experiments: Vec<&'static Experiment>,
    /// Whether as little as possible is to be run.
    pub quick: bool,
    /// How many seeds; `None`: what the experiments think right. Rows of sensitivity, and all variants
    /// where something is wrong, have no more than that.
    pub seeds: Option<NonZeroU64>,
    /// What is wrong with stacks and networks, if anything is to be: then there are no rows of
    /// sensitivity, and every verdict counts.
    pub mutant: Option<&'static Mutant>,
    /// Other values than the papers': then there are no rows of sensitivity, and nothing is judged. All
    /// experiments are to have these parameters ([`Settings::fitting`]).
    pub settings: Settings,
    /// Where captures of what is sent go, if they are wanted; they change no result.
    pub captures: Option<Arc<Captures>>,
}

/// A job of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unit {
    /// Which experiment of the plan.
    pub(crate) experiment: usize,
    /// Which of its variants.
    pub(crate) variant: usize,
    pub(crate) seed: u64,
}

impl Plan {
    /// The variants of an experiment, with as many seeds as this plan wants.
    pub(crate) fn variants(&self, experiment: &Experiment) -> Vec<Variant> {
        let mut variants = experiment.variants(self.quick);
        if self.mutant.is_some() || !self.settings.is_empty() {
            variants.retain(|variant| variant.instead.is_none());
        }
        if !self.settings.is_empty() {
            variants = self.settings.apply(&experiment.offers(), &variants);
        }
        if let Some(seeds) = self.seeds {
            let keeps = |variant: &&mut Variant| self.mutant.is_some() && variant.needs_seeds;
            for variant in variants.iter_mut().filter(|variant| !keeps(variant)) {
                let at_most = variant.instead.is_some() || self.mutant.is_some();
                variant.seeds = if at_most { variant.seeds.min(seeds.get()) } else { seeds.get() };
            }
        }
        variants
    }

    /// Whether another one leads to the same jobs.
    pub(crate) fn is_same(&self, other: &Plan) -> bool {
        let ids = |plan: &Plan| -> Vec<String> {
            plan.experiments.iter().map(|experiment| experiment.id()).collect()
        };
        (self.quick, self.seeds, &self.settings) == (other.quick, other.seeds, &other.settings)
            && ids(self) == ids(other)
    }

    /// The command that runs it, whatever the number of cores or parts.
    pub(crate) fn command(&self) -> String {
        let name = |each: &&Experiment| match each.work {
            Work::File(recipe) => recipe.file_name().to_owned(),
            Work::Rust { .. } => each.id(),
        };
        let names: Vec<String> = self.experiments.iter().copied().map(|each| name(&each)).collect();
        let is_all = crate::papers::all().map(Experiment::id).eq(names.iter().cloned());
        let mut command =
            format!("lab run {}", if is_all { "all".into() } else { names.join(" ") });
        command += &self.settings.options();
        if self.quick {
            command += " --quick";
        }
        if let Some(seeds) = self.seeds {
            command += &format!(" --seeds {seeds}");
        }
        command
    }

    /// All jobs, or those of one part.
    pub(crate) fn units(&self, shard: Shard) -> Vec<Unit> {
        let mut units = Vec::new();
        for (index, experiment) in self.experiments.iter().enumerate() {
            for (variant, each) in self.variants(experiment).iter().enumerate() {
                let unit = |seed| Unit { experiment: index, variant, seed };
                units.extend((0..each.seeds).map(unit));
            }
        }
        let numbered = (0..).zip(units).filter(|(number, _)| shard.contains(*number));
        numbered.map(|(_, unit)| unit).collect()
    }
}

/// A part of a plan's jobs: every N-th from the I-th on.
///
/// As a word: `2/8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part, from 1.
    index: NonZeroU64,
    /// Of so many.
    count: NonZeroU64,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { index: NonZeroU64::MIN, count: NonZeroU64::MIN };

    fn contains(self, number: u64) -> bool {
        number % self.count.get() == self.index.get() - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// A word that is no [`Shard`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoShard;

impl fmt::Display for NoShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part is written as 2/8: the second of eight, from 1/8 to 8/8")
    }
}

impl std::error::Error for NoShard {}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let parts = text.split_once('/').ok_or(NoShard)?;
        let number = |text: &str| text.parse::<NonZeroU64>().map_err(|_| NoShard);
        let (index, count) = (number(parts.0)?, number(parts.1)?);
        if index <= count { Ok(Shard { index, count }) } else { Err(NoShard) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let experiments = crate::select(&["zhang91"]).unwrap();
        let settings = Settings::default();
        Plan { experiments, quick: true, seeds: None, mutant: None, settings, captures: None }
    }

    #[test]
    fn the_parts_are_the_whole_and_share_nothing() {
        let plan = plan();
        let part = |word: &str| plan.units(word.parse().unwrap());
        let mut parts: Vec<_> = ["1/3", "2/3", "3/3"].map(part).into_iter().flatten().collect();
        parts.sort_by_key(|unit| (unit.experiment, unit.variant, unit.seed));
        assert_eq!(parts, plan.units(Shard::WHOLE));
    }

    #[test]
    fn rows_of_sensitivity_get_no_more_seeds_than_they_have() {
        let plan = Plan { seeds: NonZeroU64::new(50), ..plan() };
        let variants = plan.variants(plan.experiments[0]);
        assert!(variants.iter().any(|variant| variant.seeds == 50));
        let is_small = |variant: &Variant| variant.instead.is_none() || variant.seeds < 50;
        assert!(variants.iter().all(is_small));
    }

    #[test]
    fn the_command_is_what_leads_to_the_same_plan() {
        let settings = Settings::read(&["tau=2s"], &["buffer=10..30:10", "cc=reno,cubic"]).unwrap();
        let experiments = crate::select(&["zhang91.phases"]).unwrap();
        let seeds = NonZeroU64::new(4);
        let (captures, mutant) = (None, None);
        let plan = Plan { experiments, quick: true, seeds, mutant, settings, captures };
        let command = "lab run zhang91.phases --set tau=2s --sweep buffer=10,20,30 --sweep cc=reno,cubic \
                       --quick --seeds 4";
        assert_eq!(plan.command(), command);
    }

    #[test]
    fn a_part_that_is_none_is_refused() {
        for word in ["", "1", "0/2", "3/2", "1/0", "a/b"] {
            assert_eq!(word.parse::<Shard>(), Err(NoShard), "{word}");
        }
        assert_eq!("2/8".parse::<Shard>().unwrap().to_string(), "2/8");
    }
}
