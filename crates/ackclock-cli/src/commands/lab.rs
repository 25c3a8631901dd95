//! `ackclock lab`

use crate::failure::Failure;
use crate::lab::{self, MergeSettings, MutantSettings, OutputSettings, RunSettings};
use ackclock_lab::{Extent, Shard};
use ackclock_report::Format;
use clap::{Args, Subcommand};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Run the experiments of five TCP papers in the emulator, beside the numbers that they print
#[derive(Args, Debug)]
pub(crate) struct Lab {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Name the experiments: paper, figure or table, and expected time on one core
    List,
    Show(Show),
    Run(Run),
    Merge(Merge),
    Mutants(Mutants),
}

/// Tell what experiments are, and which parameters 'lab run --set' and '--sweep' take
#[derive(Args, Debug)]
struct Show {
    /// Experiments, as 'ackclock lab list' names them, or files
    #[arg(value_name = "ID", required = true)]
    names: Vec<String>,
}

/// Run experiments and print what was measured beside what the papers say
///
/// The same experiments with the same seeds give the same results, whatever --jobs is. Exit status
/// 1: something is not as the paper says and the tolerance allows, or the run was interrupted.
#[derive(Args, Debug)]
struct Run {
    /// Experiments, as 'ackclock lab list' names them; a paper's name for all of that paper; 'all'; or a
    /// file with an experiment, whose name ends in .toml
    #[arg(value_name = "ID", required_unless_present = "paper")]
    names: Vec<String>,
    /// All experiments of a paper
    #[arg(long, value_name = "NAME")]
    paper: Vec<String>,
    /// Give a parameter another value than the paper's, as 'ackclock lab show ID' lists them: nothing is
    /// judged then; tables show what was measured
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Give a parameter many values, as in buffer=10..120:10 or cc=reno,cubic, with a picture of each
    /// quantity over them; several sweeps are run in all combinations
    #[arg(long, value_name = "NAME=VALUES")]
    sweep: Vec<String>,
    /// As little as will do: fewer seeds and shorter runs
    #[arg(long)]
    quick: bool,
    /// So many seeds for each variant [default: what each experiment thinks right]
    #[arg(long, value_name = "NUMBER")]
    seeds: Option<NonZeroU64>,
    /// How many runs at a time [default: one per core]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// Only this part of the runs, such as 2/8; 'ackclock lab merge' joins the parts
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,
    /// Write the first so many packets that the first seed of each variant sends as captures (pcapng), too,
    /// with links from the report
    #[arg(long, value_name = "PACKETS", requires = "out")]
    captures: Option<NonZeroU64>,
    #[command(flatten)]
    output: OutputOptions,
}

/// Join the parts of a run, judge the whole and print it
///
/// Exit status 1: something is not as the paper says and the tolerance allows, or parts are missing.
#[derive(Args, Debug)]
struct Merge {
    /// Directories that 'ackclock lab run --shard I/N --out DIR' has written
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputOptions,
}

/// Try the verdicts by wrong stacks and networks: a verdict that none of them turns red says nothing
///
/// Each mutant runs an experiment that it must turn red, with few seeds. Exit status 1: one of them did
/// not.
#[derive(Args, Debug)]
struct Mutants {
    /// Mutants; all if none is named
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Run all experiments that each must or may turn red, not the shortest that it must
    #[arg(long)]
    all: bool,
    /// Write which mutants turn which verdict red into this file, as turned.json of the laboratory; of those
    /// that are not tried it keeps what is known
    #[arg(long, value_name = "FILE", requires = "all")]
    write: Option<PathBuf>,
    /// How many runs at a time [default: one per core]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
}

/// Options for the destinations of the results.
#[derive(Args, Debug)]
struct OutputOptions {
    /// Write results.json, plots.json, report.html and the raw series as CSV into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the plots as files into this directory
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Formats of these files, with commas between them: svg, png for slides, pdf for papers
    #[arg(
        long,
        value_name = "FORMATS",
        default_value = "svg",
        value_delimiter = ',',
        requires = "plots"
    )]
    format: Vec<Format>,
    /// Print the results as JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Lab {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::List => lab::list(),
            What::Show(show) => lab::show(&show.names),
            What::Run(run) => lab::run(&run.settings()),
            What::Merge(merge) => lab::merge(&merge.settings()),
            What::Mutants(mutants) => lab::mutants(&mutants.settings()),
        }
    }
}

impl Run {
    fn settings(&self) -> RunSettings {
        RunSettings {
            names: self.names.iter().chain(&self.paper).cloned().collect(),
            set: self.set.clone(),
            sweep: self.sweep.clone(),
            quick: self.quick,
            seeds: self.seeds,
            jobs: self.jobs,
            shard: self.shard.unwrap_or(Shard::WHOLE),
            captures: self.captures,
            output: self.output.settings(),
        }
    }
}

impl Mutants {
    fn settings(&self) -> MutantSettings {
        let Mutants { names, all, write, jobs } = self;
        let (names, write) = (names.clone(), write.clone());
        let extent = if *all { Extent::All } else { Extent::Least };
        MutantSettings { names, extent, write, jobs: *jobs }
    }
}

impl Merge {
    fn settings(&self) -> MergeSettings {
        MergeSettings { directories: self.directories.clone(), output: self.output.settings() }
    }
}

impl OutputOptions {
    fn settings(&self) -> OutputSettings {
        OutputSettings {
            out: self.out.clone(),
            plots: self.plots.clone(),
            formats: self.format.clone(),
            json: self.json,
        }
    }
}
