//! How far a campaign goes, and how far it may.

use super::plan::{Limits, Plan};
use super::schedule::{Step, steps};
use crate::route::RoutePlan;
use ackclock::time::Duration;
use std::fmt;

/// Headers of a segment in bytes: IPv4, TCP and timestamps.
pub(super) const HEADERS: u64 = 52;

/// Length of the probes of a route, in bytes.
pub(super) const ROUTE_PROBE: u64 = 64;

/// Hops to a host for which a campaign is estimated, about the mean in allman98's figure 6.
const HOPS: u64 = 16;

/// Limits that nobody has reason to mind: all of allman98's campaign (100 hosts, 30 rounds of
/// seven transfers of 16 KiB) is within them.
pub const POLITE: Limits = Limits {
    total_bytes: 512 << 20,
    host_bytes: 8 << 20,
    bits_per_second: 1_000_000,
    pause: Duration::from_secs(1),
    stop: Vec::new(),
    stop_file: None,
};

impl Default for Limits {
    fn default() -> Self {
        POLITE
    }
}

/// What a campaign will send if nothing is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// Hosts.
    pub hosts: usize,
    /// Transfers.
    pub transfers: usize,
    /// Times at which bursts are sent.
    pub bursts: usize,
    /// Routes.
    pub routes: usize,
    /// Bytes in all, headers and probes included.
    pub total_bytes: u64,
    /// Bytes to each host, without bursts, which end before it.
    pub host_bytes: u64,
    /// Time that pauses and the limit of the rate take, at least.
    pub least_time: Duration,
}

impl Estimate {
    /// Of a plan.
    pub fn of(plan: &Plan) -> Self {
        let all = steps(plan);
        let count = |is: fn(&Step) -> bool| all.iter().filter(|step| is(step)).count();
        let transfers = count(|step| matches!(step, Step::Transfer { .. }));
        let bursts = count(|step| matches!(step, Step::Burst { .. }));
        let routes = count(|step| matches!(step, Step::Route { .. }));
        let (transfer, route) = (transfer_bytes(plan), route_bytes(plan));
        let burst = u64::from(plan.bursts.count) * u64::from(plan.bursts.bytes);
        let sum = |parts: [(usize, u64); 3]| {
            parts.iter().fold(0_u64, |sum, &(times, each)| {
                sum.saturating_add((times as u64).saturating_mul(each))
            })
        };
        let total_bytes = sum([(transfers, transfer), (routes, route), (bursts, burst)]);
        let hosts = plan.hosts.len().max(1);
        let host_bytes = sum([(transfers / hosts, transfer), (routes / hosts, route), (0, 0)]);
        let groups = plan.rounds as u64 * hosts as u64;
        let pauses =
            plan.limits.pause.saturating_mul(transfers as u64 - groups.min(transfers as u64));
        let at_rate = time_at_rate(total_bytes, plan.limits.bits_per_second);
        let least_time = pauses.max(at_rate);
        Estimate { hosts, transfers, bursts, routes, total_bytes, host_bytes, least_time }
    }
}

/// Bytes of a transfer of which nothing is lost.
pub(super) fn transfer_bytes(plan: &Plan) -> u64 {
    let mss = u64::from(plan.transfer.mss.unwrap_or(1460)).max(1);
    // Handshake and end take four segments more.
    let segments = plan.transfer.bytes.div_ceil(mss).saturating_add(4);
    plan.transfer.bytes.saturating_add(segments.saturating_mul(HEADERS))
}

/// Bytes of the probes of a route of usual length.
pub(super) fn route_bytes(plan: &Plan) -> u64 {
    let RoutePlan { queries, max_hops, .. } = plan.routes.plan();
    u64::from(queries) * HOPS.min(max_hops.into()) * ROUTE_PROBE
}

/// How long so many bytes take at most at this rate.
pub(super) fn time_at_rate(bytes: u64, bits_per_second: u64) -> Duration {
    let nanos = u128::from(bytes) * 8 * 1_000_000_000 / u128::from(bits_per_second.max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// What is more than it may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Excess {
    /// The plan asks for a limit that is laxer than the polite one.
    Limit {
        /// Its name in the plan.
        name: &'static str,
        /// What the plan says.
        given: String,
        /// What is polite.
        polite: String,
    },
    /// The campaign will need more than its limit.
    Need {
        /// The limit's name in the plan.
        name: &'static str,
        /// Bytes that are needed.
        bytes: u64,
        /// Bytes that are allowed.
        limit: u64,
    },
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Limit { name, given, polite } => {
                write!(f, "'{name}' is {given}, {polite} would be polite")
            }
            Excess::Need { name, bytes, limit } => {
                write!(f, "{bytes} bytes are needed, '{name}' is {limit}")
            }
        }
    }
}

impl Plan {
    /// What of this plan is more than it may be.
    pub fn excesses(&self) -> Vec<Excess> {
        let Limits { total_bytes, host_bytes, bits_per_second, pause, .. } = &self.limits;
        let estimate = Estimate::of(self);
        let above = |name, given: u64, polite: u64| {
            let (is_above, [given, polite]) =
                (given > polite, [given, polite].map(|it| it.to_string()));
            is_above.then_some(Excess::Limit { name, given, polite })
        };
        let short = (*pause < POLITE.pause).then(|| Excess::Limit {
            name: "pause",
            given: pause.to_string(),
            polite: POLITE.pause.to_string(),
        });
        let need = |name, bytes: u64, limit: u64| {
            (bytes > limit).then_some(Excess::Need { name, bytes, limit })
        };
        [
            above("total_bytes", *total_bytes, POLITE.total_bytes),
            above("host_bytes", *host_bytes, POLITE.host_bytes),
            above("bits_per_second", *bits_per_second, POLITE.bits_per_second),
            short,
            need("total_bytes", estimate.total_bytes, *total_bytes),
            need("host_bytes", estimate.host_bytes, *host_bytes),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::{SMALL, small};
    use super::*;

    #[test]
    fn the_papers_campaign_is_polite() {
        let mut paper = small();
        paper.hosts = (0..100).map(|host| format!("h{host}")).collect();
        paper.rounds = 30;
        paper.transfer = Default::default();
        let estimate = Estimate::of(&paper);
        assert_eq!((estimate.transfers, estimate.bursts, estimate.routes), (21_000, 90, 3_100));
        // 16 KiB in 32 segments, 4 more, 52 bytes each.
        assert_eq!(estimate.host_bytes, 210 * (16_384 + 36 * 52) + 31 * 3 * 16 * 64);
        assert_eq!(paper.excesses(), []);
    }

    #[test]
    fn what_goes_beyond_a_limit_is_named() {
        let excesses = |limits: &str| {
            let plan: Plan = format!("{SMALL}\n[limits]\n{limits}").parse().unwrap();
            plan.excesses().iter().map(Excess::to_string).collect::<Vec<_>>()
        };
        assert_eq!(excesses("pause = '1s'"), Vec::<String>::new());
        assert_eq!(excesses("pause = '100ms'"), ["'pause' is 100ms, 1s would be polite"]);
        assert_eq!(
            excesses("bits_per_second = 2_000_000"),
            ["'bits_per_second' is 2000000, 1000000 would be polite"]
        );
        let needed = 6 * (16_384 + 36 * 52) + 3 * 3 * 16 * 64;
        assert_eq!(
            excesses("host_bytes = 100_000"),
            [format!("{needed} bytes are needed, 'host_bytes' is 100000")]
        );
    }
}
