//! Laboratory of the papers: its experiments, and the files that its results go to.

use crate::failure::Failure;
use crate::interrupt;
use crate::report::print;
use ackclock_lab::mutants::ALL;
use ackclock_lab::{
    Captures, Experiment, Extent, Offer, Output, Paper, Plan, Progress, Results, Settings, Shard,
    Source, papers, select, try_mutants,
};
use ackclock_report::Format;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::io;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunSettings {
    /// Names of experiments or papers, or `all`.
    pub(crate) names: Vec<String>,
    /// Values of parameters, as `NAME=VALUE`, and of those that are swept.
    pub(crate) set: Vec<String>,
    pub(crate) sweep: Vec<String>,
    /// Whether to do with fewer seeds and shorter runs.
    pub(crate) quick: bool,
    /// Seeds for each variant; `None`: as many as each experiment needs.
    pub(crate) seeds: Option<NonZeroU64>,
    /// Runs at a time; `None`: one per core.
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Part of the runs that is done.
    pub(crate) shard: Shard,
    /// Packets of each capture, if captures are wanted.
    pub(crate) captures: Option<NonZeroU64>,
    pub(crate) output: OutputSettings,
}

/// Settings of a merge.
#[derive(Clone, Debug)]
pub(crate) struct MergeSettings {
    /// Directories of the parts.
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) output: OutputSettings,
}

/// Settings of a trial by mutants.
#[derive(Clone, Debug)]
pub(crate) struct MutantSettings {
    /// Names of mutants; all if there is none.
    pub(crate) names: Vec<String>,
    /// On which experiments.
    pub(crate) extent: Extent,
    /// File for which mutants turn which verdict red.
    pub(crate) write: Option<PathBuf>,
    /// Runs at a time; `None`: one per core.
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// Destinations of the results.
#[derive(Clone, Debug)]
pub(crate) struct OutputSettings {
    /// Directory of the results, the report and the raw series.
    pub(crate) out: Option<PathBuf>,
    /// Directory of the plots, and the formats of their files.
    pub(crate) plots: Option<PathBuf>,
    pub(crate) formats: Vec<Format>,
    /// Whether the results are printed as JSON.
    pub(crate) json: bool,
}

/// Prints the names of the experiments.
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

/// Prints what experiments are, and what can be set of them.
pub(crate) fn show(names: &[String]) -> Result<(), Failure> {
    let experiments = find(names)?;
    print(&experiments.into_iter().map(shown).collect::<Vec<_>>().join("\n"))
}

fn shown(experiment: &Experiment) -> String {
    let Experiment { shows, title, scenario, headline, .. } = experiment;
    let id = experiment.id();
    let mut text = format!("{id} ({shows}): {title}\n\n");
    text += &wrapped(scenario, "  ");
    text += &format!("\nMeasured: {}, ...\n", headline.join(", "));
    let offers = experiment.offers();
    for (source, heading) in [
        (Source::Stated, "What the paper states"),
        (Source::Chosen, "What was chosen, since the paper does not state it"),
        (Source::Tcp, "TCP; without these it is the paper's"),
    ] {
        let of_source: Vec<&Offer> = offers.iter().filter(|it| it.source == source).collect();
        if of_source.is_empty() {
            continue;
        }
        text += &format!("\n{heading}:\n");
        for offer in of_source {
            text += &format!("  {}", offer.name);
            if !offer.values.is_empty() {
                text += &format!(" = {}", offer.values.join(" or "));
            }
            text += "\n";
            text += &wrapped(offer.says, "      ");
            if offer.takes() != offer.values.join(", ") {
                text += &wrapped(&format!("takes {}", offer.takes()), "      ");
            }
        }
    }
    text + &format!("\n'ackclock lab run {id} --set NAME=VALUE --sweep NAME=FIRST..LAST:STEP'\n")
}

/// Words in lines of at most 100 columns, indented.
fn wrapped(words: &str, indent: &str) -> String {
    const WIDTH: usize = 100;
    let mut text = String::new();
    let mut line = indent.to_owned();
    for word in words.split_whitespace() {
        if line.len() > indent.len() && line.len() + 1 + word.len() > WIDTH {
            text += line.trim_end();
            text += "\n";
            line = indent.to_owned();
        }
        if line.len() > indent.len() {
            line += " ";
        }
        line += word;
    }
    text + &line + "\n"
}

/// Runs experiments.
pub(crate) fn run(settings: &RunSettings) -> Result<(), Failure> {
    let mut plan = plan(settings)?;
    let shard = settings.shard;
    // Set up before a directory is made, so that a user who sees the directory can interrupt the run.
    interrupt::on_request(|| {})?;
    let places = Places::create(&settings.output)?;
    plan.captures = places.captures(settings.captures)?;
    let watch = Watch::new(places.out.as_ref());
    let jobs = settings.jobs.unwrap_or_else(cores);
    let results = ackclock_lab::run(&plan, shard, jobs, interrupt::flag(), &watch);
    watch.conclude()?;
    places.write(&results, &settings.output)?;
    if let (Some(captures), Some(out)) = (&plan.captures, &places.out) {
        captures.take_failure().map_or(Ok(()), |error| Err(unwritable(out.directory(), &error)))?;
    }
    if interrupt::requested() {
        let what = "interrupted: the results are those of the runs that were finished";
        return Err(Failure::Verdict(what.into()));
    }
    conclude(&results)
}

/// The experiments of these names, and those of files.
fn find(names: &[String]) -> Result<Vec<&'static Experiment>, Failure> {
    let (files, names): (Vec<_>, Vec<_>) = names.iter().partition(|name| is_file(name));
    let mut found = select(&names).map_err(|error| Failure::Usage(error.to_string()))?;
    for file in files {
        let read = ackclock_lab::load(file);
        found.push(read.map_err(|error| Failure::Usage(error.to_string()))?);
    }
    Ok(found)
}

