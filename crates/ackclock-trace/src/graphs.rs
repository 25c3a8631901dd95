//! Graphs of connections on one page.

use crate::analyser::Summary;
use crate::explain::{Cause, Retransmission};
use crate::listing;
use crate::observer::{Event, EventKind, Observer, Sort};
use crate::report::{Connection, Direction};
use crate::selection::Selection;
use crate::series::{Rate, Thinned};
use ackclock_report::{Axis, Page, Plot, Style, Table, Text};
use std::collections::BTreeMap;

/// Connections on a page; the first that send data.
const MOST: usize = 24;

/// Retransmissions of a direction that a page explains.
const EXPLAINED: usize = 100;

/// Collects what one page shows, of the first connections that send data.
#[derive(Debug, Default)]
pub struct GraphPage {
    selection: Selection,
    drawn: BTreeMap<u64, Drawn>,
    left_out: u64,
}

#[derive(Debug, Default)]
struct Drawn {
    /// From a, and from b.
    ways: [Way; 2],
    connection: Option<Connection>,
}

/// The series of one direction: seconds since the connection began, and values.
#[derive(Debug, Default)]
struct Way {
    sent: Thinned<(f64, f64)>,
    fast: Thinned<(f64, f64)>,
    other: Thinned<(f64, f64)>,
    network: Thinned<(f64, f64)>,
    acks: Thinned<(f64, f64)>,
    sacks: Thinned<(f64, f64)>,
    edge: Thinned<(f64, f64)>,
    outstanding: Thinned<(f64, f64)>,
    window: Thinned<(f64, f64)>,
    rate: Rate,
    rtt: Thinned<(f64, f64)>,
}

impl GraphPage {
    /// Nothing yet.
    pub fn new(selection: Selection) -> Self {
        GraphPage { selection, ..GraphPage::default() }
    }

    /// The page: one file that needs nothing else. `name` says which capture it is about, `fault`
    /// what kept it from being read to its end.
    pub fn html(&self, name: &str, summary: &Summary, fault: Option<&str>) -> String {
        let mut page = Page::new(format!("TCP connections in {name}"));
        page.paragraph(format!("{summary}."));
        if let Some(fault) = fault {
            page.paragraph(Text::new().bad("Not all of it could be read: ").plain(fault));
        }
        match (self.drawn.len(), self.left_out) {
            (0, _) => page.paragraph("No connection that sends data is among those asked for."),
            (_, 0) => {}
            (drawn, others) => page.paragraph(format!(
                "Shown are the first {drawn} connections that send data; {others} others are not. \
                 Name those to be shown by number, host or port."
            )),
        }
        for (number, drawn) in &self.drawn {
            if let Some(connection) = &drawn.connection {
                show(&mut page, *number, connection, &drawn.ways);
            }
        }
        page.html()
    }
}

impl Observer for GraphPage {
    fn on_event(&mut self, event: &Event) {
        let place = &event.place;
        if !self.selection.wants_place(place) {
            return;
        }
        let sends = matches!(event.kind, EventKind::Sent { start, end, .. } if end - start > 1);
        let is_full = self.drawn.len() >= MOST;
        let drawn = match self.drawn.get_mut(&place.connection) {
            Some(drawn) => drawn,
            None if sends && !is_full => self.drawn.entry(place.connection).or_default(),
            None => return,
        };
        let [a, b] = &mut drawn.ways;
        let way = if place.from_a { a } else { b };
        way.add(event, event.time.saturating_since(place.began).as_nanos() as f64 / 1e9);
    }

    fn on_connection(&mut self, connection: &Connection) {
        match self.drawn.get_mut(&connection.number) {
            Some(drawn) => drawn.connection = Some(connection.clone()),
            None => {
                let sends = connection.directions().iter().any(|(_, way)| way.data_packets > 0);
                self.left_out += u64::from(sends && self.selection.wants(connection));
            }
        }
    }
}

