//! Graphs as files of xplot, with every point: written while the capture is read.

use crate::observer::{Event, EventKind, Observer, Place, Sort};
use crate::report::Connection;
use crate::selection::Selection;
use ackclock::time::Instant;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Connections whose graphs are written at a time: each takes up to eight open files.
const MOST: usize = 64;

/// Bytes of each file that are held back.
const BUFFER: usize = 16 << 10;

/// Segments over which the throughput is averaged.
const SEGMENTS: u32 = 10;

/// Writes graphs into a directory: `NUMBER_a2b_tsg.xpl` (time and sequence numbers), `…_owin.xpl`
/// (outstanding data), `…_tput.xpl` (throughput) and `…_rtt.xpl`, and `b2a` the other way. xplot
/// and its successors show them.
#[derive(Debug)]
pub struct XplotFiles {
    directory: PathBuf,
    selection: Selection,
    open: HashMap<(u64, bool), Graphs>,
    connections: BTreeSet<u64>,
    left_out: BTreeSet<u64>,
    result: io::Result<()>,
}

/// Those of one direction.
#[derive(Debug)]
struct Graphs {
    sequence: BufWriter<File>,
    outstanding: BufWriter<File>,
    throughput: BufWriter<File>,
    rtt: Option<BufWriter<File>>,
    last_ack: Option<(Instant, i64, i64)>,
    last_outstanding: Option<(Instant, u64)>,
    last_rtt: Option<(Instant, f64)>,
    averaged: Averaged,
}

#[derive(Debug)]
struct Averaged {
    began: Instant,
    since: Instant,
    bytes: u64,
    segments: u32,
    all_bytes: u64,
    last: Option<(Instant, f64)>,
}

impl XplotFiles {
    /// Writes into this directory, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(directory: &Path, selection: Selection) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        Ok(XplotFiles {
            directory: directory.to_owned(),
            selection,
            open: HashMap::new(),
            connections: BTreeSet::new(),
            left_out: BTreeSet::new(),
            result: Ok(()),
        })
    }

    /// Ends the files. Returns how many connections got none because too many were there at the same
    /// time.
    ///
    /// # Errors
    /// The first error of writing.
    pub fn finish(self) -> io::Result<usize> {
        self.result?;
        for graphs in self.open.into_values() {
            graphs.finish()?;
        }
        Ok(self.left_out.len())
    }

    fn draw(&mut self, event: &Event) -> io::Result<()> {
        let place = &event.place;
        let key = (place.connection, place.from_a);
        if !self.open.contains_key(&key) {
            // Where nothing is sent there is nothing to draw.
            let EventKind::Sent { sort, .. } = event.kind else { return Ok(()) };
            if sort == Sort::Probe || self.left_out.contains(&place.connection) {
                return Ok(());
            }
            if !self.connections.contains(&place.connection) && self.connections.len() == MOST {
                // Remembering those that are left out takes memory too.
                if self.left_out.len() < 1 << 20 {
                    self.left_out.insert(place.connection);
                }
                return Ok(());
            }
            self.connections.insert(place.connection);
            let graphs = Graphs::create(&self.directory, place, event.time)?;
            self.open.insert(key, graphs);
        }
        let Some(graphs) = self.open.get_mut(&key) else { return Ok(()) };
        if matches!(event.kind, EventKind::Rtt(_)) && graphs.rtt.is_none() {
            graphs.rtt = Some(create(&self.directory, place, "rtt", "rtt (ms)", "double")?);
        }
        graphs.draw(event)
    }
}

impl Observer for XplotFiles {
    fn on_event(&mut self, event: &Event) {
        if self.result.is_ok() && self.selection.wants_place(&event.place) {
            self.result = self.draw(event);
        }
    }

    fn on_connection(&mut self, connection: &Connection) {
        self.connections.remove(&connection.number);
        for from_a in [true, false] {
            if let Some(graphs) = self.open.remove(&(connection.number, from_a))
                && self.result.is_ok()
            {
                self.result = graphs.finish();
            }
        }
    }
}

/// Begins a file.
fn create(
    directory: &Path,
    place: &Place,
    graph: &str,
    label: &str,
    kind: &str,
) -> io::Result<BufWriter<File>> {
    let way = if place.from_a { "a2b" } else { "b2a" };
    let path = directory.join(format!("{}_{way}_{graph}.xpl", place.connection));
    let mut file = BufWriter::with_capacity(BUFFER, File::create(path)?);
    let (source, destination) = (place.source, place.destination);
    writeln!(file, "timeval {kind}\ntitle\n{source} to {destination} ({label})")?;
    writeln!(file, "xlabel\ntime\nylabel\n{label}")?;
    Ok(file)
}

/// A time as xplot reads it.
fn at(time: Instant) -> String {
    let nanos = time.as_nanos();
    format!("{}.{:06}", nanos / 1_000_000_000, nanos / 1_000 % 1_000_000)
}

