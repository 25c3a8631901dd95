//! Comparison of runs of the same transfer or scenario with several congestion control algorithms (laws) and seeds.

mod page;
mod text;
mod watcher;

use crate::failure::Failure;
use crate::interrupt;
use crate::report::print;
use crate::scenario::{self, ScenarioSettings};
use crate::transfer::{self, TransferSettings};
use ackclock_emulator::{LinkRecord, Recorder};
use std::fs;
use std::path::PathBuf;
use watcher::Watcher;

/// Settings of a comparison.
#[derive(Clone, Debug)]
pub(crate) struct CompareSettings {
    /// The candidates, each of which is run with every seed.
    pub(crate) candidates: Vec<Candidate>,
    /// The first seed, and how many there are.
    pub(crate) seed: u64,
    pub(crate) seeds: u64,
    /// Description of the network.
    pub(crate) network: String,
    /// File for the page with the pictures.
    pub(crate) html: Option<PathBuf>,
}

/// One of those that are compared.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Its congestion control algorithm.
    pub(crate) name: String,
    pub(crate) what: What,
}

/// The transfer or scenario to run.
#[derive(Clone, Debug)]
pub(crate) enum What {
    Transfer(Box<TransferSettings>),
    Scenario(Box<ScenarioSettings>),
}

/// Results of one candidate.
struct Result {
    name: String,
    /// A value for each seed.
    rates: Vec<f64>,
    retransmissions: Vec<f64>,
    round_trips: Vec<f64>,
    fairness: Vec<f64>,
    /// Shares of the time in which congestion control, and in which the buffers, were the limit.
    limits: [Vec<f64>; 2],
    /// All that was recorded with the first seed.
    first: Seen,
}

/// All that is recorded of a run.
type Seen = (Recorder, Watcher);

/// Runs everything, prints the table, and writes the page.
///
/// # Errors
/// A run could not begin or did not come to its end, or the page cannot be written.
pub(crate) fn run(settings: &CompareSettings) -> std::result::Result<(), Failure> {
    // Whoever cannot write it is to know before anything is run.
    let unwritable = |file: &PathBuf, error: std::io::Error| {
        Failure::Environment(format!("cannot write {}: {error}", file.display()))
    };
    if let Some(file) = &settings.html {
        fs::write(file, "").map_err(|error| unwritable(file, error))?;
    }
    interrupt::on_request(|| {})?;
    let mut results = Vec::new();
    for candidate in &settings.candidates {
        results.push(run_candidate(candidate, settings)?);
    }
    if let Some(file) = &settings.html {
        fs::write(file, page::html(settings, &results)).map_err(|error| unwritable(file, error))?;
    }
    print(&text::text(settings, &results))
}

fn run_candidate(
    candidate: &Candidate,
    settings: &CompareSettings,
) -> std::result::Result<Result, Failure> {
    let mut result: Option<Result> = None;
    for seed in (settings.seed..).take(settings.seeds as usize) {
        let seen = drive(&candidate.what, seed)?;
        if interrupt::requested() {
            return Err(Failure::Transfer("interrupted before all were run".into()));
        }
        let values = Values::of(&seen);
        let result = result.get_or_insert_with(|| Result::new(&candidate.name, seen));
        result.add(values);
    }
    result.ok_or_else(|| Failure::Usage("--seeds must be at least 1".into()))
}

fn drive(what: &What, seed: u64) -> std::result::Result<Seen, Failure> {
    let observer = (Recorder::default(), Watcher::default());
    match what {
        What::Transfer(settings) => {
            let mut settings = settings.as_ref().clone();
            settings.seed = Some(seed);
            transfer::observe(&settings, observer)
        }
        What::Scenario(settings) => {
            let mut settings = settings.as_ref().clone();
            settings.seed = Some(seed);
            scenario::observe(&settings, observer)
        }
    }
}

/// Measurements of one run.
struct Values {
    rate: f64,
    retransmissions: f64,
    round_trip: Option<f64>,
    fairness: f64,
    limits: [f64; 2],
}

impl Values {
    fn of((recorder, watcher): &Seen) -> Self {
        let rates: Vec<f64> = watcher.senders().map(rate).collect();
        let total: f64 = rates.iter().sum();
        let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
        let clients = || recorder.connections().filter(is_client);
        let trips = clients().filter_map(|client| {
            let (from, until) = (client.rtt.steps().first()?.0, client.rtt.steps().last()?.0);
            Some(client.rtt.over(from, until)?.median as f64 / 1e9)
        });
        let trips: Vec<f64> = trips.collect();
        let round_trip =
            (!trips.is_empty()).then(|| trips.iter().sum::<f64>() / trips.len() as f64);
        let count = watcher.senders().count().max(1) as f64;
        let shares = watcher.senders().map(|sender| sender.limits.shares());
        let limits =
            shares.fold([0.0; 2], |sum, it| [sum[0] + it[0] / count, sum[1] + it[1] / count]);
        Values {
            rate: total,
            retransmissions: watcher.senders().map(|sender| sender.retransmitted as f64).sum(),
            round_trip,
            fairness: if squares > 0.0 { total * total / squares / count } else { 1.0 },
            limits,
        }
    }
}

