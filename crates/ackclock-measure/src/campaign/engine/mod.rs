//! Takes one step of a campaign after another.

use super::budget::{Budget, Charge, Spent};
use super::caps::{ROUTE_PROBE, route_bytes, transfer_bytes};
use super::journal::{Journal, JournalError};
use super::plan::{Plan, Variant};
use super::record::{BurstRecord, CrossingRecord, Record, RouteRecord, Rtt, TransferRecord};
use super::schedule::{Step, steps};
use crate::burst::{BurstPlan, Measured};
use crate::common_path::CommonPath;
use crate::lists::{StopList, StopListError, split_port};
use crate::route::Route;
use ackclock::time::{Duration, Instant};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// The prober of a campaign, and its clock.
pub trait Instruments {
    /// The time on a clock that never goes back.
    fn now(&self) -> Instant;

    /// Seconds since 1970.
    fn unix_seconds(&self) -> f64;

    /// Waits until then.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the user ends the campaign meanwhile.
    fn sleep_until(&mut self, at: Instant) -> Result<(), Stop>;

    /// The host's address.
    ///
    /// # Errors
    /// Says why it is not known.
    fn resolve(&mut self, host: &str) -> Result<IpAddr, String>;

    /// Does a transfer.
    ///
    /// # Errors
    /// A transfer that fails is an outcome. It is an error that there could be none.
    fn transfer(&mut self, order: &TransferOrder) -> Result<Transferred, Stop>;

    /// Finds a route.
    ///
    /// # Errors
    /// As with transfers.
    fn route(&mut self, target: IpAddr) -> Result<Result<Route, String>, Stop>;

    /// Sends a burst.
    ///
    /// # Errors
    /// As with transfers.
    fn burst(&mut self, target: IpAddr, plan: BurstPlan) -> Result<Result<Measured, String>, Stop>;
}

/// A transfer to be done.
#[derive(Clone, PartialEq, Debug)]
pub struct TransferOrder {
    /// The host's address and port.
    pub remote: SocketAddr,
    /// The congestion control algorithm and the initial window.
    pub variant: Variant,
    /// Where to capture it.
    pub pcap: Option<PathBuf>,
}

/// What became of a transfer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Transferred {
    /// Time from the first SYN to the established connection.
    pub connect: Option<Duration>,
    /// Time from the first SYN to the end; none if it failed.
    pub whole: Option<Duration>,
    /// Bytes of data that were acknowledged.
    pub acked_bytes: u64,
    /// Retransmitted segments.
    pub retransmitted_segments: u64,
    /// Bytes that were sent, headers included.
    pub wire_bytes: u64,
    /// Round-trip times.
    pub rtt: Option<Rtt>,
    /// The connection at the end.
    pub info: serde_json::Value,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

/// Why a campaign stops in the middle of a step, which is begun anew next time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The user ends it.
    Interrupted,
    /// The environment does not let it go on.
    Failed(String),
}

/// How a campaign ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All steps are done, but for those to hosts that are to be left alone.
    Done,
    /// The user ended it.
    Interrupted,
}

/// How far a campaign has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Steps that are done, those of earlier runs included.
    pub done: usize,
    /// All steps.
    pub all: usize,
    /// The step that begins.
    pub step: Option<Step>,
}

/// Runs a campaign, or resumes it. `exceed` lets it go beyond its limits in bytes; pauses
/// and the rate hold in any case.
///
/// # Errors
/// See [`CampaignError`].
pub fn run(
    plan: &Plan,
    journal: &mut Journal,
    instruments: &mut dyn Instruments,
    exceed: bool,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Ended, CampaignError> {
    let all = steps(plan);
    let finished: BTreeSet<String> =
        journal.records().iter().map(|record| record.step().to_owned()).collect();
    let mut campaign = Campaign::new(plan, journal, instruments, exceed);
    let first = all.iter().find(|step| !finished.contains(&step.to_string()));
    if let Some(&Step::Transfer { host, .. }) = first.filter(|_| !finished.is_empty()) {
        campaign.rest_after_interruption(host);
    }
    let mut done = 0;
    for &step in &all {
        if !finished.contains(&step.to_string()) {
            on_progress(Progress { done, all: all.len(), step: Some(step) });
            match campaign.take(step) {
                Ok(()) => {}
                Err(CampaignError::Stopped(Stop::Interrupted)) => return Ok(Ended::Interrupted),
                Err(error) => return Err(error),
            }
        }
        done += 1;
    }
    on_progress(Progress { done, all: all.len(), step: None });
    Ok(Ended::Done)
}

struct Campaign<'c> {
    plan: &'c Plan,
    variants: Vec<Variant>,
    journal: &'c mut Journal,
    instruments: &'c mut dyn Instruments,
    exceed: bool,
    budget: Budget<'c>,
    /// The last route to each host that has one.
    routes: BTreeMap<String, Route>,
}

