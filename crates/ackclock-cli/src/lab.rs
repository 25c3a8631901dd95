//! The papers' laboratory: what it says, and where its results go.

use crate::commands::lab::{Merge, OutputOptions, Run};
use crate::failure::Failure;
use crate::interrupt;
use ackclock_lab::{Output, Paper, Plan, Progress, Results, Shard, papers, select};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Names the experiments.
pub(crate) fn list() -> Result<(), Failure> {
    let mut text = String::new();
    for paper in Paper::ALL {
        text += &format!("{}\n", paper.title());
        for each in papers::all().filter(|each| each.paper == paper) {
            let (id, time) = (each.id(), each.seconds);
            text += &format!("{id:34} {:38} {}", each.shows, each.title);
            text += &format!(" ({:.0} s, quick {:.0} s)\n", time.full, time.quick);
        }
        text += "\n";
    }
    text += "'ackclock lab run ID' runs one; times are those of one core.\n";
    print(&text)
}

/// Runs experiments.
pub(crate) fn run(command: &Run) -> Result<(), Failure> {
    let names: Vec<&String> = command.names.iter().chain(&command.paper).collect();
    let experiments = select(&names).map_err(|error| Failure::Usage(error.to_string()))?;
    let plan = Plan { experiments, quick: command.quick, seeds: command.seeds };
    let shard = command.shard.unwrap_or(Shard::WHOLE);
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    // Before a directory is there, so that whoever sees it can interrupt the run.
    interrupt::on_request(|| {})?;
    let places = Places::create(&command.output)?;
    let bar = Bar::new();
    let jobs = command.jobs.unwrap_or_else(cores);
    let results = ackclock_lab::run(&plan, shard, jobs, interrupt::flag(), &bar);
    bar.0.finish_and_clear();
    places.write(&results, &command.output)?;
    if interrupt::requested() {
        let what = "interrupted: the results are those of the runs that were finished";
        return Err(Failure::Verdict(what.into()));
    }
    conclude(&results)
}

/// Joins the parts of a run.
pub(crate) fn merge(command: &Merge) -> Result<(), Failure> {
    let places = Places::create(&command.output)?;
    let results = Results::merge_directories(&command.directories)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    places.write(&results, &command.output)?;
    if !results.is_complete() {
        let what =
            "not everything was run: give the directories of all parts, or run what is missing";
        return Err(Failure::Verdict(what.into()));
    }
    conclude(&results)
}

/// Fails if a verdict does.
fn conclude(results: &Results) -> Result<(), Failure> {
    if results.fails() {
        return Err(Failure::Verdict("not everything is as the papers say: see FAILS".into()));
    }
    Ok(())
}

/// Where files go.
struct Places {
    out: Option<Output>,
    plots: Option<Output>,
}

impl Places {
    /// Fails if nothing could be written.
    fn create(options: &OutputOptions) -> Result<Self, Failure> {
        let create = |directory: &Option<PathBuf>| {
            let create = |at: &PathBuf| Output::create(at).map_err(|error| unwritable(at, &error));
            directory.as_ref().map(create).transpose()
        };
        Ok(Places { out: create(&options.out)?, plots: create(&options.plots)? })
    }

    fn write(&self, results: &Results, options: &OutputOptions) -> Result<(), Failure> {
        let write = |to: &Output, write: fn(&Output, &Results) -> io::Result<()>| {
            write(to, results).map_err(|error| unwritable(to.directory(), &error))
        };
        self.out.as_ref().map_or(Ok(()), |to| write(to, Output::write))?;
        self.plots.as_ref().map_or(Ok(()), |to| write(to, Output::write_plots))?;
        print(&if options.json { results.to_json() } else { results.to_string() })
    }
}

fn unwritable(directory: &Path, error: &io::Error) -> Failure {
    Failure::Environment(format!("cannot write into {}: {error}", directory.display()))
}

fn print(text: &str) -> Result<(), Failure> {
    io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::output(&error))
}

/// A bar on standard error, if that is a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta} {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Bar(bar)
    }
}

impl Progress for Bar {
    fn begin(&self, jobs: u64) {
        self.0.set_length(jobs);
    }

    fn finished(&self, id: &str) {
        self.0.set_message(id.to_owned());
        self.0.inc(1);
    }
}
