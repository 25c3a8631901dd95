//! The swarm: many seeds on several threads, resumable.

use crate::case::Case;
use crate::oracles::Finding;
use crate::shrink::shrink;
use crate::verdict::{case_of, judge};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a seed led to.
#[derive(Clone, Debug)]
pub struct Found {
    /// The seed.
    pub seed: u64,
    /// What is wrong.
    pub finding: Finding,
    /// The least case that still shows it.
    pub case: Case,
}

/// What a swarm has done so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// Seeds judged.
    pub seeds: u64,
    /// Seeds with a finding.
    pub findings: u64,
    /// Packets that hosts sent.
    pub segments: u64,
    /// Virtual time of all runs, in microseconds.
    pub micros: u64,
    /// A digest of all verdicts, whatever their order.
    pub digest: u64,
    /// Real time spent on judging, of all threads together.
    pub busy: Duration,
}

impl Total {
    /// Simulated years per hour of one processor.
    pub fn years_per_hour(&self) -> f64 {
        let years = self.micros as f64 / 1e6 / (365.25 * 86_400.0);
        years / (self.busy.as_secs_f64() / 3_600.0).max(1e-9)
    }

    /// Packets per second of one processor.
    pub fn segments_per_second(&self) -> f64 {
        self.segments as f64 / self.busy.as_secs_f64().max(1e-9)
    }
}

/// Whoever wants to know how a swarm goes on; called by its threads.
pub trait Progress: Sync {
    /// Something was found.
    fn found(&self, found: &Found);

    /// A seed is done.
    fn done(&self, total: &Total, seeds: &SeedsDone);
}

/// The settings of a swarm.
#[derive(Clone, Debug)]
pub struct Swarm {
    /// The seeds.
    pub seeds: Range<u64>,
    /// After this time no further seed is begun; `None`: all seeds are.
    pub time: Option<Duration>,
    /// Seeds judged at a time.
    pub jobs: usize,
    /// How long to make one finding smaller.
    pub shrink: Duration,
}

/// What the threads of a swarm share.
struct Shared {
    next: u64,
    done: SeedsDone,
    total: Total,
}

impl Swarm {
    /// Judges all seeds that are not done yet; `stop` ends it early.
    pub fn run(
        &self,
        done: SeedsDone,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> (Total, SeedsDone) {
        let begun = Instant::now();
        let shared = Mutex::new(Shared { next: self.seeds.start, done, total: Total::default() });
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    let is_over = || {
                        stop.load(Ordering::Relaxed)
                            || self.time.is_some_and(|time| begun.elapsed() >= time)
                    };
                    while !is_over()
                        && let Some(seed) = take(&shared, self.seeds.end)
                    {
                        self.judge(seed, &shared, progress);
                    }
                });
            }
        });
        let shared = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        (shared.total, shared.done)
    }

    fn judge(&self, seed: u64, shared: &Mutex<Shared>, progress: &dyn Progress) {
        let begun = Instant::now();
        let case = case_of(seed);
        let verdict = judge(&case);
        let busy = begun.elapsed();
        if let Some(finding) = &verdict.finding {
            let least = shrink(&case, &finding.oracle, self.shrink);
            let finding = judge(&least).finding.unwrap_or_else(|| finding.clone());
            progress.found(&Found { seed, finding, case: least });
        }
        let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        shared.done.insert(seed);
        let total = &mut shared.total;
        total.seeds += 1;
        total.findings += u64::from(verdict.finding.is_some());
        total.segments += verdict.segments;
        total.micros += verdict.micros;
        total.busy += busy;
        // A sum, since seeds end in any order.
        total.digest =
            total.digest.wrapping_add((verdict.digest ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        progress.done(&shared.total, &shared.done);
    }
}

/// The next seed that is not done.
fn take(shared: &Mutex<Shared>, end: u64) -> Option<u64> {
    let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    while shared.done.contains(shared.next) {
        shared.next += 1;
    }
    let seed = shared.next;
    shared.next += 1;
    (seed < end).then_some(seed)
}

/// The seeds that are done, as text `0..120 125..126`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeedsDone {
    /// The end of each span by its first seed. No two of them touch.
    spans: BTreeMap<u64, u64>,
}

impl SeedsDone {
    fn insert(&mut self, seed: u64) {
        if self.contains(seed) {
            return;
        }
        let end = self.spans.remove(&(seed + 1)).unwrap_or(seed + 1);
        let before = self.spans.range_mut(..seed).next_back().filter(|(_, end)| **end == seed);
        match before {
            Some((_, before)) => *before = end,
            None => {
                self.spans.insert(seed, end);
            }
        }
    }

    fn contains(&self, seed: u64) -> bool {
        self.spans.range(..=seed).next_back().is_some_and(|(_, end)| seed < *end)
    }
}

impl fmt::Display for SeedsDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, end)) in self.spans.iter().enumerate() {
            let separator = if index > 0 { " " } else { "" };
            write!(f, "{separator}{first}..{end}")?;
        }
        Ok(())
    }
}

impl FromStr for SeedsDone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let span = |word: &str| {
            let span = word
                .split_once("..")
                .and_then(|(first, end)| Some((first.parse().ok()?, end.parse::<u64>().ok()?)));
            span.ok_or_else(|| format!("'{word}' is no span of seeds: write 0..120 125..126"))
        };
        let spans = text.split_whitespace().map(span).collect::<Result<_, String>>()?;
        Ok(SeedsDone { spans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_that_are_done_are_kept_as_spans() {
        let mut done = SeedsDone::default();
        for seed in [7, 5, 9, 6, 7] {
            done.insert(seed);
        }
        assert_eq!(done.to_string(), "5..8 9..10");
        done.insert(8);
        assert_eq!(done.to_string(), "5..10");
        assert_eq!(done.to_string().parse(), Ok(done.clone()));
        assert!(done.contains(9) && !done.contains(10) && !done.contains(4));
        assert!("5-8".parse::<SeedsDone>().is_err());
    }
}