/// Whether a name is that of a file with an experiment.
pub(crate) fn is_file(name: &str) -> bool {
    name.ends_with(".toml")
}

/// What the settings want to be run.
fn plan(settings: &RunSettings) -> Result<Plan, Failure> {
    let RunSettings { names, shard, set, sweep, quick, seeds, .. } = settings;
    let named = find(names)?;
    if *shard != Shard::WHOLE && names.iter().any(|name| is_file(name)) {
        let what = "parts are joined by names: run an experiment in a file as a whole";
        return Err(Failure::Usage(what.into()));
    }
    let unusable = |error: ackclock_lab::SettingError| Failure::Usage(error.to_string());
    let settings = Settings::read(set, sweep).map_err(unusable)?;
    let experiments = settings.fitting(&named).map_err(unusable)?;
    if experiments.len() < named.len() {
        let left_out = named.len() - experiments.len();
        eprintln!("note: {left_out} of the experiments have not all of these parameters: left out");
    }
    let (quick, seeds) = (*quick, *seeds);
    Ok(Plan { experiments, quick, seeds, mutant: None, settings, captures: None })
}

/// Runs at a time unless it is said.
fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Tries the verdicts by mutants.
pub(crate) fn mutants(settings: &MutantSettings) -> Result<(), Failure> {
    let MutantSettings { names, extent, write, jobs } = settings;
    let known = |name: &String| ALL.iter().any(|mutant| mutant.name == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let names: Vec<_> = ALL.iter().map(|mutant| mutant.name).collect();
        let what = format!("there is no mutant '{unknown}': use {}", names.join(", "));
        return Err(Failure::Usage(what));
    }
    interrupt::on_request(|| {})?;
    let jobs = jobs.unwrap_or_else(cores);
    let mut tried = |line: &str| eprintln!("{line}");
    let trial = try_mutants(names, *extent, jobs, interrupt::flag(), &mut tried)
        .ok_or_else(|| Failure::Verdict("interrupted: nothing is decided".into()))?;
    print(&trial.to_string())?;
    if let Some(file) = write {
        fs::write(file, trial.to_json()).map_err(|error| unwritable(file, &error))?;
    }
    match trial.fails() {
        true => Err(Failure::Verdict("a wrong stack was not noticed: see SURVIVES".into())),
        false => Ok(()),
    }
}

/// Joins the parts of a run.
pub(crate) fn merge(settings: &MergeSettings) -> Result<(), Failure> {
    let places = Places::create(&settings.output)?;
    let results = Results::merge_directories(&settings.directories)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    places.write(&results, &settings.output)?;
    if !results.is_complete() {
        let what =
            "not everything was run: give the directories of all parts, or run what is missing";
        return Err(Failure::Verdict(what.into()));
    }
    conclude(&results)
}

/// Fails if the results differ from what the papers say.
fn conclude(results: &Results) -> Result<(), Failure> {
    if results.fails() {
        return Err(Failure::Verdict("not everything is as the papers say: see FAILS".into()));
    }
    Ok(())
}

/// Directories that files go to.
struct Places {
    out: Option<Output>,
    plots: Option<Output>,
}

