//! Runs the jobs of a plan on several cores.

use crate::experiment::{Job, Stop};
use crate::plan::{Plan, Shard};
use crate::results::Results;
use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

/// Is told how far a run has come.
pub trait Progress: Sync {
    /// So many jobs are to be run.
    fn begin(&self, jobs: u64);

    /// One is finished, of this experiment.
    fn finished(&self, id: &str);
}

/// Nobody is told.
impl Progress for () {
    fn begin(&self, _jobs: u64) {}

    fn finished(&self, _id: &str) {}
}

/// Runs the jobs of a part of the plan, `jobs` at a time, and judges what they measured. When
/// `interrupted` is set, the results are those of the jobs that were finished.
pub fn run(
    plan: &Plan,
    shard: Shard,
    jobs: NonZeroUsize,
    interrupted: &AtomicBool,
    progress: &dyn Progress,
) -> Results {
    let units = plan.units(shard);
    progress.begin(units.len() as u64);
    let variants: Vec<_> = plan.experiments.iter().map(|each| plan.variants(each)).collect();
    let run_one = |unit: &crate::plan::Unit| {
        let experiment = plan.experiments[unit.experiment];
        let variant = &variants[unit.experiment][unit.variant];
        let job = Job { experiment, variant, seed: unit.seed, quick: plan.quick, interrupted };
        let sample = job.go_on().and_then(|()| (experiment.run)(&job));
        progress.finished(&experiment.id());
        sample
    };
    let pool = ThreadPoolBuilder::new().num_threads(jobs.get()).build();
    let samples: Vec<_> = match pool {
        // One at a time where no threads can be had.
        Err(_) => units.iter().map(run_one).collect(),
        Ok(pool) => pool.install(|| units.par_iter().with_max_len(1).map(run_one).collect()),
    };
    let mut results = Results::empty(plan);
    for (unit, sample) in units.iter().zip(samples) {
        let variant = variants[unit.experiment][unit.variant].name();
        match sample {
            Ok(sample) => results.add(unit.experiment, variant, unit.seed, sample),
            Err(Stop::Interrupted) => {}
            Err(Stop::Failed(why)) => {
                results.fail(unit.experiment, format!("{variant}, seed {}: {why}", unit.seed));
            }
        }
    }
    results.judge();
    results
}
