//! How far a campaign goes, and how far it may.

use super::plan::{Limits, Plan};
use super::schedule::{Step, steps};
use crate::lists::StopList;
use crate::route::RoutePlan;
use ackclock::time::Duration;
use std::fmt;
use std::net::Ipv6Addr;

/// IPv4 header without options, and IPv6 header, in bytes.
const IP_HEADERS: [u64; 2] = [20, 40];

/// The option that has timestamps, with its padding, in bytes (RFC 7323 appendix A).
const TIMESTAMPS: u64 = 12;

/// TCP header with timestamps, in bytes.
const TCP_HEADER: u64 = 20 + TIMESTAMPS;

/// What Ethernet carries, in bytes.
const MTU: u64 = 1500;

/// Length of the probes of a route, in bytes.
pub(super) const ROUTE_PROBE: u64 = 64;

/// Hops to a host for which a campaign is estimated, about the mean in allman98's figure 6.
const HOPS: u64 = 16;

/// Polite limits: all of allman98's campaign (100 hosts, 30 rounds of
/// seven transfers of 16 KiB) is within them.
pub const POLITE: Limits = Limits {
    total_bytes: 512 << 20,
    host_bytes: 8 << 20,
    bits_per_second: 1_000_000,
    pause: Duration::from_secs(1),
    stop: StopList::new(),
    stop_file: None,
};

impl Default for Limits {
    fn default() -> Self {
        POLITE
    }
}

/// Bytes that a campaign will send if nothing is lost.
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
    /// Most bytes to a host, without bursts, which end before it.
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
        let hosts = plan.hosts.len().max(1);
        let times = |count: usize, bytes: u64| (count as u64).saturating_mul(bytes);
        let to_host = |host| {
            let is_ipv6 = plan.peer(host).is_some_and(|(it, _)| it.parse::<Ipv6Addr>().is_ok());
            let transfers = times(transfers / hosts, transfer_bytes(plan, is_ipv6));
            transfers.saturating_add(times(routes / hosts, route_bytes(plan)))
        };
        let to_hosts: Vec<u64> = (0..plan.hosts.len()).map(to_host).collect();
        let host_bytes = to_hosts.iter().copied().max().unwrap_or_default();
        let burst = u64::from(plan.bursts.count) * u64::from(plan.bursts.bytes);
        let total_bytes = to_hosts.into_iter().fold(times(bursts, burst), u64::saturating_add);
        let groups = plan.rounds as u64 * hosts as u64;
        let pauses =
            plan.limits.pause.saturating_mul(transfers as u64 - groups.min(transfers as u64));
        let at_rate = time_at_rate(total_bytes, plan.limits.bits_per_second);
        let least_time = pauses.max(at_rate);
        Estimate { hosts, transfers, bursts, routes, total_bytes, host_bytes, least_time }
    }
}

/// Headers of a segment, in bytes.
pub(crate) fn header_bytes(is_ipv6: bool) -> u64 {
    IP_HEADERS[usize::from(is_ipv6)] + TCP_HEADER
}

/// Bytes of a transfer of which nothing is lost, to a host that has an IPv6 address or an IPv4 one.
pub(super) fn transfer_bytes(plan: &Plan, is_ipv6: bool) -> u64 {
    let headers = header_bytes(is_ipv6);
    let most = MTU - headers;
    let most = plan
        .transfer
        .mss
        .map_or(most, |mss| most.min(u64::from(mss) - TIMESTAMPS.min(u64::from(mss))));
    // Handshake and end take four segments more.
    let segments = plan.transfer.bytes.div_ceil(most.max(1)).saturating_add(4);
    plan.transfer.bytes.saturating_add(segments.saturating_mul(headers))
}

/// Bytes of the probes of a route of usual length.
pub(super) fn route_bytes(plan: &Plan) -> u64 {
    let RoutePlan { queries, max_hops, .. } = plan.routes.plan();
    u64::from(queries) * HOPS.min(max_hops.into()) * ROUTE_PROBE
}

/// Maximum duration of this many bytes at this rate.
pub(super) fn time_at_rate(bytes: u64, bits_per_second: u64) -> Duration {
    let nanos = u128::from(bytes) * 8 * 1_000_000_000 / u128::from(bits_per_second.max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// The limit that is exceeded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Excess {
    /// The plan has a limit that is laxer than the polite one.
    Limit {
        /// Its name in the plan.
        name: &'static str,
        /// The value in the plan.
        given: String,
        /// The polite value.
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
        // 16 KiB in 33 segments of 500 bytes, 4 more, 52 bytes each.
        assert_eq!(estimate.host_bytes, 210 * (16_384 + 37 * 52) + 31 * 3 * 16 * 64);
        assert_eq!(paper.excesses(), []);
    }

    #[test]
    fn ipv6_and_what_the_mtu_allows_take_headers_of_their_own() {
        let mut plan = small();
        assert_eq!(transfer_bytes(&plan, true), 16_384 + 37 * 72);
        plan.transfer.mss = None;
        // 12 segments of 1448 or 1428 bytes.
        assert_eq!(transfer_bytes(&plan, false), 16_384 + 16 * 52);
        assert_eq!(transfer_bytes(&plan, true), 16_384 + 16 * 72);
        let ipv4 = Estimate::of(&plan);
        plan.hosts[1] = "[2001:db8::7]:9".into();
        let mixed = Estimate::of(&plan);
        assert_eq!(mixed.host_bytes - ipv4.host_bytes, 6 * 16 * 20);
        assert_eq!(mixed.total_bytes - ipv4.total_bytes, 6 * 16 * 20);
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
        let needed = 6 * (16_384 + 37 * 52) + 3 * 3 * 16 * 64;
        assert_eq!(
            excesses("host_bytes = 100_000"),
            [format!("{needed} bytes are needed, 'host_bytes' is 100000")]
        );
    }
}
