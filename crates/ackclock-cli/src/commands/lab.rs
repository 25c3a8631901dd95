//! `ackclock lab`

use crate::failure::Failure;
use crate::lab;
use ackclock_lab::Shard;
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
    Run(Run),
    Merge(Merge),
}

/// Run experiments and print what was measured beside what the papers say
///
/// The same experiments with the same seeds give the same results, whatever --jobs is. Exit status
/// 1: something is not as the paper says and the tolerance allows, or the run was interrupted.
#[derive(Args, Debug)]
pub(crate) struct Run {
    /// Experiments, as 'ackclock lab list' names them; a paper's name for all of that paper; or
    /// 'all'
    #[arg(value_name = "ID", required_unless_present = "paper")]
    pub(crate) names: Vec<String>,
    /// All experiments of a paper
    #[arg(long, value_name = "NAME")]
    pub(crate) paper: Vec<String>,
    /// As little as will do: fewer seeds and shorter runs
    #[arg(long)]
    pub(crate) quick: bool,
    /// So many seeds for each variant [default: what each experiment thinks right]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seeds: Option<NonZeroU64>,
    /// How many runs at a time [default: one per core]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Only this part of the runs, such as 2/8; 'ackclock lab merge' joins the parts
    #[arg(long, value_name = "I/N", requires = "out")]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

/// Join the parts of a run, judge the whole and print it
///
/// Exit status 1: something is not as the paper says and the tolerance allows, or parts are missing.
#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// Directories that 'ackclock lab run --shard I/N --out DIR' has written
    #[arg(value_name = "DIR", required = true)]
    pub(crate) directories: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

/// Where results go.
#[derive(Args, Debug)]
pub(crate) struct OutputOptions {
    /// Write results.json, plots.json, report.html and the raw series as CSV into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write the plots as SVG files into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Print the results as JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

impl Lab {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::List => lab::list(),
            What::Run(run) => lab::run(run),
            What::Merge(merge) => lab::merge(merge),
        }
    }
}
