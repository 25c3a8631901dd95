//! Run of a campaign, by a way out of this machine.

use super::description::{description, name};
use super::instruments::{Real, prefers_ipv6};
use crate::failure::Failure;
use crate::measure::probing::resolve;
use crate::report::print;
use crate::way::{self, Purpose, Via, WaySettings};
use ackclock_measure::campaign::{
    CampaignError, Ended, Journal, Plan, Progress, run as run_campaign, steps,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunSettings {
    /// File that describes the campaign.
    pub(crate) plan: PathBuf,
    /// Directory of the results.
    pub(crate) out: PathBuf,
    /// Whether to describe what would be sent, and send nothing.
    pub(crate) dry_run: bool,
    /// Whether to go on although limits are laxer than polite, or will be exceeded.
    pub(crate) exceed_caps: bool,
    /// Way out of the transfers.
    pub(crate) way: WaySettings,
}

/// Runs a campaign, or describes what it would send.
pub(crate) fn run(settings: &RunSettings) -> Result<(), Failure> {
    let plan = Plan::read(&settings.plan).map_err(|error| Failure::Usage(error.to_string()))?;
    if settings.dry_run {
        let mut text = description(&plan);
        for excess in plan.excesses() {
            let _ = writeln!(text, "needs --exceed-caps: {excess}");
        }
        return print(&text);
    }
    check(&plan, settings)?;
    let directory = &settings.out;
    let mut journal =
        Journal::open(directory, &plan).map_err(|error| Failure::Environment(error.to_string()))?;
    let mut instruments = Real::new(&plan, settings.way.clone())?;
    let bar = ProgressBar::new(0);
    if let Ok(style) =
        ProgressStyle::with_template("{wide_bar} {pos}/{len}  {msg}  {eta_precise} left")
    {
        bar.set_style(style);
    }
    let mut earlier = None;
    let mut show = |progress: Progress| {
        // Steps of earlier runs would distort the estimate of the time that is left.
        let earlier = *earlier.get_or_insert(progress.done);
        bar.set_length((progress.all - earlier) as u64);
        bar.set_position((progress.done - earlier) as u64);
        bar.set_message(progress.step.map_or_else(String::new, |step| name(&plan, step)));
    };
    let ended =
        run_campaign(&plan, &mut journal, &mut instruments, settings.exceed_caps, &mut show);
    bar.finish_and_clear();
    let (done, all) = (journal.records().len(), steps(&plan).len());
    let place = directory.display();
    match ended {
        Ok(Ended::Done) => print(&format!(
            "{done} of {all} steps are done; 'ackclock campaign report {place}' shows what came of \
             it\n"
        )),
        Ok(Ended::Interrupted) => Err(Failure::Transfer(format!(
            "interrupted after {done} of {all} steps: the same command resumes it"
        ))),
        Err(error @ (CampaignError::Spent(..) | CampaignError::StopFile(..))) => {
            Err(Failure::Usage(error.to_string()))
        }
        Err(error) => Err(Failure::Environment(error.to_string())),
    }
}

/// Checks that the plan is within the limits, and that there is a way to the hosts.
fn check(plan: &Plan, settings: &RunSettings) -> Result<(), Failure> {
    let excesses: Vec<_> = plan.excesses().iter().map(ToString::to_string).collect();
    if !settings.exceed_caps && !excesses.is_empty() {
        return Err(Failure::Usage(format!(
            "{}; change the plan, or give --exceed-caps if all hosts agree",
            excesses.join("; ")
        )));
    }
    let way = &settings.way;
    if way.via == Via::Tun && way.tun.is_none() {
        return Err(Failure::Usage(
            "give --tun NAME and --address CIDR, a way out for the transfers ('ackclock setup tun \
             --help' tells how to make one), or --via raw"
                .into(),
        ));
    }
    check_way(plan, way)
}

/// Checks that some host can be reached by the way out; otherwise every transfer would fail.
fn check_way(plan: &Plan, way: &WaySettings) -> Result<(), Failure> {
    let mut refusal = None;
    for (name, port) in (0..plan.hosts.len()).filter_map(|host| plan.peer(host)) {
        // A host on the stop list is to be left alone, so its name is not looked up either.
        if plan.limits.stop.has_name(name) {
            continue;
        }
        let Ok(address) = resolve(name, prefers_ipv6(way)) else {
            continue;
        };
        let remote = SocketAddr::new(address, port);
        match way::plan(way, Purpose::Reach(&[remote])) {
            Ok(_) => return Ok(()),
            Err(failure) => refusal = refusal.or(Some(failure)),
        }
    }
    refusal.map_or(Ok(()), Err)
}
