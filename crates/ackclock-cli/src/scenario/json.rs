//! Report of a scenario as JSON.

use super::Outcome;
use crate::failure::Failure;
use crate::report::{InfoReport, LinkReport, SCHEMA, seconds, stdout, write_object};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::scenario::{FlowResult, LinkResult};
use serde::Serialize;

/// The report; null where something does not apply.
#[derive(Serialize)]
struct ScenarioReport {
    schema: u32,
    version: &'static str,
    command: &'static str,
    parameters: Parameters,
    /// Whether times are virtual; always true.
    virtual_time: bool,
    /// Begin and end of the time that the results cover.
    from_seconds: f64,
    until_seconds: f64,
    flows: Vec<FlowReport>,
    links: Vec<LinkBetween>,
    error: Option<String>,
    interrupted: bool,
    wall_seconds: f64,
}

/// Settings of the run.
#[derive(Serialize)]
struct Parameters {
    scenario: String,
    seed: u64,
}

/// Results of a flow.
#[derive(Serialize)]
struct FlowReport {
    name: String,
    service: &'static str,
    started_seconds: Option<f64>,
    ended_seconds: Option<f64>,
    delivered_bytes: u64,
    bits_per_second: f64,
    /// Bursts that were acknowledged to the last byte.
    completed_bursts: u64,
    /// State of the sender's connection at the end.
    local: Option<InfoReport>,
    error: Option<String>,
}

/// Results of one direction of a link.
#[derive(Serialize)]
struct LinkBetween {
    from: String,
    to: String,
    utilisation_share: f64,
    #[serde(flatten)]
    link: LinkReport,
}

/// Writes the report to standard output.
pub(super) fn write(outcome: &Outcome<'_>) -> Result<(), Failure> {
    write_object(&report(outcome), &mut stdout())
}

fn report(outcome: &Outcome<'_>) -> ScenarioReport {
    let results = &outcome.results;
    let time = results.until.saturating_since(results.from);
    ScenarioReport {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        command: outcome.settings.service.name(),
        parameters: Parameters {
            scenario: outcome.settings.file.display().to_string(),
            seed: outcome.seed,
        },
        virtual_time: true,
        from_seconds: at(results.from),
        until_seconds: at(results.until),
        flows: results.flows.iter().map(FlowReport::new).collect(),
        links: results.links.iter().map(|link| LinkBetween::new(link, time)).collect(),
        error: outcome.failure().map(|failure| failure.to_string()),
        interrupted: outcome.interrupted,
        wall_seconds: outcome.wall.as_secs_f64(),
    }
}

fn at(instant: Instant) -> f64 {
    seconds(instant.saturating_since(Instant::ZERO))
}

impl FlowReport {
    fn new(flow: &FlowResult) -> Self {
        FlowReport {
            name: flow.name.clone(),
            service: flow.service.name(),
            started_seconds: flow.started.map(at),
            ended_seconds: flow.ended.map(at),
            delivered_bytes: flow.delivered,
            bits_per_second: flow.throughput,
            completed_bursts: flow.bursts,
            local: flow.info.as_ref().map(InfoReport::from),
            error: flow.error.map(|error| error.to_string()),
        }
    }
}

impl LinkBetween {
    fn new(link: &LinkResult, time: Duration) -> Self {
        let [from, to] = link.ends.clone();
        LinkBetween {
            from,
            to,
            utilisation_share: link.utilisation,
            link: LinkReport::new(&link.statistics, time),
        }
    }
}
