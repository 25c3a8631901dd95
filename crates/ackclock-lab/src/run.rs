//! Runs the jobs of a plan on several cores.

use crate::experiment::{Job, Stop};
use crate::mutants::Mutant;
use crate::plan::{Plan, Shard, Unit};
use crate::results::Results;
use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// Is told how far a run has come.
pub trait Progress: Sync {
    /// So many jobs are to be run.
    fn begin(&self, jobs: u64);

    /// One is finished, of this experiment. The results are those of all that are finished, not yet
    /// judged; no other job can end meanwhile.
    fn finished(&self, id: &str, so_far: &Results);
}

/// Nobody is told.
impl Progress for () {
    fn begin(&self, _jobs: u64) {}

    fn finished(&self, _id: &str, _so_far: &Results) {}
}

/// What the jobs that are finished have given.
struct Gathered {
    results: Results,
    /// Experiments and why a job of theirs failed, by the job's number, so that the order is that of the
    /// plan.
    failures: BTreeMap<usize, (usize, String)>,
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
    let gathered =
        Mutex::new(Gathered { results: Results::empty(plan), failures: BTreeMap::new() });
    let run_one = |(number, unit): (usize, &Unit)| {
        let experiment = plan.experiments[unit.experiment];
        let variant = &variants[unit.experiment][unit.variant];
        let mutant = plan.mutant.unwrap_or(&Mutant::NONE);
        let seed = unit.seed;
        let (quick, captures) = (plan.quick, plan.captures.as_ref());
        let job = Job { experiment, variant, seed, quick, mutant, interrupted, captures };
        let sample = job.go_on().and_then(|()| job.run());
        // A job that panics ends the run, whatever it leaves here.
        let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let Gathered { results, failures } = &mut *gathered;
        match sample {
            Ok(sample) => results.add(unit.experiment, variant.name(), unit.seed, sample),
            Err(Stop::Interrupted) => return,
            Err(Stop::Failed(why)) => {
                let why = format!("{}, seed {}: {why}", variant.name(), unit.seed);
                failures.insert(number, (unit.experiment, why));
            }
        }
        results.count_missing();
        progress.finished(&experiment.id(), results);
    };
    let pool = ThreadPoolBuilder::new().num_threads(jobs.get()).build();
    match pool {
        // One at a time where no threads can be had.
        Err(_) => units.iter().enumerate().for_each(run_one),
        Ok(pool) => {
            pool.install(|| units.par_iter().enumerate().with_max_len(1).for_each(run_one));
        }
    }
    let gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Gathered { mut results, failures } = gathered;
    failures.into_values().for_each(|(experiment, why)| results.fail(experiment, why));
    results.judge();
    results
}
