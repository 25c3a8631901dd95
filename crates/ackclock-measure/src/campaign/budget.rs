//! The budget of a campaign, what it has sent and may send next: within its limits, at its rate, and to no host
//! without a pause.

use super::caps::time_at_rate;
use super::plan::Limits;
use super::record::Record;
use ackclock::time::{Duration, Instant};
use std::collections::BTreeMap;
use std::fmt;

/// Bytes that are or were sent, headers included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge<'h> {
    /// The host that gets them; none of bursts, which end at routers before it.
    pub host: Option<&'h str>,
    /// How many.
    pub bytes: u64,
}

/// The account of a campaign.
#[derive(Debug)]
pub(super) struct Budget<'p> {
    limits: &'p Limits,
    total: u64,
    hosts: BTreeMap<String, u64>,
    /// When the mean rate is below its limit.
    free_at: Instant,
    /// When the next transfer to a host may begin.
    rested: BTreeMap<String, Instant>,
}

impl<'p> Budget<'p> {
    /// After these steps of earlier runs. It is `now`, and so many seconds since 1970.
    pub(super) fn after(
        records: &[Record],
        limits: &'p Limits,
        now: Instant,
        unix_seconds: f64,
    ) -> Self {
        let (hosts, rested) = (BTreeMap::new(), BTreeMap::new());
        let mut budget = Budget { limits, total: 0, hosts, free_at: now, rested };
        for record in records {
            // If the clock was put back in between, the time of the longest step is waited for.
            let ago = (unix_seconds - record.ended_unix_seconds()).max(0.0);
            let ago = Duration::from_nanos((ago * 1e9) as u64);
            let charges = record.charges();
            charges.iter().for_each(|charge| budget.add(*charge));
            if let Record::Transfer(transfer) = record {
                let left = limits.pause.saturating_sub(ago);
                budget.rested.insert(transfer.host.clone(), now + left);
            }
            // It began when those before it allowed it, unless it sent nothing.
            if let Some(last) = charges.last() {
                let left = budget.time_of(*last).saturating_sub(ago);
                budget.free_at = budget.free_at.max(now + left);
            }
        }
        budget
    }

    /// Whether the budget suffices.
    ///
    /// # Errors
    /// Says of what there is too little.
    pub(super) fn allows(&self, wanted: Charge<'_>) -> Result<(), Spent> {
        let check = |name, limit: u64, sent: u64| {
            let left = limit.saturating_sub(sent);
            let Charge { bytes, .. } = wanted;
            if bytes > left { Err(Spent { name, limit, left, bytes }) } else { Ok(()) }
        };
        check("total_bytes", self.limits.total_bytes, self.total)?;
        match wanted.host {
            Some(host) => check("host_bytes", self.limits.host_bytes, self.sent_to(host)),
            None => Ok(()),
        }
    }

    /// Records the bytes sent until `now`.
    pub(super) fn charge(&mut self, charge: Charge<'_>, now: Instant) {
        self.add(charge);
        self.free_at = self.free_at.max(now) + self.time_of(charge);
    }

    /// No transfer to this host before a pause after `now`.
    pub(super) fn rest(&mut self, host: &str, now: Instant) {
        self.rested.insert(host.to_owned(), now + self.limits.pause);
    }

    /// When something more may be sent.
    pub(super) fn free_at(&self) -> Instant {
        self.free_at
    }

    /// When the next transfer to this host may begin, as far as the pause is concerned.
    pub(super) fn rested_at(&self, host: &str) -> Instant {
        self.rested.get(host).copied().unwrap_or(Instant::ZERO)
    }

    fn add(&mut self, Charge { host, bytes }: Charge<'_>) {
        self.total = self.total.saturating_add(bytes);
        if let Some(host) = host {
            let sent = self.hosts.entry(host.to_owned()).or_default();
            *sent = sent.saturating_add(bytes);
        }
    }

    fn sent_to(&self, host: &str) -> u64 {
        self.hosts.get(host).copied().unwrap_or_default()
    }

    fn time_of(&self, charge: Charge<'_>) -> Duration {
        time_at_rate(charge.bytes, self.limits.bits_per_second)
    }
}

/// Less is left than the next step is expected to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spent {
    /// The limit's name in the plan.
    pub name: &'static str,
    /// What it is, in bytes.
    pub limit: u64,
    /// The remainder.
    pub left: u64,
    /// Bytes that the step is expected to send.
    pub bytes: u64,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spent { name, limit, left, bytes } = self;
        write!(
            f,
            "the next step takes {bytes} bytes, and of the {limit} that '{name}' allows {left} are \
             left: raise it in the plan's [limits], or give --exceed-caps"
        )
    }
}