impl<'c> Campaign<'c> {
    fn new(
        plan: &'c Plan,
        journal: &'c mut Journal,
        instruments: &'c mut dyn Instruments,
        exceed: bool,
    ) -> Self {
        let (now, unix_seconds) = (instruments.now(), instruments.unix_seconds());
        let records = journal.records().to_vec();
        let mut campaign = Campaign {
            plan,
            variants: plan.variants(),
            budget: Budget::after(&records, &plan.limits, now, unix_seconds),
            journal,
            instruments,
            exceed,
            routes: BTreeMap::new(),
        };
        records.iter().for_each(|record| campaign.learn(record));
        campaign
    }

    /// It is unknown when the first step was interrupted, and what was sent for it.
    fn rest_after_interruption(&mut self, host: usize) {
        if let Some(host) = self.plan.hosts.get(host) {
            self.budget.rest(host, self.instruments.now());
        }
    }

    /// Records a result.
    fn learn(&mut self, record: &Record) {
        if let Record::Route(RouteRecord { host, route: Some(route), .. }) = record {
            self.routes.insert(host.clone(), route.clone());
        }
    }

    /// Takes a step and keeps it; one that must not be taken is passed over.
    fn take(&mut self, step: Step) -> Result<(), CampaignError> {
        let stopped = self.stop_list()?;
        let record = match step {
            Step::Route { round, host } => self.route(step, round, host, &stopped)?,
            Step::Transfer { round, host, variant } => {
                self.transfer(step, [round as usize, host, variant], &stopped)?
            }
            Step::Burst { round, .. } => self.burst(step, round, &stopped)?,
        };
        let Some(record) = record else {
            return Ok(());
        };
        self.learn(&record);
        // Each crossing of a burst was charged when it was over.
        if !matches!(record, Record::Burst(_)) {
            let now = self.instruments.now();
            record.charges().into_iter().for_each(|charge| self.budget.charge(charge, now));
        }
        self.journal.append(record)?;
        Ok(())
    }

    /// The hosts to which nothing is sent, from the plan and from the file as it is now.
    fn stop_list(&self) -> Result<StopList, CampaignError> {
        let mut stopped = self.plan.limits.stop.clone();
        if let Some(file) = &self.plan.limits.stop_file {
            // Without the stop list, no host may be contacted.
            let list = StopList::read(file)
                .map_err(|error| CampaignError::StopFile(file.clone(), error))?;
            stopped.extend(list);
        }
        Ok(stopped)
    }

    /// The host as the plan has it, and its address; `None` if it is to be left alone.
    fn host(
        &mut self,
        host: usize,
        stopped: &StopList,
    ) -> Option<(String, Result<SocketAddr, String>)> {
        let entry = self.plan.hosts.get(host)?.clone();
        let (name, port) = self.plan.peer(host)?;
        if stopped.has_name(name) {
            return None;
        }
        let address = self.instruments.resolve(name);
        let is_stopped = address.as_ref().is_ok_and(|address| stopped.has(*address));
        (!is_stopped).then(|| (entry, address.map(|address| SocketAddr::new(address, port))))
    }

    /// Checks that the budget suffices.
    fn permit(&self, wanted: Charge<'_>) -> Result<(), CampaignError> {
        if self.exceed {
            return Ok(());
        }
        self.budget.allows(wanted).map_err(CampaignError::Spent)
    }

    fn transfer(
        &mut self,
        step: Step,
        [round, host, variant]: [usize; 3],
        stopped: &StopList,
    ) -> Result<Option<Record>, CampaignError> {
        let (Some((host, address)), Some(&variant)) =
            (self.host(host, stopped), self.variants.get(variant))
        else {
            return Ok(None);
        };
        if let Ok(address) = address {
            let bytes = transfer_bytes(self.plan, address.is_ipv6());
            self.permit(Charge { host: Some(&host), bytes })?;
            let turn = self.budget.free_at().max(self.budget.rested_at(&host));
            self.instruments.sleep_until(turn)?;
        }
        let file = format!("{}.pcap", step.to_string().replace('/', "-"));
        let pcap = self.plan.transfer.pcap.then_some(file);
        let mut record = TransferRecord {
            step: step.to_string(),
            round: round as u32,
            host: host.clone(),
            address: address.as_ref().ok().map(SocketAddr::ip),
            law: variant.law.to_string(),
            initial_window: variant.window.to_string(),
            began_unix_seconds: self.instruments.unix_seconds(),
            ..TransferRecord::default()
        };
        match address {
            Err(error) => record.error = Some(error),
            Ok(address) => {
                let path = pcap.as_ref().map(|file| self.journal.directory().join(file));
                let order = TransferOrder { remote: address, variant, pcap: path };
                let outcome = self.instruments.transfer(&order)?;
                let seconds = |span: Duration| span.as_nanos() as f64 / 1e9;
                record.connect_seconds = outcome.connect.map(seconds);
                record.seconds = outcome.whole.map(seconds);
                record.acked_bytes = outcome.acked_bytes;
                record.retransmitted_segments = outcome.retransmitted_segments;
                record.wire_bytes = outcome.wire_bytes;
                record.rtt = outcome.rtt;
                record.info = outcome.info;
                record.error = outcome.error;
                record.pcap = pcap;
            }
        }
        self.budget.rest(&host, self.instruments.now());
        record.ended_unix_seconds = self.instruments.unix_seconds();
        Ok(Some(Record::Transfer(Box::new(record))))
    }

