//! The common path: the part of many routes that most of them share (allman98 section 4.2).
//!
//! A gateway belongs to it if
//!
//! 1. it is the first on the way, or the one before it belongs, and
//! 2. it is on at least a third of the routes; or several gateways share the load of its hop, and
//!    together they are.
//!
//! That gateways share a hop's load is read from the routes: they come from the same gateway and
//! lead to the same one, or routes to the same host were seen through each. Gateways at which the
//! ways merely part lead on to different ones, and do not count together. A hop that never answers
//! is passed over: the gateway before it is the last one that answered.

use crate::route::Route;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// A gateway must be on one route in this number.
const ONE_IN: usize = 3;

/// What many routes have in common.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct CommonPath {
    /// Number of routes that were looked at.
    pub routes: usize,
    /// Those hops that have a gateway of the common path, the first one first.
    pub hops: Vec<CommonHop>,
    /// The gateway beyond the common path that is on most routes.
    pub beyond: Option<Gateway>,
}

/// A hop of the common path.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CommonHop {
    /// Its number, from 1.
    pub number: usize,
    /// Its gateways, the one on most routes first.
    pub gateways: Vec<Gateway>,
}

/// A gateway.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Gateway {
    /// Its address.
    pub address: IpAddr,
    /// The share of routes that it is on.
    pub share: f64,
    /// Whether it belongs only together with others that share its hop's load.
    pub shares_load: bool,
}

/// Where to send a burst so that it crosses the common path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Crossing {
    /// A host behind it.
    pub target: IpAddr,
    /// The gateways of the common path on the way there.
    pub through: Vec<IpAddr>,
    /// One more than the hops of the common path on that way.
    pub hop_limit: u8,
}

/// A gateway at its hop; hops count from 0.
type Place = (usize, IpAddr);

impl CommonPath {
    /// Of these routes.
    pub fn of(routes: &[Route]) -> Self {
        let ways: Vec<Way> = routes.iter().map(Way::new).collect();
        let mut members: BTreeSet<Place> = BTreeSet::new();
        let mut hops = Vec::new();
        for hop in 0..ways.iter().map(|way| way.hops.len()).max().unwrap_or(0) {
            let candidates = candidates(&ways, hop, &members);
            let gateways = chosen(&ways, hop, &candidates);
            members.extend(gateways.iter().map(|gateway| (hop, gateway.address)));
            if !gateways.is_empty() {
                hops.push(CommonHop { number: hop + 1, gateways });
            }
        }
        CommonPath { routes: ways.len(), hops, beyond: beyond(&ways, &members) }
    }

    /// Number of hops: that of the last one.
    pub fn length(&self) -> usize {
        self.hops.last().map_or(0, |hop| hop.number)
    }

    /// The fewest routes that lead through each of its gateways.
    pub fn crossings(&self, routes: &[Route]) -> Vec<Crossing> {
        let members: BTreeSet<Place> = self
            .hops
            .iter()
            .flat_map(|hop| hop.gateways.iter().map(|gateway| (hop.number - 1, gateway.address)))
            .collect();
        let ways: Vec<_> =
            routes.iter().map(|route| (route, Way::new(route).on(&members))).collect();
        let mut left = members;
        let mut crossings = Vec::new();
        loop {
            let new = |places: &[Place]| places.iter().filter(|place| left.contains(place)).count();
            // The first of several that are as good: the last one that is greatest, from behind.
            let best = ways.iter().rev().max_by_key(|(_, places)| (new(places), places.len()));
            let Some((route, places)) = best.filter(|(_, places)| new(places) > 0) else {
                return crossings;
            };
            left.retain(|place| !places.contains(place));
            let last = places.last().map_or(0, |(hop, _)| hop + 1);
            crossings.push(Crossing {
                target: route.target,
                through: places.iter().map(|(_, address)| *address).collect(),
                hop_limit: u8::try_from(last + 1).unwrap_or(u8::MAX),
            });
        }
    }
}

/// A route as sets of gateways.
struct Way {
    target: IpAddr,
    hops: Vec<Vec<IpAddr>>,
}

impl Way {
    fn new(route: &Route) -> Self {
        Way { target: route.target, hops: route.routers() }
    }

    /// The last hop before that answered.
    fn before(&self, hop: usize) -> Option<(usize, &[IpAddr])> {
        let earlier = self.hops.iter().enumerate().take(hop).rev();
        earlier.map(|(hop, them)| (hop, &them[..])).find(|(_, them)| !them.is_empty())
    }

    /// Who is behind that hop: the next that answered, or the host.
    fn behind(&self, hop: usize) -> Vec<IpAddr> {
        let later = self.hops.iter().skip(hop + 1).find(|them| !them.is_empty());
        later.cloned().unwrap_or_else(|| vec![self.target])
    }