impl std::error::Error for Spent {}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::small;
    use super::super::record::{BurstRecord, CrossingRecord, RouteRecord, TransferRecord};
    use super::super::{Estimate, POLITE, Step, steps};
    use super::*;
    use crate::burst::{Burst, Measured, Verdict};

    const NOW: Instant = Instant::from_secs(50);

    fn transfer(host: &str, wire_bytes: u64, ended_unix_seconds: f64) -> Record {
        let host = host.to_owned();
        let record = TransferRecord { host, wire_bytes, ended_unix_seconds, ..Default::default() };
        Record::Transfer(Box::new(record))
    }

    fn burst(host: &str) -> Record {
        let burst = Burst { sent: 100, bytes: 512, ..Burst::default() };
        let verdict = Verdict::AtLeast(100);
        let measured = Some(Measured { burst, smallest: None, spaced: None, verdict });
        let (host, through) = (host.to_owned(), Vec::new());
        let crossing = CrossingRecord { host, through, hop_limit: 4, measured, error: None };
        Record::Burst(BurstRecord { crossings: vec![crossing], ..Default::default() })
    }

    /// All steps of a plan as they go if nothing is lost, with all bursts towards the first host.
    #[test]
    fn a_polite_plan_whose_bursts_all_go_to_one_host_is_never_spent() {
        let mut plan = small();
        plan.rounds = 30;
        plan.transfer.initial_windows = crate::campaign::Transfers::default().initial_windows;
        assert_eq!(plan.excesses(), []);
        let estimate = Estimate::of(&plan);
        let groups = u64::from(plan.rounds) * plan.variants().len() as u64;
        let mut budget = Budget::after(&[], &plan.limits, NOW, 0.0);
        for step in steps(&plan) {
            let record = match step {
                Step::Transfer { host, .. } => {
                    transfer(&plan.hosts[host], estimate.host_bytes / groups, 0.0)
                }
                Step::Burst { .. } => burst(&plan.hosts[0]),
                Step::Route { .. } => continue,
            };
            for charge in record.charges() {
                assert_eq!(budget.allows(charge), Ok(()), "{step}");
                budget.charge(charge, NOW);
            }
        }
        // More than a host may get went through the common path.
        assert!(90 * 100 * 512 + estimate.host_bytes > POLITE.host_bytes);
    }

    #[test]
    fn what_would_exceed_a_limit_is_refused_before_it_is_sent() {
        let mut limits = POLITE;
        (limits.total_bytes, limits.host_bytes) = (1_000, 600);
        let mut budget = Budget::after(&[], &limits, NOW, 0.0);
        let to = |host, bytes| Charge { host: Some(host), bytes };
        budget.charge(to("a", 400), NOW);
        assert_eq!(budget.allows(to("a", 200)), Ok(()));
        let spent = Spent { name: "host_bytes", limit: 600, left: 200, bytes: 201 };
        assert_eq!(budget.allows(to("a", 201)), Err(spent));
        assert_eq!(budget.allows(to("b", 600)), Ok(()));
        let spent = Spent { name: "total_bytes", limit: 1_000, left: 600, bytes: 601 };
        assert_eq!(budget.allows(to("b", 601)), Err(spent.clone()));
        assert_eq!(budget.allows(Charge { host: None, bytes: 601 }), Err(spent));
    }

    #[test]
    fn pauses_and_the_rate_outlast_an_interruption() {
        let mut limits = POLITE;
        (limits.pause, limits.bits_per_second) = (Duration::from_secs(10), 8_000);
        let route = |wire_bytes, ended_unix_seconds| {
            let host = "b".to_owned();
            Record::Route(RouteRecord {
                host,
                wire_bytes,
                ended_unix_seconds,
                ..Default::default()
            })
        };
        // The last one found no address.
        let records = [transfer("a", 5_000, 1_000.0), route(2_000, 1_006.0), route(0, 1_006.5)];
        let at = |unix_seconds| {
            let budget = Budget::after(&records, &limits, NOW, unix_seconds);
            [budget.rested_at("a"), budget.free_at()].map(|at| at.saturating_since(NOW).as_millis())
        };
        // Ten seconds after the transfer; two seconds after the route.
        assert_eq!(at(1_007.0), [3_000, 1_000]);
        assert_eq!(at(2_000.0), [0, 0]);
        // On a clock that was put back.
        assert_eq!(at(7.0), [10_000, 5_000]);
    }
}
