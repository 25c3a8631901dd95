//! What a capture tells: reading it, and printing.

use crate::commands::trace::Trace;
use crate::failure::Failure;
use ackclock_trace::{
    Brief, CaptureError, Connection, Explanations, GraphPage, Long, Observer, Selection, Settings,
    Summary, XplotFiles, analyse,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

/// Connections that wait for one before them to end, so that they are printed in order.
const MOST_WAITING: usize = 1000;

/// Reads a capture and prints what was asked for.
pub(crate) fn run(command: &Trace) -> Result<(), Failure> {
    let input = open(&command.file)?;
    let selection = Selection {
        host: command.host,
        port: command.port,
        connections: command.connection.clone(),
    };
    // A page that cannot be written is known before a long capture is read.
    let page = command.html.as_deref().map(|path| Ok((path, create(path)?))).transpose()?;
    let mut graphs = page.is_some().then(|| GraphPage::new(selection.clone()));
    let xplot = command.xplot.as_deref().map(|directory| {
        let files = XplotFiles::new(directory, selection.clone());
        files.map_err(|error| unwritable(directory, &error))
    });
    let mut xplot = xplot.transpose()?;
    let mut listing = Listing::new(command, selection);
    let observers = (&mut listing, (&mut graphs, &mut xplot));
    let (summary, read) = analyse(input, Settings::default(), observers);
    listing.finish(&summary, &read).map_err(|error| Failure::output(&error))?;
    if let (Some((path, mut file)), Some(graphs)) = (page, graphs) {
        let name = command.file.file_name().unwrap_or(command.file.as_os_str());
        let fault = read.as_ref().err().map(ToString::to_string);
        let html = graphs.html(&name.to_string_lossy(), &summary, fault.as_deref());
        file.write_all(html.as_bytes()).map_err(|error| unwritable(path, &error))?;
    }
    if let (Some(directory), Some(files)) = (&command.xplot, xplot) {
        let left_out = files.finish().map_err(|error| unwritable(directory, &error))?;
        if left_out > 0 {
            eprintln!(
                "ackclock: no graphs of {left_out} connections, too many were there at the same \
                 time; choose by --host, --port or --connection"
            );
        }
    }
    read.map_err(|error| Failure::Verdict(format!("{}: {error}", command.file.display())))
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

/// Prints connections as they end, but in the order of their beginnings as far as few wait for it.
struct Listing<'a> {
    command: &'a Trace,
    selection: Selection,
    out: BufWriter<io::Stdout>,
    /// What is to be printed of those that ended before one that began before them; nothing of
    /// those that nobody asked for.
    waiting: BTreeMap<u64, Vec<u8>>,
    next: u64,
    has_printed: bool,
    result: io::Result<()>,
}

impl<'a> Listing<'a> {
    fn new(command: &'a Trace, selection: Selection) -> Self {
        Listing {
            command,
            selection,
            out: BufWriter::new(io::stdout()),
            waiting: BTreeMap::new(),
            next: 1,
            has_printed: false,
            result: Ok(()),
        }
    }

    /// What is said about a connection.
    fn text(&self, of: &Connection) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        if !self.selection.wants(of) {
            return Ok(text);
        }
        if self.command.json {
            serde_json::to_writer(&mut text, of)?;
            return Ok(text);
        }
        if self.command.long {
            writeln!(text, "{}", Long(of))?;
        } else {
            writeln!(text, "{}", Brief(of))?;
        }
        if self.command.explain {
            write!(text, "{}", Explanations(of))?;
        }
        Ok(text)
    }

    fn print_one(&mut self) -> io::Result<()> {
        let Some((number, text)) = self.waiting.pop_first() else { return Ok(()) };
        self.next = self.next.max(number + 1);
        if text.is_empty() {
            return Ok(());
        }
        if self.command.json {
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
        if self.command.json {
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