impl Places {
    /// Makes the directories; fails if they cannot be written to.
    fn create(settings: &OutputSettings) -> Result<Self, Failure> {
        let create = |directory: &Option<PathBuf>| {
            let create = |at: &PathBuf| Output::create(at).map_err(|error| unwritable(at, &error));
            directory.as_ref().map(create).transpose()
        };
        Ok(Places { out: create(&settings.out)?, plots: create(&settings.plots)? })
    }

    /// Where captures of so many packets go, if they are wanted: beside the report.
    fn captures(&self, packets: Option<NonZeroU64>) -> Result<Option<Arc<Captures>>, Failure> {
        let create = |(out, packets): (&Output, NonZeroU64)| {
            Captures::create(out.directory(), packets)
                .map_err(|error| unwritable(out.directory(), &error))
        };
        self.out.as_ref().zip(packets).map(create).transpose()
    }

    fn write(&self, results: &Results, settings: &OutputSettings) -> Result<(), Failure> {
        let done = |to: &Output, written: io::Result<()>| {
            written.map_err(|error| unwritable(to.directory(), &error))
        };
        let written = self.out.as_ref().map_or(Ok(()), |to| done(to, to.write(results)));
        let draw = |to| done(to, to.write_plots(results, &settings.formats));
        let drawn = self.plots.as_ref().map_or(Ok(()), draw);
        // Results that cannot be kept can still be seen.
        print(&if settings.json { results.to_json() } else { results.to_string() })?;
        written.and(drawn)
    }
}

fn unwritable(directory: &Path, error: &io::Error) -> Failure {
    Failure::Environment(format!("cannot write into {}: {error}", directory.display()))
}

/// Least time between two saves of what is finished, and how many times as long as the last save took
/// it is, so that saving takes up a small part of the run. The first job is saved at once.
const LEAST_PAUSE: Duration = Duration::from_secs(1);
const PAUSE: u32 = 50;

/// Time between two lines on standard error that tell how far the run is, if that is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Watch over a run: a progress bar on standard error, or lines if that is no terminal, with a line for
/// each experiment that is done; and saves of what is finished, so that a disk that fills up ends the run
/// and loses nothing of what was saved before.
struct Watch<'o> {
    bar: ProgressBar,
    out: Option<&'o Output>,
    saved: Mutex<Saved>,
    /// Time before which no line is written.
    next_line: Mutex<Instant>,
}

#[derive(Default)]
struct Saved {
    /// Time before which nothing is saved again.
    not_before: Option<Instant>,
    failure: Option<Failure>,
}

impl<'o> Watch<'o> {
    fn new(out: Option<&'o Output>) -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta} {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        let next_line = Mutex::new(Instant::now() + LINES);
        Watch { bar, out, saved: Mutex::default(), next_line }
    }

    /// Saves what is finished if it is time to.
    fn save(&self, so_far: &Results) {
        let (Some(out), Ok(mut saved)) = (self.out, self.saved.lock()) else {
            return;
        };
        let begun = Instant::now();
        if saved.failure.is_some() || saved.not_before.is_some_and(|time| begun < time) {
            return;
        }
        if let Err(error) = out.save(so_far) {
            saved.failure = Some(unwritable(out.directory(), &error));
            interrupt::flag().store(true, Ordering::Relaxed);
        }
        saved.not_before = Some(begun + (begun.elapsed() * PAUSE).max(LEAST_PAUSE));
    }

    /// Tells how far the run is, and what came out of an experiment that is done.
    fn tell(&self, id: &str, so_far: &Results) {
        if let Some(outcome) = so_far.concluded(id) {
            self.bar.suspend(|| eprintln!("{}", outcome.summary()));
        }
        let Ok(mut next) = self.next_line.lock() else { return };
        if self.bar.is_hidden() && Instant::now() >= *next {
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            eprintln!("{done} of {all} runs are done");
            *next = Instant::now() + LINES;
        }
    }

    /// Removes the bar.
    ///
    /// # Errors
    /// A save failed, which has ended the run.
    fn conclude(self) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        let saved = self.saved.into_inner().unwrap_or_default();
        saved.failure.map_or(Ok(()), Err)
    }
}

impl Progress for Watch<'_> {
    fn begin(&self, jobs: u64) {
        self.bar.set_length(jobs);
    }

    fn finished(&self, id: &str, so_far: &Results) {
        self.bar.set_message(id.to_owned());
        self.bar.inc(1);
        self.tell(id, so_far);
        self.save(so_far);
    }
}