impl Way {
    fn add(&mut self, event: &Event, time: f64) {
        match event.kind {
            EventKind::Sent { end, sort, start } => {
                let series = match sort {
                    Sort::New => {
                        self.rate.add(time, (end - start).unsigned_abs());
                        &mut self.sent
                    }
                    Sort::Retransmitted(Cause::Fast) => &mut self.fast,
                    Sort::Retransmitted(_) | Sort::Probe => &mut self.other,
                    Sort::Reordered | Sort::Duplicated => &mut self.network,
                };
                series.push((time, end as f64));
            }
            EventKind::Acked { ack, window, .. } => {
                self.acks.push((time, ack as f64));
                self.edge.push((time, ack as f64 + window as f64));
                self.window.push((time, window as f64));
            }
            EventKind::Sacked { end, .. } => self.sacks.push((time, end as f64)),
            EventKind::Rtt(rtt) => self.rtt.push((time, rtt.as_nanos() as f64 / 1e6)),
        }
        self.outstanding.push((time, event.outstanding as f64));
    }

    fn is_thinned(&self) -> bool {
        [&self.sent, &self.acks, &self.outstanding].iter().any(|series| series.is_thinned())
    }
}

fn show(page: &mut Page, number: u64, connection: &Connection, ways: &[Way; 2]) {
    let id = format!("connection-{number}");
    let heading = format!("Connection {number}: {} to {}", connection.a, connection.b);
    let status = listing::Short(connection).to_string();
    page.section(&id, heading, Text::new().faint(status.as_str()));
    page.paragraph(match &connection.interface {
        Some(interface) => format!("At {interface}: {status}."),
        None => format!("{status}."),
    });
    for ((name, direction), way) in connection.directions().into_iter().zip(ways) {
        if direction.data_packets > 0 {
            draw(page, &format!("{number} {name}"), way);
        }
    }
    let mut table = Table::new(["", "a to b", "b to a"]);
    for [name, a, b] in listing::table(connection) {
        table = table.row([name.replace("  ", "\u{2003}"), a, b]);
    }
    page.table(table);
    for (name, direction) in connection.directions() {
        explain(page, name, direction);
    }
}

fn explain(page: &mut Page, name: &str, direction: &Direction) {
    let list = &direction.retransmissions;
    if list.is_empty() {
        return;
    }
    let words = |of: &Retransmission| {
        let text = Text::new()
            .code(format!("{:.6} s", of.time_s))
            .plain(format!(" {} bytes from {} again: {}", of.length, of.seq, of.cause.name()))
            .faint(format!(", {}", of.evidence));
        match &of.spurious {
            Some(why) => text.bad(format!(" Not needed: {why}")),
            None => text,
        }
    };
    page.paragraph(format!("Retransmissions, {name}:"));
    page.list(list.iter().take(EXPLAINED).map(words));
    let all = direction.retransmitted_packets + direction.syn_fin_retransmitted;
    let more = all.saturating_sub(EXPLAINED.min(list.len()) as u64);
    if more > 0 {
        page.paragraph(format!("And {more} more."));
    }
}

fn draw(page: &mut Page, name: &str, way: &Way) {
    let plot = |title: &str, label: &str| {
        let title = format!("{title}, {name}");
        Plot::new(&title, &title, Axis::linear("time (s)"), Axis::linear(label))
    };
    let points = |series: &Thinned<(f64, f64)>| series.points().to_vec();
    let thinned = if way.is_thinned() { " (some points are left out)" } else { "" };
    let sequence = plot("Time and sequence numbers", "sequence number")
        .line("window", Style::Steps, points(&way.edge))
        .line("acknowledged", Style::Steps, points(&way.acks))
        .line("sent", Style::Points, points(&way.sent))
        .line("SACKed", Style::Points, points(&way.sacks))
        .line("reordered or copied", Style::Crosses, points(&way.network))
        .line("fast retransmissions", Style::Crosses, points(&way.fast))
        .line("timeouts and probes", Style::Crosses, points(&way.other));
    let outstanding = plot("Outstanding data", "bytes")
        .line("window", Style::Dashes, points(&way.window))
        .line("outstanding", Style::Steps, points(&way.outstanding));
    let throughput = plot("Throughput", "bytes per second").line(
        "new data",
        Style::Steps,
        way.rate.points().collect::<Vec<_>>(),
    );
    let rtt =
        plot("Round-trip time", "RTT (ms)").line("samples", Style::LinePoints, points(&way.rtt));
    for plot in [sequence, outstanding, throughput, rtt] {
        let shown = without_empty_lines(plot);
        if !shown.lines.is_empty() {
            let caption = format!("{}{thinned}", shown.title);
            page.figure(&shown, caption);
        }
    }
}

/// No legend for series that are absent.
fn without_empty_lines(mut plot: Plot) -> Plot {
    plot.lines.retain(|line| !line.points.is_empty());
    plot
}
