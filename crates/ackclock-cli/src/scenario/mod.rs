//! A scenario file run to its end, in virtual time, and what came out of its flows and links.

mod json;
mod text;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::TransferOptions;
use crate::watchers;
use ackclock::apps::Service;
use ackclock::time::Instant;
use ackclock_emulator::scenario::{Scenario, ScenarioError, ScenarioResults};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// What came out.
struct Outcome<'o> {
    /// The service of flows that name none.
    service: Service,
    file: &'o Path,
    seed: u64,
    results: ScenarioResults,
    interrupted: bool,
    /// How long the run took on the clock on the wall.
    wall: Duration,
}

/// Runs the scenario and reports it.
///
/// # Errors
/// Why it could not run, or which flow failed, after the report has been written.
pub(crate) fn run(service: Service, file: &Path, options: &TransferOptions) -> Result<(), Failure> {
    let mut scenario = Scenario::load(file).map_err(failure)?;
    if scenario.is_idle() {
        let file = file.display();
        return Err(Failure::Usage(format!("{file}: nothing flows: add a table [[flows]]")));
    }
    scenario.set_service(service);
    if let Some(seed) = options.seed {
        scenario.set_seed(seed);
    }
    let started = std::time::Instant::now();
    let watchers = watchers::create(options, scenario.topology())?;
    let mut run = scenario.start(watchers).map_err(failure)?;
    interrupt::on_request(|| {})?;
    let mut until = Instant::ZERO;
    while !run.run_until(until).map_err(failure)? && !interrupt::requested() {
        until += interrupt::PATIENCE;
    }
    let results = run.results();
    watchers::finish(run.into_observer(), options)?;
    let (seed, interrupted) = (scenario.seed(), interrupt::requested());
    let outcome = Outcome { service, file, seed, results, interrupted, wall: started.elapsed() };
    if options.report.json {
        json::write(&outcome)?;
    } else {
        let written = std::io::stdout().write_all(text::text(&outcome).as_bytes());
        written.map_err(|error| Failure::output(&error))?;
    }
    outcome.failure().map_or(Ok(()), Err)
}

impl Outcome<'_> {
    /// Why the run was not what the file describes.
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