impl Graphs {
    fn create(directory: &Path, place: &Place, now: Instant) -> io::Result<Self> {
        let create = |graph, label, kind| create(directory, place, graph, label, kind);
        Ok(Graphs {
            sequence: create("tsg", "sequence number", "signed")?,
            outstanding: create("owin", "outstanding data (bytes)", "unsigned")?,
            throughput: create("tput", "throughput (bytes/s)", "double")?,
            rtt: None,
            last_ack: None,
            last_outstanding: None,
            last_rtt: None,
            averaged: Averaged {
                began: now,
                since: now,
                bytes: 0,
                segments: 0,
                all_bytes: 0,
                last: None,
            },
        })
    }

    fn draw(&mut self, event: &Event) -> io::Result<()> {
        let now = at(event.time);
        match event.kind {
            EventKind::Sent { start, end, sort } => {
                self.draw_segment(&now, start, end, sort)?;
                if sort == Sort::New {
                    self.draw_throughput(event.time, (end - start).unsigned_abs())?;
                }
            }
            EventKind::Acked { ack, window, is_duplicate } => {
                let edge = ack.saturating_add_unsigned(window);
                let file = &mut self.sequence;
                if let Some((then, last_ack, last_edge)) = self.last_ack {
                    let then = at(then);
                    for (colour, last, new) in
                        [("green", last_ack, ack), ("yellow", last_edge, edge)]
                    {
                        writeln!(file, "{colour}\nline {then} {last} {now} {last}")?;
                        if new != last {
                            writeln!(file, "line {now} {last} {now} {new}")?;
                        }
                    }
                }
                if is_duplicate {
                    writeln!(file, "green\ndtick {now} {ack}")?;
                }
                self.last_ack = Some((event.time, ack, edge));
            }
            EventKind::Sacked { start, end } => {
                writeln!(self.sequence, "purple\nline {now} {start} {now} {end}")?;
                writeln!(self.sequence, "ltext {now} {end}\nS")?;
            }
            EventKind::Rtt(rtt) => {
                let value = rtt.as_nanos() as f64 / 1e6;
                if let Some(file) = &mut self.rtt {
                    if let Some((then, last)) = self.last_rtt {
                        writeln!(file, "red\nline {} {last} {now} {value}", at(then))?;
                    }
                    writeln!(file, "red\ndot {now} {value}")?;
                }
                self.last_rtt = Some((event.time, value));
            }
        }
        if let Some((then, last)) = self.last_outstanding {
            let new = event.outstanding;
            let file = &mut self.outstanding;
            writeln!(file, "red\nline {} {last} {now} {last}", at(then))?;
            if new != last {
                writeln!(file, "line {now} {last} {now} {new}")?;
            }
        }
        self.last_outstanding = Some((event.time, event.outstanding));
        Ok(())
    }

    fn draw_segment(&mut self, now: &str, start: i64, end: i64, sort: Sort) -> io::Result<()> {
        let (colour, mark) = match sort {
            Sort::New => ("white", None),
            Sort::Retransmitted(_) => ("red", Some("R")),
            Sort::Reordered => ("orange", Some("O")),
            Sort::Duplicated => ("blue", Some("D")),
            Sort::Probe => ("orange", Some("P")),
        };
        let file = &mut self.sequence;
        writeln!(file, "{colour}\ndarrow {now} {end}\nuarrow {now} {start}")?;
        writeln!(file, "line {now} {start} {now} {end}")?;
        if let Some(mark) = mark {
            writeln!(file, "atext {now} {end}\n{mark}")?;
        }
        Ok(())
    }

    fn draw_throughput(&mut self, now: Instant, bytes: u64) -> io::Result<()> {
        let of = &mut self.averaged;
        of.bytes += bytes;
        of.all_bytes += bytes;
        of.segments += 1;
        let span = now.saturating_since(of.since).as_nanos() as f64 / 1e9;
        if of.segments < SEGMENTS || span == 0.0 {
            return Ok(());
        }
        let rate = of.bytes as f64 / span;
        let mean = of.all_bytes as f64 / (now.saturating_since(of.began).as_nanos() as f64 / 1e9);
        let file = &mut self.throughput;
        let time = at(now);
        if let Some((then, last)) = of.last {
            writeln!(file, "red\nline {} {last:.0} {time} {rate:.0}", at(then))?;
        }
        writeln!(file, "blue\ndot {time} {mean:.0}")?;
        (of.last, of.since, of.bytes, of.segments) = (Some((now, rate)), now, 0, 0);
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        let all = [Some(self.sequence), Some(self.outstanding), Some(self.throughput), self.rtt];
        for mut file in all.into_iter().flatten() {
            writeln!(file, "go")?;
            file.flush()?;
        }
        Ok(())
    }
}
