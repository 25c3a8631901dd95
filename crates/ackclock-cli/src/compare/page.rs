//! Page of a comparison: the table, and pictures over time of the first seed.

use super::{CompareSettings, Result, is_client, table, warnings};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::Series;
use ackclock_report::{Axis, Page, Plot, Style, Table, Text};

/// Spans over which rates are taken, in the time that is shown.
const SPANS: u64 = 40;

/// The page, in one file that needs nothing else.
pub(super) fn html(settings: &CompareSettings, results: &[Result]) -> String {
    let names: Vec<&str> = results.iter().map(|result| result.name.as_str()).collect();
    let mut page = Page::new(format!("{} over {}", names.join(", "), settings.network));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = format!("ackclock {}", arguments.join(" "));
    let version = concat!("ackclock ", env!("CARGO_PKG_VERSION"), ": ");
    page.paragraph(Text::from(version).code(command));
    page.paragraph(format!(
        "Medians of {} seeds from {} on, in brackets the least and the greatest. Pictures show the first.",
        settings.seeds, settings.seed
    ));
    let (columns, rows) = table(results);
    page.table(rows.into_iter().fold(Table::new(columns), Table::row));
    page.list(warnings(results).into_iter().map(|warning| Text::new().bad(warning)));
    for plot in [rates(results), windows(results), round_trips(results), queues(results)] {
        page.figure(&plot, plot.title.as_str());
    }
    page.html()
}

fn second(at: Instant) -> f64 {
    at.as_nanos() as f64 / 1e9
}

/// When the last sender of all had its last ack.
fn end(results: &[Result]) -> Instant {
    let senders = results.iter().flat_map(|result| result.first.1.senders());
    senders.filter_map(|sender| sender.acked.last()).map(|(at, _)| *at).max().unwrap_or_default()
}

fn rates(results: &[Result]) -> Plot {
    let [x, y] = ["time (s)", "Mbit/s"].map(Axis::linear);
    let span = Duration::from_nanos((end(results).as_nanos() / SPANS).max(1));
    let plot = Plot::new("rate", "Acknowledged data of all senders", x, y);
    results.iter().fold(plot, |plot, result| {
        let acked = |at| result.first.1.senders().map(|sender| sender.acked_by(at)).sum::<u64>();
        let points = (0..SPANS).map(|number| {
            let from = Instant::ZERO + span.saturating_mul(number);
            let bits = (acked(from + span) - acked(from)) as f64 * 8.0;
            (second(from + span), bits / (span.as_nanos() as f64 / 1e9) / 1e6)
        });
        plot.line(&result.name, Style::Line, points.collect::<Vec<_>>())
    })
}

/// With a line for each sender.
fn of_senders(
    plot: Plot,
    results: &[Result],
    series: fn(&ackclock_emulator::ConnectionRecord) -> &Series,
    unit: f64,
) -> Plot {
    results.iter().fold(plot, |plot, result| {
        let clients = result.first.0.connections().filter(is_client);
        (1..).zip(clients).fold(plot, |plot, (number, client)| {
            let name = match result.senders() {
                1 => result.name.clone(),
                _ => format!("{} {number}", result.name),
            };
            plot.line(name, Style::Steps, points(series(client), unit))
        })
    })
}

fn points(series: &Series, unit: f64) -> Vec<(f64, f64)> {
    series.steps().iter().map(|(at, value)| (second(*at), *value as f64 / unit)).collect()
}

fn windows(results: &[Result]) -> Plot {
    let [x, y] = ["time (s)", "kB"].map(Axis::linear);
    let plot = Plot::new("cwnd", "Congestion window", x, y);
    of_senders(plot, results, |client| &client.cwnd, 1e3)
}

fn round_trips(results: &[Result]) -> Plot {
    let [x, y] = ["time (s)", "ms"].map(Axis::linear);
    let plot = Plot::new("rtt", "Smoothed round-trip time", x, y);
    of_senders(plot, results, |client| &client.rtt, 1e6)
}

fn queues(results: &[Result]) -> Plot {
    let [x, y] = ["time (s)", "packets"].map(Axis::linear);
    let plot = Plot::new("queue", "Queue of the bottleneck", x, y);
    results.iter().fold(plot, |plot, result| match result.bottleneck() {
        Some(link) => plot.line(&result.name, Style::Steps, points(&link.packets, 1.0)),
        None => plot,
    })
}
