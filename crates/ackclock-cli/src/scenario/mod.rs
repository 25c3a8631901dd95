//! Run of a scenario file in virtual time, and its report of flows and links.

mod json;
mod text;

use crate::failure::Failure;
use crate::interrupt;
use crate::recording::RecordingSettings;
use crate::report::print;
use ackclock::apps::Service;
use ackclock::time::Instant;
use ackclock_emulator::scenario::{Scenario, ScenarioError, ScenarioResults};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct ScenarioSettings {
    /// Service of the flows that name none.
    pub(crate) service: Service,
    /// File that describes the scenario.
    pub(crate) file: PathBuf,
    /// Seed of everything random; `None`: the file's own.
    pub(crate) seed: Option<u64>,
    /// Files that the run is recorded in.
    pub(crate) recording: RecordingSettings,
    /// Whether the report is a JSON object.
    pub(crate) json: bool,
}

/// Outcome of a run.
struct Outcome<'s> {
    settings: &'s ScenarioSettings,
    /// Seed that the run had.
    seed: u64,
    results: ScenarioResults,
    interrupted: bool,
    /// Real time that the run took.
    wall: Duration,
}

/// Runs the scenario and reports it.
///
/// # Errors
/// Why it could not run, or which flow failed, after the report has been written.
pub(crate) fn run(settings: &ScenarioSettings) -> Result<(), Failure> {
    let file = &settings.file;
    let mut scenario = Scenario::load(file).map_err(failure)?;
    if scenario.is_idle() {
        let file = file.display();
        return Err(Failure::Usage(format!("{file}: nothing flows: add a table [[flows]]")));
    }
    scenario.set_service(settings.service);
    if let Some(seed) = settings.seed {
        scenario.set_seed(seed);
    }
    let started = std::time::Instant::now();
    let recording = settings.recording.start(scenario.topology())?;
    let mut run = scenario.start(recording).map_err(failure)?;
    interrupt::on_request(|| {})?;
    let mut until = Instant::ZERO;
    while !run.run_until(until).map_err(failure)? && !interrupt::requested() {
        until += interrupt::PATIENCE;
    }
    let results = run.results();
    settings.recording.finish(run.into_observer())?;
    let (seed, interrupted) = (scenario.seed(), interrupt::requested());
    let outcome = Outcome { settings, seed, results, interrupted, wall: started.elapsed() };
    if settings.json {
        json::write(&outcome)?;
    } else {
        print(&text::text(&outcome))?;
    }
    outcome.failure().map_or(Ok(()), Err)
}

impl Outcome<'_> {
    /// Reason why the run is not what the file describes, if it is not.
    fn failure(&self) -> Option<Failure> {
        let mut failed = self.results.flows.iter().filter_map(|flow| flow.error.map(|e| (flow, e)));
        match failed.next() {
            Some((flow, error)) => Some(Failure::Transfer(match failed.count() {
                0 => format!("{}: {error}", flow.name),
                others => format!("{}: {error} (and {others} other flows failed)", flow.name),
            })),
            None if self.interrupted => {
                Some(Failure::Transfer("interrupted before the scenario's end".into()))
            }
            None => None,
        }
    }
}

fn failure(error: ScenarioError) -> Failure {
    match error {
        ScenarioError::Read { .. } => Failure::Environment(format!("{error}; check the name")),
        _ => Failure::Usage(error.to_string()),
    }
}
