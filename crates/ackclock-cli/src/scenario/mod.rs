//! Run of a scenario file in virtual time, and its report of flows and links.

mod json;
mod text;

use crate::failure::Failure;
use crate::interrupt;
use crate::recording::RecordingSettings;
use crate::report::print;
use ackclock::apps::Service;
use ackclock::tcp::CongestionControl;
use ackclock::time::Instant;
use ackclock_emulator::Observer;
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
    /// Law of all hosts; `None`: those of the file.
    pub(crate) law: Option<CongestionControl>,
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

/// The scenario of the file, as the settings want it.
fn load(settings: &ScenarioSettings) -> Result<Scenario, Failure> {
    let file = &settings.file;
    let mut scenario = match settings.law {
        Some(law) => Scenario::load_with_law(file, law),
        None => Scenario::load(file),
    }
    .map_err(failure)?;
    if scenario.is_idle() {
        let file = file.display();
        return Err(Failure::Usage(format!("{file}: nothing flows: add a table [[flows]]")));
    }
    scenario.set_service(settings.service);
    if let Some(seed) = settings.seed {
        scenario.set_seed(seed);
    }
    Ok(scenario)
}

/// Runs the scenario to its end, and gives the observer back.
fn drive<O: Observer>(scenario: &Scenario, observer: O) -> Result<(ScenarioResults, O), Failure> {
    let mut run = scenario.start(observer).map_err(failure)?;
    interrupt::on_request(|| {})?;
    let mut until = Instant::ZERO;
    while !run.run_until(until).map_err(failure)? && !interrupt::requested() {
        until += interrupt::PATIENCE;
    }
    Ok((run.results(), run.into_observer()))
}

/// Runs the scenario for an observer, and reports nothing.
///
/// # Errors
/// Why it could not run, or which flow failed.
pub(crate) fn observe<O: Observer>(settings: &ScenarioSettings, observer: O) -> Result<O, Failure> {
    let (results, observer) = drive(&load(settings)?, observer)?;
    match results.flows.iter().find_map(|flow| Some((&flow.name, flow.error?))) {
        Some((name, error)) => Err(Failure::Transfer(format!("{name}: {error}"))),
        None => Ok(observer),
    }
}

/// The seed of the file.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn seed(settings: &ScenarioSettings) -> Result<u64, Failure> {
    load(settings).map(|scenario| scenario.seed())
}

/// Runs the scenario and reports it.
///
/// # Errors
/// Why it could not run, or which flow failed, after the report has been written.
pub(crate) fn run(settings: &ScenarioSettings) -> Result<(), Failure> {
    let scenario = load(settings)?;
    let started = std::time::Instant::now();
    let recording = settings.recording.start(scenario.topology())?;
    let (results, recording) = drive(&scenario, recording)?;
    settings.recording.finish(recording)?;
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
    /// Reason why the run differs from the file's description, if it does.
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
