//! Report of a scenario as text.

use super::Outcome;
use crate::report::{bytes, milliseconds, rate, seconds, waits};
use ackclock::time::Instant;
use ackclock_emulator::scenario::{FlowResult, LinkResult};

/// The report: a table of flows and a table of links.
pub(super) fn text(outcome: &Outcome<'_>) -> String {
    let results = &outcome.results;
    let flows = results.flows.iter().map(|flow| (flow.name.as_str(), flow_cells(flow)));
    let links: Vec<_> =
        results.links.iter().map(|link| (link.ends.join(">"), link_cells(link))).collect();
    let links = links.iter().map(|(name, cells)| (name.as_str(), cells.clone()));
    let flow_header = "Transfer     Bitrate         Retr  Cwnd         RTT       End";
    let link_header = "Busy    Longest queue  Packets     Dropped  Lost     Marked";
    let queues = results.links.iter().filter_map(|link| {
        waits(&link.statistics).map(|waits| format!("{}: {waits}\n", link.ends.join(">")))
    });
    [
        table("Flow", flow_header, flows),
        table("Link", link_header, links),
        queues.collect(),
        format!(
            "{}: {:.2} to {:.2} s of virtual time, seed {}, took {}\n",
            outcome.settings.file.display(),
            at(results.from),
            at(results.until),
            outcome.seed,
            milliseconds(outcome.wall.into()),
        ),
    ]
    .concat()
}

/// Rows under a header; the first column is as wide as its longest cell.
fn table<'t>(first: &str, header: &str, rows: impl Iterator<Item = (&'t str, String)>) -> String {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(name, _)| name.len()).fold(first.len(), usize::max);
    let header = (first, header.to_owned());
    let lines = std::iter::once(&header).chain(&rows);
    lines.map(|(name, cells)| format!("{name:width$}  {cells}\n")).collect()
}

fn at(instant: Instant) -> f64 {
    seconds(instant.saturating_since(Instant::ZERO))
}

fn flow_cells(flow: &FlowResult) -> String {
    let end = match (flow.error, flow.ended, flow.started) {
        (Some(error), ..) => format!("failed: {error}"),
        (None, Some(ended), _) => format!("{:.2} s", at(ended)),
        (None, None, Some(_)) => "goes on".into(),
        (None, None, None) => "not begun".into(),
    };
    let transfer = format!("{:11}  {:14}", bytes(flow.delivered), rate(flow.throughput));
    match &flow.info {
        Some(info) => format!(
            "{transfer} {:5}  {:11}  {:8}  {end}",
            info.retransmitted,
            bytes(info.cwnd.into()),
            milliseconds(info.rtt),
        ),
        None => format!("{transfer}     -  -            -         {end}"),
    }
}

fn link_cells(link: &LinkResult) -> String {
    let LinkResult { statistics, utilisation, .. } = link;
    format!(
        "{:5.1} % {:14}  {:10}  {:7}  {:7}  {}",
        utilisation * 100.0,
        statistics.longest_queue,
        statistics.packets_carried,
        statistics.packets_dropped,
        statistics.packets_lost,
        statistics.packets_marked,
    )
}
