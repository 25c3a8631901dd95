//! `ackclock campaign`

use super::refuse_other_ways;
use crate::failure::Failure;
use crate::measure::campaign::{self, ReportSettings};
use crate::options::WayOptions;
use crate::way::Via;
use clap::{ArgMatches, Args, Subcommand};
use std::path::PathBuf;

/// Measure transfers to many hosts, in rounds, and report the results
#[derive(Args, Debug)]
pub(crate) struct Campaign {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Run(Run),
    Report(Report),
}

/// Run a campaign, or resume one that was interrupted
///
/// In each round each host gets one transfer of each kind, in random order and one at a time; the
/// burst capacity of the path that most hosts share is measured three times, and the route to each
/// host at the end. Each finished step is written to disk before the next one begins, so the same
/// command resumes an interrupted campaign. docs/measuring.md has an example of a plan and says how
/// to treat other people's hosts. Needs root for routes and bursts, or the capability cap_net_raw.
#[derive(Args, Debug)]
struct Run {
    /// The plan of the campaign, in TOML
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    /// Where results go [default: the plan's name without .toml]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Send nothing; say what would be sent
    #[arg(long)]
    dry_run: bool,
    /// Run even if the plan's limits are laxer than the polite defaults, or will be exceeded
    #[arg(long)]
    exceed_caps: bool,
    /// How transfers get to the hosts and back
    #[arg(long, value_name = "WAY", default_value = "tun")]
    via: Via,
    #[command(flatten)]
    way: WayOptions,
}

/// Make the paper's figures and tables from the results of a campaign so far
#[derive(Args, Debug)]
struct Report {
    /// The campaign's directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Where report.html, report.json and the CSV files go [default: the campaign's directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Campaign {
    /// Refuses options of ways out that are not used.
    pub(super) fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
        match matches.subcommand() {
            Some(("run", matches)) => {
                refuse_other_ways(matches, matches.get_one::<Via>("via").copied())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            #[cfg(target_os = "linux")]
            What::Run(run) => campaign::run(&run.settings()),
            #[cfg(not(target_os = "linux"))]
            What::Run(_) => Err(Failure::elsewhere("a campaign")),
            What::Report(report) => campaign::report(&report.settings()),
        }
    }
}

#[cfg(target_os = "linux")]
impl Run {
    fn settings(&self) -> campaign::RunSettings {
        campaign::RunSettings {
            plan: self.plan.clone(),
            out: self.out.clone().unwrap_or_else(|| self.plan.with_extension("")),
            dry_run: self.dry_run,
            exceed_caps: self.exceed_caps,
            way: self.way.settings(self.via, 1),
        }
    }
}

impl Report {
    fn settings(&self) -> ReportSettings {
        let out = self.out.as_ref().unwrap_or(&self.directory);
        ReportSettings { directory: self.directory.clone(), out: out.clone() }
    }
}
