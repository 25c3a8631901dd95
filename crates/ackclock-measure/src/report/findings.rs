//! What follows from the records of a campaign.

use crate::burst::Verdict;
use crate::campaign::{BurstRecord, Plan, Record, RouteRecord, TransferRecord};
use crate::common_path::CommonPath;
use crate::lists::split_port;
use crate::route::Route;
use crate::statistics::{Distribution, Mean};
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// What follows from the records of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Findings {
    /// Name of the campaign.
    pub name: String,
    /// Of the plan.
    pub digest: String,
    /// Rounds that were planned.
    pub rounds: u32,
    /// Transfers that were planned.
    pub planned_transfers: usize,
    /// Finished transfers, successful or not.
    pub transfers: usize,
    /// Those that failed, by what went wrong.
    pub failures: BTreeMap<String, usize>,
    /// Bytes of data in each transfer.
    pub transfer_bytes: u64,
    /// Most data in a segment.
    pub mss: Option<u16>,
    /// By congestion control algorithm and initial window.
    pub variants: Vec<VariantFinding>,
    /// By host.
    pub hosts: Vec<HostFinding>,
    /// Number of hosts in each top-level domain; `unknown` for hosts given by address.
    pub domains: BTreeMap<String, usize>,
    /// Each burst across the common path.
    pub bursts: Vec<BurstFinding>,
    /// The share of bursts, among those that tell a capacity, that had less of it than the largest
    /// initial window has segments.
    pub bursts_below_largest_window: Option<f64>,
    /// The largest initial window in segments.
    pub largest_window_segments: f64,
    /// Of all routes that were found.
    pub common_path: CommonPath,
    /// All transfers, as they were kept.
    #[serde(skip)]
    pub(super) records: Vec<TransferRecord>,
}

/// What transfers of one kind have in common.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VariantFinding {
    /// The congestion control algorithm.
    pub law: String,
    /// The initial window as the plan has it.
    pub initial_window: String,
    /// The same in segments.
    pub initial_window_segments: f64,
    /// Transfers that were done.
    pub transfers: usize,
    /// Transfers that failed.
    pub failed: usize,
    /// How long they took.
    pub seconds: Option<Mean>,
    /// Time saved in percent of what the law's first initial window took in the same test group.
    pub time_saved_percent: Option<Mean>,
    /// Segments retransmitted more than with the law's first initial window in the same test group.
    pub extra_retransmissions: Option<Mean>,
    /// The share of transfers in which nothing was retransmitted.
    pub loss_free_share: Option<f64>,
}

/// Results of a host.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HostFinding {
    /// As the plan has it.
    pub host: String,
    /// Its address at the last transfer.
    pub address: Option<IpAddr>,
    /// Mean of the smoothed round-trip times of its transfers.
    pub rtt_seconds: Option<f64>,
    /// Mean number of hops of the routes that reached it.
    pub hops: Option<f64>,
    /// Transfers that were done.
    pub transfers: usize,
    /// Transfers that failed.
    pub failed: usize,
}

/// A burst across the common path.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BurstFinding {
    /// The step in the journal.
    pub step: String,
    /// The round.
    pub round: u32,
    /// When, in seconds since 1970.
    pub began_unix_seconds: f64,
    /// The host to which it was sent.
    pub host: String,
    /// The hop at which it ended.
    pub hop_limit: u8,
    /// Packets that were sent and answered.
    pub sent_packets: u16,
    /// Of these, how many were answered.
    pub answered_packets: u16,
    /// What that means.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Transfers of one round to one host, by law and initial window.
type Groups<'r> = BTreeMap<(u32, &'r str), BTreeMap<(&'r str, &'r str), &'r TransferRecord>>;

impl Findings {
    /// Of these records.
    pub fn of(plan: &Plan, records: &[Record]) -> Self {
        let mut transfers: Vec<&TransferRecord> = Vec::new();
        let mut routes: Vec<&RouteRecord> = Vec::new();
        let mut bursts: Vec<&BurstRecord> = Vec::new();
        for record in records {
            match record {
                Record::Transfer(record) => transfers.push(record),
                Record::Route(record) => routes.push(record),
                Record::Burst(record) => bursts.push(record),
            }
        }
        let mut failures = BTreeMap::new();
        for error in transfers.iter().filter_map(|it| it.error.clone()) {
            *failures.entry(error).or_default() += 1;
        }
        let mut domains = BTreeMap::new();
        for host in &plan.hosts {
            *domains.entry(top_level_domain(host)).or_default() += 1;
        }
        let bursts = burst_findings(&bursts);
        let capacities = bursts.iter().filter_map(|it| it.verdict.capacity().map(f64::from));
        let capacities: Distribution = capacities.collect();
        let variants = variant_findings(plan, &transfers);
        let windows = variants.iter().map(|it| it.initial_window_segments);
        let largest = windows.max_by(f64::total_cmp).unwrap_or_default();
        let found: Vec<Route> = routes.iter().filter_map(|it| it.route.clone()).collect();
        Findings {
            name: plan.name.clone(),
            digest: plan.digest(),
            rounds: plan.rounds,
            planned_transfers: plan.rounds as usize * plan.hosts.len() * plan.variants().len(),
            transfers: transfers.len(),
            failures,
            transfer_bytes: plan.transfer.bytes,
            mss: plan.transfer.mss,
            hosts: plan.hosts.iter().map(|host| host_finding(host, &transfers, &routes)).collect(),
            variants,
            domains,
            bursts,
            bursts_below_largest_window: capacities.share_below(largest),
            largest_window_segments: largest,
            common_path: CommonPath::of(&found),
            records: transfers.into_iter().cloned().collect(),
        }
    }

