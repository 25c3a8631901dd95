//! The swarm: networks drawn by lot and judged, findings written to files, and cases played again.

mod findings;

use crate::failure::Failure;
use crate::interrupt;
use crate::report::print;
use ackclock_emulator::read_text;
use ackclock_swarm::{Case, Found, Progress, SeedsDone, Swarm, Total, judge};
use findings::Findings;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// How long one finding is made smaller.
const SHRINK: Duration = Duration::from_secs(60);
/// Largest files that are read, in bytes.
const MOST_STATE: u64 = 16 << 20;
const MOST_CASE: u64 = 1 << 20;
/// How often the state is written, and a line says how far the run is.
const SAVE: Duration = Duration::from_secs(2);
const TELL: Duration = Duration::from_secs(30);

/// Settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct SwarmSettings {
    /// The seeds.
    pub(crate) seeds: Range<u64>,
    /// After how long no further seed is begun.
    pub(crate) time: Option<Duration>,
    /// Seeds at a time; `None`: one per core.
    pub(crate) jobs: Option<NonZeroUsize>,
    /// File that says which seeds are done.
    pub(crate) state: Option<PathBuf>,
    /// Directory of the findings.
    pub(crate) out: PathBuf,
}

/// Settings of a case that is played again.
#[derive(Clone, Debug)]
pub(crate) struct PlaySettings {
    /// File of the case.
    pub(crate) case: PathBuf,
}

/// Judges all seeds.
pub(crate) fn run(settings: &SwarmSettings) -> Result<(), Failure> {
    interrupt::watch()?;
    let done = settings.state.as_deref().map_or(Ok(SeedsDone::default()), read_state)?;
    let jobs = settings.jobs.or_else(|| available_parallelism().ok());
    let swarm = Swarm {
        seeds: settings.seeds.clone(),
        time: settings.time,
        jobs: jobs.map_or(1, NonZeroUsize::get),
        shrink: SHRINK,
    };
    let watch = Watch::new(settings);
    let (total, done) = swarm.run(done, interrupt::flag(), &watch);
    let failure = watch.conclude();
    settings.state.as_deref().map_or(Ok(()), |state| save_state(state, &done))?;
    print(&format!("{}\n", summary(&total)))?;
    failure?;
    if total.findings > 0 {
        let text = format!(
            "{} of {} seeds have findings: see {}",
            total.findings,
            total.seeds,
            settings.out.display()
        );
        return Err(Failure::Verdict(text));
    }
    if settings.time.is_none() && interrupt::requested() {
        return Err(Failure::Verdict("interrupted: not all seeds are judged".into()));
    }
    Ok(())
}

/// What a run has done, in one line.
fn summary(total: &Total) -> String {
    format!(
        "{} seeds, {} findings, {:.0} segments per second and {:.1} simulated years per hour of a core, digest {:016x}",
        total.seeds,
        total.findings,
        total.segments_per_second(),
        total.years_per_hour(),
        total.digest
    )
}

fn read_state(file: &Path) -> Result<SeedsDone, Failure> {
    match read_text(file, MOST_STATE) {
        Ok(text) => {
            text.parse().map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(SeedsDone::default()),
        Err(error) => Err(Failure::Environment(format!("cannot read {}: {error}", file.display()))),
    }
}

/// Writes the state in one step, so that an end at any time leaves the old one or the new one.
fn save_state(file: &Path, done: &SeedsDone) -> Result<(), Failure> {
    let new = file.with_extension("new");
    std::fs::write(&new, format!("{done}\n"))
        .and_then(|()| std::fs::rename(&new, file))
        .map_err(|error| Failure::Environment(format!("cannot write {}: {error}", file.display())))
}

/// Watch over a run: tells findings as they come, and now and then how far it is; keeps the state.
struct Watch<'s> {
    settings: &'s SwarmSettings,
    findings: Findings<'s>,
    state: Mutex<Told>,
}

struct Told {
    saved: Instant,
    told: Instant,
    failure: Option<Failure>,
}

impl<'s> Watch<'s> {
    fn new(settings: &'s SwarmSettings) -> Self {
        let now = Instant::now();
        let state = Mutex::new(Told { saved: now, told: now, failure: None });
        Watch { settings, findings: Findings::new(&settings.out), state }
    }

    /// Ends the run early if something cannot be written.
    fn note(&self, result: Result<(), Failure>) {
        if let (Err(failure), Ok(mut told)) = (result, self.state.lock()) {
            told.failure.get_or_insert(failure);
            interrupt::flag().store(true, Ordering::Relaxed);
        }
    }

    fn conclude(self) -> Result<(), Failure> {
        let told = self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        told.failure.map_or(Ok(()), Err)
    }
}

impl Progress for Watch<'_> {
    fn found(&self, found: &Found) {
        self.note(self.findings.write(found).and_then(|text| print(&text)));
    }

    fn done(&self, total: &Total, seeds: &SeedsDone) {
        let Ok(mut told) = self.state.lock() else { return };
        let now = Instant::now();
        let saves = now.duration_since(told.saved) >= SAVE;
        let tells = now.duration_since(told.told) >= TELL;
        if saves {
            told.saved = now;
        }
        if tells {
            told.told = now;
        }
        drop(told);
        if let (true, Some(state)) = (saves, &self.settings.state) {
            self.note(save_state(state, seeds));
        }
        if tells {
            self.note(print(&format!("{}\n", summary(total))));
        }
    }
}

/// Plays one case again, with captures beside its file.
pub(crate) fn play(settings: &PlaySettings) -> Result<(), Failure> {
    let file = &settings.case;
    let text = read_text(file, MOST_CASE).map_err(|error| {
        Failure::Environment(format!("cannot read {}: {error}", file.display()))
    })?;
    let case = Case::from_toml(&text)
        .map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?;
    let captures = findings::capture(&case, file)?;
    let verdict = judge(&case);
    let mut text = String::new();
    for capture in captures {
        text += &format!("capture: {}\n", capture.display());
    }
    match verdict.finding {
        None => print(&format!("{text}nothing was found\n")),
        Some(finding) => {
            print(&text)?;
            Err(Failure::Verdict(format!("{}: {}", finding.oracle, finding.text)))
        }
    }
}