    /// Whether the gateway before this hop is one of them, or there is none.
    fn follows(&self, hop: usize, members: &BTreeSet<Place>) -> bool {
        self.before(hop)
            .is_none_or(|(at, them)| them.iter().any(|address| members.contains(&(at, *address))))
    }

    /// The places of this route that are among these.
    fn on(&self, members: &BTreeSet<Place>) -> Vec<Place> {
        let places = self.hops.iter().enumerate();
        let places = places.flat_map(|(hop, them)| them.iter().map(move |address| (hop, *address)));
        places.filter(|place| members.contains(place)).collect()
    }
}

/// Gateways of a hop for which the first condition holds, and the routes that they are on so.
fn candidates(
    ways: &[Way],
    hop: usize,
    members: &BTreeSet<Place>,
) -> BTreeMap<IpAddr, BTreeSet<usize>> {
    let mut candidates: BTreeMap<IpAddr, BTreeSet<usize>> = BTreeMap::new();
    for (index, way) in ways.iter().enumerate() {
        for address in way.hops.get(hop).into_iter().flatten() {
            if way.follows(hop, members) {
                candidates.entry(*address).or_default().insert(index);
            }
        }
    }
    candidates
}

/// Those for which the second condition holds.
fn chosen(
    ways: &[Way],
    hop: usize,
    candidates: &BTreeMap<IpAddr, BTreeSet<usize>>,
) -> Vec<Gateway> {
    let is_enough = |routes: usize| routes * ONE_IN >= ways.len();
    let mut gateways = Vec::new();
    for group in sharing(ways, hop, candidates) {
        let together: BTreeSet<usize> =
            group.iter().flat_map(|address| &candidates[address]).copied().collect();
        for address in group {
            let routes = candidates[&address].len();
            if is_enough(together.len()) {
                let share = routes as f64 / ways.len() as f64;
                gateways.push(Gateway { address, share, shares_load: !is_enough(routes) });
            }
        }
    }
    gateways.sort_by(|one, other| other.share.total_cmp(&one.share));
    gateways
}

/// The gateways in groups that share the hop's load; most are alone.
fn sharing(
    ways: &[Way],
    hop: usize,
    candidates: &BTreeMap<IpAddr, BTreeSet<usize>>,
) -> Vec<Vec<IpAddr>> {
    let mut groups: Vec<Vec<IpAddr>> = Vec::new();
    for (&address, routes) in candidates {
        let (mut joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| {
            let mut others = group.iter().flat_map(|other| &candidates[other]);
            others.any(|&other| {
                routes.iter().any(|&route| are_alternatives(&ways[route], &ways[other], hop))
            })
        });
        joined.push(vec![address]);
        groups = apart;
        groups.push(joined.concat());
    }
    groups
}

/// Whether two routes differ at this hop as if its gateways shared the load.
fn are_alternatives(one: &Way, other: &Way, hop: usize) -> bool {
    let meet = |one: &[IpAddr], other: &[IpAddr]| one.iter().any(|it| other.contains(it));
    let from_the_same = match (one.before(hop), other.before(hop)) {
        (None, None) => true,
        (Some((_, one)), Some((_, other))) => meet(one, other),
        _ => false,
    };
    one.target == other.target || (from_the_same && meet(&one.behind(hop), &other.behind(hop)))
}

