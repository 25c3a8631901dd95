//! Analysis of a capture: what happened on its connections, printed and as graphs.

use crate::failure::Failure;
use crate::report::{StandardOutput, stdout};
use ackclock_trace::{
    Brief, CaptureError, Connection, Explanations, GraphPage, Long, Observer, Selection, Settings,
    Summary, XplotFiles, analyse,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Most connections that wait for an earlier one to end, so that they are printed in order.
const MOST_WAITING: usize = 1000;

/// Settings of an analysis.
#[derive(Clone, Debug)]
pub(crate) struct TraceSettings {
    /// File of the capture; `-` for standard input.
    pub(crate) file: PathBuf,
    /// Connections that are wanted.
    pub(crate) selection: Selection,
    pub(crate) format: Format,
    /// Page that graphs are written to.
    pub(crate) html: Option<PathBuf>,
    /// Directory that graphs are written to as files for xplot.
    pub(crate) xplot: Option<PathBuf>,
}

impl TraceSettings {
    fn is_json(&self) -> bool {
        matches!(self.format, Format::Json)
    }
}

/// Format in which connections are listed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Json,
    /// Text: with all statistics or one line for each connection, and with or without an explanation of
    /// each retransmission.
    Text {
        long: bool,
        explain: bool,
    },
}

/// Reads a capture and prints the output that the settings select.
pub(crate) fn run(settings: &TraceSettings) -> Result<(), Failure> {
    let input = open(&settings.file)?;
    let selection = &settings.selection;
    // Files are created before a long capture is read, so that errors show at once.
    let page = settings.html.as_deref().map(|path| Ok((path, create(path)?))).transpose()?;
    let mut graphs = page.is_some().then(|| GraphPage::new(selection.clone()));
    let xplot = settings.xplot.as_deref().map(|directory| {
        let files = XplotFiles::new(directory, selection.clone());
        files.map_err(|error| unwritable(directory, &error))
    });
    let mut xplot = xplot.transpose()?;
    let mut listing = Listing::new(settings);
    let observers = (&mut listing, (&mut graphs, &mut xplot));
    let (summary, read) = analyse(input, Settings::default(), observers);
    listing.finish(&summary, &read).map_err(|error| Failure::output(&error))?;
    if let (Some((path, mut file)), Some(graphs)) = (page, graphs) {
        let name = settings.file.file_name().unwrap_or(settings.file.as_os_str());
        let fault = read.as_ref().err().map(ToString::to_string);
        let html = graphs.html(&name.to_string_lossy(), &summary, fault.as_deref());
        file.write_all(html.as_bytes()).map_err(|error| unwritable(path, &error))?;
    }
    if let (Some(directory), Some(files)) = (&settings.xplot, xplot) {
        let left_out = files.finish().map_err(|error| unwritable(directory, &error))?;
        if left_out > 0 {
            eprintln!(
                "ackclock: no graphs of {left_out} connections, too many were there at the same \
                 time; choose by --host, --port or --connection"
            );
        }
    }
    read.map_err(|error| Failure::Verdict(format!("{}: {error}", settings.file.display())))
}

fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| {
        Failure::Environment(format!("cannot open the capture {}: {error}", path.display()))
    })?;
    Ok(Box::new(file))
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Environment(format!("cannot write {}: {error}", path.display()))
}

/// Listing of connections in the order of their beginnings. Few connections wait for their turn, so that
/// each is printed soon after its end.
struct Listing<'s> {
    settings: &'s TraceSettings,
    out: BufWriter<StandardOutput>,
    /// Texts of the connections that have ended but wait for one that began earlier, by number. The text
    /// of a connection that is not wanted is empty.
    waiting: BTreeMap<u64, Vec<u8>>,
    next: u64,
    has_printed: bool,
    result: io::Result<()>,
}

impl<'s> Listing<'s> {
    fn new(settings: &'s TraceSettings) -> Self {
        Listing {
            settings,
            out: BufWriter::new(stdout()),
            waiting: BTreeMap::new(),
            next: 1,
            has_printed: false,
            result: Ok(()),
        }
    }

    /// Text for a connection.
    fn text(&self, of: &Connection) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        if !self.settings.selection.wants(of) {
            return Ok(text);
        }
        match self.settings.format {
            Format::Json => serde_json::to_writer(&mut text, of)?,
            Format::Text { long, explain } => {
                if long {
                    writeln!(text, "{}", Long(of))?;
                } else {
                    writeln!(text, "{}", Brief(of))?;
                }
                if explain {
                    write!(text, "{}", Explanations(of))?;
                }
            }
        }
        Ok(text)
    }

    fn print_one(&mut self) -> io::Result<()> {
        let Some((number, text)) = self.waiting.pop_first() else { return Ok(()) };
        self.next = self.next.max(number + 1);
        if text.is_empty() {
            return Ok(());
        }
        if self.settings.is_json() {
            self.out.write_all(if self.has_printed { b",\n" } else { b"{\"connections\":[\n" })?;
        }
        self.has_printed = true;
        self.out.write_all(&text)
    }

    fn take(&mut self, connection: &Connection) -> io::Result<()> {
        let text = self.text(connection)?;
        self.waiting.insert(connection.number, text);
        while self.waiting.first_key_value().is_some_and(|(&number, _)| number <= self.next)
            || self.waiting.len() > MOST_WAITING
        {
            self.print_one()?;
        }
        Ok(())
    }

    fn finish(mut self, summary: &Summary, read: &Result<(), CaptureError>) -> io::Result<()> {
        std::mem::replace(&mut self.result, Ok(()))?;
        while !self.waiting.is_empty() {
            self.print_one()?;
        }
        let out = &mut self.out;
        if self.settings.is_json() {
            let beginning = if self.has_printed { "" } else { "{\"connections\":[" };
            write!(out, "{beginning}],\n\"capture\":")?;
            serde_json::to_writer(&mut *out, summary)?;
            write!(out, ",\n\"error\":")?;
            serde_json::to_writer(&mut *out, &read.as_ref().err().map(ToString::to_string))?;
            writeln!(out, "}}")?;
        } else {
            writeln!(out, "{summary}")?;
        }
        out.flush()
    }
}

impl Observer for Listing<'_> {
    fn on_connection(&mut self, connection: &Connection) {
        if self.result.is_ok() {
            self.result = self.take(connection);
        }
    }
}
