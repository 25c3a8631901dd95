//! Ready-made topologies. In an array of two paths the first leads from left to right, from senders
//! to receivers.

use super::Topology;
use crate::ids::{HostId, LinkId, NodeId, RouterId};
use crate::link::path::Path;

/// Senders and receivers on either side of one bottleneck.
///
/// ```text
///   sender1 ---+                     +--- receiver1
///              left ============ right
///   sender2 ---+                     +--- receiver2
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dumbbell {
    /// The network.
    pub topology: Topology,
    /// The hosts `sender1` and so on.
    pub senders: Vec<HostId>,
    /// The hosts `receiver1` and so on.
    pub receivers: Vec<HostId>,
    /// The bottleneck: from the router `left` to `right`, and back.
    pub bottleneck: [LinkId; 2],
}

/// Two hosts with routers in between.
///
/// ```text
///   left --- router1 --- router2 --- right
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Chain {
    /// The network.
    pub topology: Topology,
    /// The hosts `left` and `right`.
    pub ends: [HostId; 2],
    /// The links of each hop from left to right: there, and back.
    pub hops: Vec<[LinkId; 2]>,
}

/// A line of routers that is shared by flows over one hop, over several, and over all.
///
/// ```text
///   host1       host2       host3       host4
///     |           |           |           |
///   router1 === router2 === router3 === router4
///     |           |           |           |
///   peer1       peer2       peer3       peer4
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParkingLot {
    /// The network.
    pub topology: Topology,
    /// The hosts at each router from left to right: `host1` and `peer1`, and so on.
    pub hosts: Vec<[HostId; 2]>,
    /// The links of each hop from left to right: there, and back.
    pub hops: Vec<[LinkId; 2]>,
}

impl Topology {
    /// Two hosts, `left` and `right` ([`LEFT`](crate::LEFT), [`RIGHT`](crate::RIGHT)), joined by a
    /// link in each direction.
    pub fn pair(paths: [Path; 2]) -> Self {
        let mut topology = Topology::new();
        let [left, right] = ["left", "right"].map(|name| topology.host(name));
        topology.link(left, right, paths);
        topology
    }

    /// A sender and a receiver for each element of `access`, around one bottleneck. An element has
    /// the parameters of the sender's and of the receiver's link with its router, the same in both
    /// directions.
    pub fn dumbbell(bottleneck: [Path; 2], access: &[[Path; 2]]) -> Dumbbell {
        let mut topology = Topology::new();
        let routers = ["left", "right"].map(|name| topology.router(name));
        let mut side = |role: &str, at: RouterId, index: usize| -> Vec<HostId> {
            let mut host = |(number, paths): (usize, &[Path; 2])| {
                let host = topology.host(format!("{role}{}", number + 1));
                topology.link(host, at, both(&paths[index]));
                host
            };
            access.iter().enumerate().map(&mut host).collect()
        };
        let senders = side("sender", routers[0], 0);
        let receivers = side("receiver", routers[1], 1);
        let bottleneck = topology.link(routers[0], routers[1], bottleneck);
        Dumbbell { topology, senders, receivers, bottleneck }
    }

    /// Two hosts with one router less between them than there are hops.
    pub fn chain(hops: &[[Path; 2]]) -> Chain {
        let mut topology = Topology::new();
        let ends = ["left", "right"].map(|name| topology.host(name));
        let mut from = NodeId::Host(ends[0]);
        let mut links = Vec::new();
        for (number, paths) in (1..).zip(hops) {
            let to = match number {
                last if last == hops.len() => ends[1].into(),
                _ => topology.router(format!("router{number}")).into(),
            };
            links.push(topology.link(from, to, paths.clone()));
            from = to;
        }
        Chain { topology, ends, hops: links }
    }

    /// A line of one router more than there are hops, each with two hosts. `access` has the
    /// parameters of the hosts' links, in both directions.
    pub fn parking_lot(hops: &[[Path; 2]], access: &Path) -> ParkingLot {
        let mut topology = Topology::new();
        let numbers = 1..=hops.len() + 1;
        let routers: Vec<_> =
            numbers.clone().map(|number| topology.router(format!("router{number}"))).collect();
        let links = hops.iter().zip(routers.windows(2));
        let links = links.map(|(paths, ends)| topology.link(ends[0], ends[1], paths.clone()));
        let links = links.collect();
        let hosts = numbers.zip(&routers).map(|(number, &router)| {
            ["host", "peer"].map(|role| {
                let host = topology.host(format!("{role}{number}"));
                topology.link(host, router, both(access));
                host
            })
        });
        let hosts = hosts.collect();
        ParkingLot { topology, hosts, hops: links }
    }
}

fn both(path: &Path) -> [Path; 2] {
    [path.clone(), path.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each link as the names of its ends and its delay in milliseconds.
    fn links(topology: &Topology) -> Vec<String> {
        let show = |link| {
            let [from, to] = topology.ends(link).map(|node| topology.name(node));
            format!("{from} {to} {}", topology.path(link).delay.as_millis())
        };
        topology.links().map(show).collect()
    }

    fn path(millis: u64) -> Path {
        format!("delay={millis}ms").parse().unwrap()
    }

    #[test]
    fn a_dumbbell_has_a_sender_and_a_receiver_for_each_access() {
        let access = [[path(1), path(2)], [path(3), path(4)]];
        let dumbbell = Topology::dumbbell([path(10), path(11)], &access);
        let expected = [
            "sender1 left 1",
            "left sender1 1",
            "sender2 left 3",
            "left sender2 3",
            "receiver1 right 2",
            "right receiver1 2",
            "receiver2 right 4",
            "right receiver2 4",
            "left right 10",
            "right left 11",
        ];
        assert_eq!(links(&dumbbell.topology), expected);
        let names = dumbbell.senders.iter().chain(&dumbbell.receivers);
        let names: Vec<_> = names.map(|&host| dumbbell.topology.name(host)).collect();
        assert_eq!(names, ["sender1", "sender2", "receiver1", "receiver2"]);
        assert_eq!(dumbbell.bottleneck, [LinkId(8), LinkId(9)]);
    }

    #[test]
    fn a_chain_has_a_router_between_any_two_hops() {
        let chain = Topology::chain(&[both(&path(1)), both(&path(2)), both(&path(3))]);
        let expected = [
            "left router1 1",
            "router1 left 1",
            "router1 router2 2",
            "router2 router1 2",
            "router2 right 3",
            "right router2 3",
        ];
        assert_eq!(links(&chain.topology), expected);
        assert_eq!(
            links(&Topology::chain(&[both(&path(7))]).topology),
            links(&Topology::pair(both(&path(7))))
        );
    }

    #[test]
    fn a_parking_lot_has_two_hosts_at_each_router() {
        let lot = Topology::parking_lot(&[both(&path(1)), both(&path(2))], &path(0));
        let forwards: Vec<_> = links(&lot.topology).into_iter().step_by(2).collect();
        let expected = [
            "router1 router2 1",
            "router2 router3 2",
            "host1 router1 0",
            "peer1 router1 0",
            "host2 router2 0",
            "peer2 router2 0",
            "host3 router3 0",
            "peer3 router3 0",
        ];
        assert_eq!(forwards, expected);
        assert_eq!((lot.hosts.len(), lot.hops.len()), (3, 2));
    }
}