/// The gateway on most routes among those that do not belong.
fn beyond(ways: &[Way], members: &BTreeSet<Place>) -> Option<Gateway> {
    let mut routes: BTreeMap<IpAddr, usize> = BTreeMap::new();
    for way in ways {
        let mut passed = BTreeSet::new();
        for (hop, them) in way.hops.iter().enumerate() {
            passed.extend(them.iter().filter(|address| !members.contains(&(hop, **address))));
        }
        passed.into_iter().for_each(|address| *routes.entry(address).or_default() += 1);
    }
    let (address, routes) = routes.into_iter().max_by_key(|(_, routes)| *routes)?;
    let share = routes as f64 / ways.len() as f64;
    Some(Gateway { address, share, shares_load: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{Hop, HopAnswer};
    use std::net::Ipv4Addr;

    /// Hosts are 200 and above; 0 is a hop that does not answer.
    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(10, 0, 0, last).into()
    }

    fn route(routers: &[u8], host: u8) -> Route {
        let hop = |last: u8| {
            let answer = HopAnswer { from: address(last), rtt_seconds: 0.01, unreachable: None };
            Hop { sent: 1, answers: (last > 0).then_some(answer).into_iter().collect() }
        };
        let hops = routers.iter().chain([&host]).map(|&last| hop(last)).collect();
        Route { target: address(host), hops, reached: true, probes: 0 }
    }

    /// Last bytes of the addresses by hop.
    fn found(routes: &[Route]) -> Vec<Vec<u8>> {
        let last = |gateway: &Gateway| match gateway.address {
            IpAddr::V4(address) => address.octets()[3],
            IpAddr::V6(_) => 0,
        };
        let hops = CommonPath::of(routes).hops;
        hops.iter().map(|hop| hop.gateways.iter().map(last).collect()).collect()
    }

    #[test]
    fn it_ends_where_no_gateway_is_on_a_third_of_the_routes() {
        let routes = [
            route(&[1, 2, 3, 4, 10], 200),
            route(&[1, 2, 3, 5, 11], 201),
            route(&[1, 2, 3, 6, 12], 202),
            route(&[1, 2, 3, 7, 13], 203),
        ];
        assert_eq!(found(&routes), [[1], [2], [3]]);
        let common = CommonPath::of(&routes);
        assert_eq!((common.length(), common.beyond.map(|it| it.share)), (3, Some(0.25)));
    }

    #[test]
    fn exactly_a_third_is_enough() {
        let two_of_six = [4, 4, 5, 6, 7, 8].into_iter().zip(200..);
        let routes: Vec<_> = two_of_six.map(|(router, host)| route(&[1, router], host)).collect();
        assert_eq!(found(&routes), [vec![1], vec![4]]);
        assert_eq!(CommonPath::of(&routes).hops[1].gateways[0].share, 2.0 / 6.0);
    }

    #[test]
    fn the_gateway_before_must_belong_too() {
        // All pass 9 at the third hop, but none of the gateways before it is on a third.
        let before = [2, 3, 4, 5].into_iter().zip(200..);
        let routes: Vec<_> =
            before.map(|(it, host)| route(&[1, it, 9, host - 100], host)).collect();
        // They come from 1 and lead to 9, so they share the load of their hop, and all belong.
        assert_eq!(found(&routes), [vec![1], vec![2, 3, 4, 5], vec![9]]);
        // From different gateways they do not.
        let apart: Vec<_> = [2, 3, 4, 5]
            .into_iter()
            .zip(200..)
            .map(|(it, host)| route(&[it + 20, it, 9, host - 100], host))
            .collect();
        assert_eq!(found(&apart), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn gateways_that_share_a_hops_load_count_together_and_those_that_part_the_ways_do_not() {
        // As in the paper: hop 5 is shared, behind hop 7 the ways part. 5 in 12 each, then 2.
        let shared: Vec<_> = (0..12u8)
            .map(|n| route(&[1, 2, 3, 4, 50 + n % 4, 6, 7, 100 + n % 6], 200 + n))
            .collect();
        let expected: [&[u8]; 7] = [&[1], &[2], &[3], &[4], &[50, 51, 52, 53], &[6], &[7]];
        assert_eq!(found(&shared), expected);
        let common = CommonPath::of(&shared);
        assert!(common.hops[4].gateways.iter().all(|it| it.shares_load && it.share == 0.25));
        assert_eq!(common.beyond.map(|it| it.share), Some(2.0 / 12.0));
    }

    #[test]
    fn routes_to_one_host_through_different_gateways_share_its_load() {
        let mut routes = vec![route(&[1, 20, 30], 200), route(&[1, 21, 31], 200)];
        routes.extend((0..4).map(|n| route(&[1, 40 + n], 210 + n)));
        // 20 and 21 have one route in six each, together a third; 30 and 31 likewise.
        assert_eq!(found(&routes), [vec![1], vec![20, 21], vec![30, 31]]);
    }

    #[test]
    fn a_hop_that_never_answers_is_passed_over() {
        let routes: Vec<_> = (0..3).map(|n| route(&[0, 2, 0, 4], 200 + n)).collect();
        let common = CommonPath::of(&routes);
        let numbers: Vec<_> = common.hops.iter().map(|hop| hop.number).collect();
        assert_eq!((numbers, common.length()), (vec![2, 4], 4));
    }

    #[test]
    fn bursts_cross_each_gateway_that_shares_a_hop_and_end_one_past_the_common_path() {
        let routes: Vec<_> =
            (0..4u8).map(|n| route(&[1, 50 + n % 2, 6, 100 + n], 200 + n)).collect();
        let common = CommonPath::of(&routes);
        let crossings = common.crossings(&routes);
        let crossing = |target: u8, shared: u8| Crossing {
            target: address(target),
            through: vec![address(1), address(shared), address(6)],
            hop_limit: 4,
        };
        assert_eq!(crossings, [crossing(200, 50), crossing(201, 51)]);
    }

    #[test]
    fn no_routes_have_nothing_in_common() {
        let common = CommonPath::of(&[]);
        assert_eq!((common.length(), common.crossings(&[])), (0, vec![]));
    }
}
