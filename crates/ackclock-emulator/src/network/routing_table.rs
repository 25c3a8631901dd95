//! The routing table of all routers: static shortest paths, computed once.

use crate::ids::{LinkId, NodeId};
use std::collections::VecDeque;

/// The routing table: for each router, the link towards each host and router. It is the first link
/// of a way with the fewest links; of several such links, the one that was added first.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    hosts: usize,
    nodes: usize,
    /// The next link, by router and then by node.
    next: Vec<Option<LinkId>>,
}

impl Routes {
    /// Routes over these links, each from one node to another.
    pub(crate) fn new(hosts: usize, routers: usize, links: &[(NodeId, NodeId)]) -> Self {
        let nodes = hosts + routers;
        let mut routes = Routes { hosts, nodes, next: vec![None; routers * nodes] };
        let ends: Vec<_> =
            links.iter().map(|&(from, to)| (routes.index(from), routes.index(to))).collect();
        let mut into = vec![Vec::new(); nodes];
        for &(from, to) in &ends {
            into[to].push(from);
        }
        for destination in 0..nodes {
            let distances = distances_to(destination, &into);
            for (link, &(from, to)) in ends.iter().enumerate() {
                let Some(router) = from.checked_sub(hosts) else { continue };
                let nearer = distances[to].is_some_and(|left| distances[from] == Some(left + 1));
                let next = &mut routes.next[router * nodes + destination];
                if nearer && next.is_none() {
                    *next = Some(LinkId(link));
                }
            }
        }
        routes
    }

    /// The number of routers.
    pub(crate) fn routers(&self) -> usize {
        self.nodes - self.hosts
    }

    /// The link by which a router sends to a node; `None` if it has no way there, or is the node
    /// itself.
    pub(crate) fn next(&self, router: usize, to: NodeId) -> Option<LinkId> {
        let index = self.index(to);
        if index < self.nodes { self.next[router * self.nodes + index] } else { None }
    }

    /// A node's column of the table; for a node that does not exist, the number of columns.
    fn index(&self, node: NodeId) -> usize {
        match node {
            NodeId::Host(host) if host.0 < self.hosts => host.0,
            NodeId::Host(_) => self.nodes,
            NodeId::Router(router) => self.hosts + router.0,
        }
    }
}

/// The number of links from each node to `destination`; `into` lists for each node those that have
/// a link to it.
fn distances_to(destination: usize, into: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut distances = vec![None; into.len()];
    distances[destination] = Some(0);
    let mut reached = VecDeque::from([(destination, 0)]);
    while let Some((node, distance)) = reached.pop_front() {
        for &from in &into[node] {
            if distances[from].is_none() {
                distances[from] = Some(distance + 1);
                reached.push_back((from, distance + 1));
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{HostId, RouterId};

    const fn host(index: usize) -> NodeId {
        NodeId::Host(HostId(index))
    }

    const fn router(index: usize) -> NodeId {
        NodeId::Router(RouterId(index))
    }

    /// Links in both directions: those of pair n are 2n and 2n + 1.
    fn duplex(pairs: &[(NodeId, NodeId)]) -> Vec<(NodeId, NodeId)> {
        pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect()
    }

    #[test]
    fn a_route_is_a_shortest_one_and_the_first_of_several() {
        // A square of routers with a host at two opposite corners.
        let links = duplex(&[
            (host(0), router(0)),
            (host(1), router(2)),
            (router(0), router(1)),
            (router(1), router(2)),
            (router(0), router(3)),
            (router(3), router(2)),
        ]);
        let routes = Routes::new(2, 4, &links);
        assert_eq!(routes.next(0, host(1)), Some(LinkId(4)));
        assert_eq!(routes.next(2, host(0)), Some(LinkId(7)));
        assert_eq!(routes.next(3, host(0)), Some(LinkId(9)));
        assert_eq!(routes.next(0, host(0)), Some(LinkId(1)));
        assert_eq!(routes.next(0, router(3)), Some(LinkId(8)));
        assert_eq!(routes.next(0, router(0)), None);
    }

    #[test]
    fn nobody_is_reached_without_links() {
        let routes = Routes::new(2, 1, &duplex(&[(host(0), router(0))]));
        assert_eq!(routes.next(0, host(1)), None);
        assert_eq!(routes.next(0, host(2)), None);
        assert_eq!(routes.next(0, router(7)), None);
    }
}