/// Acknowledged bits per second, from the first data to the last ack.
fn rate(sender: &watcher::Sender) -> f64 {
    let (Some(first), Some(last)) = (sender.acked.first(), sender.acked.last()) else { return 0.0 };
    let time = last.0.saturating_since(first.0).as_nanos() as f64 / 1e9;
    if time > 0.0 { (last.1 - first.1) as f64 * 8.0 / time } else { 0.0 }
}

fn is_client(connection: &&ackclock_emulator::ConnectionRecord) -> bool {
    connection.states.first().is_some_and(|(_, state)| *state == ackclock::tcp::State::SynSent)
}

impl Result {
    fn new(name: &str, first: Seen) -> Self {
        let [rates, retransmissions, round_trips, fairness] = [(); 4].map(|()| Vec::new());
        let (name, limits) = (name.to_owned(), [Vec::new(), Vec::new()]);
        Result { name, rates, retransmissions, round_trips, fairness, limits, first }
    }

    fn add(&mut self, values: Values) {
        self.rates.push(values.rate);
        self.retransmissions.push(values.retransmissions);
        self.round_trips.extend(values.round_trip);
        self.fairness.push(values.fairness);
        for (shares, share) in self.limits.iter_mut().zip(values.limits) {
            shares.push(share);
        }
    }

    /// Whether the buffers limit more than congestion control does.
    fn is_limited_by_buffers(&self) -> bool {
        let [law, buffer] = &self.limits;
        median(buffer) > median(law)
    }

    /// How many senders there are.
    fn senders(&self) -> usize {
        self.first.1.senders().count()
    }

    /// The link with the longest queue: the bottleneck.
    fn bottleneck(&self) -> Option<&LinkRecord> {
        let longest = |link: &&LinkRecord| {
            link.packets.steps().iter().map(|(_, packets)| *packets).max().unwrap_or(0)
        };
        self.first.0.links().map(|(_, link)| link).max_by_key(longest)
    }
}

/// The median of values; 0 of none.
fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return 0.0 };
    (values[last / 2] + values[values.len() / 2]) / 2.0
}

/// The median, and the least and the greatest if they differ; `unit` is what is written as 1.
fn spread(values: &[f64], unit: f64, digits: usize) -> String {
    let written = |value: f64| format!("{:.digits$}", value / unit);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match values.is_empty() || written(least) == written(most) {
        true => written(median(values)),
        false => format!("{} ({} to {})", written(median(values)), written(least), written(most)),
    }
}

/// What to know where the buffers decide.
fn warnings(results: &[Result]) -> Vec<String> {
    let limited = results.iter().filter(|result| result.is_limited_by_buffers());
    let warning = |result: &Result| {
        format!(
            "{}: limited by the window {:.0} % of the time, of receiver or send buffer, and by the law \
             {:.0} %: give more than this --buffer, or none, to see the law",
            result.name,
            median(&result.limits[1]) * 100.0,
            median(&result.limits[0]) * 100.0
        )
    };
    limited.map(warning).collect()
}

/// The columns of the table, and its rows.
fn table(results: &[Result]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let several = results.iter().any(|result| result.senders() > 1);
    let mut columns =
        vec!["Law", "Mbit/s", "Retransmitted", "RTT in ms", "Law limits", "Window limits"];
    if several {
        columns.push("Fairness");
    }
    let row = |result: &Result| {
        let mut cells = vec![
            result.name.clone(),
            spread(&result.rates, 1e6, 2),
            spread(&result.retransmissions, 1.0, 0),
            spread(&result.round_trips, 1e-3, 1),
            format!("{} %", spread(&result.limits[0], 0.01, 0)),
            format!("{} %", spread(&result.limits[1], 0.01, 0)),
        ];
        if several {
            cells.push(spread(&result.fairness, 1.0, 3));
        }
        cells
    };
    (columns, results.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_shows_the_extremes_only_where_they_differ() {
        assert_eq!(spread(&[1e6, 3e6, 2e6, 4e6], 1e6, 2), "2.50 (1.00 to 4.00)");
        assert_eq!(spread(&[1.001e6, 1.002e6], 1e6, 2), "1.00");
        assert_eq!(spread(&[], 1.0, 0), "0");
    }
}