    /// The burst capacities that were measured, in packets.
    pub(super) fn capacities(&self) -> impl Iterator<Item = f64> {
        self.bursts.iter().filter_map(|it| it.verdict.capacity().map(f64::from))
    }
}

/// The last label of a name; `unknown` of an address.
fn top_level_domain(host: &str) -> String {
    let host = split_port(host).map_or(host, |(name, _)| name);
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let is_name = host.contains('.') && host.parse::<IpAddr>().is_err() && !last.is_empty();
    if is_name { last.to_lowercase() } else { "unknown".into() }
}

fn variant_findings(plan: &Plan, transfers: &[&TransferRecord]) -> Vec<VariantFinding> {
    let mut groups: Groups<'_> = BTreeMap::new();
    for transfer in transfers {
        let group = groups.entry((transfer.round, &transfer.host)).or_default();
        group.insert((&transfer.law, &transfer.initial_window), transfer);
    }
    let first = plan.transfer.initial_windows.first().map(ToString::to_string).unwrap_or_default();
    // With the MSS that the plan leaves to the MTU, that of Ethernet.
    let mss = u32::from(plan.transfer.mss.unwrap_or(1460)).max(1);
    let finding = |variant: &crate::campaign::Variant| {
        let (law, window) = (variant.law.to_string(), variant.window.to_string());
        let of_kind = || groups.values().filter_map(|group| group.get(&(&law[..], &window[..])));
        let done = || of_kind().filter(|it| it.error.is_none());
        // The transfer beside the law's first one of its group, where both were done.
        let pairs = || {
            groups.values().filter_map(|group| {
                let done = |window: &str| {
                    group.get(&(&law[..], window)).copied().filter(|it| it.error.is_none())
                };
                Some([done(&first)?, done(&window)?])
            })
        };
        let saved = pairs().filter_map(|[first, this]| {
            let (first, this) = (first.seconds?, this.seconds?);
            (first > 0.0).then(|| (first - this) / first * 100.0)
        });
        let retransmitted = |it: &TransferRecord| it.retransmitted_segments as f64;
        let loss_free = done().filter(|it| it.retransmitted_segments == 0).count();
        let count = done().count();
        VariantFinding {
            initial_window_segments: f64::from(variant.window.window(mss)) / f64::from(mss),
            transfers: count,
            failed: of_kind().count() - count,
            seconds: Mean::of(done().filter_map(|it| it.seconds)),
            time_saved_percent: Mean::of(saved),
            extra_retransmissions: Mean::of(
                pairs().map(|[first, this]| retransmitted(this) - retransmitted(first)),
            ),
            loss_free_share: (count > 0).then(|| loss_free as f64 / count as f64),
            law: law.clone(),
            initial_window: window.clone(),
        }
    };
    plan.variants().iter().map(finding).collect()
}

fn host_finding(host: &str, transfers: &[&TransferRecord], routes: &[&RouteRecord]) -> HostFinding {
    let of_host = || transfers.iter().filter(|it| it.host == host);
    let failed = of_host().filter(|it| it.error.is_some()).count();
    let rtts: Distribution = of_host().filter_map(|it| Some(it.rtt?.smoothed_seconds)).collect();
    let found = routes.iter().filter(|it| it.host == host).filter_map(|it| it.route.as_ref());
    let hops: Distribution = found.filter_map(Route::length).map(|hops| hops as f64).collect();
    HostFinding {
        host: host.to_owned(),
        address: of_host().next_back().and_then(|it| it.address),
        rtt_seconds: rtts.mean(),
        hops: hops.mean(),
        transfers: of_host().count() - failed,
        failed,
    }
}

fn burst_findings(bursts: &[&BurstRecord]) -> Vec<BurstFinding> {
    let crossings =
        bursts.iter().flat_map(|burst| burst.crossings.iter().map(move |it| (burst, it)));
    let finding = |(burst, crossing): (&&BurstRecord, &crate::campaign::CrossingRecord)| {
        let measured = crossing.measured.as_ref()?;
        Some(BurstFinding {
            step: burst.step.clone(),
            round: burst.round,
            began_unix_seconds: burst.began_unix_seconds,
            host: crossing.host.clone(),
            hop_limit: crossing.hop_limit,
            sent_packets: measured.burst.sent,
            answered_packets: measured.burst.answered,
            verdict: measured.verdict,
        })
    };
    crossings.filter_map(finding).collect()
}