    fn route(
        &mut self,
        step: Step,
        round: u32,
        host: usize,
        stopped: &StopList,
    ) -> Result<Option<Record>, CampaignError> {
        let Some((host, address)) = self.host(host, stopped) else {
            return Ok(None);
        };
        if address.is_ok() {
            self.permit(Charge { host: Some(&host), bytes: route_bytes(self.plan) })?;
            self.instruments.sleep_until(self.budget.free_at())?;
        }
        let mut record = RouteRecord {
            step: step.to_string(),
            round,
            host,
            began_unix_seconds: self.instruments.unix_seconds(),
            ..RouteRecord::default()
        };
        let route = match address {
            Ok(address) => self.instruments.route(address.ip())?,
            Err(error) => Err(error),
        };
        match route {
            Ok(route) => {
                record.wire_bytes = u64::from(route.probes) * ROUTE_PROBE;
                record.route = Some(route);
            }
            Err(error) => record.error = Some(error),
        }
        record.ended_unix_seconds = self.instruments.unix_seconds();
        Ok(Some(Record::Route(record)))
    }

    fn burst(
        &mut self,
        step: Step,
        round: u32,
        stopped: &StopList,
    ) -> Result<Option<Record>, CampaignError> {
        let began_unix_seconds = self.instruments.unix_seconds();
        let left_alone = |host: &str, route: &Route| {
            let is_named = split_port(host).is_ok_and(|(name, _)| stopped.has_name(name));
            is_named || stopped.has(route.target)
        };
        let routes = self.routes.iter().filter(|(host, route)| !left_alone(host, route));
        let (hosts, routes): (Vec<String>, Vec<Route>) =
            routes.map(|(host, route)| (host.clone(), route.clone())).unzip();
        let common = CommonPath::of(&routes);
        let all: Vec<_> = common
            .crossings(&routes)
            .into_iter()
            .map(|crossing| (self.plan.bursts.plan(crossing.hop_limit), crossing))
            .collect();
        // A started step is finished, so that everything sent is recorded.
        let bytes = all.iter().map(|(burst, crossing)| burst.most_bytes(crossing.target)).sum();
        self.permit(Charge { host: None, bytes })?;
        let mut crossings = Vec::new();
        for (burst, crossing) in all {
            let behind = hosts.iter().zip(&routes).find(|(_, it)| it.target == crossing.target);
            let host = behind.map_or_else(String::new, |(host, _)| host.clone());
            self.instruments.sleep_until(self.budget.free_at())?;
            let (measured, error) = match self.instruments.burst(crossing.target, burst)? {
                Ok(measured) => (Some(measured), None),
                Err(error) => (None, Some(error)),
            };
            let (through, hop_limit) = (crossing.through, crossing.hop_limit);
            let record = CrossingRecord { host, through, hop_limit, measured, error };
            self.budget.charge(record.charge(), self.instruments.now());
            crossings.push(record);
        }
        Ok(Some(Record::Burst(BurstRecord {
            step: step.to_string(),
            round,
            began_unix_seconds,
            ended_unix_seconds: self.instruments.unix_seconds(),
            crossings,
        })))
    }
}

/// Why a campaign did not come to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum CampaignError {
    /// What measures cannot go on.
    Stopped(Stop),
    /// A limit of the plan in bytes would be exceeded.
    Spent(Spent),
    /// The stop list cannot be read.
    StopFile(PathBuf, StopListError),
    /// A finished step cannot be written to the journal.
    Journal(JournalError),
}

impl From<Stop> for CampaignError {
    fn from(stop: Stop) -> Self {
        CampaignError::Stopped(stop)
    }
}

impl From<JournalError> for CampaignError {
    fn from(error: JournalError) -> Self {
        CampaignError::Journal(error)
    }
}

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CampaignError::Stopped(Stop::Interrupted) => f.write_str("interrupted"),
            CampaignError::Stopped(Stop::Failed(why)) => f.write_str(why),
            CampaignError::Spent(spent) => spent.fmt(f),
            CampaignError::StopFile(file, error) => {
                write!(f, "the stop list {}: {error}; nothing is sent without it", file.display())
            }
            CampaignError::Journal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CampaignError {}

#[cfg(test)]
mod tests;
