//! The route to a host: the routers that drop packets with a hop limit of one, two, and so on.

use crate::probe::{AnswerKind, Method, Probe, ProbeError, Prober, least_bytes};
use ackclock::time::Duration;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// How a route is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoutePlan {
    /// Protocol of the prober's probes.
    pub method: Method,
    /// Hops at most; 30 by traceroute's tradition, at most 64.
    pub max_hops: u8,
    /// Probes for each hop, at least one.
    pub queries: u8,
    /// How long to wait for an answer.
    pub patience: Duration,
    /// Number of consecutive hops without an answer after which probing ends.
    pub silent_hops: u8,
}

impl Default for RoutePlan {
    fn default() -> Self {
        RoutePlan {
            method: Method::Icmp,
            max_hops: 30,
            queries: 3,
            patience: Duration::from_secs(1),
            silent_hops: 5,
        }
    }
}

/// The way to a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Route {
    /// Where it leads.
    pub target: IpAddr,
    /// The first hop first. The last one is the target's if it was reached.
    pub hops: Vec<Hop>,
    /// Whether it was reached.
    pub reached: bool,
    /// Probes sent, including those to hops that gave no answer.
    #[serde(default)]
    pub probes: u32,
}

/// The router at this number of hops.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Hop {
    /// Probes sent.
    pub sent: u8,
    /// Answers in the order in which they came.
    pub answers: Vec<HopAnswer>,
}

/// An answer from a hop.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HopAnswer {
    /// Who answered.
    pub from: IpAddr,
    /// Time from the probe to the answer.
    pub rtt_seconds: f64,
    /// Why the probe could not be delivered, if so (ICMP's code).
    pub unreachable: Option<u8>,
}

impl Hop {
    /// Who answered, each once.
    pub fn addresses(&self) -> Vec<IpAddr> {
        let mut addresses: Vec<IpAddr> = Vec::new();
        for answer in &self.answers {
            if !addresses.contains(&answer.from) {
                addresses.push(answer.from);
            }
        }
        addresses
    }
}

impl Route {
    /// The routers by hop, without the target; empty where none answered.
    pub fn routers(&self) -> Vec<Vec<IpAddr>> {
        let hops = self.hops.len() - usize::from(self.reached && !self.hops.is_empty());
        self.hops.iter().take(hops).map(Hop::addresses).collect()
    }

    /// Number of hops to the target, as traceroute counts; `None`: it was not reached.
    pub fn length(&self) -> Option<usize> {
        self.reached.then_some(self.hops.len())
    }

    /// The least round-trip time to the target in seconds.
    pub fn rtt_seconds(&self) -> Option<f64> {
        let last = self.hops.last().filter(|_| self.reached)?;
        last.answers.iter().map(|answer| answer.rtt_seconds).min_by(f64::total_cmp)
    }
}

/// Finds the way to the prober's target, one hop after another, with one probe under way at a time.
///
/// # Errors
/// See [`ProbeError`].
pub fn find_route<P: Prober + ?Sized>(
    prober: &mut P,
    plan: &RoutePlan,
) -> Result<Route, ProbeError> {
    let target = prober.target();
    let bytes = least_bytes(plan.method, target).max(64);
    let mut route = Route { target, hops: Vec::new(), reached: false, probes: 0 };
    let (mut number, mut silent) = (0, 0);
    for hop_limit in 1..=plan.max_hops {
        let mut hop = Hop::default();
        let mut ends = false;
        for _ in 0..plan.queries.max(1) {
            let probe = Probe { number, hop_limit, bytes };
            number += 1;
            hop.sent += 1;
            route.probes += 1;
            if let Some((answer, kind)) = ask(prober, probe, plan.patience)? {
                route.reached |= kind == AnswerKind::Reached;
                ends |= kind != AnswerKind::TimeExceeded;
                hop.answers.push(answer);
            }
        }
        silent = if hop.answers.is_empty() { silent + 1 } else { 0 };
        route.hops.push(hop);
        if ends || silent >= plan.silent_hops {
            break;
        }
    }
    // Hops at the end without an answer are not part of the route.
    while route.hops.last().is_some_and(|hop| hop.answers.is_empty()) {
        route.hops.pop();
    }
    Ok(route)
}

/// Sends a probe and waits for its answer.
fn ask<P: Prober + ?Sized>(
    prober: &mut P,
    probe: Probe,
    patience: Duration,
) -> Result<Option<(HopAnswer, AnswerKind)>, ProbeError> {
    let sent_at = prober.now();
    prober.send(probe)?;
    while let Some(heard) = prober.hear(sent_at + patience)? {
        let answer = heard.answer;
        if answer.number == probe.number {
            let rtt = heard.at.saturating_since(sent_at);
            let unreachable = match answer.kind {
                AnswerKind::Unreachable(code) => Some(code),
                AnswerKind::TimeExceeded | AnswerKind::Reached => None,
            };
            let rtt_seconds = rtt.as_nanos() as f64 / 1e9;
            return Ok(Some((
                HopAnswer { from: answer.from, rtt_seconds, unreachable },
                answer.kind,
            )));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::{ROUND_TRIP, Simulated};
    use std::net::Ipv4Addr;

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(10, 0, 0, last).into()
    }

    fn path(routers: Vec<Vec<Option<u8>>>) -> Simulated {
        let v4 = |last| Ipv4Addr::new(10, 0, 0, last);
        let hop = |hop: Vec<Option<u8>>| hop.into_iter().map(|last| last.map(v4)).collect();
        let mut path = Simulated::default();
        path.routers = routers.into_iter().map(hop).collect();
        path.target = Ipv4Addr::new(10, 0, 0, 99);
        path
    }

    #[test]
    fn the_routers_are_found_in_their_order_and_the_target_behind_them() {
        let mut path = path(vec![vec![Some(1)], vec![Some(2)], vec![Some(3)]]);
        let route = find_route(&mut path, &RoutePlan::default()).unwrap();
        assert_eq!(route.routers(), [1, 2, 3].map(|last| vec![address(last)]));
        assert_eq!((route.length(), route.hops.len()), (Some(4), 4));
        assert_eq!(route.rtt_seconds(), Some(ROUND_TRIP.as_nanos() as f64 / 1e9));
        assert_eq!(path.sent.len(), 12);
    }

    #[test]
    fn silent_hops_are_passed_and_shared_ones_have_all_their_routers() {
        let mut path = path(vec![vec![Some(1)], vec![None], vec![Some(3), Some(4)]]);
        let route = find_route(&mut path, &RoutePlan::default()).unwrap();
        assert_eq!(route.routers(), [vec![address(1)], vec![], vec![address(3), address(4)]]);
        assert_eq!((route.hops[1].sent, route.length()), (3, Some(4)));
    }

    #[test]
    fn where_nobody_answers_any_more_it_ends() {
        let mut path = path([vec![vec![Some(1)]], vec![vec![None]; 20]].concat());
        let route = find_route(&mut path, &RoutePlan::default()).unwrap();
        assert_eq!((route.routers(), route.length()), (vec![vec![address(1)]], None));
        assert_eq!(path.sent.last().unwrap().hop_limit, 6);
        assert_eq!((route.probes, path.sent.len()), (18, 18));
    }
}
